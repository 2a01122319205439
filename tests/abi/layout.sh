#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The records and ioctl structs of module/uapi/ have the same layout in memory for C, C++ and 32-bit
# C, and as layout.txt and layout-mark.txt say.  A line of these may be added; one that changes is a new
# ABI.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/../lint/tap.bash"

headers="module/uapi/sysprof.h module/uapi/sysprof-table.h module/uapi/sysprof-chain.h module/uapi/sysprof-event.h module/uapi/sysprof-named.h module/uapi/sysprof-mark.h"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

codes()
{
	local header

	for header in $headers; do
		code "$header"
	done
}

# Every struct with its members, read from the header, becomes a program that prints their places.
generate()
{
	codes | awk '
	BEGIN {
		print "#include <stddef.h>\n#include <stdio.h>\n#include \"sysprof-table.h\"\n#include \"sysprof-chain.h\"\n#include \"sysprof-event.h\"\n#include \"sysprof-mark.h\"\nint main(void)\n{"
	}
	/^struct [a-z_]+ \{/ {
		name = $2
		printf "\tprintf(\"%s %%zu\\n\", sizeof(struct %s));\n", name, name
		next
	}
	/^\}/ { name = "" }
	name && /;/ && !/\}/ {
		member = $0
		sub(/;.*/, "", member)
		sub(/\[.*/, "", member)
		sub(/.*[ \t*]/, "", member)
		printf "\tprintf(\"%s.%s %%zu\\n\", offsetof(struct %s, %s));\n", name, member, name, member
	}
	END { print "\treturn 0;\n}" }'
}

# The numbers that go over the door: all #defines of values, and enumerators.
generate_values()
{
	echo '#include <stdio.h>'
	echo '#include "sysprof-table.h"'
	echo '#include "sysprof-chain.h"'
	echo '#include "sysprof-event.h"'
	echo '#include "sysprof-named.h"'
	echo '#include "sysprof-mark.h"'
	echo 'int main(void) {'
	{
		codes | sed -nE 's/^#define (SYSPROF_[A-Z0-9_]+) .*/\1/p' | grep -vx SYSPROF_DEVICE
		codes | grep -oE '^[[:space:]]+SYSPROF_[A-Z0-9_]+' | tr -d '[:blank:]'
	} | sed 's/.*/printf("& %llu\\n", (unsigned long long)&);/'
	echo 'return 0; }'
}

build()
{
	local kind=$1 source=$2 out=$3

	case $kind in
	c) gcc -std=gnu11 -Wall -Werror -Imodule/uapi -o "$out" "$source" ;;
	c++) g++ -x c++ -std=c++11 -Wall -Werror -Wno-pedantic -Imodule/uapi -o "$out" "$source" ;;
	# gcc-multilib would have a link to these headers, but drives out cross compilers.
	c-32) gcc -m32 -I"/usr/include/$(gcc -print-multiarch)" -std=gnu11 -Wall -Werror \
		-Imodule/uapi -o "$out" "$source" ;;
	esac
}

generate >"$work/layout.c"
generate_values >"$work/values.c"

problem=$(build c "$work/layout.c" "$work/c" 2>&1 && build c "$work/values.c" "$work/v" 2>&1)
result "the header compiles as C" "$problem"
[ -z "$problem" ] || finish
{ "$work/c"; "$work/v"; } >"$work/c.txt"

result "the header says what layout.txt says" \
	"$(diff <(grep -hv '^#' tests/abi/layout.txt tests/abi/layout-mark.txt | LC_ALL=C sort) \
		<(LC_ALL=C sort "$work/c.txt") | grep '^[<>]')"
for kind in c++ c-32; do
	if [ "$kind" = c-32 ] && ! echo 'int main(void){return 0;}' |
		gcc -m32 -x c -o "$work/probe" - 2>/dev/null; then
		skip "the same for $kind" "this compiler has no 32-bit libraries (lib32gcc-dev)"
		continue
	fi
	result "the same for $kind" "$(build $kind "$work/layout.c" "$work/k" 2>&1 &&
		build $kind "$work/values.c" "$work/kv" 2>&1 &&
		{ "$work/k"; "$work/kv"; } | diff "$work/c.txt" - | grep '^[<>]')"
done
finish
