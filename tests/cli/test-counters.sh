#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counters of a known load in a control group are those of systemd-cgtop, vmstat, iostat and pidstat
# over the same seconds, as far as they are installed.  cgtop needs no systemd, but a tree of version
# 2, which is mounted for the test alone: a machine may have version 1.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root

# Again, in a mount namespace.
if [ "${INSIDE:-}" = "" ]; then
	if ! unshare -m sh -c 'mount --make-rprivate / && mount -t cgroup2 none /sys/fs/cgroup' 2>/dev/null; then
		echo "1..0 # SKIP cannot mount control groups of version 2 for the test alone"
		exit 0
	fi
	rm -rf "$work"
	INSIDE=1 exec unshare -m "$0"
fi
mount --make-rprivate /
while mountpoint -q /sys/fs/cgroup && umount -R /sys/fs/cgroup 2>/dev/null; do :; done
mount -t cgroup2 none /sys/fs/cgroup

seconds=8
group=sysprof-test-$$
mkdir "/sys/fs/cgroup/$group"
trap 'rmdir "/sys/fs/cgroup/$group"; rm -rf "$work"' EXIT

# A part of a CPU, switches, page faults, memory and a file, until all tools have ended.
cat >"$work/load.py" <<'END'
import mmap, os, sys, time
group, work, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
with open(f"/sys/fs/cgroup/{group}/cgroup.procs", "w") as procs:
    procs.write(str(os.getpid()))
kept = bytearray(64 << 20)
file = os.open(work + "/written", os.O_WRONLY | os.O_CREAT)
open(work + "/pid", "w").write(str(os.getpid()))
end = time.monotonic() + seconds
while time.monotonic() < end:
    begin = time.process_time()
    while time.process_time() - begin < 0.015:
        pass
    pages = mmap.mmap(-1, 1 << 20)
    for at in range(0, len(pages), 4096):
        pages[at] = 1
    pages.close()
    os.pwrite(file, kept[:1 << 16], 0)
    os.fdatasync(file)
    time.sleep(0.02)
END

# Whichever is installed, from the load's begin on.
watch()
{
	local pid

	until pid=$(cat "$work/pid" 2>/dev/null) && [ -n "$pid" ]; do sleep 0.05; done
	# A recorder may find a process a second after its begin, and has rates a second later.
	sleep 2.5
	date +%s%N >"$work/began"
	systemd-cgtop --batch --raw --depth=1 --delay=1 --iterations=$seconds >"$work/cgtop" 2>&1 &
	vmstat -n 1 $((seconds + 1)) >"$work/vmstat" 2>&1 &
	iostat -d -k -y 1 $seconds >"$work/iostat" 2>&1 &
	pidstat -h -u -r -d -w -p "$pid" 1 $seconds >"$work/pidstat" 2>&1 &
	wait
}

export LC_ALL=C S_TIME_FORMAT=ISO
watch &
check 'a load is recorded with counters' "$cli" record --source perf -F 10 --no-embed --counters \
	-o "$work/a" -- python3 "$work/load.py" "$group" "$work" $((seconds + 5))
wait
# The same seconds of the recording.
start=$("$cli" info "$work/a" --json | sed -n 's/.*"start_realtime_ns": "\([0-9]*\)".*/\1/p')
ms=$((($(cat "$work/began") - start) / 1000000))
"$cli" report "$work/a" --counters --json --time "${ms}ms..$((ms + 1000 * seconds))ms" >"$work/json"

cat >"$work/judge.py" <<'END'
import json, re, statistics, sys
work, group, tool = sys.argv[1:]
ours = {row["name"]: row["mean"] for row in json.load(open(work + "/json"))["counters"]}
own = f"process.{open(work + '/pid').read()}."
of_process = {name.removeprefix(own): mean for name, mean in ours.items() if name.startswith(own)}
text = open(f"{work}/{tool}").read()
lines = [line.split() for line in text.splitlines()]

def mean(numbers):
    return statistics.mean(float(number) for number in numbers)

def by_title(rows, titles):
    return {title: mean(row[i] for row in rows) for i, title in enumerate(titles)
            if re.fullmatch(r"[\d.]+", rows[0][i])}

pairs = []
if tool == "cgtop":
    rows = [row for row in lines if row[:1] == ["/" + group]]
    pairs = [(f"cgroup./{group}.cpu", ours[f"cgroup./{group}.cpu"],
              mean(row[2] for row in rows if row[2] != "-"), 2)]
    memory = [row[3] for row in rows if row[3] != "-"]
    if memory:
        pairs.append((f"cgroup./{group}.memory", ours[f"cgroup./{group}.memory"], mean(memory), 1 << 20))
elif tool == "vmstat":
    # The first row is since the machine has started.
    rows = by_title(lines[3:], lines[1])
    busy = mean(value for name, value in ours.items() if re.fullmatch(r"cpu\.\d+\.busy", name))
    pairs = [("busy", busy, 100 - rows["id"] - rows["wa"], 4)]
elif tool == "iostat":
    titles = next(line for line in lines if line[:1] == ["Device"])
    for disk in {line[0] for line in lines if line and f"disk.{line[0]}.written" in ours}:
        rows = by_title([line for line in lines if line[:1] == [disk]], titles)
        pairs.append((disk, ours[f"disk.{disk}.written"] / 1024, rows["kB_wrtn/s"], 100))
else:
    titles = next(line for line in lines if line[:1] == ["#"])[1:]
    rows = by_title([line for line in lines if line and line[-1] == "python3"], titles)
    pairs = [("cpu", of_process["cpu"], rows["%CPU"], 2),
             ("minor-faults", of_process["minor-faults"], rows["minflt/s"], 200),
             ("waits", of_process["waits"], rows["cswch/s"], 5),
             ("preempted", of_process["preempted"], rows["nvcswch/s"], 10),
             ("resident", of_process["resident"] / 1024, rows["RSS"], 1024),
             ("written", of_process["written"] / 1024, rows["kB_wr/s"], 100)]
print(", ".join(f"{name} {here:.1f} ({other:.1f})" for name, here, other, _ in pairs))
# Their seconds begin elsewhere than ours.
if not pairs or any(abs(here - other) > least + 0.15 * other for _, here, other, least in pairs):
    sys.exit(75)
END
for tool in cgtop vmstat iostat pidstat; do
	program=${tool/cgtop/systemd-cgtop}
	if command -v "$program" >/dev/null; then
		check "counters are those of $program" python3 "$work/judge.py" "$work" "$group" $tool
	else
		number=$((number + 1))
		echo "ok $number - # SKIP $program is not installed"
	fi
done
echo "1..$number"
exit $broken
