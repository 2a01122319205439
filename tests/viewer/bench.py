#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# bench.py CAPTURE...: what the viewer's work costs on each recording, in a real window: until its
# first complete picture, and for a frame while scrolling, while a range is dragged over the
# timeline, and while the flame graph is shown.  The viewer says itself what it spent, in CPU time;
# wall time is printed beside it and depends on what else the machine does.  No screen reader
# listens.
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from viewer import FRAME, wait_for, xdotool  # noqa: E402

PROGRAM = "build/sysprof"
DRAG_STEPS = 60


class Log:
    """What the viewer says, from a moment on."""

    def __init__(self, path):
        self.path, self.at = path, 0

    def since(self):
        with open(self.path) as file:
            return file.read()[self.at:]

    def mark(self):
        self.at = os.path.getsize(self.path)

    def times(self, what):
        return [float(ms) for ms in re.findall(what + r" in ([\d.]+) ms of CPU", self.since())]


def told(what, times):
    if times:
        print(
            f"    {what:44} median {statistics.median(times):7.2f} ms, at most {max(times):7.2f} ms, {len(times)} times",
            flush=True)
    else:
        print(f"    {what:44} never", flush=True)


def settle(log):
    """Until nothing is drawn any more."""
    size = -1
    while size != os.path.getsize(log.path):
        size = os.path.getsize(log.path)
        time.sleep(0.7)


def peak_mib(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024


def opens(path, log):
    begin = time.monotonic()
    process = subprocess.Popen([PROGRAM, path],
                               stdout=open(log.path, "w"),
                               stderr=subprocess.STDOUT,
                               env=dict(os.environ, G_MESSAGES_DEBUG="all", GTK_A11Y="none"))
    said = wait_for("the picture",
                    lambda: re.search(r"complete at (\d+) us, after ([\d.]+) ms", log.since()), 120)
    print(
        f"    {'first complete picture':44} after {int(said[1]) / 1e6 - begin:.2f} s, {float(said[2]) / 1000:.2f} s of CPU time",
        flush=True)
    xdotool("search", "--sync", "--onlyvisible", "--pid", process.pid, "--class", "", "windowfocus")
    settle(log)
    return process


def drags(log, what):
    log.mark()
    y = FRAME + 115
    xdotool("mousemove", 300, y, "mousedown", 1)
    for step in range(DRAG_STEPS):
        xdotool("mousemove", 300 + step * 14, y)
        time.sleep(0.02)
    xdotool("mouseup", 1)
    settle(log)
    told(what + ": a part, in a thread", log.times("a part"))
    told(what + ": callers and descendants, in a thread", log.times("a function's surroundings"))
    told(what + ": all views changed", log.times("shown"))
    told(what + ": a frame", log.times("a frame"))


def scrolls(log):
    for pane, x in (("functions", 300), ("descendants", 900)):
        log.mark()
        xdotool("mousemove", x, FRAME + 350)
        xdotool("click", "--repeat", 100, "--delay", 15, 5)
        settle(log)
        told(f"scrolling {pane}: a frame", log.times("a frame"))


def flames(log):
    log.mark()
    xdotool("key", "alt+2")
    settle(log)
    told("flame graph, shown first: a frame", log.times("a frame"))
    log.mark()
    xdotool("mousemove", 400, 300)
    for x in range(200, 1000, 40):
        xdotool("mousemove", x, 330)
        time.sleep(0.03)
    settle(log)
    told("flame graph, pointing at boxes: a frame", log.times("a frame"))


for capture in sys.argv[1:]:
    with tempfile.TemporaryDirectory() as work:
        log = Log(os.path.join(work, "log"))
        open(log.path, "w").close()
        print(f"{os.path.basename(capture)}, {os.path.getsize(capture):,} bytes", flush=True)
        process = opens(capture, log)
        scrolls(log)
        drags(log, "range, functions")
        xdotool("key", "ctrl+shift+e")
        settle(log)
        flames(log)
        drags(log, "range, flame graph")
        print(f"    {'memory at the peak':44} {peak_mib(process.pid):.0f} MiB", flush=True)
        process.terminate()
        process.wait()
