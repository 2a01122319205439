#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The built modules need only symbols that an unpatched mainline kernel exports: distributions
# export more, and what links against theirs need not load elsewhere.  mainline-exports.txt is the
# list, kept by hand.  sysprof-sources also needs what sysprof exports for it, which is no more than
# that, in a namespace, and described in a header.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

module=build/module/sysprof.ko
second=build/module/sysprof-sources.ko
list=tests/lint/mainline-exports.txt

if [ ! -e "$module" ] || [ ! -e "$second" ]; then
	skip "the modules need mainline's exports only" "$module or $second is not built"
	finish
fi

needs()
{
	nm -u "$1" | awk '{ print $2 }' | LC_ALL=C sort
}

known=$(grep -v '^#' "$list" | awk 'NF { print $1 }' | LC_ALL=C sort)
# Name and namespace.
exported=$(awk -v module="$(basename "$module" .ko)" '$3 ~ module "$" { print $2, $5 }' \
	build/module/Module.symvers | LC_ALL=C sort)
names=$(cut -d' ' -f 1 <<<"$exported")

foreign()
{
	LC_ALL=C comm -13 <(LC_ALL=C sort -u <<<"$known"$'\n'"${2-}") <(needs "$1") |
		sed \
		"s|\$| is not in $list: check that mainline exports it, then add it with a note|"
}

result "the module needs mainline's exports only" "$(foreign "$module")"
result "so does that of sources, and the other's" "$(foreign "$second" "$names")"
result "no symbol is listed twice" "$(uniq -d <<<"$known")"
result "the module exports nothing that the other does not need" \
	"$(LC_ALL=C comm -23 <(echo "$names") <(needs "$second"))"
result "... and all in its namespace" "$(grep -v ' SYSPROF$' <<<"$exported")"
undeclared()
{
	while read -r name; do
		cat module/*.h | grep -qw "$name" || echo "$name is in no header of module/"
	done <<<"$names"
}
result "... and in a header" "$(undeclared)"
finish
