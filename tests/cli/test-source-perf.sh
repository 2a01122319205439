#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recording with perf events on this very machine: programs that know where their time goes, held
# against what the recordings say.  Other work may share the machine: what is compared is CPU time,
# never wall time.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

# record NAME ARGUMENTS...: leaves NAME.capture, the command's output in NAME.out, the recorder's
# words in err.
record()
{
	local name=$1

	shift
	timeout 100 "$cli" record --source perf -o "$work/$name.capture" "$@" >"$work/$name.out" \
		2>"$work/err"
}

# judge NAME PYTHON: with info, functions {(name, object): (self, total)}, truth {name: ns} and
# near() at hand; asserts.
judge()
{
	local of=$work/$1

	# Of each recording once.
	[ "$of.folded" -nt "$of.capture" ] || {
		"$cli" info --json "$of.capture" >"$of.info" &&
			"$cli" report --no-inlines --all --json "$of.capture" >"$of.report" &&
			"$cli" export --no-inlines --format folded "$of.capture" >"$of.folded"
	} || { rm -f "$of.folded"; return 1; }
	python3 - "$of.info" "$of.report" "$of.folded" "$of.out" <<END
$timed_python
import json, sys
info, report = (json.load(open(path)) for path in sys.argv[1:3])
folded = [(stack.split(";"), int(weight)) for stack, weight in (line.rsplit(" ", 1) for line in open(sys.argv[3]))]
lines = [line.split() for line in open(sys.argv[4])]
truth = {words[1]: int(words[2]) for words in lines if words[:1] == ["truth"]}
period = info["period_ns"]
functions = {(f["function"], f["object"]): (f["self"] // period, f["total"] // period) for f in report["functions"]}
def near(got, expected, tolerance, what):
    timed(abs(got - expected) <= tolerance, f"{what}: {got}, should be {expected} within {tolerance}")
def exactly(got, expected, tolerance, what):
    assert abs(got - expected) <= tolerance, f"{what}: {got}, should be {expected} within {tolerance}"
def all_of_it(weight, spent, tolerance):
    """On a busy machine some may be lost, which the account says: they are of anybody."""
    timed(weight * period <= spent + tolerance, (weight * period, spent))
    timed((weight + info["lost"]) * period >= spent - tolerance, (weight * period, info["lost"], spent))
def shares(names, tolerance, whole):
    """Each function's share of all of them, and all of them, in per cent of the CPU time they took."""
    spent = sum(truth[name] for name in names)
    seen = {name: sum(f[0] for key, f in functions.items() if key[0] == name) for name in names}
    for name in names:
        near(100 * seen[name] / max(sum(seen.values()), 1), 100 * truth[name] / spent, tolerance, name)
    all_of_it(sum(seen.values()), spent, spent * whole / 100)
$2
END
}

for name in shares recursion nofp-shares nofp-recursion nofp-plunge dlchurn deleted forkstorm \
	shortlived jit threads bpf; do
	[ -x "$workloads/$name" ] || { echo \
		"Bail out! $workloads/$name is not built; run 'make tests'"; exit 1; }
done

# Known shares, and the account.

# The workload repeats itself each millisecond, and perf's ticks are not dithered: a rate that keeps
# no step with it.
check 'shares: recorded' record shares -F 2618 -- "$workloads/shares" 3
check 'the summary says which source' grep -q '(source: perf), [0-9,]* lost\.' "$work/err"
timed check '... and that nothing was lost' grep -q ', 0 lost\.' "$work/err"
check 'shares: 50 : 30 : 20' judge shares \
	'shares(("burn_fifty", "burn_thirty", "burn_twenty"), 4, 10)'
check 'the capture says which source' judge shares \
	'assert info["host"]["source"] == "perf", info["host"]
assert info["host"]["clock"] == "cpu-clock"'
check 'every period is accounted for' judge shares '
assert info["cpus"] and all(cpu["residue"] == 0 for cpu in info["cpus"]), info["cpus"]
assert sum(cpu["delivered"] for cpu in info["cpus"]) == info["weight"]'
check 'the periods are those of the clock' judge shares '
for cpu in info["cpus"]:
    near(cpu["grid"] * period / info["duration_ns"], 1, 0.03, "CPU %d" % cpu["cpu"])'

check 'recursion: recorded' record recursion -- "$workloads/recursion" 1
check 'recursion: whole stacks, up to main' judge recursion '
dives = [(s, w) for s, w in folded if "dive" in s]
exactly(max(s.count("dive") for s, w in dives), 80, 1, "depth")
exactly(sum(w for s, w in dives if "main" in s) / sum(w for s, w in dives), 1, 0.03, "below main")'

# Without frame pointers: by copies of the stack.

raw=(--stacks dwarf --ring-bytes 33554432)
check 'no frame pointers, shares: recorded' record nofp-shares "${raw[@]}" -F 2618 -- \
	"$workloads/nofp-shares" 2
# How much of all is above; what counts here is who.
check 'no frame pointers, shares: 50 : 30 : 20' judge nofp-shares \
	'shares(("burn_fifty", "burn_thirty", "burn_twenty"), 4, 1000)'
check 'no frame pointers, shares: whole stacks' judge nofp-shares '
burning = [(s, w) for s, w in folded if any(name.startswith("burn_") for name in s)]
exactly(sum(w for s, w in burning if "main" in s and s[1][0] != "[") / sum(w for s, w in burning), 1, 0.01, "below main")
assert info["host"]["stacks"] == "dwarf" and info["user_ends"]["root"] >= sum(w for s, w in burning), info["user_ends"]'
check 'no frame pointers, recursion: recorded' record nofp-recursion "${raw[@]}" -- \
	"$workloads/nofp-recursion" 1
check 'no frame pointers, recursion: every one of 400 calls' judge nofp-recursion '
for name, depth in (("dive", 80), ("abyss", 400)):
    deep = [(s, w) for s, w in folded if s[0] == "nofp-recursion" and name in s]
    exactly(max(s.count(name) for s, w in deep), depth, 2, name)
    exactly(sum(w for s, w in deep if "main" in s) / sum(w for s, w in deep), 1, 0.01, "below main")'
# All its stacks are deeper than the first copies, and not deeper than those that follow.  Alone:
# how much of all is its does not matter.
"$workloads/nofp-plunge" 4 >/dev/null &
plunger=$!
check 'no frame pointers, deeper than copies are at first: recorded' record nofp-plunge --stacks \
	auto --pid $plunger -- tail --pid=$plunger -f /dev/null
check 'no frame pointers, deeper than copies are at first: they grow, and the account holds' judge \
	nofp-plunge '
deep = [(s, w) for s, w in folded if s[0] == "nofp-plunge" and "plunge" in s]
cut = sum(w for s, w in deep if s[1] == "[stack cut off]")
timed(0 < cut < 0.5 * sum(w for s, w in deep), (cut, sum(w for s, w in deep)))
exactly(max(s.count("plunge") for s, w in deep if "_start" in s), 20, 1, "calls")
assert all(cpu["residue"] == 0 for cpu in info["cpus"]), info["cpus"]
for cpu in info["cpus"]:
    near(cpu["grid"] * period / info["duration_ns"], 1, 0.03, "CPU %d" % cpu["cpu"])'
raw[1]=dwarf,2048
check 'copies that are too short: recorded' record cut "${raw[@]}" -- "$workloads/nofp-recursion" 1
check 'copies that are too short: what is cut off is below a heading of its own' judge cut '
deep = [(s, w) for s, w in folded if s[0] == "nofp-recursion" and "abyss" in s]
cut = [(s, w) for s, w in deep if s[1] == "[stack cut off]"]
assert cut and not any("_start" in s for s, w in cut), [s[:4] for s, w in cut][:5]
whole = [s for s, w in deep if s[1] != "[stack cut off]"]
assert whole and all("_start" in s and s.count("abyss") < 200 for s in whole), [(s[:4], len(s)) for s in whole][:5]
assert info["user_ends"]["cut"] >= sum(w for s, w in cut), info["user_ends"]
assert ("[stack cut off]", "[stack cut off]") in functions'
check 'info says how many' bash -c \
	'"$1" info "$2" | grep -qE "^user stacks .*% whole, .*% cut off"' - "$cli" \
	"$work/cut.capture"

# Who runs what, over time.

check 'dlchurn: recorded' record dlchurn -- "$workloads/dlchurn" 2
check 'dlchurn: each library by its own time' judge dlchurn \
	'shares(("red_work", "green_work", "blue_work"), 4, 10)'
check 'dlchurn: never one for another' judge dlchurn '
for color in ("red", "green", "blue"):
    assert all(object == f"libchurn-{color}.so" for name, object in functions if name == color + "_work")'
check 'deleted: recorded' record deleted -- "$workloads/deleted" 1
check 'deleted: named all the same' judge deleted 'shares(("deleted_work",), 1, 15)'
# What reads it for the recorder lies beside a copy of the program, as if it was built there.
mkdir "$work/beside"
cp "$cli" "$work/beside"
beside()
{
	printf '#!/bin/sh\n%s\n' "$1" >"$work/beside/sysprof-helper"
	chmod +x "$work/beside/sysprof-helper"
	cli=$work/beside/sysprof-cli record "${@:2}"
}
# Not a period less, but no names.
nameless='ours = [(s, w) for s, w in folded if s[0].startswith("deleted-")]
all_of_it(sum(w for s, w in ours), truth["deleted_work"], truth["deleted_work"] / 5)
assert not any("deleted_work" in s for s, w in ours), ours
timed(sum(w for s, w in ours if s[-1].startswith("deleted-") and "+0x" in s[-1]) > sum(w for s, w in ours) / 2, ours)'
check 'deleted, what reads it crashes: recorded' beside 'kill -SEGV $$' deleted -- \
	"$workloads/deleted" 1
check 'deleted, what reads it crashes: its time is there' judge deleted "$nameless"
check 'deleted, what reads it hangs: recorded' beside 'exec sleep 1000' deleted -- \
	"$workloads/deleted" 1
check 'deleted, what reads it hangs: its time is there' judge deleted "$nameless"
# Nor does what makes the tables to unwind by.
fresh()
{
	XDG_CACHE_HOME=$work/fresh-$1 beside "$2" "$1" "${raw[@]}" -- "$workloads/nofp-shares" 2
}
unwound='ours = [(s, w) for s, w in folded if s[0] == "nofp-shares"]
spent = sum(truth[name] for name in ("burn_fifty", "burn_thirty", "burn_twenty"))
all_of_it(sum(w for s, w in ours), spent, spent / 5)
assert sum(w for s, w in ours if s[1] == "[stack incomplete]") > sum(w for s, w in ours) / 2, ours[:5]
assert all(cpu["residue"] == 0 for cpu in info["cpus"]), info["cpus"]
why = info["host"]["unwinding nofp-shares"]'
raw=(--stacks dwarf --ring-bytes 33554432)
check 'no tables, what makes them crashes: recorded' fresh crashes 'kill -SEGV $$'
check 'no tables, what makes them crashes: its time is there, and why' judge crashes "$unwound
assert why == 'cannot be read: the process that reads it crashed (Segmentation fault)', why"
check 'no tables, what makes them hangs: recorded' fresh hangs 'exec sleep 1000'
check 'no tables, what makes them hangs: its time is there' judge hangs "${unwound%why*}"
# Tables that come when the recording has ended: samples wait for them, and are accounted for.  The
# tick that STOP found under way may be missing.
raw=(--stacks dwarf)
check 'tables come late: recorded' fresh late "sleep 3; exec '$PWD/build/sysprof-helper' \"\$@\""
check 'tables come late: the account has every sample, and stacks are whole' judge late '
shares(("burn_fifty", "burn_thirty", "burn_twenty"), 4, 20)
delivered = sum(cpu["delivered"] - cpu["filtered"] for cpu in info["cpus"])
assert delivered == info["weight"] and not any(cpu["residue"] or cpu["pending"] > 1 for cpu in info["cpus"]), info["cpus"]
ours = [(s, w) for s, w in folded if s[0] == "nofp-shares"]
assert sum(w for s, w in ours if "main" in s) > sum(w for s, w in ours) / 2, ours[:5]'
check 'forkstorm: recorded' record forkstorm -- "$workloads/forkstorm" 2
check 'forkstorm: forked, exec-ed and vforked' judge forkstorm '
shares(("forked_work", "execed_work", "vfork_borrowed_work", "vfork_execed_work"), 6, 15)
assert all(s[0] == "exe" for s, w in folded if s[-1] in ("execed_work", "vfork_execed_work"))
assert all(s[0] == "forkstorm" for s, w in folded if s[-1] in ("forked_work", "vfork_borrowed_work"))'
check 'forkstorm: what the kernel does inside an exec is on no unknown place' judge forkstorm '
ours = [(s, w) for s, w in folded if s[0] in ("exe", "forkstorm")]
lost = [(s, w) for s, w in ours if "[unresolved]" in s]
assert sum(w for s, w in lost) <= sum(w for s, w in ours) / 100, lost'
check 'shortlived: recorded' record shortlived -- "$workloads/shortlived" "${CHILDREN:-300}"
check 'shortlived: programs of some milliseconds, some of which delete themselves, are named' \
	judge shortlived '
short = [(s[-1], w) for s, w in folded if s[0].startswith("short.") or s[0] == "short"]
whole = sum(w for name, w in short)
nameless = [(name, w) for name, w in short if name.startswith("[") or "+0x" in name]
timed(whole > 500 and sum(w for name, w in nameless) <= whole / 100, (whole, nameless))
print(f"{whole} periods, {sum(w for name, w in nameless)} of them without a name")'
for told in map dump; do
	check "jit, told in a $told: recorded" record jit -- "$workloads/jit" 2 $told
	check "jit, told in a $told: named, though what told of it is gone" judge jit '
shares(("jit_thirty", "jit_twenty", "jit_apart"), 6, 15)
ours = [(s, w) for s, w in folded if s[0] == "jit"]
assert sum(w for s, w in ours if "[anon]" in s) <= sum(w for s, w in ours) / 100, ours
timed(sum(w for s, w in folded if s[-1] == "jit_fifty") * period > 1.1 * truth["jit_fifty"], "its child, too")'
	check "jit, replaced, told in a $told: recorded" record jit -- "$workloads/jit" 2 \
		"replaced-$told"
	check "jit, replaced, told in a $told: each function has its own time" judge jit '
shares(("jit_first", "jit_second", "jit_third"), 10, 15)'
done
check 'threads: recorded' record threads -- "$workloads/threads" 3
check 'threads: each by its own time' judge threads '
for words in lines:
    if words[:1] == ["thread"] and words[2].startswith("worker-"):
        weight = sum(t["weight"] for t in info["threads"] if t["tid"] == int(words[1]) and t["name"] == words[2])
        near(weight * period / 1e6, int(words[3]) / 1e6, 40 + int(words[3]) / 1e7, words[2])'
check 'the kernel: recorded' record kernel -- dd if=/dev/zero of=/dev/null bs=1 count=1500000
check 'the kernel: functions by name below dd' judge kernel '
inside = [(s, w) for s, w in folded if s[0] == "dd"]
named = sum(w for s, w in inside if any(f in s for f in ("ksys_write", "ksys_read", "vfs_read", "vfs_write")))
unknown = sum(w for s, w in folded if s[-1] == "[unknown kernel]")
timed(named > 0.2 * sum(w for s, w in inside), inside[:20])
exactly(unknown / max(sum(w for s, w in folded), 1), 0, 0.02, "without a name")'

check 'bpf: recorded' record bpf -- "$workloads/bpf" 1
check 'bpf: the program has its name' judge bpf '
ours = [(s, w) for s, w in folded if s[0] == "bpf"]
own = sum(w for s, w in ours if any(f.startswith("bpf_prog_") and f.endswith("_bpf_work") for f in s))
assert own > sum(w for s, w in ours) / 4, ours'

# Only one process.

"$workloads/shares" 2 >/dev/null &
burner=$!
sleep 0.3
timed check 'one process: recorded' record one --pid $burner --duration 1
wait $burner
check 'one process: it alone' judge one 'timed(info["samples"] > 10)
assert {s[0] for s, w in folded} == {"shares"}, {s[0] for s, w in folded}'
check 'no such process' bash -c \
	'! "$1" record --source perf --pid 4194303 --duration 1 -o "$2/none.capture" 2>&1 |
	grep -v "There is no process 4194303"' - "$cli" "$work"
python3 -c 'import threading, time
thread = threading.Thread(target=time.sleep, args=(20,))
thread.start()
print(thread.native_id, flush=True)' >"$work/thread" &
process=$!
for _ in $(seq 100); do [ -s "$work/thread" ] || sleep 0.1; done
check 'a thread is no process, and whose it is' bash -c \
	'said=$("$1" record --pid "$(cat "$2")" -o "$2.capture" 2>&1)
	[ $? = 2 ] && grep -q "is a thread of process $3, .*: --pid $3\$" <<<"$said" || { echo "$said"; exit 1; }' - \
	"$cli" "$work/thread" $process
kill $process
# More than the command has not more of it.
check 'conditions that nothing meets: --all is no help' bash -c 'for condition in "--cpu 4000" "--time 900.."; do
	! said=$("$1" report $condition "$2/shares.capture" 2>&1) && ! grep -e --all <<<"$said" || exit 1
done' - "$cli" "$work"

# A recorder that is held up: what is lost is reported.

"$cli" record --source perf -F 2618 --ring-bytes 16384 -o "$work/lossy.capture" -- \
	"$workloads/shares" 2 >"$work/lossy.out" 2>"$work/err" &
recorder=$!
sleep 0.6
kill -STOP $recorder
sleep 0.8
kill -CONT $recorder
wait $recorder
check 'held up: recorded' [ $? = 0 ]
check 'held up: the loss is in the account' judge lossy '
assert all(cpu["residue"] == 0 for cpu in info["cpus"]), info["cpus"]
for cpu in info["cpus"]:
    near(cpu["grid"] * period / info["duration_ns"], 1, 0.05, "CPU %d" % cpu["cpu"])
assert info["lost"] == sum(loss["weight"] for loss in info["losses"]), (info["lost"], info["losses"])
timed(info["lost"] > 300, info["lost"])
assert {loss["reason"] for loss in info["losses"]} == {"ring full"}'
check 'held up: names are still right' judge lossy '
seen = {name: functions[(name, "shares")][0] for name in ("burn_fifty", "burn_thirty", "burn_twenty")}
for name, share in (("burn_fifty", 50), ("burn_thirty", 30), ("burn_twenty", 20)):
    near(100 * seen[name] / sum(seen.values()), share, 7, name)'

# Choices and refusals.

[ -e /dev/sysprof-trace ] && auto=module || auto=perf
check "auto is $auto here" bash -c \
	'"$1" record --duration 0.2 -o "$2/auto.capture" 2>&1 | grep -q "(source: $3)"' - \
	"$cli" "$work" $auto
check 'no such source' bash -c \
	'"$1" record --source moon 2>&1 | grep -q "not \"moon\""' - "$cli"
check 'a ring that cannot be' bash -c \
	'"$1" record --source perf --ring-bytes 5000 -o "$2/no" 2>&1 | grep -q "power of two"' - \
	"$cli" "$work"
check 'a directory that is no control group' bash -c \
	'"$1" record --source perf --cgroup /tmp -o "$2/no" -- true 2>&1 | grep -qE "(is not a control group of version 2|needs the module)"' - \
	"$cli" "$work"
check 'too few open files' bash -c \
	'said=$(ulimit -n 8; "$1" record --source perf -o "$2/no" -- true 2>&1); grep -q "raise the limit with: ulimit -n" <<<"$said" ||
	{ echo "$said"; exit 1; }' - "$cli" "$work"
ordinary="setpriv --reuid 65534 --regid 65534 --clear-groups"
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid)
if [ "$(id -u)" = 0 ] && [ "$paranoid" -gt 0 ]; then
	mkdir -m 777 "$work/own"
	cp "$cli" "$workloads/shares" "$workloads/forkstorm" "$work/own"
	chmod 755 "$work" "$work/own"/*
fi
if [ "$(id -u)" = 0 ] && [ "$paranoid" -gt 2 ]; then
	check 'an ordinary user is told what helps' bash -c '
		said=$($2 "$1/sysprof-cli" record --source perf -o /dev/null 2>&1)
		[ $? = 1 ] && [ "$(wc -l <<<"$said")" = 1 ] && grep -q "sudo sysctl kernel.perf_event_paranoid=-1" <<<"$said" ||
			{ echo "$said"; exit 1; }' - "$work/own" "$ordinary"
elif [ "$(id -u)" = 0 ] && [ "$paranoid" -gt 0 ]; then
	chown 65534 "$work/own"
	for name in shares forkstorm; do
		check "an ordinary user: his own $name is recorded" bash -c '"$@" >"$0"' \
			"$work/$name.out" $ordinary \
			"$work/own/sysprof-cli" record --source perf -F 2618 -o \
			"$work/own/$name.capture" -- "$work/own/$name" 1
		mv "$work/own/$name.capture" "$work"
	done
	check '... which says that there is more' bash -c \
		'"$1" info --json "$2" | grep -q "only your own processes"' - "$cli" \
		"$work/shares.capture"
	check '... and top, too' bash -c '"$@" 2>&1 | grep "your own processes.*, which are all that is seen"' - \
		$ordinary "$work/own/sysprof-cli" top --count 1 --interval 0.2
	check '... with its shares' judge shares \
		'shares(("burn_fifty", "burn_thirty", "burn_twenty"), 5, 15)
assert all(cpu["residue"] == 0 for cpu in info["cpus"]), info["cpus"]
assert sum(cpu["delivered"] for cpu in info["cpus"]) == info["weight"]'
	check '... forked, exec-ed and vforked' judge forkstorm '
shares(("forked_work", "execed_work", "vfork_borrowed_work", "vfork_execed_work"), 8, 20)'
	check '... and nothing of the kernel, which is said' bash -c \
		'said=$("$@" 2>&1) || ! grep -q "needs the module" <<<"$said" || exit 0
		echo "$said"; [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ]' - $ordinary \
		"$work/own/sysprof-cli" record --source perf --kernel -o "$work/own/no" -- true
	"$workloads/shares" 10 >/dev/null &
	burner=$!
	check '... and nobody else'"'"'s' bash -c \
		'! said=$("$@" 2>&1) && grep -q "is another user" <<<"$said"' - $ordinary \
		"$work/own/sysprof-cli" record --source perf --pid $burner --duration 0.2 -o \
		"$work/own/no"
	kill $burner
	wait $burner 2>/dev/null
else
	number=$((number + 1))
	echo \
		"ok $number - an ordinary user # SKIP perf events are open to all here, or this is no root"
fi
for rate in 1000 997; do
	record rate-$rate -F $rate -- "$workloads/shares" 0.3
done
check 'recordings of two rates are joined, in units that say what they are' bash -c \
	'"$1" merge "$2/rate-1000.capture" "$2/rate-997.capture" -o "$2/both" &&
	"$1" report "$2/both" | grep -q "recordings with periods of 1\.[0-9]* ms, 1\.[0-9]* ms, counted here in ones of [0-9]* ns"' - "$cli" "$work"
check 'doctor tells of it' bash -c \
	'"$1" doctor | grep -qE "perf events .* work|/dev/sysprof-trace opens"' - "$cli"

echo "1..$number"
exit $broken
