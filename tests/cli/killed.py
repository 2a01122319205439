#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""killed.py ROUNDS [SOURCE]: recorders killed by SIGKILL at random instants, while a program runs whose file is deleted already.

Each must leave a file that opens, has all but the last second, agrees with its own account to its end, and names as much as a
recording that came to its end.  Says "ok" and the numbers, or what was wrong and exits with 1.
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLI = os.environ.get("CLI", os.path.join(TOP, "build", "sysprof-cli"))
WORKLOAD = os.path.join(os.environ.get("WORKLOADS", os.path.join(TOP, "build", "workloads")),
                        "recursion")
TOGETHER = 4
# A second, and what a loaded machine may keep a recorder from its turn.
LOSS_S = 1.0
LOAD_S = 1.5
# What tests/cli/record.bash takes for a comparison of times that failed.
TIMED = 75


class Late(AssertionError):
    pass


def cli(*arguments):
    done = subprocess.run([CLI, *arguments],
                          stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        raise AssertionError(f"{' '.join(arguments)}: status {done.returncode}: {done.stderr}")
    return done.stdout


class Doomed:
    """A recorder that is going to be killed."""

    def __init__(self, path, source, number):
        self.path = path
        self.number = number
        self.process = subprocess.Popen(
            [CLI, "record", "--source", source, "-F", "500", "-o", path],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        # From when there is a file, its header written: before, nothing is recorded.
        while not os.path.exists(path + ".part") or os.path.getsize(path + ".part") <= 16:
            assert self.process.poll() is None, "it did not start"
            time.sleep(0.01)
        self.due = time.monotonic() + random.uniform(0, 3)

    def kill(self):
        time.sleep(max(0, self.due - time.monotonic()))
        self.end = time.monotonic()
        self.process.kill()
        self.process.wait()
        return self


def named_share(path):
    """What share of the workload's weight has a function's name."""
    if not any(thread["process"] == "doomed"
               for thread in json.loads(cli("info", "--json", path))["threads"]):
        return 0, 1
    report = json.loads(cli("report", "--process", "doomed", "--json", path))
    whole = report["sum"]
    nameless = sum(row["self"] for row in report["functions"]
                   if "+0x" in row["function"] or row["function"].startswith("["))
    return whole, 1 - nameless / max(whole, 1)


def judge(doomed):
    """Seconds lost."""
    assert not os.path.exists(doomed.path), "it looks finished"
    path = doomed.path + ".part"
    info = json.loads(cli("info", "--json", path))
    assert not info["finished"]
    for cpu in info["cpus"]:
        # What was pending in an account may have come before the end.
        assert cpu["residue"] == 0 and -cpu["pending"] <= cpu["missing"] <= 0, cpu
    # Nothing behind the accounts but what came while they were asked for.
    after = sum(cpu["weight_after"] for cpu in info["cpus"])
    assert after <= 0.25 * info["weight"], (after, info["weight"])
    account = max([cpu["time"] for cpu in info["cpus"]] + [int(info["host"]["start_time"])]) / 1e9
    lost = doomed.end - account
    if lost > LOSS_S + LOAD_S:
        raise Late(f"{lost:.2f} s are missing")
    return lost


def main():
    rounds, source = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "perf"
    work = tempfile.mkdtemp()
    seed = int(os.environ.get("SEED", time.time_ns() % 1000000))
    random.seed(seed)
    program = os.path.join(work, "doomed")
    shutil.copy(WORKLOAD, program)
    burner = subprocess.Popen([program, "900"], stdout=subprocess.DEVNULL)
    try:
        clean = os.path.join(work, "clean.capture")
        recorder = subprocess.Popen([CLI, "record", "--source", source, "-F", "500", "-o", clean],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)
        os.unlink(program)
        running = [
            Doomed(os.path.join(work, f"{i}.capture"), source, i)
            for i in range(min(TOGETHER, rounds))
        ]
        losses, n = [], len(running)
        while running:
            running.sort(key=lambda doomed: doomed.due)
            doomed = running.pop(0).kill()
            if n < rounds:
                running.append(Doomed(os.path.join(work, f"{n}.capture"), source, n))
                n += 1
            losses.append((doomed, judge(doomed)))
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait() == 0, "the clean run failed"
        _, share = named_share(clean)
        for doomed, _ in losses:
            whole, own = named_share(doomed.path + ".part")
            assert whole < 20 or abs(
                own - share) < 0.02 + 1 / whole, f"round {doomed.number}: named {own}, else {share}"
        seconds = sorted(lost for _, lost in losses)
        over = sum(lost > LOSS_S for lost in seconds)
        print(f"ok: {rounds} killed; seconds lost: {seconds[len(seconds) // 2]:.2f} at the median, {seconds[-1]:.2f} at most, "
              f"{over} above {LOSS_S}; named: {100 * share:.1f} %")
    except AssertionError as error:
        print(f"seed {seed}: {error}")
        sys.exit(TIMED if isinstance(error, Late) else 1)
    finally:
        burner.kill()
        if "recorder" in locals():
            recorder.kill()
        for doomed in locals().get("running", []):
            doomed.process.kill()
        shutil.rmtree(work)


main()
