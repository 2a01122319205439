#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Who may include and call whom.  The rooms of the house stay apart only as long as nobody takes a
# short cut.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

# Rooms of the library from the bottom up; one may include those of lower numbers, and itself.
declare -A floor=([base]=0 [formats]=0 [events]=1 [rings]=1 [object]=1 [trace]=2 [stash]=3 [unwind]=3 [scripts]=4 [process]=3
	[capture]=4 [symbols]=5 [profile]=6 [rewrite]=6 [picture]=7 [annotate]=7 [export]=8 [record]=7 [import]=8 [agent]=9)

# CONTRIBUTING.md names the rooms in that order, those of one floor by name.
listed()
{
	diff <(for room in "${!floor[@]}"; do echo "${floor[$room]} $room"; done | sort | cut -d' ' -f2) \
		<(grep '^| `userspace/lib/`' CONTRIBUTING.md | cut -d'|' -f3 | grep -o '`[a-z]*`' | tr -d '`')
}

includes()
{
	sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]*[>"]).*/\1/p' "$1"
}

upward()
{
	local file room name other

	sources | grep -E '^userspace/lib/.*\.[ch]$' | while read -r file; do
		room=$(cut -d/ -f3 <<<"$file")
		[ -n "${floor[$room]:-}" ] || { echo "$file: the library has no room '$room'"; \
			continue; }
		includes "$file" | grep '^"' | tr -d '"' | while read -r name; do
			case $name in
			sysprof.h | sysprof-event.h | sysprof-table.h | sysprof-chain.h | sysprof-named.h | sysprof-mark.h) continue ;;
			../*) echo \
				"$file includes \"$name\": paths are relative to userspace/lib"; \
				continue ;;
			*/*) other=${name%%/*} ;;
			*) continue ;;
			esac
			if [ "$other" != "$room" ] &&
				[ "${floor[${other}]:-9}" -ge "${floor[$room]}" ]; then
				echo "$file includes \"$name\": $room stands below or beside $other"
			fi
		done
	done
}

# A folder in a room serves the files of that room, or is served by them: includes go one way.
both_ways()
{
	local folder room

	sources | sed -nE 's|^userspace/lib/([^/]+/.+)/[^/]+\.[ch]$|\1|p' | sort -u |
		while read -r folder; do
		room=$(dirname "$folder")
		if grep -qs "^#include \"$room/[^/]*\"" "userspace/lib/$folder"/*.[ch] &&
		   grep -qs "^#include \"$folder/[^/]*\"" "userspace/lib/$room"/*.[ch]; then
			echo "userspace/lib/$folder includes files of $room, and they it"
		fi
	done
}

crossing()
{
	sources | grep -E '^userspace/(cli|viewer)/.*\.[ch]$' | while read -r file; do
		case $file in
		userspace/cli/*) includes "$file" | grep -E 'viewer/|<(gtk|gdk|adwaita)' ;;
		userspace/viewer/*) includes "$file" | grep -E 'cli/' ;;
		esac | sed "s|^|$file includes |"
	done
	sources | grep -E '^(module|userspace)/.*\.[ch]$' | while read -r file; do
		includes "$file" | grep -E '"(tests|\.\./tests)/' | sed "s|^|$file includes |"
	done
}

# What the device's numbers mean is written down in events/; trace/ alone speaks to the device.
device_headers()
{
	sources | grep -E '^userspace/(cli|viewer|lib/profile)/.*\.[ch]$' | while read -r file; do
		includes "$file" | grep -E '"sysprof(-event|-table|-chain|-named|-mark)?\.h"' |
			sed "s|^|$file includes |"
		code "$file" | grep -noE '\b(enum sysprof_|SYSPROF_(SOURCE|STATE|CONTEXT|END)_)\w*' |
			sed "s|^[0-9]*:|$file names |"
	done
	sources | grep -E '^userspace/lib/events/.*\.h$' | while read -r file; do
		includes "$file" | grep -E '"sysprof' | sed "s|^|$file includes |"
	done
}

uapi_only()
{
	includes module/uapi/sysprof.h | grep -vxE '<linux/(types|ioctl)\.h>' |
		sed 's/^/module\/uapi\/sysprof.h includes /'
	for header in sysprof-table.h sysprof-chain.h sysprof-event.h sysprof-named.h sysprof-mark.h; do
		includes "module/uapi/$header" | grep -vx '"sysprof.h"' |
			sed "s|^|module/uapi/$header includes |"
	done
}

# In code, not in comments: a program that uses the library owns its terminal and its life.  Only a child
# that a file has forked ends itself.
quiet_library()
{
	local \
		words='stdout|stderr|printf[[:space:]]*\(|puts[[:space:]]*\(|putchar|g_print|g_printerr'
	words+='|exit[[:space:]]*\(|quick_exit|g_error[[:space:]]*\(|g_message[[:space:]]*\(|perror'

	sources | grep -E '^userspace/lib/.*\.[ch]$' | while read -r file; do
		code "$file" | sed 's/"\([^"\\]\|\\.\)*"/""/g' |
			grep -nE "(^|[^A-Za-z0-9_])($words$(grep -q 'fork()' "$file" || echo '|_exit'))" | sed "s|^[0-9]*:[[:space:]]*|$file: |"
		includes "$file" | grep -E '<(gtk|gdk|adwaita|libadwaita)' |
			sed "s|^|$file includes |"
	done
}

version_checks()
{
	sources | grep -E '^module/' | grep -vE '^module/compat/|\.md$' | while read -r file; do
		grep -nE '(LINUX_VERSION_CODE|KERNEL_VERSION|RHEL_RELEASE)' "$file" |
			sed "s|^|$file:|"
	done
}

# Event sources are a module that stands on the other one, which does not know them.
module_upward()
{
	sources | grep -E '^module/[^/]+\.[ch]$' | while read -r file; do
		includes "$file" | grep '^"sources/' | sed "s|^|$file includes |"
	done
}

code_files=$(sources | grep -E '\.[ch]$')
cached "lib includes downwards only" "sed" "$code_files" upward
result "CONTRIBUTING.md names the rooms from the bottom up" "$(listed)"
cached "lib's folders and their rooms include one way only" "sed" "$code_files" both_ways
cached "lib, cli, viewer and tests keep to themselves" "sed" "$code_files" crossing
cached "profile, cli and viewer know no header of the device" "sed" "$code_files" device_headers
result "the uapi header stands on types and ioctl alone" "$(uapi_only)"
cached "lib has no terminal, no exit and no GTK" "gcc sed" "$code_files" quiet_library
result "the module's core includes no source" "$(module_upward)"
result "kernel versions are checked in module/compat only" "$(version_checks)"
finish
