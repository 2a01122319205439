#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What holds for every file: a licence, a size that can be read in one sitting, clean lines, scripts
# that parse, headers that stand alone, one version number.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

texts()
{
	sources | grep -vE '^LICENSES/|\.(png|svg|ico)$'
}

licence_of()
{
	case $1 in
	module/uapi/*) echo 'GPL-2.0(-only)? WITH Linux-syscall-note' ;;
	module/*|tests/vm/modules/*|tests/vm/nmi/*) echo 'GPL-2.0-only' ;;
	*) echo 'GPL-2.0-or-later' ;;
	esac
}

licences()
{
	local file

	# Debian's own forms have no room for it; packaging/debian/copyright speaks for them.
	texts | grep -vxE 'README\.md|TODO|\.reuse/dep5|packaging/debian/.*' |
		while read -r file; do
		head -n 5 "$file" | grep -qE "SPDX-License-Identifier: $(licence_of \
			"$file")( |\$)" ||
			echo "$file: its first lines lack 'SPDX-License-Identifier: $(licence_of \
			"$file")'"
	done
	for file in GPL-2.0-only GPL-2.0-or-later Linux-syscall-note; do
		[ -s "LICENSES/$file.txt" ] || echo "LICENSES/$file.txt is missing"
	done
}

# The uapi header is the specification of the whole interface: it is read where it is needed.
sizes()
{
	texts | grep -vE '\.po$|^module/uapi/sysprof\.h$' | while read -r file; do
		lines=$(wc -l <"$file")
		[ "$lines" -le 800 ] || echo \
			"$file has $lines lines, more than 800: it is two files"
	done
}

# A hundred columns, with tabs of eight.  In C only a string may be longer, since what is printed can
# be searched for, and a table in a comment; of all lines one in a hundred, data left out.
widths()
{
	texts | grep -E '\.[ch]$' | while read -r file; do
		expand "$file" | awk -v file="$file" '
		length > 100 && !/"/ && !/^ \*     / {
			print file ":" NR ": " length " columns"
		}'
	done
	texts | grep -vE '\.(po|json)$' | tr '\n' '\0' | xargs -0 cat | expand | awk '
	length > 100 { wide++ }
	END {
		if (wide > NR / 100)
			print wide " of " NR " lines are wider than 100 columns, more than one in 100"
	}'
}

trailing()
{
	texts | while read -r file; do
		grep -nIE '[[:blank:]]+$' "$file" | cut -d: -f1 |
			sed "s|^|$file:|;s|\$|: blank at the end of the line|"
		[ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at its end"
	done
}

scripts()
{
	local file shell

	sources | while read -r file; do
		shell=$(head -n 1 "$file" | grep -aoE '^#!.*(bash|sh|python3)' |
			grep -aoE '[a-z0-9]+$')
		case $shell in
		sh|bash) "$shell" -n "$file" 2>&1 ;;
		python3) python3 -c \
			'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' \
			"$file" 2>&1 | tail -n 1 ;;
		*) continue ;;
		esac
		[ -x "$file" ] || case $file in
		tests/vm/init) ;;
		*) echo "$file: has an interpreter line but is not executable" ;;
		esac
	done
}

versions()
{
	local version spec

	version=$(sed -n 's/^VERSION := //p' Makefile)
	grep -q "^PACKAGE_VERSION=\"$version\"\$" dkms.conf ||
		echo "dkms.conf does not say PACKAGE_VERSION=\"$version\""
	head -n 1 packaging/debian/changelog | grep -qF "($version-" ||
		echo "packaging/debian/changelog is not of $version"
	for spec in packaging/rpm/*.spec; do
		grep -qx "Version: *$version" "$spec" || echo "$spec is not of $version"
	done
	grep -oE 'VERSION_SYSPROF\),[0-9.]+' module/Kbuild | grep -vxF "VERSION_SYSPROF),$version" |
		sed 's/^/module\/Kbuild: /'
}

# What ties the project to one machine or to how it was made has no place in it.
machines()
{
	texts | grep -v '^tests/lint/files\.sh$' | while read -r file; do
		grep -nIE '(^|[^A-Za-z0-9_.])/(work|root|home/[a-z]+)/|/tmp/(prompt|b/)' "$file" |
			sed "s|^|$file:|"
	done
}

result "each file names its licence" "$(licences)"
result "no file is longer than 800 lines" "$(sizes)"
result "lines have at most 100 columns" "$(widths)"
result "lines end cleanly" "$(trailing)"
result "scripts parse and are executable" "$(scripts)"
result "headers stand alone" "$(make -s -k -j2 -f tests/lint/each.mk headers 2>&1)"
result "one version number" "$(versions)"
result "no path of one machine" "$(machines)"
finish
