"""One semantic operator in Palimpzest with its optimizer over three models: it knows them by the names of the real ones."""

import importlib.util
import json
import os

from common import done, frame, spec

import requests

# Its import fetches a table of models. The package ships a copy that nothing reads: without a network, that one.
package = importlib.util.find_spec("palimpzest").submodule_search_locations[0]
shipped = os.path.join(package, "utils/pz_models_information.json")


class Shipped:
    def json(self):
        with open(shipped) as file:
            return json.load(file)


requests.get = lambda *_, **__: Shipped()

import palimpzest as pz
from palimpzest.constants import Model

# What its optimizer chooses between otherwise is more calls, whose prompts the pool cannot answer.
config = pz.QueryProcessorConfig(
    available_models=[Model.GPT_4o, Model.GPT_4o_MINI, Model.GPT_4_1_NANO],
    policy=pz.MaxQuality(),
    max_workers=spec["concurrency"],
    allow_critic=False,
    allow_mixtures=False,
    allow_rag_reduction=False,
    progress=False,
)
column = spec["column"]
rows = frame()[["row", column]]


def ran(dataset):
    return dataset.limit(spec["limit"]).run(config).to_df() if "limit" in spec else dataset.run(config).to_df()


def filtered():
    dataset = pz.MemoryDataset(id="rows", vals=rows)
    kept = ran(dataset.sem_filter(spec["condition"], depends_on=[column]))
    return [[int(row)] for row in kept["row"]] if len(kept) > 0 else []


def joined():
    left = pz.MemoryDataset(id="left", vals=rows)
    right = pz.MemoryDataset(id="right", vals=rows.rename(columns={"row": "row2", column: f"{column}2"}))
    pairs = ran(left.sem_join(right, spec["condition"], depends_on=[column, f"{column}2"]))
    return [[int(a), int(b)] for a, b in zip(pairs["row"], pairs["row2"])] if len(pairs) > 0 else []


def mapped():
    dataset = pz.MemoryDataset(id="rows", vals=rows)
    kind = str if spec["op"] == "label" else float
    said = ran(dataset.sem_map([{"name": spec["name"], "type": kind, "desc": spec["question"]}], depends_on=[column]))
    return [[int(row), str(value)] for row, value in zip(said["row"], said[spec["name"]])]


done({"filter": filtered, "join": joined, "label": mapped, "score": mapped}[spec["op"]])
