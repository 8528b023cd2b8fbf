"""One semantic operator in ThalamusDB, run to the end: no error bound, no budget."""

import json
import os
import tempfile

from common import done, frame, refuse, spec

from tdb.data.relational import Database
from tdb.execution.constraints import Constraints
from tdb.execution.engine import ExecutionEngine
from tdb.queries.query import Query

if spec["op"] in ("label", "score"):
    refuse("it has no map")
if spec["op"] == "join":
    refuse("its joins answer in a form of their own (L1-R2,…), which the pool does not know")

folder = tempfile.mkdtemp()
models = os.path.join(folder, "models.json")
call = {"model": f"openai/{spec['model']}", "api_base": spec["baseUrl"], "api_key": "bench", "temperature": 0}
with open(models, "w") as file:
    json.dump({"models": [{"modalities": ["text"], "priority": 10, "kwargs": {"filter": call, "join": call}}]}, file)
column = spec["column"]
source = os.path.join(folder, "rows.csv")
frame()[["row", column]].to_csv(source, index=False)
db = Database(os.path.join(folder, "bench.duckdb"))
# Its predicates take columns of type TEXT.
db.execute2list(
    f"CREATE TABLE reviews AS SELECT \"row\"::INTEGER AS n, {column}::TEXT AS {column} FROM read_csv_auto('{source}')"
)
limit = f" LIMIT {spec['limit']}" if "limit" in spec else ""
query = Query(db, f"SELECT n FROM reviews WHERE NLfilter(reviews.{column}, '{spec['condition']}'){limit}")
engine = ExecutionEngine(db, spec["concurrency"], models)


def work():
    unlimited = Constraints(max_seconds=10**9, max_calls=10**9, max_tokens=10**15, max_error=0.0)
    found, _ = engine.run(query, unlimited)
    values = found["n"] if hasattr(found, "columns") else [row[0] for row in found]
    return [[int(n)] for n in values]


done(work)
