#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What lay where in processes, and from when until when, held against /proc/PID/maps and against a
# program that loads libraries in turn into the same place.  With perf events, on this very machine.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

record()
{
	timeout 100 "$cli" record --source perf -o "$work/$1.capture" "${@:2}" >"$work/$1.out" \
		2>"$work/err"
}

# judge NAME PYTHON: with maps, those of NAME.capture as dictionaries with numbers for addresses;
# asserts.
judge()
{
	"$cli" info --json --maps "$work/$1.capture" >"$work/info.json" &&
		python3 - "$work/info.json" "$work" <<END
import json, sys
info = json.load(open(sys.argv[1]))
work = sys.argv[2]
maps = [dict(m, start=int(m["start"], 16), end=int(m["end"], 16)) for m in info["maps"]]
def churned():
    return sorted((m for m in maps if m["process"] == "dlchurn" and "libchurn" in (m["path"] or "")), key=lambda m: m["from_ns"])
$2
END
}

check 'recorded' record churn -- "$workloads/dlchurn" 1
check 'one library after the other lies at the same place, each until the next' judge churn '
found = churned()
loads = int(next(line.split()[2] for line in open(f"{work}/churn.out") if line.startswith("truth loads")))
moved = int(next(line.split()[2] for line in open(f"{work}/churn.out") if line.startswith("truth moved")))
order = ["red.so", "green.so", "blue.so"]
place = [order.index(m["path"].rsplit("-")[-1]) for m in found]
gaps = [(m, after) for m, after, a, b in zip(found, found[1:], place, place[1:]) if b != (a + 1) % 3]
assert moved == 0 and len(found) == loads > 10, (moved, len(found), loads, gaps, found[:1], found[-1:])
assert [m["path"].rsplit("-")[-1] for m in found[:4]] == ["red.so", "green.so", "blue.so", "red.so"], found[:4]
for m, after in zip(found, found[1:]):
    assert m["start"] == after["start"] and m["until_ns"] == after["from_ns"], (m, after)
    assert not m["was_there"] and not m["was_gone"] and len(m["build_id"]) == 40, m
assert found[-1]["was_gone"], found[-1]'
check 'as text, too' bash -c \
	'"$1" info --maps --process dlchurn "$2" | grep -qE "^ +[0-9.]+ +[0-9.]+ +7[0-9a-f]+-7[0-9a-f]+ +1000  [0-9a-f]{12}  /.*/libchurn-green.so$"' \
	- "$cli" "$work/churn.capture"
check '... of nobody else' bash -c \
	'[ "$("$1" info --maps --process dlchurn "$2" | grep -c "^Mapped in")" = 1 ]' - "$cli" \
	"$work/churn.capture"
check '... and by its pid' bash -c \
	'pid=$("$1" info --maps --process dlchurn "$2" | sed -n "s/^Mapped in dlchurn (pid \(.*\))$/\1/p") &&
	"$1" info --maps --process "$pid" "$2" | grep -q "^Mapped in dlchurn"' - "$cli" "$work/churn.capture"
check '... where nothing is known, that is said' bash -c \
	'"$1" info --maps --process nobody "$2" | grep -q "^No executable mapping is known of a process nobody"' \
	- "$cli" "$work/churn.capture"
check 'a process for nothing is refused' bash -c '! "$1" info --process dlchurn "$2" 2>/dev/null' \
	- "$cli" "$work/churn.capture"

# Code in memory without a file.
for name in all part; do
	check "code copied to memory, $name: recorded" record "$name" --only-command -- \
		"$workloads/remaps" 1 "$name"
	check '... it is that of its file, with whole stacks' bash -c \
		'"$1" export --format folded --only-command "$2" | awk "
			/;main;call_burn;burn(;|\$| )/ { burn += \$NF }
			{ all += \$NF }
			END { exit !(burn > 0.8 * all) }"' - "$cli" "$work/$name.capture"
	"$workloads/remaps" 30 "$name" &
	burner=$!
	sleep 0.5
	check '... also if it was there before' record "attached-$name" --duration 1 -p $burner
	kill $burner
	check '... it is' bash -c \
		'"$1" export --format folded --process remaps "$2" | awk "
			/;main;call_burn;burn(;|\$| )/ { burn += \$NF }
			{ all += \$NF }
			END { exit !(burn > 0.8 * all) }"' - "$cli" "$work/attached-$name.capture"
done
check 'code made where a library was: recorded' record gone --only-command -- "$workloads/remaps" 1 \
	gone "$workloads/libchurn-red.so"
check '... it is nobody else'"'"'s' bash -c \
	'"$1" export --format folded --only-command "$2" | awk "
		/;\\[anon\\](;|\$| )/ { made += \$NF }
		/red/ { exit 1 }
		{ all += \$NF }
		END { exit !(made > 0.8 * all) }"' - "$cli" "$work/gone.capture"

# One that was there before.
"$workloads/shares" 30 >/dev/null &
burner=$!
sleep 0.3
check 'a process that was there before: recorded' record before --pid $burner --duration 0.5
grep ' r-xp ' /proc/$burner/maps >"$work/maps"
kill $burner
wait $burner 2>/dev/null
check '... has what /proc says it has' judge before '
told = {(m["start"], m["end"], m["offset"], m["path"]) for m in maps if m["path"] and m["path"][0] == "/"}
real = set()
for line in open(f"{work}/maps"):
    place, _, offset, _, _, path = (line.split() + [""])[:6]
    if path.startswith("/"):
        real.add((*(int(x, 16) for x in place.split("-")), int(offset, 16), path))
assert told == real and len(real) >= 2, (told, real)
assert {m["process"] for m in maps} == {"shares"} and all(m["was_there"] and m["until_ns"] is None for m in maps), maps'

check 'recorded, the last seconds alone' record last --last 60 -- "$workloads/dlchurn" 0.3
check '... has them, too' judge last 'assert len(churned()) > 3, maps'
check 'joined' "$cli" merge "$work/churn.capture" "$work/last.capture" -o "$work/both.capture"
check '... each has its own' judge both '
pids = {m["pid"] for m in churned()}
assert len(pids) == 2 and all(m["path"] for m in churned()), pids'
check 'bundled' "$cli" bundle "$work/churn.capture" -o "$work/bundled.capture"
check '... has them' judge bundled 'assert len(churned()) > 10'
check 'for sharing' "$cli" bundle --anonymize "$work/churn.capture" -o "$work/shared.capture"
check '... has no address' judge shared 'assert info["maps"] == [], maps'
check 'recorded without' record none --no-maps -- "$workloads/dlchurn" 0.3
check '... has none' judge none 'assert info["maps"] == [], maps'
echo "1..$number"
exit $broken
