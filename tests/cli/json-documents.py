# SPDX-License-Identifier: GPL-2.0-or-later
"""TAP for test-json.sh: every kind of document, of a capture with known answers and of a real recording."""
import json
import os
import re
import shutil
import subprocess
import tempfile

import schema

CLI = os.environ["CLI"]
with open("userspace/cli/json.schema.json", encoding="utf-8") as file:
    ROOT = json.load(file)
number = broken = 0


def ok(good, text, why=""):
    global number, broken
    number += 1
    broken += not good
    print(f"{'ok' if good else 'not ok'} {number} - {text}")
    for line in [] if good else str(why).splitlines()[:20]:
        print(f"# {line}")


def cli(*arguments):
    return subprocess.run([CLI, *arguments], capture_output=True, timeout=120, check=False, stdin=subprocess.DEVNULL)


def document(name, *arguments):
    """The document that these arguments print, which has to be as the schema's @name says; {} if there is none."""
    everything = ["--all"] if arguments[0] in ("report", "annotate", "diff") else []
    done = cli(*arguments, *everything, "--json")
    try:
        value = json.loads(done.stdout)
        wrong = list(schema.errors(ROOT, value, {"$ref": f"#/$defs/{name}"})) + list(schema.errors(ROOT, value, ROOT))
    except ValueError as error:
        value, wrong = {}, [str(error), done.stderr.decode(errors="replace")]
    ok(done.returncode == 0 and not wrong, f"{arguments[0]}: {name}", "\n".join(wrong))
    return value


def adds_up(node):
    return node["total"] == node["self"] + sum(child["total"] for child in node["children"]) and all(map(adds_up, node["children"]))


def sum_of(rows, key):
    return sum(row[key] for row in rows)


def complaint(*arguments):
    return cli(*arguments).stderr.decode(errors="replace")


def listed(text, before):
    """The words of "a, b or c" behind @before; there are always several."""
    names = re.fullmatch(f".*{re.escape(before)}(\\w[-\\w, ]*? or [-\\w]+)(, not .*)?\n", text)
    assert names, text
    return names[1].replace(" or ", ", ").split(", ")


def report_options():
    """The options that ask for a report, with the name of their value; "" if they have none."""
    excluding = complaint("report", "--functions", "--tree", "x").split(" exclude each other")[0]
    listed = [line.split("\t") for line in cli("--list-options").stdout.decode().splitlines()]
    return {option: value for command, option, _, _, value, _ in listed
            if command == "report" and option in re.findall(r"--(\w+)", excluding)}


def groupings(metric):
    return listed(complaint("report", "--by=", f"--metric={metric}", "x"), "--by takes ")


def definition_of(option):
    return "report_" + {"by": "groups"}.get(option, option)


def metrics():
    return listed(complaint("report", "--metric=?"), '"?": use ')


