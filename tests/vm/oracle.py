# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests in the virtual machine share: TAP, running a script in the guest, and looking into captures.

Recording happens in the guest; captures, the workloads' own truth and the oracles' numbers come out through a shared
directory, build/vm/NAME, and are judged here, where there is no emulator in the way.  They stay there afterwards.
"""
import json
import os
import shutil
import subprocess
import sys

import shared

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLI = os.path.join(TOP, "build", "sysprof-cli")
WORKLOADS = os.path.join(TOP, "build", "workloads")
# With SYSPROF_KERNEL=SPEC (see tests/vm/build-module) all of this is about another kernel, and what comes out is kept apart.
KERNEL = os.path.join("kernels", os.environ["SYSPROF_KERNEL"]) if os.environ.get("SYSPROF_KERNEL") else ""
MODULE = os.path.join(TOP, "build", KERNEL, "module", "sysprof.ko")
# How many times the time of others a kernel takes that checks what it does.
SLOW = 5 if "debug" in KERNEL and "kcsan" not in KERNEL else 1
IS_FOREIGN = "arm64-" in KERNEL
# The part of all ticks that may be missing, and counted as such, because an emulator stood still in one.
SPOILED = 0.01


class Tap:
    """Test results on stdout; leave() prints the plan and exits."""

    def __init__(self):
        self.run = self.failed = 0

    def ok(self, good, text, timed=False):
        """@timed: it compares times, rates or shares, which a busy machine or chance may spoil (see tests/run)."""
        self.run += 1
        self.failed += not good
        print(("ok" if good else "not ok"), self.run, "-", text + (" # timed" if timed else ""), flush=True)
        return bool(good)

    def near(self, got, expected, tolerance, text, unit=" %", timed=False):
        return self.ok(abs(got - expected) <= tolerance,
                       f"{text}: {got:.2f}{unit}, should be {expected:.2f} ± {tolerance:.2g}", timed)

    def note(self, text):
        for line in str(text).splitlines():
            print("#", line, flush=True)

    def include(self, path):
        """The TAP of a program that ran in the guest, renumbered."""
        planned = 0
        before = self.run
        for line in open(path, errors="replace"):
            words = line.rstrip("\n").split(" - ", 1)
            if line.startswith(("ok ", "not ok ")) and len(words) == 2:
                self.ok(line.startswith("ok"), f"{os.path.basename(path)}: {words[1]}")
            elif line.startswith("1.."):
                planned = int(line[3:].split()[0])
            else:
                self.note(line)
        if planned != self.run - before:
            self.ok(False, f"{os.path.basename(path)} ran to its end ({self.run - before} of {planned} tests)")

    def leave(self):
        print(f"1..{self.run}")
        sys.exit(1 if self.failed else 0)


def bail(text):
    print("Bail out!", text, flush=True)
    sys.exit(1)


def skip(text):
    print("1..0 # SKIP", text)
    sys.exit(0)


def need():
    """Everything a test in the guest stands on; says what is missing."""
    if subprocess.run([os.path.join(TOP, "tests", "vm", "qemu"), "x86_64"], stdout=subprocess.DEVNULL).returncode:
        bail("there is no QEMU 8.1 or later, and none could be fetched")
    for path in (CLI, MODULE, os.path.join(WORKLOADS, "shares")):
        if not os.path.exists(path):
            bail(f"{os.path.relpath(path, TOP)} is not built; run 'make module cli tests'")


def module(name):
    """One of tests/vm/modules, for the kernel that the test boots."""
    path = os.path.join(TOP, "build", KERNEL, "modules", name, name + ".ko")
    if KERNEL:
        build = [os.path.join(TOP, "tests", "vm", "build-module"), os.path.basename(KERNEL)]
        done = subprocess.run(build, env={**os.environ, "MODULE": name}, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
        if done.returncode:
            bail(f"tests/vm/modules/{name} does not build for this kernel: {done.stdout[-1000:]}")
    if not os.path.exists(path):
        bail(f"{os.path.relpath(path, TOP)} is not built; run 'make test-modules'")
    return path


def nmi_module():
    """The whole module with a clock that is NMIs (tests/vm/nmi), for the kernel that the test boots."""
    if KERNEL:
        path = os.path.join(TOP, "build", KERNEL, "nmi", "sysprof.ko")
        build = [os.path.join(TOP, "tests", "vm", "build-module"), os.path.basename(KERNEL)]
        environment = {**os.environ, "MODULE": "nmi"}
    else:
        path = os.path.join(TOP, "build", "nmi", "sysprof.ko")
        build = ["make", "-s", "-C", TOP, "nmi-module"]
        environment = None
    done = subprocess.run(build, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode or not os.path.exists(path):
        bail(f"tests/vm/nmi does not build for this kernel: {done.stdout[-1000:]}")
    return path


def out_directory(name):
    out = os.path.join(TOP, "build", KERNEL, "vm", name)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    return out


def part(name):
    """Whether this part of a test is to run: tests/table has parts of some in lines of their own."""
    return os.environ.get("PART", name) == name


# What guest scripts begin with.  run NAME COMMAND...: keeps output, messages and status in $out/NAME.*  With option --pause
# SECONDS the machine stands still for so long when the script makes the file $pause.
PRELUDE = """
set -u
out=$1 top=$2 pause=$3
cli=$top/build/sysprof-cli w=$top/build/workloads
cd "$top"
run() {
	run_as=$out/$1; shift
	"$@" >"$run_as.out" 2>"$run_as.err"
	echo $? >"$run_as.status"
}
# record NAME COMMAND...: the same, recorded at 1000 Hz into $out/NAME.capture
record() {
	recorded=$1; shift
	run "$recorded" "$cli" record -F 1000 -o "$out/$recorded.capture" -- "$@"
}
"""

# Files of a guest that is another processor's are not here: what it recorded gets its names there.
BUNDLES = """
bundle() {
	for recorded in "$out"/*.capture; do
		[ ! -e "$recorded" ] || "$cli" bundle "$recorded" >/dev/null
	done
}
trap bundle EXIT
"""


def null_disk(ns, mib=1024, in_memory=True):
    """For a guest script: /dev/nullb0, a disk of @mib that completes each request after @ns, and keeps what is written
    @in_memory or forgets it.
    """
    return f"""
{{ [ -d /sys/module/null_blk ] || modprobe null_blk nr_devices=0; }} || exit 1
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
disk=/sys/kernel/config/nullb/nullb0
mkdir $disk || exit 1
# The module's parameters have no memory in older kernels.
for setting in size={mib} irqmode={2 if ns else 0} completion_nsec={ns or 1} hw_queue_depth=8 submit_queues=1 \\
	queue_mode=2 memory_backed={int(in_memory)} power=1; do
	echo "${{setting#*=}}" >"$disk/${{setting%%=*}}" || exit 1
done
echo none >/sys/block/nullb0/queue/scheduler
"""


def boot(out, script, options, timeout):
    pause = os.path.join(out, "pause")
    options = list(options)
    if "--pause" in options:
        at = options.index("--pause") + 1
        options[at] = f"{pause},{options[at]}"
    command = [os.path.join(TOP, "tests", "vm", "run"), "--share", out, "--timeout", str(timeout), *options,
               "--", "sh", script, out, TOP, pause]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")


def patched_wrongly(done):
    """A jump to 0 or a silent hang: what also happens to an untouched kernel whose probes are switched on and off under load."""
    return done.returncode == 124 or (done.returncode == 125 and "RIP: 0010:0x0" in done.stdout)


def boot_or_share(out, script, options, timeout, spoils):
    """In the machine that tests share, if there is one and it will do."""
    wanted = shared.parse(options)
    if "SYSPROF_VM" not in os.environ or KERNEL or not wanted:
        return boot(out, script, options, timeout)
    machine = shared.Shared(os.environ["SYSPROF_VM"])
    status, said = machine.run(out, script, wanted, timeout)
    if spoils and machine.has("running"):
        said += machine.stop()
    return subprocess.CompletedProcess([], status, said)


def guest(out, script, *options, timeout=300, spoils=False):
    """
    Runs @script in a guest with the module loaded or not, as @options say; gives its status.  @spoils: nothing else can run
    in that guest afterwards.
    """
    path = os.path.join(out, "guest.sh")
    with open(path, "w") as file:
        file.write(f"SLOW={SLOW}\n" + PRELUDE + (BUNDLES if IS_FOREIGN else "") + script)
    done = boot_or_share(out, path, options, timeout, spoils)
    if patched_wrongly(done) and not {"--single", "--icount", "--icount-idle"} & set(options):
        for line in done.stdout.splitlines()[-80:]:
            print("# emulator:", line)
        print("# This is what QEMU with a thread per CPU does to a kernel that patches its own code (see tests/vm/load): again, "
              "with one thread.", flush=True)
        done = boot(out, path, ("--single", *options), 3 * timeout)
    if done.returncode in (124, 125):
        for line in done.stdout.splitlines()[-80:]:
            print("#", line)
        bail(f"the virtual machine gave {done.returncode}: it hung, or its kernel warned")
    for line in done.stdout.splitlines():
        print("# guest:", line, flush=True)
    return done.returncode


def text(out, name):
    try:
        with open(os.path.join(out, name), errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def truths(out, name):
    """What a workload said of itself: {key: number}."""
    found = {}
    for line in text(out, name + ".out").splitlines():
        words = line.split()
        if len(words) == 3 and words[0] == "truth":
            found[words[1]] = int(words[2])
    return found


class Capture:
    def __init__(self, path):
        self.path = path
        self.info = self.json("info")
        self.period_ns = self.info["period_ns"]
        self._report = self._folded = None

    def cli(self, command, *arguments):
        # The truth is in functions that have a frame.
        if command in ("report", "export"):
            arguments = ("--no-inlines", "--all", *arguments)
        return subprocess.run([CLI, command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace")

    def json(self, command, *arguments):
        done = self.cli(command, self.path, "--json", *arguments)
        if done.returncode:
            bail(f"sysprof-cli {command} {self.path} failed: {done.stderr.strip()}")
        return self.in_periods(json.loads(done.stdout))

    def in_periods(self, document):
        """Tests count ticks, where reports have the CPU time that they stand for."""
        period_ns = document.get("metric") == "cpu" and document["period_ns"]

        def convert(part):
            if isinstance(part, list):
                return [convert(one) for one in part]
            if not isinstance(part, dict):
                return part
            return {
                key: value // period_ns if key in ("self", "total", "weight", "sum") else
                convert(value)
                for key, value in part.items()
            }

        return convert(document) if period_ns else document

    @property
    def report(self):
        if self._report is None:
            self._report = self.json("report")
        return self._report

    @property
    def folded(self):
        """[(process, [outermost, ..., innermost], weight)]"""
        if self._folded is None:
            self._folded = self.folded_from(0)
        return self._folded

    def folded_from(self, second, until=""):
        found = []
        for line in self.cli("export", self.path, "--format", "folded", f"--time={second}..{until}").stdout.splitlines():
            stack, weight = line.rsplit(" ", 1)
            process, *frames = stack.split(";")
            found.append((process, frames, int(weight)))
        return found

    def function(self, name, column="self"):
        return sum(row[column] for row in self.report["functions"] if row["function"] == name)

    def blur(self):
        """
        What chance may do to shares of this recording, as a multiple of what it may do where each tick comes in its period.  On a busy
        machine they are late, and one that stands for several periods tells no more than one: with w periods for a tick, and
        lateness without memory, the mean square is 2 w - 1 times what it would be.
        """
        return max(1, 2 * self.info["weight"] / max(self.info["samples"], 1) - 1) ** 0.5

    def weight_of_tid(self, tid):
        return sum(row["weight"] for row in self.info["threads"] if row["tid"] == tid)

    def below(self, name, process=None):
        """Weight of the stacks with a function of this name on them."""
        return sum(weight for who, frames, weight in self.folded
                   if name in frames and (process is None or who == process))


def loss_law(tap, capture, name):
    """What must hold for every capture, whatever was lost."""
    info = capture.info
    residues = [cpu["residue"] for cpu in info["cpus"]]
    sums = [cpu["grid"] - cpu["delivered"] - sum(cpu["lost_by_reason"].values()) - cpu["idle"] - cpu["offline"]
            - cpu["excluded"] - cpu.get("budget", 0) - cpu["pending"] for cpu in info["cpus"]]
    tap.ok(info["cpus"] and not any(residues) and not any(sums), f"{name}: the loss law adds up on each CPU {sums}")
    delivered = sum(cpu["delivered"] - cpu["filtered"] for cpu in info["cpus"])
    tap.ok(delivered == info["weight"], f"{name}: what was delivered is in the file ({delivered}, {info['weight']})")


def sound(tap, capture, name):
    """A recording with nothing out of the ordinary: whole, finished, nothing lost."""
    info = capture.info
    loss_law(tap, capture, name)
    reasons = [cpu["lost_by_reason"] for cpu in info["cpus"]]
    # How long a tick took, and how soon the reader came, depends on what else the machine does.
    otherwise = sum(n for one in reasons for reason, n in one.items()
                    if reason not in ("ring full", "throttled"))
    tap.ok(info["finished"] and not info["damage"] and not otherwise,
           f"{name}: finished, undamaged, nothing lost where there was room ({reasons}, damage {info['damage']})")
    tap.ok(info["lost"] <= SPOILED * info["weight"],
           f"{name}: ... and next to nothing for want of room or time ({info['lost']})", timed=True)
    periods = capture.report["periods"]
    tap.ok(all(row["total"] <= periods and row["self"] <= row["total"] for row in capture.report["functions"]),
           f"{name}: no function has more than the whole")
