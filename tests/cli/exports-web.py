#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""exports-web.py FORMAT FILE REPORT: whether FILE has the functions of a report as JSON, each with
the same self and total, and what it says of itself is consistent."""
import collections
import importlib
import json
import re
import sys


def firefox_columns(table):
    """All columns have the length that the table says."""
    for key, column in table.items():
        if isinstance(column, list):
            assert len(column) == table["length"], (key, len(column), table["length"])


def firefox(profile, report):
    """Yields (stack of function names with objects, weight)."""
    assert profile["meta"]["preprocessedProfileVersion"] == 60
    shared = profile["shared"]
    strings, stacks = shared["stringArray"], shared["stackTable"]
    for table in [shared[key] for key in shared if key.endswith("Table")]:
        firefox_columns(table)
    paths = []
    for frame, prefix in zip(stacks["frame"], stacks["prefix"]):
        function = shared["frameTable"]["func"][frame]
        resource = shared["funcTable"]["resource"][function]
        name = strings[shared["funcTable"]["name"][function]]
        where = strings[shared["resourceTable"]["name"][resource]] if resource >= 0 else ""
        assert prefix is None or prefix < len(paths)
        paths.append((paths[prefix] if prefix is not None else ()) + ((name, where),))
    kind = {"bytes": "bytes", "ns": "tracing-ms"}.get(report["unit"], "samples")
    if report["metric"] == "cpu":
        kind = "samples"
    for thread in profile["threads"]:
        samples, markers = thread["samples"], thread["markers"]
        firefox_columns(samples)
        firefox_columns(markers)
        assert samples["weightType"] == kind, samples["weightType"]
        assert samples["time"] == sorted(samples["time"])
        # The end of the range is no part of it.
        assert all(time < profile["meta"]["profilingEndTime"] for time in samples["time"])
        for name, data in zip(markers["name"], markers["data"]):
            assert strings[name] == data["type"], (strings[name], data)
        for stack, weight in zip(samples["stack"], samples["weight"]):
            yield paths[stack], round(weight * 1e6) if kind == "tracing-ms" else weight


def chrome(trace, report):
    """The same; of each thread, samples are in the order of time, and slices are within it."""
    last, frames = {}, trace["stackFrames"]
    threads = {(event["pid"], event["tid"]) for event in trace["traceEvents"]
               if event["name"] == "thread_name"}
    for event in trace["traceEvents"]:
        assert event["ph"] in "XiCMbe", event
        assert event["ph"] in "CM" or (event["pid"], event["tid"]) in threads, event
        assert event.get("ts", 0) >= 0 and event.get("dur", 0) >= 0, event
    for sample in trace["samples"]:
        thread = sample["pid"], sample["tid"]
        assert thread in threads and sample["ts"] >= last.get(thread, 0), sample
        last[thread] = sample["ts"]
        frame, stack = frames[str(sample["sf"])], []
        if not sample["weight"]:
            assert frame["name"] == "[idle]", frame
            continue
        while frame:
            stack.append((frame["name"], frame["category"]))
            frame = frames[str(frame["parent"])] if "parent" in frame else None
        yield tuple(reversed(stack)), sample["weight"]


def page(text, report):
    """The same, as the page's script finds them; its sums of functions are the report's."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    data = json.loads(found[1])
    assert "://" not in text
    worth = report["period_ns"] if data["unit"] == "periods" else 1
    paths, weights = [()], collections.Counter()
    names = [(name, data["objects"][data["objectOf"][i]])
             for i, name in enumerate(data["functions"])]
    for function in report["functions"]:
        i = names.index((function["function"], function["object"]))
        assert data["selfs"][i] * worth == function["self"], function
        assert data["totals"][i] * worth == function["total"], function
    for i, up in enumerate(data["up"][1:], 1):
        function, above = data["functionOf"][i], paths[i - up]
        # Processes are no functions of a report.
        is_process = data["kinds"][function] == "p"
        paths.append(above if is_process else above + (names[function],))
    for part in data["parts"]:
        at = 0
        for delta, weight in zip(part[::2], part[1::2]):
            at += delta
            assert at % 2 == 0, "a rest, though there is room for all"
            weights[at // 2] += weight
    for node, weight in weights.items():
        yield paths[node], weight


def load(path, name):
    if name == "perfetto":
        with open(path, "rb") as file:
            return file.read()
    with open(path, encoding="utf-8") as file:
        return file.read() if name == "html" else json.load(file)


READERS = {"firefox": firefox, "chrome": chrome, "html": page,
           "perfetto": importlib.import_module("exports-perfetto").read}


def main():
    name, path, report_path = sys.argv[1:]
    exported = load(path, name)
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    selfs, totals, whole = collections.Counter(), collections.Counter(), 0
    for stack, weight in READERS[name](exported, report):
        whole += weight
        selfs[stack[-1]] += weight
        for function in set(stack):
            totals[function] += weight
    worth = report["period_ns"] if report["metric"] == "cpu" else 1
    assert whole * worth == report["sum"], (whole, worth, report["sum"])
    seen = 0
    for function in report["functions"]:
        key = (function["function"], function["object"])
        if function.get("is_process"):
            continue
        assert key in totals, key
        assert selfs[key] * worth == function["self"], (key, selfs[key], function)
        assert totals[key] * worth == function["total"], (key, totals[key], function)
        seen += 1
    assert seen == len(totals), (seen, len(totals))


main()
