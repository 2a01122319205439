#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Directories of recordings, as agents of many hosts keep them: a report has as much as all of them
# together, and what cannot be read is named and counted.

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
export TMPDIR=$work/temporary
fleet=$work/fleet
mkdir -p "$fleet/deeper" "$TMPDIR"
# shellcheck disable=SC2154 # number and broken are record.bash's
build/tests/gen-capture "$work/one.capture" || exit 1
cp "$work/one.capture" "$fleet/a-20260101T000000.000000Z.capture"
cp "$work/one.capture" "$fleet/deeper/b-20260101T000010.000000Z.capture"
cp "$work/one.capture" "$fleet/b-20260101T000020.000000Z.capture"

json() { "$cli" report --json "$@" 2>"$work/err"; }

# By function, what three are is three times one.
adds_up()
{
	json "$work/one.capture" >"$work/one.json" && json "$fleet" >"$work/all.json" || return
	python3 - "$work" <<'END'
import json, sys
one, fleet = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("one", "all"))
def sums(page):
    found = {}
    for row in page["functions"]:
        key = row["function"], row["object"]
        found[key] = found.get(key, 0) + row["self"]
    return found
assert sums(one) and fleet["sum"] == 3 * one["sum"], (one["sum"], fleet["sum"])
assert sums(fleet) == {key: 3 * value for key, value in sums(one).items()}
END
}
check "a directory has as much as its recordings together" adds_up

says_so()
{
	"$cli" report "$fleet" >"$work/out" 2>"$work/err" && [ ! -s "$work/err" ] &&
		grep -q '^3 recordings of 1 host (--by host), ' "$work/out" &&
		"$cli" report --by host "$fleet" >"$work/out" && grep -q '^ *100.00 ' "$work/out"
}
check "and says how many there are" says_so

damaged()
{
	local size

	size=$(stat -c %s "$work/one.capture")
	head -c $((size / 2)) "$work/one.capture" >"$fleet/c-cut.capture"
	echo nothing >"$fleet/d-none.capture"
	cp "$work/one.capture" "$fleet/e-flipped.capture"
	printf '\377\377\377\377' | dd of="$fleet/e-flipped.capture" bs=1 seek=$((size / 3)) \
		conv=notrunc 2>/dev/null
	ln -s . "$fleet/loop"
	"$cli" report --json "$fleet" >"$work/damaged.json" 2>"$work/err" || return
	for name in c-cut d-none e-flipped; do
		grep -q "$name.capture.*skipped" "$work/err" || { echo "$name is not named"; return 1; }
	done
	grep -qx 'sysprof-cli: 3 of 6 recordings are skipped' "$work/err" &&
		cmp "$work/all.json" "$work/damaged.json"
}
check "what is damaged is named, counted and skipped" damaged

many_damaged()
{
	mkdir "$work/bad"
	for i in $(seq 50); do echo >"$work/bad/$i.capture"; done
	! "$cli" report "$work/bad" >/dev/null 2>"$work/err" &&
		[ "$(grep -c 'it is skipped' "$work/err")" = 20 ] &&
		grep -q '50 of 50 recordings are skipped' "$work/err" &&
		grep -q 'has no recording that can be read' "$work/err"
}
check "many of them are counted, and none is no report" many_damaged

of_threads()
{
	perf record -q --threads -o "$work/threads.data" -a -e cpu-clock -- sleep 0.1 >/dev/null 2>&1
	[ -d "$work/threads.data" ] && ! "$cli" report "$work/threads.data" >/dev/null 2>"$work/err" &&
		grep -q 'is of a perf record with several threads' "$work/err"
}
check "several files of one perf record are told from recordings" of_threads

compares()
{
	"$cli" diff --json "$fleet" "$work/one.capture" >"$work/diff.json" 2>"$work/err" &&
		python3 -c '
import json, sys
page = json.load(open(sys.argv[1]))
rows = page["functions"]
assert rows and all(abs(row["self_a_pct"] - row["self_b_pct"]) < 0.01 for row in rows), rows[:2]
' "$work/diff.json"
}
check "diff compares directories by shares" compares

alone()
{
	"$cli" report --confidence "$fleet" >/dev/null 2>"$work/err"
	[ $? = 2 ] && grep -q 'needs samples one by one' "$work/err"
}
check "an interval of chance is not made up" alone

temporary() { [ -z "$(ls -A "$TMPDIR")" ]; }
check "nothing stays behind" temporary

echo "1..$number"
exit $broken
