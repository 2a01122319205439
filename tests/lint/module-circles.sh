#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of the module's core call downwards only: none calls, or names data of, a file that needs
# it.  What lies below a file can be read without it.  Where something has to go up, the upper one
# hands a function down: source-ops.h for ticks, struct sysprof_object_users for what is cold.  The
# compiler's objects say who defines and who uses what.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

# An object of a file that is no more may still be there.
objects()
{
	local object

	for object in build/module/*.o; do
		[ ! -e "module/$(basename "$object" .o).c" ] || echo "$object"
	done
}

# FROM TO SYMBOL for each symbol of file TO that another file uses.
arrows()
{
	objects | xargs nm --print-file-name |
		awk '{
			sub(/.*\//, "", $1)
			sub(/\.o:.*/, "", $1)
			if ($(NF - 1) == "U")
				uses[$1 " " $NF]
			else if ($(NF - 1) ~ /[A-Z]/)
				owner[$NF] = $1
		}
		END {
			for (use in uses) {
				split(use, part, " ")
				if (part[2] in owner)
					print part[1], owner[part[2]], part[2]
			}
		}' | LC_ALL=C sort
}

# circles ARROWS: those from which a way leads back.
circles()
{
	awk '{ from[NR] = $1; to[NR] = $2; symbol[NR] = $3; file[$1]; file[$2]; leads[$1, $2] }
		END {
			for (by in file)
				for (a in file)
					if ((a, by) in leads)
						for (b in file)
							if ((by, b) in leads)
								leads[a, b]
			for (i = 1; i <= NR; i++)
				if ((to[i], from[i]) in leads)
					print from[i] ".c needs " to[i] ".c for " symbol[i]
		}' <<<"$1"
}

if [ ! -e build/module/sysprof.ko ]; then
	skip "the files of the module's core form no circle" "it is not built"
	finish
fi

all=$(arrows)
result "a circle is found" "$([ "$(circles "a b x"$'\n'"b c y"$'\n'"c a z"$'\n'"c d v")" = \
	"a.c needs b.c for x"$'\n'"b.c needs c.c for y"$'\n'"c.c needs a.c for z" ] || echo "not this one")"
result "... and which files call which" \
	"$(grep -q '^main device sysprof_device_register$' <<<"$all" || echo "not that main calls device")"
result "the files of the module's core form no circle" "$(circles "$all")"
finish
