# SPDX-License-Identifier: GPL-2.0-or-later
"""exports-tools.py callgrind|annotated FILE REPORT: whether Callgrind's FILE, or what
callgrind_annotate --inclusive=yes prints of it, has the sums of REPORT, "report --json".
exports-tools.py syscap FILE FOLDED: whether FILE, what syscap-read prints, has these stacks."""
import json
import re
import sys
from collections import Counter

kind, path, report_path = sys.argv[1:]


def check_syscap():
    processes, seen, wanted = {}, Counter(), Counter()
    begin = end = 0
    with open(path, encoding="utf-8") as file:
        for line in file:
            word, rest = line.rstrip("\n").split(" ", 1)
            if word == "time":
                begin, end = map(int, rest.split())
            elif word == "process":
                pid, name = rest.split(" ", 1)
                processes[pid] = name
            elif word in ("sample", "allocation"):
                pid, _, number, stack = rest.split(" ", 3)
                key = processes[pid] + ";" + stack
                seen[key] += 1 if word == "sample" else int(number)
    with open(report_path, encoding="utf-8") as file:
        for line in file:
            stack, weight = line.rstrip("\n").rsplit(" ", 1)
            wanted[stack] += int(weight)
    assert begin < end, (begin, end)
    assert len(wanted) > 2 and seen == wanted, (seen - wanted, wanted - seen)


if kind == "syscap":
    check_syscap()
    sys.exit()
with open(report_path, encoding="utf-8") as file:
    report = json.load(file)
functions = [row for row in report["functions"] if row["total"]]
# Objects are paths there and their last parts here.
wanted_self, wanted_total = Counter(), Counter()
for row in functions:
    key = (row["function"], row["object"])
    wanted_self[key] += row["self"]
    wanted_total[key] += row["total"]


def label(path):
    return path if path.startswith("[") else path.rsplit("/", 1)[-1]


def read_callgrind():
    """Self, what is called, and what calls, by function; the sum that the file says."""
    names, at, called = {}, {}, {}
    selfs, calls, callers = Counter(), Counter(), Counter()
    summary, is_call = None, False
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.rstrip("\n")
            name = re.fullmatch(r"(c?)(ob|fl|fn)=\((\d+)\)(?: (.*))?", line)
            cost = re.fullmatch(r"(\d+) (\d+)", line)
            if name:
                key = (name[2], name[3])
                if name[4] is not None:
                    assert key not in names, line
                    names[key] = name[4]
                (called if name[1] else at)[name[2]] = names[key]
            elif line.startswith("calls="):
                is_call = True
            elif cost:
                function = (at["fn"], label(at["ob"]))
                if is_call:
                    calls[function] += int(cost[2])
                    callers[(called["fn"], label(called["ob"]))] += int(cost[2])
                else:
                    selfs[function] += int(cost[2])
                is_call = False
            elif line.startswith("summary: "):
                summary = int(line.split()[1])
            else:
                assert re.match(r"$|#|version: 1$|(creator|cmd|desc|positions|events?): ", line), line
    return selfs, calls, callers, summary


def check_callgrind():
    selfs, calls, callers, summary = read_callgrind()
    assert summary == report["sum"] == sum(selfs.values()), (summary, report["sum"], sum(selfs.values()))
    for key, total in wanted_total.items():
        repeated = (key[0] + "'2", key[1])
        assert selfs[key] + selfs[repeated] == wanted_self[key], (key, selfs[key], wanted_self[key])
        assert selfs[key] + calls[key] == callers[key] == total, (key, callers[key], total)
        assert callers[repeated] == selfs[repeated] + calls[repeated] <= summary, repeated


def check_annotated():
    seen = Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = re.fullmatch(r" *([\d,]+) \( *[\d.]+%\)  (.*?):([^/]*) \[(.*)\]\n?", line)
            if row:
                seen[(row[3], label(row[4]))] += int(row[1].replace(",", ""))
    # Names with "::" or a '/' are not cut apart safely, and it takes functions of the same name in
    # different objects for one.
    names = Counter(key[0] for key in wanted_total)
    keys = [key for key in wanted_total if names[key[0]] == 1 and not re.search("[:/]", key[0])]
    assert len(keys) > 3
    for key in keys:
        assert seen[key] == wanted_total[key], (key, seen[key], wanted_total[key])


check_callgrind() if kind == "callgrind" else check_annotated()
