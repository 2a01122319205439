# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests that look for faults, sourced: one numbered TAP line a check, with what is wrong below it.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# What a test makes is no part of the make that runs it.
unset MAKEFLAGS MFLAGS MAKELEVEL
number=0
broken=0

# result TEXT FINDINGS: ok if there are no findings, else each of their lines as an explanation.
result()
{
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		broken=1
		echo "not ok $number - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

skip()
{
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

# The plan, last, and the exit status.
finish()
{
	echo "1..$number"
	exit $broken
}

# The files of the project.
sources()
{
	packaging/sources
}

# Code without comments, as the compiler sees it.
code()
{
	gcc -fpreprocessed -dD -E -P -x c "$1" 2>/dev/null
}
