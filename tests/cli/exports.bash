# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# What tests of exports begin with, sourced: the checkout as directory, $cli, $work for scratch with
# recordings to export, result, and same.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "${BASH_SOURCE[0]}")/../lint/tap.bash"
cli=$PWD/build/sysprof-cli
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build/tests/gen-capture "$work/busy.capture" || exit 1
build/tests/gen-waits "$work/waits.capture" || exit 1
build/tests/gen-samples "$work/many.capture" 20000 3000 || exit 1

# same WHAT FORMAT CAPTURE OPTION...: the file that is exported, $work/out, has the sums of report,
# $work/report, as the program $judge finds.
same()
{
	local what=$1 format=$2 capture=$3

	shift 3
	if "$cli" export --format "$format" --all "$@" "$capture" >"$work/out" 2>"$work/err" &&
		"$cli" report --json --limit 1000000 --all "$@" "$capture" >"$work/report" \
			2>>"$work/err" &&
		python3 "$judge" "$format" "$work/out" "$work/report" >>"$work/err" 2>&1; then
		result "$format: $what" ''
	else
		result "$format: $what" "$(tail -20 "$work/err")"
	fi
}
