#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints all that is said in sentences of twelve recordings, to be read by a person.

Made here and now, from generated captures and from small programs: run it after a change of
userspace/lib/profile/sentences.c or faster.c, and read what it prints aloud.
"""
import json
import os
import subprocess
import sys
import tempfile

CLI = os.path.abspath("build/sysprof-cli")
BUSY = "x = 0\nfor i in range(6000000): x += i\n"
SLEEPY = "import time\nfor i in range(40): time.sleep(.01)\n"
QUICK = "sum(range(200000))\n"
CONVOY = """import threading
lock = threading.Lock()
def turn():
    for i in range(3000):
        with lock: sum(range(200))
threads = [threading.Thread(target=turn) for i in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
WRITES = """import os
file = os.open("written", os.O_CREAT | os.O_WRONLY)
for i in range(50): os.write(file, b"x" * 4096); os.fsync(file)
"""

# Name, options of record, the program; or name, and the generator.
RECORDINGS = [
    ("a generated one", None, "gen-capture"),
    ("a generated one with waits", None, "gen-waits"),
    ("busy", [], BUSY),
    ("busy, only user code", ["--user-only"], BUSY),
    ("hardly a sample", [], QUICK),
    ("sleeps", [], SLEEPY),
    ("sleeps, with waits", ["--waits"], SLEEPY),
    ("four threads and a lock, with waits", ["--waits"], CONVOY),
    ("the same in its calls", ["--waits=calls"], CONVOY),
    ("allocates", ["--memory"], "x = [bytes(1000 + i) for i in range(20000)]\n"),
    ("writes and syncs, with waits", ["--waits"], WRITES),
    ("fails", [], BUSY + "raise SystemExit(3)\n"),
]
METRICS = ["cpu", "wall", "blocked", "off-cpu", "allocated", "peak"]


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=120)


def make(number, options, what):
    path = f"{number}.capture"
    if options is None:
        run(os.path.join(os.path.dirname(CLI), "tests", what), path)
    else:
        made = run(CLI, "record", "-o", path, *options, "--", sys.executable, "-c", what)
        if not os.path.exists(path):
            print("  not recorded:", made.stderr.strip().splitlines()[-1:])
    return path


def say(path, *options):
    answer = run(CLI, "report", "--json", "--limit", "1", *options, path)
    if answer.returncode:
        return
    document = json.loads(answer.stdout)
    print(f"  {' '.join(options)} ({document['scope']})")
    for sentence in document["sentences"]:
        print(f"    {sentence['about']:10} {sentence['text']}")


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for number, (name, options, what) in enumerate(RECORDINGS):
            print(f"\n{name}:")
            path = make(number, options, what)
            for metric in METRICS:
                say(path, "--metric", metric)
            say(path, "--all")
            say(path, "--kernel")
            print("  --summary\n    " + run(CLI, "report", "--summary", path).stdout.replace("\n", "\n    "))
        print("\nbusy, and hardly a sample:\n" +
              "\n".join(run(CLI, "diff", "2.capture", "4.capture").stdout.splitlines()[:8]))


main()
