"""One semantic filter in LOTUS: `python lotus_filter.py rows.csv BASE_URL`. Prints what it used as JSON."""

import sys

import lotus
import pandas as pd
from lotus.models import LM

from measure import measured

path, base_url = sys.argv[1:3]
lotus.settings.configure(lm=LM(model="openai/fake-1", api_base=base_url, api_key="bench"))
frame = pd.read_csv(path)
measured(lambda: len(frame.sem_filter("Is this a bad review? {text}")))
