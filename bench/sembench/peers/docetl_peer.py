"""One semantic operator in DocETL, without its optimizer (a search of its own by a model, which the pool cannot answer)."""

import json
import os
import tempfile

from common import done, frame, spec

import tiktoken


class Words:
    """In place of a vocabulary that tiktoken would download: DocETL only counts with it. In the peer's favour."""

    def encode(self, text, **_):
        return text.split()

    def decode(self, tokens):
        return " ".join(tokens)


tiktoken.encoding_for_model = tiktoken.get_encoding = lambda *_, **__: Words()

from docetl.api import Dataset, EquijoinOp, FilterOp, MapOp, Pipeline, PipelineOutput, PipelineStep

folder = tempfile.mkdtemp()
source, out = os.path.join(folder, "rows.json"), os.path.join(folder, "out.json")
rows = frame()
column = spec["column"]
rows[["row", column]].to_json(source, orient="records")


def result(op, step_inputs, datasets):
    step = PipelineStep(name="step", operations=[op.name] if isinstance(step_inputs, str) else step_inputs,
                        **({"input": step_inputs} if isinstance(step_inputs, str) else {}))
    Pipeline(
        name="bench",
        datasets=datasets,
        operations=[op],
        steps=[step],
        output=PipelineOutput(type="file", path=out),
        default_model=f"openai/{spec['model']}",
        default_lm_api_base=spec["baseUrl"],
    ).run(max_threads=spec["concurrency"])
    with open(out) as file:
        return json.load(file)


def structured(kind):
    return {"schema": {spec.get("name", "answer"): kind}, "mode": "structured_output"}


one = {"rows": Dataset(type="file", path=source)}


def filtered():
    op = FilterOp(name="op", type="filter", prompt=f"{spec['condition']}: {{{{ input.{column} }}}}",
                  output={"schema": {"answer": "bool"}, "mode": "structured_output"})
    kept = [[int(row["row"])] for row in result(op, "rows", one)]
    return kept[: spec["limit"]] if "limit" in spec else kept


def joined():
    both = {"left": Dataset(type="file", path=source), "right": Dataset(type="file", path=source)}
    op = EquijoinOp(
        name="op",
        type="equijoin",
        comparison_prompt=f"{spec['condition']}: {{{{ left.{column} }}}}, {{{{ right.{column} }}}}",
        comparison_model=f"openai/{spec['model']}",
        blocking_threshold=0.0,
        embedding_model=f"openai/{spec['embedder']}",
    )
    pairs = result(op, [{"op": {"left": "left", "right": "right"}}], both)
    kept = [[int(pair["row_left"]), int(pair["row_right"])] for pair in pairs]
    return kept[: spec["limit"]] if "limit" in spec else kept


def mapped():
    kind = f"enum[{', '.join(spec['labels'])}]" if spec["op"] == "label" else "float"
    op = MapOp(name="op", type="map", prompt=f"{spec['question']}: {{{{ input.{column} }}}}", output=structured(kind))
    return [[int(row["row"]), str(row[spec["name"]])] for row in result(op, "rows", one)]


done({"filter": filtered, "join": joined, "label": mapped, "score": mapped}[spec["op"]])
