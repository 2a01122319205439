#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The built module needs only symbols that an unpatched mainline kernel exports: distributions
# export more, and what links against theirs need not load elsewhere.  mainline-exports.txt is the
# list, kept by hand.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

module=build/module/sysprof.ko
list=tests/lint/mainline-exports.txt

if [ ! -e "$module" ]; then
	skip "the module needs mainline's exports only" "$module is not built"
	finish
fi

known=$(grep -v '^#' "$list" | awk 'NF { print $1 }' | LC_ALL=C sort)
needed=$(nm -u "$module" | awk '{ print $2 }' | LC_ALL=C sort)

result "the module needs mainline's exports only" \
	"$(LC_ALL=C comm -13 <(echo "$known") <(echo "$needed") |
		sed \
		"s|\$| is not in $list: check that mainline exports it, then add it with a note|")"
result "no symbol is listed twice" "$(uniq -d <<<"$known")"
finish
