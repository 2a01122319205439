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

# Names of files on stdin, all at once as arguments.
given()
{
	tr '\n' '\0' | xargs -0 "$@"
}

licences()
{
	# Debian's own forms have no room for it; packaging/debian/copyright speaks for them.
	texts | grep -vxE 'README\.md|NEWS|TODO|\.reuse/dep5|packaging/debian/.*' | given awk '
	function licence(file) {
		if (file ~ /^module\/uapi\//)
			return "GPL-2.0(-only)? WITH Linux-syscall-note"
		if (file ~ /^(module|tests\/vm\/modules|tests\/vm\/nmi)\//)
			return "GPL-2.0-only"
		return "GPL-2.0-or-later"
	}
	function judge() {
		if (file != "" && !found)
			print file ": its first lines lack \"SPDX-License-Identifier: " licence(file) "\""
	}
	FNR == 1 { judge(); file = FILENAME; found = 0 }
	FNR <= 5 && $0 ~ "SPDX-License-Identifier: " licence(FILENAME) "( |$)" { found = 1 }
	FNR > 5 { nextfile }
	END { judge() }'
	for file in GPL-2.0-only GPL-2.0-or-later Linux-syscall-note; do
		[ -s "LICENSES/$file.txt" ] || echo "LICENSES/$file.txt is missing"
	done
}

# The uapi header is the specification of the whole interface, and the schema that of all JSON: they
# are read where they are needed.
sizes()
{
	texts | grep -vE '\.po$|^module/uapi/sysprof\.h$|\.schema\.json$' | given wc -l | awk '
	$1 > 800 && $2 != "total" {
		print $2 " has " $1 " lines, more than 800: it is two files"
	}
	$1 > 250 && $2 == "Makefile" {
		print "Makefile has " $1 " lines, more than 250: what is for tests alone goes to tests/tests.mk"
	}'
}

# Three may be longer: what has to be one loop, or is one list of steps.
functions()
{
	texts | grep -E '^(module|userspace)/.*\.c$' | given awk '
	FNR == 1 { begin = 0 }
	/^\{$/ { begin = FNR }
	/^\}$/ && begin {
		if (FNR - begin + 1 > 80)
			long[++n] = FILENAME ":" begin ": a function of " FNR - begin + 1 " lines"
		begin = 0
	}
	END { for (i = 1; n > 3 && i <= n; i++) print long[i] }'
}

# A header says on top what it is for.  Those of the kernel-shim replace the kernel's.
purposes()
{
	texts | grep -E '\.h$' | grep -v '^tests/unit/kernel-shim/' | given awk '
	FNR == 1 { said = 0 }
	/^\/\*/ && !/SPDX-/ { said = 1 }
	/^#/ {
		if (!said)
			print FILENAME ": has no comment on top that says what it is for"
		nextfile
	}'
}

# A hundred columns, with tabs of eight.  In C only a string may be longer, since what is printed can
# be searched for, and a table in a comment; of all lines one in a hundred, not counting data.
widths()
{
	# Before each file a line that says which it is.
	texts | grep -E '\.[ch]$' | given awk '
	FNR == 1 { print "file " FILENAME }
	{ print "+" $0 }' | sed 's/^+//;t;s/^/\x01/' | expand | awk '
	sub(/^\001file /, "") { file = $0; line = 0; next }
	{ line++ }
	length > 100 && !/"/ && !/^ \*     / {
		print file ":" line ": " length " columns"
	}'
	texts | grep -vE '\.(po|json)$' | tr '\n' '\0' | xargs -0 cat | expand | awk '
	length > 100 { wide++ }
	END {
		if (wide > NR / 100)
			print wide " of " NR " lines are wider than 100 columns, more than one in 100"
	}'
}

trailing()
{
	texts | given grep -nIE '[[:blank:]]+$' | cut -d: -f1,2 | sed 's/$/: blank at the end/'
	texts | given tail -q -c 1 | tr -d '\n' | grep -q . &&
		texts | while read -r file; do
			[ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at its end"
		done
}

scripts()
{
	local file shell

	sources | given grep -lE '^#!.*python3' | given python3 -c '
import ast, sys
for name in sys.argv[1:]:
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        if "python3" in text.split("\n", 1)[0]:
            ast.parse(text, name)
    except SyntaxError as error:
        print(f"{name}:{error.lineno}: {error.msg}")'
	sources | given grep -HnaoE '^#!.*(bash|sh|python3)' | sed -n 's/:1:#!.*[^a-z0-9]/ /p' |
		while read -r file shell; do
			case $shell in
			sh|bash) "$shell" -n "$file" 2>&1 ;;
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
	grep -m 1 '^Sysprof [0-9]' NEWS | grep -qF "Sysprof $version (" ||
		echo "NEWS does not begin with $version"
	grep -m 1 '<release ' userspace/data/*.metainfo.xml | grep -qF "version=\"$version\"" ||
		echo "the metainfo's latest release is not $version"
	for spec in packaging/rpm/*.spec; do
		grep -qx "Version: *$version" "$spec" || echo "$spec is not of $version"
	done
	grep -oE 'VERSION_SYSPROF\),[0-9.]+' module/Kbuild | grep -vxF "VERSION_SYSPROF),$version" |
		sed 's/^/module\/Kbuild: /'
}

# What ties the project to one machine or to how it was made has no place in it.
machines()
{
	texts | grep -v '^tests/lint/files\.sh$' | given grep -nIE \
		'(^|[^A-Za-z0-9_.])/(work|root|home/[a-z]+)/|/tmp/(prompt|b/)'
}

result "each file names its licence" "$(licences)"
result "no file is longer than 800 lines" "$(sizes)"
result "at most three functions have more than 80 lines" "$(functions)"
result "headers say on top what they are for" "$(purposes)"
result "lines have at most 100 columns" "$(widths)"
result "lines end cleanly" "$(trailing)"
result "scripts parse and are executable" "$(scripts)"
result "headers stand alone" "$(make -s -k -j2 -f tests/lint/each.mk headers 2>&1)"
result "one version number" "$(versions)"
result "no path of one machine" "$(machines)"
finish