def check_sums(path, top, rules, metric, kinds_of_groups=None):
    """All documents of one metric agree."""
    def of(name, *arguments):
        one = document(name, "report", path, f"--metric={metric}", *arguments)
        heads.append([one[key] for key in ("metric", "unit", "sum", "samples")])
        return one

    heads = []
    report, tree = of("report_functions"), of("report_tree", "--tree")
    if metric == "cpu":
        sure = of("report_functions", "--confidence")["functions"][0]
        low, high = sure["self_pct_range"]
        ok(low < sure["self_pct"] < high, "--confidence: a share is within its range", sure)
    callers, callees = of("report_callers", "--callers", top), of("report_callees", "--callees", top)
    kinds, root, total = of("report_categories", "--categories", rules), tree["tree"], report["sum"]
    ok(report["metric"] == metric and ("periods" in report) == ("period_ns" in report) == (metric == "cpu"),
       f"{metric}: it has its name, and periods if it is CPU time", report["metric"])
    ok(metric != "cpu" or total == report["periods"] * report["period_ns"], "CPU time is periods", total)
    ok(root["total"] == total and adds_up(root), f"{metric}: the tree adds up", root["total"])
    ok(sum_of(report["functions"], "self") == total, f"{metric}: functions add up", total)
    ok(sum_of(callers["callers"], "weight") == callers["total"], f"{metric}: callers add up", callers["total"])
    ok(callees["total"] == callers["total"] and callees["self"] == callers["self"], f"{metric}: callees are of the same", callees["total"])
    for kind in kinds_of_groups or groupings(metric):
        # Not every recording shows who woke whom, or has marks.
        if kind in ("client", "mark") and f" does not have what --by {kind} needs" in complaint("report", path, "--by", kind, "--all"):
            continue
        groups = of("report_groups", "--by", kind)
        ok(sum_of(groups["groups"], "weight") == total, f"{metric}: groups by {kind} add up", total)
    ok(sum_of(kinds["categories"], "weight") == total, f"{metric}: categories add up", total)
    annotation = document("annotate", "annotate", path, top, f"--metric={metric}")
    heads.append([annotation[key] for key in ("metric", "unit", "sum", "samples")])
    ok(annotation["total"] == callers["total"], f"{metric}: annotate has the function's total", annotation["total"])
    ok(heads == heads[:1] * len(heads), f"{metric}: all say the same of it", heads)
    for side in ("functions", "paths"):
        diff = document(f"diff_{side}", "diff", path, path, f"--metric={metric}", *(["--path"] if side == "paths" else []))
        ok(diff["a"]["metric"] == metric and diff["a"]["sum"] == total, f"{metric}: diff has the sum", diff["a"])
    divisor = report["period_ns"] if metric == "cpu" else 1000 if report["unit"] == "ns" else 1
    folded = sum(int(line.rsplit(" ", 1)[1])
                 for line in cli("export", path, "--all", "-f", "folded", f"--metric={metric}").stdout.decode().splitlines())
    ok(folded == total // divisor, f"{metric}: folded stacks add up", (folded, total))


def has(path, metric):
    return cli("report", path, f"--metric={metric}").returncode == 0


def check_reports(path, rules, has_delays):
    functions = document("report_functions", "report", path)["functions"]
    # "[stack incomplete]" is no function.
    top = max((row for row in functions if not row["function"].startswith("[")),
              key=lambda row: row["total"])["function"]
    values = {"FN": top, "FILE": rules, "N": "3", "KIND": "cpu", "METRIC": "cpu"}
    for option, value in report_options().items():
        if (has_delays or option not in ("latest", "delay")) and (option != "wakers" or has(path, "blocked")) \
                and (option != "holders" or has(path, "lock")) and option not in ("events", "marks", "histogram", "counters", "logs", "dbus", "malloc-arenas"):
            arguments = [f"--{option}={values[value]}" if value else f"--{option}"]
            one = document(definition_of(option), "report", path, *arguments)
            ok(option != "delay" or sum_of(one["stacks"], "weight") == one["sum"], "delays add up", one)
    for metric in metrics():
        if has(path, metric):
            check_sums(path, top, rules, metric)


def check_declared(path, rules):
    """Kinds of events that the capture itself declares."""
    kinds = {kind["name"]: kind for kind in document("info", "info", path)["declared"]}
    for name, kind in kinds.items():
        events = document("report_events", "report", path, "--events", name)
        ok(events["count"] == kind["count"] == len(events["rows"]) and
           [{key: field[key] for key in ("name", "type", "unit")} for field in events["fields"]] == kind["fields"] and
           all(list(row["fields"]) == [field["name"] for field in kind["fields"]] for row in events["rows"]),
           f"{name}: all events are listed, with the fields that info names", events)
    for metric in ("request", "request.duration", "request.sent", "request.queries"):
        check_sums(path, "serve", rules, metric, ["process", "thread", "object", "path", "request.sent"])
    few = document("report_events", "report", path, "--events", "request", "--field", "sent >= 2K", "--field", "path=/*.html")
    ok([row["fields"]["queries"] for row in few["rows"]] == [i for i in range(300) if i % 4 >= 2 and i % 3 == 1],
       "conditions on fields choose events", few["count"])
    one = document("report_functions", "report", path, "--metric", "request.queries", "--field", "sent >= 2K", "--field", "path=/*.html")
    ok(one["sum"] == sum(row["fields"]["queries"] for row in few["rows"]), "and the same ones for a metric", one["sum"])


def check_doctor():
    found = document("doctor", "doctor")
    ok(found["verdict"] and found["perf"] in (True, False), "doctor has a verdict", found)
    for finding in found["findings"]:
        words = (finding["fix"] or "").split()
        if words[:3] == ["sudo", "apt-get", "install"]:
            known = subprocess.run(["apt-cache", "show", *words[3:]], capture_output=True, check=False).returncode == 0
            ok(known, "... and advises no package that apt lacks", finding)


def check_events():
    found = document("events", "events")["events"]
    names = [event["name"] for event in found]
    ok("page-faults" in names and len(set(names)) == len(names), "events have names of their own", names[:9])


def check_said(path):
    """What programs say of themselves, and counters of the machine."""
    program = ["build/workloads/marks", "truth", "100"]
    done = cli("record", "--source", "perf", "-F", "97", "--counters", "--logs", "-o", path, "--", "sh", "-c",
               'echo a line >&2; exec "$@"', "sh", *program)
    ok(done.returncode == 0, "marks, counters and logs are recorded", done.stderr.decode(errors="replace"))
    marks = document("report_marks", "report", path, "--marks")["marks"]
    ok(sorted(mark["count"] for mark in marks) == [100] * 4 and
       all(mark["least_ns"] <= mark["median_ns"] <= mark["p99_ns"] <= mark["most_ns"] for mark in marks), "marks are there", marks)
    threads = document("report_marks", "report", path, "--marks", "--by", "thread")
    ok(threads["by"] == "thread" and sum_of(threads["marks"], "count") == 400, "they add up by thread", threads)
    times = document("report_histogram", "report", path, "--histogram", "*")
    ok(times["count"] == 400 == sum_of(times["steps"], "count") and
       times["sum_ns"] == sum_of(marks, "sum_ns") == sum_of(times["steps"], "sum_ns"), "the histogram has all marks", times)
    within = document("report_functions", "report", path, "--mark", "*")["within"]
    ok((within["count"], within["sum_ns"]) == (400, times["sum_ns"]), "a report of marks has all of their time", within)
    document("report_counters", "report", path, "--counters")
    lines = document("report_logs", "report", path, "--logs")["lines"]
    ok("a line" in [line["text"] for line in lines], "lines of the log are there", lines)


def check_calls(path):
    """Calls on a bus of their own."""
    if not shutil.which("dbus-run-session") or not shutil.which("dbus-send"):
        return
    done = subprocess.run(["dbus-run-session", "--", CLI, "record", "--source", "perf", "--dbus", "-o", path, "--", "dbus-send",
                           "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.GetId"],
                          capture_output=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
    ok(done.returncode == 0, "calls on D-Bus are recorded", done.stderr.decode(errors="replace"))
    calls = [call for call in document("report_dbus", "report", path, "--dbus")["calls"] if call["name"].endswith(".GetId")]
    ok([(call["count"], call["errors"]) for call in calls] == [(1, 0)], "the call is there", calls)


def check_info(path):
    info = document("info", "info", path)
    for cpu in info["cpus"]:
        parts = sum(cpu[key] for key in ("delivered", "lost", "idle", "offline", "excluded", "budget", "pending", "residue"))
        ok(cpu["grid"] == parts and cpu["lost"] == sum(cpu["lost_by_reason"].values()), f"the account of CPU {cpu['cpu']} adds up", cpu)
    ok(info["weight"] == sum_of(info["coverage"], "weight") == sum_of(info["threads"], "weight") and
       info["named"] == sum_of(info["coverage"], "named"), "coverage and threads add up", info["weight"])
    finders = info["finders"]
    ok(info["named"] == sum_of(finders[:-1], "weight") and finders[-1]["name"] is None and finders[-1]["named"] == 0 and
       all(row["named"] == sum(row["sources"].values()) for row in finders), "finders of names add up", finders)
    for source in info["sources"]:
        for part in ("events", "value", "ns"):
            tally = source[part]
            ok(tally["seen"] == sum(tally.values()) - tally["seen"] or tally["lost"], f"the account of {source['name']} adds up", tally)
    ok(all((row["problem"] is None) == (row["named"] == row["weight"]) for row in info["coverage"]), "what lacks names says why",
       info["coverage"])


def check_schema():
    undescribed = [name for name, text in walk(ROOT["$defs"]) if "description" not in text and "$ref" not in text]
    ok(not undescribed, "every key is described", undescribed)
    with open("userspace/cli/json.md", encoding="utf-8") as page:
        text = page.read()
    for name, example in re.findall(r"```json (\w+)\n(.*?)```", text, re.S):
        ok(not (wrong := list(schema.errors(ROOT, json.loads(example), ROOT["$defs"][name]))), f"the page's example of {name}", wrong)
    names = [one["$ref"].removeprefix("#/$defs/") for one in ROOT["anyOf"]]
    by_rule = set(map(definition_of, report_options()))
    missing = [name for name in names if f"`{name}`" not in text and name not in by_rule]
    ok(not missing, "the page names every document", missing)
    ok(not (missing := by_rule - set(names)), "every report is in the schema", missing)
    value = {"file": "", "samples": 0, "metric": "cpu", "unit": "ns", "sum": 0,
             "stacks": [{"weight": -1, "pct": 0, "most": 0, "samples": True, "frames": [], "more": 1}]}
    ok(len(list(schema.errors(ROOT, value, ROOT["$defs"]["report_delay"]))) == 4, "a wrong document is seen to be wrong")


def walk(schemas):
    for name, one in schemas.items():
        yield name, one
        yield from walk(one.get("properties", {}))
        yield from walk(one.get("items", {}).get("properties", {}))


def main():
    with tempfile.TemporaryDirectory() as work:
        example, real, rules, declared = (
            os.path.join(work, name) for name in ("example.capture", "real.capture", "rules", "declared.capture"))
        subprocess.run([os.environ["GEN_CAPTURE"], example], check=True, timeout=60)
        with open(rules, "w", encoding="utf-8") as out:
            out.write("heat = hot\nsystem = * @ [kernel]\n")
        check_schema()
        check_reports(example, rules, True)
        check_info(example)
        subprocess.run([os.path.join(os.path.dirname(os.environ["GEN_CAPTURE"]), "gen-declared"), declared], check=True, timeout=60)
        check_declared(declared, rules)
        check_doctor()
        check_events()
        document("diff_functions", "diff", example, example)
        document("diff_paths", "diff", "--path", example, example)
        document("diff_runs", "diff", "--runs", f"{example},{example}", example)
        document("diff_runs", "diff", "--runs", "--path", example, example)
        busy = ["python3", "-c", "sum(i * i for i in range(3000000))"]
        done = cli("record", "--source", "perf", "--waits", "-F", "997", "-o", real, "--", *busy)
        if done.returncode != 0:
            done = cli("record", "--source", "perf", "-F", "997", "-o", real, "--", *busy)
        if done.returncode == 0:
            check_said(os.path.join(work, "said.capture"))
            check_calls(os.path.join(work, "calls.capture"))
            check_reports(real, rules, False)
            check_info(real)
            document("diff_functions", "diff", example, real)
            document("diff_paths", "diff", "--path", example, real)
        else:
            ok(True, f"a real recording # SKIP no perf events here: {done.stderr.decode(errors='replace').splitlines()[0]}")
    print(f"1..{number}")
    raise SystemExit(broken > 0)


main()
