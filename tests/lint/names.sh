#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of functions: one that is in two files is two lines of a backtrace that look the same, and
# one row of a profile.  A function of a file has the file's noun in front.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

# functions FILE...: "name file" of each function that is defined there.  A definition begins at a
# line's begin, its body is a brace at a line's begin.
functions()
{
	awk '
	FNR == 1 { head = ""; inside = 0 }
	/^#/ || /^(\/\*| \*)/ { next }
	/^\{/ {
		if (head ~ /\)$/ && match(head, /[A-Za-z_][A-Za-z_0-9]*\(/))
			print substr(head, RSTART, RLENGTH - 1), FILENAME
		head = ""
		inside = 1
		next
	}
	/^\}/ { inside = 0; head = ""; next }
	inside { next }
	/^[A-Za-z_]/ { head = "" }
	{
		line = $0
		gsub(/__attribute__\(\([^)]*(\([^)]*\))?[^)]*\)\)/, "", line)
		head = head line
		if (line ~ /[;=]/)
			head = ""
	}' "$@"
}

# More than two of a hundred names in several files, and which they are.  What is made for one kind
# of machine or another has the same names there.
shared()
{
	# shellcheck disable=SC2046
	functions $(sources | grep -E '^(module|userspace)/.*\.c$' | grep -v '^userspace/examples/') |
		sed 's|/arch-[a-z0-9]*\.c$|/arch.c|' | sort -u | awk '
	$1 == "main" { next }
	{ n[$1]++; where[$1] = where[$1] " " $2 }
	END {
		for (name in n) {
			all++
			if (n[name] > 1)
				several++
		}
		if (several * 100 <= all * 2)
			exit
		print several " of " all " names of functions are in several files: put the noun of the file in front"
		for (name in n)
			if (n[name] > 1)
				print name ":" where[name]
	}'
}

# It must find one that is in two files.
seen()
(
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	printf 'static int\tbegin(void)\n{\n}\nint spt_one(int a,\n\t    int b)\n{\n\tif (x)\n\t\tbegin();\n}\n' \
		>"$work/one.c"
	printf 'static const struct a b = { begin };\nvoid begin(void);\nbool begin(void)\n{\n}\n' >"$work/two.c"
	[ "$(functions "$work/one.c" "$work/two.c" | cut -d' ' -f1 | tr '\n' ' ')" = \
		'begin spt_one begin ' ] || functions "$work/one.c" "$work/two.c"
)

result "functions are found where they are defined" "$(seen)"
result "names of functions are in one file each" "$(shared)"
finish
