"""One semantic filter in ThalamusDB: `python thalamusdb_filter.py rows.csv BASE_URL`. Prints what it used as JSON."""

import json
import os
import sys
import tempfile

path, base_url = sys.argv[1:3]
# The price list that comes with the package, not the one on the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

from measure import measured
from tdb.data.relational import Database
from tdb.execution.constraints import Constraints
from tdb.execution.engine import ExecutionEngine
from tdb.queries.query import Query

folder = tempfile.mkdtemp()
models = os.path.join(folder, "models.json")
call = {"model": "openai/fake-1", "api_base": base_url, "api_key": "bench", "temperature": 0}
with open(models, "w") as file:
    json.dump({"models": [{"modalities": ["text"], "priority": 10, "kwargs": {"filter": call, "join": call}}]}, file)

db = Database(os.path.join(folder, "bench.duckdb"))
# Its predicates take columns of type TEXT.
db.execute2list(f"CREATE TABLE reviews AS SELECT id, text::TEXT AS text FROM read_csv_auto('{path}')")
query = Query(db, "SELECT id FROM reviews WHERE NLfilter(reviews.text, 'Is this a bad review?')")
# 20 calls at a time is the console's default.
engine = ExecutionEngine(db, 20, models)


def work():
    result, _ = engine.run(query, Constraints())
    return len(result)


measured(work)
