#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The functions of a stripped library: one row each, named by its start, whether the compiler
# describes it or it is assembly that nothing describes; nm of the library as it was is the oracle.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for tool in gcc strip nm python3; do
	command -v "$tool" >/dev/null || { echo "Bail out! needs $tool"; exit 1; }
done

cat >"$work/hot.c" <<'SOURCE'
static volatile unsigned sink;
__attribute__((noipa)) static void hot_one(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		sink = sink * 31 + i;
}
__attribute__((noipa)) static void hot_two(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		sink = sink / 3 + i;
}
#ifdef __x86_64__
__asm__(".text\n.balign 16, 0x90\n"
	"hot_asm: push %rbx\nxor %ebx, %ebx\n1: add $7, %ebx\nimul $3, %ebx, %ebx\n"
	"dec %edi\njnz 1b\n"
	"mov %ebx, %eax\npop %rbx\nret\n.balign 16, 0x90\n");
void hot_asm(unsigned turns) __attribute__((visibility("hidden")));
#else
#define hot_asm hot_one
#endif
__attribute__((noipa)) void hot_exported(unsigned turns)
{
	hot_one(turns);
	sink++;
	hot_two(turns);
	sink++;
	hot_asm(4 * turns);
	sink++;
}
SOURCE
cat >"$work/main.c" <<'SOURCE'
void hot_exported(unsigned turns);
int main(void)
{
	for (unsigned i = 0; i < 300; i++)
		hot_exported(700000);
	return 0;
}
SOURCE
{ gcc -O2 -fomit-frame-pointer -shared -fPIC -o "$work/whole.so" "$work/hot.c" &&
	strip -o "$work/libhot.so" "$work/whole.so" &&
	gcc -O2 -o "$work/user" "$work/main.c" "$work/libhot.so" "-Wl,-rpath,$work"; } ||
	{ echo 'Bail out! the program cannot be compiled'; exit 1; }
nm "$work/whole.so" | sed -n 's/^0*\([0-9a-f]*\) t \(hot_.*\)/\2 libhot.so+0x\1/p' >"$work/expected"

record()
{
	timeout 100 "$cli" record --source perf --stacks dwarf -F 1000 -o "$work/hot.capture" -- \
		"$work/user" 2>"$work/err"
}

name_of()
{
	sed -n "s/^$1 //p" "$work/expected"
}

# rows FILE: the functions of the library are those that it has, each once.
rows()
{
	"$cli" report --json --object libhot.so "$1" | python3 -c '
import json, sys
rows = [r for r in json.load(sys.stdin)["functions"] if r["object"] == "libhot.so"]
wanted = [line.split()[1] for line in open(sys.argv[1])]
hot = sorted(r["function"] for r in rows if r["self"] and "+0x" in r["function"])
print(hot, wanted)
sys.exit(hot != sorted(wanted) or not any(r["function"] == "hot_exported" for r in rows))
' "$work/expected"
}

# called FILE: each was called by the exported one alone.
called()
{
	local name

	while read -r _ name; do
		"$cli" report --callers "$name" "$1" | grep -q ' hot_exported ' || return 1
	done <"$work/expected"
}

# annotates FILE NAME: its instructions, from the first to the last, with all of their weight.
annotates()
{
	"$cli" annotate --json "$1" "$2" | python3 -c '
import json, sys
code, = json.load(sys.stdin)["code"]
weights = sum(i["self"] for i in code["instructions"])
print(code["function"], len(code["instructions"]), weights)
start = code["instructions"][0]["address"]
sys.exit(code["function"] != sys.argv[1] or start != int(sys.argv[1].split("+")[1], 16) or
         len(code["instructions"]) < 6 or weights < 50)
' "$2"
}

# folded FILE: flame graphs have no other boxes above the exported one.
folded()
{
	"$cli" export --format folded "$1" | grep -o 'hot_exported;libhot[^ ;]*' | sort -u |
		cmp - <(sed "s/.* /hot_exported;/" "$work/expected" | sort)
}

# elsewhere: what was bundled names it, too, where there is no such file.
elsewhere()
{
	"$cli" bundle -o "$work/bundled.capture" "$work/hot.capture" && rm "$work/libhot.so" &&
		rows "$work/bundled.capture"
}

check 'a program is recorded that uses a stripped library' record
check 'its functions are one row each' rows "$work/hot.capture"
check 'each has its caller' called "$work/hot.capture"
for name in $(cut -d' ' -f1 "$work/expected"); do
	check "annotate shows the instructions of $name" annotates "$work/hot.capture" \
		"$(name_of "$name")"
done
check 'flame graphs have one box of each there' folded "$work/hot.capture"
check 'bundled, they are the same elsewhere' elsewhere
echo "1..$number"
exit $broken
