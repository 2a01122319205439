# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Sourced: raw stacks of programs as distributions build them, without frame pointers.

# record_stacks DIR HZ SCALE: perf records each program, some seconds times SCALE / 10, into DIR/PROGRAM.data.
record_stacks()
{
	local dir=$1 hz=$2 scale=$3 source name

	source=$dir/source.c
	{
		echo 'static int table[64];'
		seq "$((scale * 60))" | sed 's/.*/int f&(int n) { int s = 0; for (int i = 0; i < n; i++) { table[(i * &) % 64] += s; s += table[i % 64] ^ n; } return s; }/'
	} >"$source"
	recorded python3 /usr/bin/python3 -c "import json, re
for i in range($((scale * 3000))):
    json.loads(json.dumps({'a': [1, 2, 3, i]}))
    re.match('a*b', 'aaaab')"
	recorded gcc gcc -O2 -c "$source" -o "$dir/source.o"
	recorded perl perl -e 'for my $i (1 .. 1000 * shift) { $h{$i % 1000} .= "x" if "foo$i" =~ /o(\d+)$/; }
my @all = map { join ",", sort { $a cmp $b } keys %h } 1 .. 20;' "$((scale * 40))"
	recorded xz xz -k -c -9 "$source"
}

recorded()
{
	local name=$1

	shift
	perf record -q -e cpu-clock -F "$hz" -m 4M --call-graph dwarf,16384 -o "$dir/$name.data" -- "$@" >/dev/null 2>"$dir/$name.err"
}
