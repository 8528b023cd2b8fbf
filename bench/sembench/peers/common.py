"""What every peer's script shares: `python SCRIPT spec.json` does one semantic operator over a CSV and prints its rows as JSON."""

import json
import os
import sys
import tempfile
import time

with open(sys.argv[1]) as file:
    spec = json.load(file)

os.environ["OPENAI_API_KEY"] = "bench"
os.environ["OPENAI_API_BASE"] = spec["baseUrl"]
os.environ["OPENAI_BASE_URL"] = spec["baseUrl"]
# The price list that comes with the package, not the one on the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
# A cache of answers on the disk would answer the next run.
os.environ["DOCETL_HOME_DIR"] = tempfile.mkdtemp()


def frame():
    """The rows that the operator is about, as a pandas frame; `row` numbers them."""
    import pandas as pd

    rows = pd.read_csv(spec["csv"], dtype=str, keep_default_na=False)
    rows["row"] = rows["row"].astype(int)
    if "where" in spec:
        column, value = spec["where"]
        rows = rows[rows[column] == value]
    return rows.reset_index(drop=True)


def refuse(why):
    print("\nREFUSED " + why, flush=True)
    sys.exit(0)


def done(work):
    """`work` gives a list of [row], [row, row] or [row, value]. Imports and reading the file are not timed."""
    began = time.perf_counter()
    found = work()
    seconds = time.perf_counter() - began
    print("\nRESULT " + json.dumps({"rows": found, "seconds": seconds}), flush=True)
