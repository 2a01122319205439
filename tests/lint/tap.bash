# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests that look for faults, sourced: one numbered TAP line a check, with what is wrong below
# it.

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# What a test makes is no part of the make that runs it.
unset MAKEFLAGS MFLAGS MAKELEVEL
number=0
broken=0

# timed COMMAND...: what its results compare are times, rates or shares, which a busy machine or
# chance may spoil, and they say so (see tests/run).
timed()
{
	local mark=' # timed'

	"$@"
}

# result TEXT FINDINGS: ok if there are no findings, else each of their lines as an explanation.
result()
{
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1${mark:-}"
	else
		broken=1
		echo "not ok $number - $1${mark:-}"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

# cached TEXT TOOLS FILES COMMAND...: result TEXT of what COMMAND finds in FILES, one a line.  What
# found nothing is not run again as long as the files' contents, the test itself, and the programs
# TOOLS are the same: a stamp goes by a hash of all these.
cached()
{
	local text=$1 tools=$2 files=$3 stamp tool findings

	shift 3
	stamp=${stamps:-build/lint/passed}/$({
		echo "$text"
		printf '%s\n' "$@"
		declare -f
		cat "$0"
		for tool in $tools; do
			"$tool" --version 2>&1 || true
			sha256sum "$(type -P "$tool")"
		done
		xargs -d '\n' sha256sum <<<"$files"
	} 2>&1 | sha256sum | cut -d' ' -f1)
	if [ -e "$stamp" ]; then
		touch "$stamp"
		result "$text" ""
		return
	fi
	findings=$("$@")
	result "$text" "$findings"
	[ -z "$findings" ] || return 0
	mkdir -p "${stamp%/*}"
	touch "$stamp"
	find "${stamp%/*}" -type f -mtime +30 -delete
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
