#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each message about something that failed has a row of sysprof-messages(7), and each row a message.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8
check=tests/lint/messages.py

# What GLib says of an option, from the program itself.
of_options()
{
	local given

	for given in --foo --limit --limit=x --limit=99999999999 --min=x; do
		build/sysprof-cli report "$given" 2>&1 | sed -n "s/^[^:]*: \\(.*\\); .*/GLib\\t\\1/p"
	done
}

packaging/messages --errors >"$work/messages"
of_options >>"$work/messages"
result "there are messages" "$([ "$(wc -l <"$work/messages")" -gt 350 ] || wc -l "$work/messages")"
result "GLib's are among them" "$([ "$(grep -c '^GLib' "$work/messages")" = 5 ] ||
	grep '^GLib' "$work/messages")"
result "each has a row with a cause and what helps" \
	"$($check "$work/messages" userspace/data/messages/*)"
{
	cat "$work/messages"
	printf 'userspace/cli/new.c\tCannot do what is new: ...\n'
} >"$work/new"
{
	cat userspace/data/messages/2-reading
	printf '\nNobody says this\n  So it is.\n> Nothing.\n\nUnknown option ...\n> Twice, and no cause.\n'
} >"$work/table"
result "a message without a row, a row without a message and a row without a cause are found" "$([ \
	"$($check "$work/new" userspace/data/messages/1-* "$work/table" | grep -cE \
	'no row of|no source has|lacks its|a second row')" = 4 ] ||
	$check "$work/new" userspace/data/messages/1-* "$work/table")"
finish
