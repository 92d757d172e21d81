"""Writes graphs that would exhaust the stack or the memory of a careless reader.

json: a million brackets. sum FILE: the first stored value becomes a sum of many
terms. shared FILE: it becomes a sum of itself with itself, many times over.
"""

import json
import sys

if sys.argv[1] == "json":
    print("[" * 1_000_000)
    sys.exit()

graph = json.load(open(sys.argv[2]))
nodes = graph["nodes"]
place = next(i for i, node in enumerate(nodes) if node["type"] == "tirx.BufferStore")
value = nodes[place]["data"]["value"]
count = 100_000 if sys.argv[1] == "sum" else 60
sums = []
last = value
for _ in range(count):
    right = value if sys.argv[1] == "sum" else last
    sums.append({"type": "tirx.Add", "data": {"span": 0, "dtype": "float32", "a": last, "b": right}})
    last = place + len(sums) - 1

# What came from the store onwards moves up by the number of new nodes.
PLAIN = {"value": ("ir.IntImm", "ir.FloatImm"), "kind": ("tirx.For",)}
PLACES = {"line", "column", "end_line", "end_column", "ndim", "iter_type", "data_alignment", "offset_factor", "buffer_type"}


def moved(target):
    return target + count if target >= place else target


for node in nodes[place:]:
    data = node.get("data")
    if isinstance(data, list):
        node["data"] = [moved(target) for target in data]
    elif isinstance(data, dict):
        for key, target in data.items():
            plain = key in PLACES or node["type"] in PLAIN.get(key, ())
            if type(target) is int and not plain:
                data[key] = moved(target)
nodes[place]["data"]["value"] = last
nodes[place:place] = sums
graph["root_index"] += count
json.dump(graph, sys.stdout)
