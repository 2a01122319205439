#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a caller or a program chooses, and the module reads by, is in bounds where speculation passes
# the comparison, too.  No program can be made to show that it is not, so that this is a list.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

# Whose choice, file, function, and how often.
list='
the reader of an mmap part|module/device.c|find_part|1
the caller of an ioctl|module/session.c|check_cpu|1
a program that names code|module/arch-x86.c|sysprof_arch_copy_user|1
a program in a system call|module/sources/calls.c|calls_inode_of|1
a program whose data a chain reads|module/chain-run.c|chain_load|1
a frame pointer|module/walk-user.h|read_frame|1
the first frame pointer|module/walk-user.h|walk_frames|2
a word by a rule|module/walk-table.h|read_word|1
a word by a plain rule|module/walk-table.h|run_plain|1
a saved frame pointer|module/walk-table.h|is_where_it_was|1
'

# body FUNCTION FILE: from its name in the first column of a definition to the next line that ends it.
body()
{
	awk -v name="$1" '
		/^[a-z].*[^;]$/ || /^[ \t]+[a-z].*\)$/ { inside = inside || index($0, name "(") }
		inside { print }
		/^}/ { if (inside) exit }' "$2"
}

masks()
{
	grep -cE 'array_index_nospec\(|sysprof_below_or_0\('
}

while IFS='|' read -r who file function wanted; do
	[ -n "$who" ] || continue
	found=$(body "$function" "$file" | masks)
	result "$who: $function() of ${file##*/}" "$([ "$found" = "$wanted" ] ||
		echo "$found of $wanted masks are there")"
done <<<"$list"

# Words at addresses that are kept from a walk, or a chain's run, that compared them need none.
kept='module/recall-words.h module/walk-table.h'
others=$(grep -l 'unsafe_get_user(' module/*.[ch] module/sources/*.[ch] | while read -r file; do
	case " $kept module/chain-run.c module/walk-user.h " in
	*" $file "*) ;;
	*) echo "$file reads user memory inside a window: add it to the list" ;;
	esac
done)
result "no other file reads so" "$others"
finish
