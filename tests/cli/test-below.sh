#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# With default options and perf events on this very machine: programs with frame pointers that spend
# their time, 70 to 30, in a library of the distribution below two functions; and whole stacks of
# what a machine has anyway.  What is compared is CPU time, never wall time.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

# by NAME COMMAND...: as root of everything, or what this user may see of his own.
by()
{
	local name=$1

	shift
	timeout 100 "$cli" record --source perf -o "$work/$name.capture" -- "$@" >"$work/$name.out" \
		2>"$work/err"
}

# below NAME LIBRARY: the two functions' shares of what the program did.
below()
{
	"$cli" report --no-inlines --json --process below "$work/$1.capture" >"$work/report.json" &&
	python3 - "$work/report.json" "$work/$1.out" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
# A machine with much else to do takes few samples; then chance is more than two points.
chance = 300 * (0.21 / max(1, report["samples"])) ** 0.5
report = report["functions"]
functions = {f["function"]: f["total"] for f in report}
lines = [line.split() for line in open(sys.argv[2])]
truth = {words[1]: int(words[2]) for words in lines if words[:1] == ["truth"]}
seen, spent = sum(functions.get(name, 0) for name in truth), sum(truth.values())
for name, ns in truth.items():
    got, expected = (100 * part / max(whole, 1) for part, whole in ((functions.get(name, 0), seen), (ns, spent)))
    assert abs(got - expected) <= max(2, chance), f"{name}: {got:.1f} %, should be {expected:.1f} ({truth}, {functions.get('main')})"
# Whose caller is not lost: what else there is of the program are its first and last moments.
whole = sum(f["self"] for f in report)
assert seen >= 0.95 * whole > 0, (seen, whole)
END
}

[ -x "$workloads/below" ] || { echo "Bail out! $workloads/below is not built; run 'make tests'"; exit 1; }
for library in libm libz libcrypto libstdc++; do
	check "$library: recorded" by "$library" "$workloads/below" "$library" 5
	timed check "$library: each function has its share" below "$library"
done

# The same as nobody, who sees his own processes, as far as the kernel lets him.
by_nobody()
{
	mkdir -p "$work/nobody" && chmod 755 "$work" && chown nobody "$work/nobody" &&
		(cd "$work/nobody" && XDG_CACHE_HOME=$work/nobody/cache \
			setpriv --reuid=nobody --regid=nogroup --clear-groups \
			timeout 100 "$cli" record --source perf -o here.capture -- "${@:2}" \
			>"$work/$1.out" 2>"$work/err") &&
		mv "$work/nobody/here.capture" "$work/$1.capture"
}
if [ "$(id -u)" = 0 ]; then
	for library in libm libz; do
		check "nobody, $library: recorded" by_nobody "nobody-$library" "$workloads/below" "$library" 5
		timed check "nobody, $library: each function has its share" below "nobody-$library"
	done
fi

# whole NAME PROCESS: nearly all stacks of the process lead to its beginning.
whole()
{
	"$cli" export --format folded --process "$2" "$work/$1.capture" >"$work/folded" &&
	python3 - "$work/folded" <<'END'
import sys
sums = {}
for line in open(sys.argv[1]):
    stack, weight = line.rsplit(" ", 1)
    frames = stack.split(";")
    kind = frames[1] if len(frames) > 1 and frames[1].startswith("[stack ") else "whole"
    sums[kind] = sums.get(kind, 0) + int(weight)
share = 100 * sums.get("whole", 0) / max(sum(sums.values()), 1)
print(f"{share:.1f} % of {sum(sums.values())}: {sums}")
# Some 98.5, less chance.
assert sum(sums.values()) >= 300 and share >= 97, sums
END
}

{
	# Long enough that what is copied of stacks until it has grown is little of it.
	echo 'static int table[64];'
	seq 500 | sed 's/.*/int f&(int n) { int s = 0; for (int i = 0; i < n; i++) { table[(i * &) % 64] += s; s += table[i % 64] ^ n; } return s; }/'
} >"$work/source.c"
check 'gcc: recorded' by gcc gcc -O2 -c "$work/source.c" -o "$work/source.o"
timed check 'gcc: its stacks are whole' whole gcc cc1
python=$(readlink -f "$(python3 -c 'import sys; print(sys.executable)')")
# What it loads while it runs has tables once it was recorded.
by python "$python" -c 'import json, re'
check 'python: recorded' by python "$python" -c "import json, re
for i in range(200000):
    json.loads(json.dumps({'a': [1, 2, 3, i]}))
    re.match('a*b', 'aaaab')"
timed check 'python: its stacks are whole' whole python "$(basename "$python")"
# Its runtime works on a thread's stack for goroutines, whose own are not copied.
go build -o "$work/goroutines" tests/vm/whole.d/work.go || exit 1
check 'go: recorded' by go "$work/goroutines" 5
timed check 'go: its stacks are whole' whole go goroutines

echo "1..$number"
exit $broken
