"""One semantic operator in LOTUS, as SemBench writes it; `helper` in the spec makes its filter a cascade."""

from common import done, frame, refuse, spec

import lotus
from lotus.models import LM

rows = frame()
column, limit = spec["column"], spec.get("limit")
settings = {"api_base": spec["baseUrl"], "api_key": "bench", "max_batch_size": spec["concurrency"]}
lotus.settings.configure(lm=LM(model=f"openai/{spec['model']}", **settings))
if "helper" in spec:
    lotus.settings.configure(helper_lm=LM(model=f"openai/{spec['helper']}", **settings))


def filtered():
    options = {}
    if "helper" in spec:
        from lotus.types import CascadeArgs

        options["cascade_args"] = CascadeArgs(recall_target=0.9, precision_target=0.9, failure_probability=0.05)
    kept = rows.sem_filter(f"{spec['condition']}: {{{column}}}", **options)
    kept = kept[0] if isinstance(kept, tuple) else kept
    return [[int(row)] for row in kept["row"].head(limit or len(kept))]


def joined():
    right = rows.rename(columns={name: f"{name}2" for name in rows.columns if name != column})
    pairs = rows.sem_join(right, f"{spec['condition']}: {{{column}:left}}, {{{column}:right}}")
    kept = [[int(a), int(b)] for a, b in zip(pairs["row"], pairs["row2"])]
    return kept[:limit] if limit else kept


def extracted():
    said = rows.sem_extract([column], {spec["name"]: spec["question"]})
    return [[int(row), str(value)] for row, value in zip(said["row"], said[spec["name"]])]


if "helper" in spec and spec["op"] != "filter":
    refuse("its cascades of two models are for filters")
done({"filter": filtered, "join": joined, "label": extracted, "score": extracted}[spec["op"]])
