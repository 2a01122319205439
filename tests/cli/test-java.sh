#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions of Java without the module: in copies of stacks, by perf events.  What the program does
# is known; each stack below a function has to be the one by which it is called.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
for_root

cd "$work" || exit 1
cat >Work.java <<'END_OF_JAVA'
import java.util.ArrayList;

public class Work {
    static volatile long sink;

    static void half() { long s = 0; for (int i = 0; i < 500000; i++) s += i % 7; sink += s; }
    static void third() { long s = 0; for (int i = 0; i < 300000; i++) s += i % 7; sink += s; }
    static void fifth() { long s = 0; for (int i = 0; i < 200000; i++) s += i % 7; sink += s; }
    static void shares() { half(); third(); fifth(); }

    static long leaf(long x) { for (int i = 0; i < 200000; i++) x = x * 31 + i; return x; }
    static long down(int n, long x) { return n == 0 ? leaf(x) : down(n - 1, x) + 1; }
    static long inner(long x) { long s = 0; for (int i = 0; i < 60000; i++) s += (x ^ i) % 13; return s; }
    static long middle(long x) { return inner(x) + 1; }
    static long outer(long x) { return middle(x) + 1; }
    static void sort() {
        ArrayList<String> list = new ArrayList<>();
        for (int i = 0; i < 3000; i++) list.add("" + (i * 7919 % 3001));
        list.sort((a, b) -> b.compareTo(a));
        sink += list.size();
    }
    static void stacks() { sink += down(20, sink); sink += outer(sink); sort(); }

    // A busy machine gives a program little of a second.
    static double used() {
        return ProcessHandle.current().info().totalCpuDuration().get().toNanos() / 1e9;
    }

    public static void main(String[] args) {
        while (used() < Double.parseDouble(args[1]))
            if (args[0].equals("shares")) shares(); else stacks();
    }
}
END_OF_JAVA
check 'the program is compiled' javac Work.java

# recorded NAME JAVA-ARGUMENT...
recorded()
{
	local name=$1

	shift
	"$cli" record --source perf -o "$name.capture" -- java -cp . "$@" 2>err &&
		"$cli" report --only-command --json "$name.capture" >"$name.json" &&
		"$cli" export --format folded --only-command "$name.capture" >"$name.folded"
}

# of NAME PYTHON: with share(FUNCTION) of all time, and stacks: [(functions, weight)].
of()
{
	python3 - "$1" "$2" <<'END_OF_PYTHON'
import json, sys
document = json.load(open(sys.argv[1] + ".json"))
def share(name):
    return 100 * sum(f["self"] for f in document["functions"] if f["function"] == name) / document["sum"]
stacks = [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in open(sys.argv[1] + ".folded")]
def java(stack):
    return [f for f in stack if f.startswith("Work.")]
exec(sys.argv[2])
END_OF_PYTHON
}

# A tick between two places that the compiler has described is at the next one, which may be of
# another function, unless it describes all (DebugNonSafepoints); and even then it moves some code.
described=(-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints)
for mode in '' -Xint -XX:TieredStopAtLevel=1; do
	wrong=0.02
	[ "$mode" != -Xint ] || wrong=0
	check "shares are recorded ${mode:-compiled}" recorded shares ${mode:+"$mode"} Work shares 2.5
	timed check '... half, third and fifth have 50, 30 and 20 %' of shares '
shares = [share("Work." + f) for f in ("half", "third", "fifth")]
assert sum(shares) > 50, shares
assert all(abs(100 * a / sum(shares) - b) < 5 for a, b in zip(shares, (50, 30, 20))), shares'
	check "stacks are recorded ${mode:-compiled}" recorded stacks \
		${mode:+"$mode"} "${described[@]}" Work stacks 2.5
	check '... each below leaf() is the one by which it is called' of stacks "most = $wrong"'
seen = [(java(s), w) for s, w in stacks if "Work.leaf" in s and "[stack incomplete]" not in s and "[stack cut off]" not in s]
wanted = ["Work.main", "Work.stacks"] + ["Work.down"] * 21 + ["Work.leaf"]
all, wrong = sum(w for s, w in seen), [(s, w) for s, w in seen if s != wanted]
assert all >= 10 and sum(w for s, w in wrong) <= most * all, (all, wrong[:3])'
	check '... and so is each below what was compiled into its caller' of stacks "most = $wrong"'
seen = [(java(s), w) for s, w in stacks if "Work.inner" in s and s[1] not in ("[stack incomplete]", "[stack cut off]")]
wanted = ["Work.main", "Work.stacks", "Work.outer", "Work.middle", "Work.inner"]
all, wrong = sum(w for s, w in seen), [(s, w) for s, w in seen if s != wanted]
assert all and sum(w for s, w in wrong) <= most * all, (all, wrong[:3])'
	timed check '... and nearly all are whole' of stacks '
broken = sum(w for s, w in stacks if s[1] in ("[stack incomplete]", "[stack cut off]"))
assert broken < 0.06 * sum(w for s, w in stacks), broken'
done

line_of_loop()
{
	"$cli" annotate shares.capture Work.half --source-dir . >lines &&
		grep -q 'static void half()' lines && return
	cat lines
	return 1
}
check 'its lines are those of the source' line_of_loop

# The program of a user whom root records may hold up who reads its memory, but need not.
of_other_user()
{
	local pid

	chmod 755 . && chmod 644 Work*.class
	setpriv --reuid 65534 --regid 65534 --clear-groups java -cp . Work shares 60 >/dev/null 2>&1 &
	pid=$!
	sleep 1
	"$cli" record --source perf -a -o other.capture -- sleep 4 2>err
	kill "$pid"
	wait "$pid" 2>/dev/null
	"$cli" report --all --json other.capture | grep -q '"Work.half"'
}
check 'another user'\''s program has its functions, too' of_other_user

check 'doctor says so' bash -c '"$1" doctor | grep "Functions of scripts are recorded: .*OpenJDK"' - "$cli"

echo "1..$number"
exit $broken
