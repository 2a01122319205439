#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of functions: one that is in two files is two lines of a backtrace that look the same, and
# one row of a profile.  A function of a file has the file's noun in front.  And its words are those
# of the field.

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
		sed -E 's:/(arch|walk)-(x86|arm64|orc)\.c$:/\1.c:' | sort -u | awk '
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

# Words of a dialect that only this project spoke, in names of files, in comments and in identifiers of
# C: each had a word of the field instead.  Names of the device's interface stay as they are.  Files
# and identifiers were called by "opens" and "sound", too, which are plain words in a comment.  So is
# "near", of a distance; what "did you mean" offers is "nearest".
private='prompts?|taps?|wish(es|ed)?|(un)?told|haste|thrift|dear|aside|handover|course'
of_names='opens|sound'

# private_words FILE...: "word: file" of each that has one.
private_words()
{
	printf '%s\n' "$@" | grep -E "[/-]($private|$of_names|near)[.-]" | sed 's/$/: its name/'
	comments=$private names="($private|$of_names)" perl -0777 -ne '
	for my $comment (m{/\*.*?\*/}gs) {
		print "$1: a comment of $ARGV\n" while $comment =~ /\b($ENV{comments})\b/gi;
	}
	s{/\*.*?\*/|"(?:\\.|[^"\\\n])*"}{ }gs;
	for (/\b[A-Za-z_]\w*/g) {
		next if $_ eq "sysprof_raw_wish" or /^SYSPROF_.*_(RAW_WISH|NOT_TOLD)$/ or $seen{$_}{$ARGV}++;
		print "$_: $ARGV\n"
			if grep { lc =~ /^$ENV{names}$/ } split /_|(?<=[a-z0-9])(?=[A-Z])/;
	}' "$@"
}

words_seen()
(
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	printf '/* a tap */\nint told_it, sysprof_raw_wish, tapered;\nstruct SptWish x = { "haste" };\nbool opens;\n' >"$work/dear.c"
	[ "$(private_words "$work/dear.c" | sed "s|$work||; s| /|/|; s|of/|of /|" | tr '\n' ' ')" = \
		"/dear.c: its name tap: a comment of /dear.c told_it:/dear.c SptWish:/dear.c opens:/dear.c " ] ||
		private_words "$work/dear.c"
)

result "functions are found where they are defined" "$(seen)"
result "names of functions are in one file each" "$(shared)"
result "words of a private dialect are seen" "$(words_seen)"
# shellcheck disable=SC2046
result "names have the field's words" \
	"$(private_words $(sources | grep -E '^(module|userspace)/.*\.[ch]$'))"
finish
