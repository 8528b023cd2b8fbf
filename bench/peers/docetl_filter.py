"""One semantic filter in DocETL: `python docetl_filter.py rows.csv BASE_URL`. Prints what it used as JSON."""

import json
import os
import sys
import tempfile

path, base_url = sys.argv[1:3]
os.environ["OPENAI_API_KEY"] = "bench"
os.environ["OPENAI_API_BASE"] = base_url
os.environ["OPENAI_BASE_URL"] = base_url
# The price list that comes with the package, not the one on the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
# Its own cache of answers would answer the second run.
os.environ["DOCETL_HOME_DIR"] = tempfile.mkdtemp()

import tiktoken


class Words:
    """In place of a vocabulary that tiktoken would download: DocETL only counts with it. In the peer's favour."""

    def encode(self, text, **_):
        return text.split()

    def decode(self, tokens):
        return " ".join(tokens)


tiktoken.encoding_for_model = tiktoken.get_encoding = lambda *_, **__: Words()

from docetl.api import Dataset, FilterOp, Pipeline, PipelineOutput, PipelineStep
from measure import measured

out = os.path.join(tempfile.mkdtemp(), "out.json")
# The endpoint answers {"answer": …}: the schema takes the field by that name, and as structured output, not as a tool call.
pipeline = Pipeline(
    name="bench",
    datasets={"reviews": Dataset(type="file", path=path)},
    operations=[
        FilterOp(
            name="bad",
            type="filter",
            prompt="Is this a bad review? {{ input.text }}",
            output={"schema": {"answer": "bool"}, "mode": "structured_output"},
        )
    ],
    steps=[PipelineStep(name="step", input="reviews", operations=["bad"])],
    output=PipelineOutput(type="file", path=out),
    default_model="openai/fake-1",
    default_lm_api_base=base_url,
)


def work():
    pipeline.run()
    with open(out) as file:
        return len(json.load(file))


measured(work)
