# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Sourced: raw stacks of programs as distributions build them, without frame pointers.

# make_source SCALE: C for a compiler to work on, seconds times SCALE / 20, on stdout.
make_source()
{
	echo 'static int table[64];'
	seq "$(($1 * 15))" | sed 's/.*/int f&(int n) { int s = 0; for (int i = 0; i < n; i++) { table[(i * &) % 64] += s; s += table[i % 64] ^ n; } return s; }/'
}

# record_stacks DIR HZ SCALE: perf records each program, some seconds times SCALE / 20, into DIR/PROGRAM.data.
record_stacks()
{
	local dir=$1 hz=$2 scale=$3 source name

	source=$dir/source.c
	make_source "$scale" >"$source"
	recorded python3 /usr/bin/python3 -c "import json, re
for i in range($((scale * 3000))):
    json.loads(json.dumps({'a': [1, 2, 3, i]}))
    re.match('a*b', 'aaaab')"
	recorded gcc gcc -O2 -c "$source" -o "$dir/source.o"
	recorded perl perl -e 'for my $i (1 .. 1000 * shift) { $h{$i % 1000} .= "x" if "foo$i" =~ /o(\d+)$/; }
my @all = map { join ",", sort { $a cmp $b } keys %h } 1 .. 20;' "$((scale * 40))"
	make_history "$source" "$dir/repository"
	recorded git git --no-pager -C "$dir/repository" log -p --stat --word-diff
	recorded sqlite3 sqlite3 :memory: "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c INT); CREATE INDEX i ON t(b);
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < $((scale * 10000)))
	INSERT INTO t SELECT x, hex(randomblob(8)), x % 97 FROM n;
SELECT c, count(*), max(b), group_concat(substr(b, 1, 2)) FROM t GROUP BY c ORDER BY 2 DESC;
SELECT sum(length(json_array(a, b, c))) FROM t WHERE b LIKE '%AB%' OR b GLOB '*F0*';"
	recorded node node -e "for (let i = 0; i < $((scale * 4000)); i++)
	JSON.parse(JSON.stringify({ a: [i, 2, 3], b: 'x'.repeat(i % 50) })).b.replace(/(a+)b/, 'c');"
	recorded xz xz -k -c -9 "$source"
}

recorded()
{
	local name=$1

	shift
	perf record -q -e cpu-clock -F "$hz" -m 4M --call-graph dwarf,16384 -o "$dir/$name.data" -- "$@" >/dev/null 2>"$dir/$name.err"
}

# make_history FILE REPOSITORY: 20 commits, each of which changes every line.
make_history()
{
	local round

	git init -q "$2"
	for round in {1..20}; do
		sed "s/s += table/s $round= table/g" "$1" | (cd "$2" && split -l 10 -a 4 - part)
		git -C "$2" add .
		git -C "$2" -c user.name=bench -c user.email=bench@localhost commit -q -m "$round"
	done
}
