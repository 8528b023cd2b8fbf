"""One semantic SQL query in SWAN-AISQL: endpoint, model, name of an embedding model of the endpoint, query, then name=file tables."""

import json
import sys
import time

import swan_aisql

endpoint, model, embedder, query, *tables = sys.argv[1:]
root = endpoint.removesuffix("/v1")
con = swan_aisql.connect(
    endpoint=root, api_key="x", model=model, embed_server=False, ai_embed_endpoint=root, ai_embed_model=embedder
)
for table in tables:
    name, file = table.split("=", 1)
    con.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{file}')")
began = time.perf_counter()
rows = con.execute(query).fetchall()
seconds = time.perf_counter() - began
print("\nMEASURED " + json.dumps({"seconds": seconds, "rows": [[*row] for row in rows]}, default=str), flush=True)
