# SPDX-License-Identifier: GPL-2.0-or-later
"""
renames.py CLI CAPTURE: a recording of the workload "renames" has each thread by its last name, and finds it by those before.  Prints
what is wrong.
"""
import json
import re
import subprocess
import sys

cli, capture = sys.argv[1:]


def said(*arguments):
    done = subprocess.run([cli, *arguments, capture], capture_output=True, text=True, check=False)
    return done.stdout


def weights(*conditions):
    text = said("report", "--json", "--only-command", "--by", "thread", *conditions)
    return {row["name"]: row["weight"] for row in json.loads(text)["groups"]} if text else {}


def check(good, *what):
    if not good:
        print(*what)


whole = weights()
check(set(whole) == {"renamed", "at-once", "later", "by-other"}, "threads:", whole)
for name, last in (("early", "later"), ("later", "later"), ("renames", "renamed"), ("at-once", "at-once")):
    found = weights("--thread", name)
    check(found.get(last) == whole.get(last), f"--thread {name}:", found)
check(weights("--process", "renames") == whole, "--process renames:", weights("--process", "renames"))
check(weights("--process", "renamed") == whole, "--process renamed:", weights("--process", "renamed"))
names = {row["name"]: row["former_names"] for row in json.loads(said("info", "--json"))["threads"]}
check("early" in names.get("later", []), "info:", names)
check("renames" in names.get("renamed", []), "info:", names)
for kind in "firefox", "chrome", "perf-script":
    text = said("export", "--format", kind, "-o", "-")
    check("later" in text and "by-other" in text and not re.search(r"\bearly\b", text), kind, "has the first names")
