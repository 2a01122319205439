#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# cost.py: what the viewer takes of a CPU while it records with perf events at the default rate, by
# thread, in a real window: a command, and the whole system, with all CPUs at work.  COST_SECONDS
# (60) sets for how long.  What the display server does is not counted.
import collections
import glob
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from viewer import xdotool  # noqa: E402

os.environ["GTK_A11Y"] = "none"
PROGRAM = "build/sysprof"
SECONDS = int(os.environ.get("COST_SECONDS", "60"))
BEGINNING_SECONDS = 3
JOB = f"for i in $(seq {os.cpu_count()}); do while :; do ls -lR /usr/share | sort | md5sum >/dev/null; done & done; wait"


def used(pid):
    """CPU seconds by the name of a thread."""
    found = collections.Counter()
    for path in glob.glob(f"/proc/{pid}/task/*/stat"):
        try:
            with open(path) as file:
                name, rest = file.read().rsplit(")", 1)
        except OSError:
            continue
        fields = rest.split()
        found[name.split(
            "(",
            1)[1].rstrip("0123456789")] += sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return found


def cpu_seconds(pid):
    """Of all its threads, those that have ended too."""
    with open(f"/proc/{pid}/stat") as file:
        return sum(map(int,
                       file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")


def measure(what, process):
    time.sleep(BEGINNING_SECONDS)
    begin, threads, own = time.monotonic(), used(process.pid), cpu_seconds(process.pid)
    time.sleep(SECONDS)
    seconds, parts = time.monotonic() - begin, used(process.pid) - threads
    own = cpu_seconds(process.pid) - own
    by_thread = ", ".join(f"{name} {100 * cpu / seconds:.2f}" for name, cpu in parts.most_common()
                          if cpu > 0.05)
    print(f"    {what:44} {100 * own / seconds:.2f} % of a CPU in {seconds:.0f} s: {by_thread}",
          flush=True)


def start(*words):
    process = subprocess.Popen([PROGRAM, *words],
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    xdotool("search", "--sync", "--onlyvisible", "--pid", process.pid, "--class", "", "windowfocus")
    return process


def end(process):
    process.terminate()
    process.wait()


def records_command():
    process = start("--", "timeout", str(SECONDS + 3 * BEGINNING_SECONDS), "sh", "-c", JOB)
    measure("recording a command", process)
    end(process)


def records_system():
    # A session of its own, which ends as one.
    job = subprocess.Popen(["sh", "-c", JOB], start_new_session=True)
    process = start()
    while not any("recorder" in name for name in used(process.pid)):
        xdotool("key", "ctrl+r")
        time.sleep(1)
    measure("recording the whole system", process)
    end(process)
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()


records_command()
if os.geteuid() == 0:
    records_system()
else:
    print("    left out: recording the whole system needs root")
