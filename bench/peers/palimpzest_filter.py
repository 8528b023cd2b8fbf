"""One semantic filter in Palimpzest: `python palimpzest_filter.py rows.csv BASE_URL`. Prints what it used as JSON."""

import importlib.util
import json
import os
import sys

path, base_url = sys.argv[1:3]
os.environ["OPENAI_API_KEY"] = "bench"
os.environ["OPENAI_API_BASE"] = base_url
os.environ["OPENAI_BASE_URL"] = base_url
# The price list that comes with the package, not the one on the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import pandas as pd
import requests

# Its import fetches a table of models. The package ships a copy that nothing reads: without a network, that one.
folder = importlib.util.find_spec("palimpzest").submodule_search_locations[0]
shipped = os.path.join(folder, "utils/pz_models_information.json")


class Shipped:
    def json(self):
        with open(shipped) as file:
            return json.load(file)


requests.get = lambda *_, **__: Shipped()

import palimpzest as pz
from measure import measured
from palimpzest.constants import Model

frame = pd.read_csv(path)
# One model, asked once a row: what its optimizer chooses between otherwise is other models and more calls.
config = pz.QueryProcessorConfig(
    available_models=[Model.GPT_4o_MINI],
    policy=pz.MaxQuality(),
    allow_critic=False,
    allow_mixtures=False,
    allow_rag_reduction=False,
    progress=False,
)


def work():
    dataset = pz.MemoryDataset(id="reviews", vals=frame)
    kept = dataset.sem_filter("The review is bad", depends_on=["text"])
    return len(kept.run(config).to_df())


measured(work)
