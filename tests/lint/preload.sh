#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is loaded into programs: it calls nothing that a program, a sanitizer or another library may
# replace, and takes little stack, since signal handlers may run on 8 KiB.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

# Of malloc() with all that it may call, and of a single function.
MOST=1310
MOST_OF_ONE=512
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make -s preload >"$work/log" 2>&1 || result 'the libraries are built' "$(cat "$work/log")"
for name in memory io; do
	# Data of the loaders of glibc and musl, of which a process has one.
	result "libspt-$name.so calls nothing by name" "$(nm -D --undefined-only \
		"build/libspt-$name.so" | grep -vE ' w (_r_debug|_dl_debug_addr)$')"
	# What is found by name is called by an address of the library's own.
	result "libspt-$name.so has no table of functions to find" "$(readelf -rW \
		"build/libspt-$name.so" | grep -E 'JUMP_SLO|JMP_SLOT')"
done

# The flags of the Makefile, without sharing what is built.
flags=$(make -s --eval='preload-flags: ; @echo $(preload_flags) $(CFLAGS)' preload-flags)
measure()
{
	local file

	for file in userspace/preload/*.c userspace/lib/unwind/cfi-machine.c; do
		# shellcheck disable=SC2086
		gcc $flags -Wframe-larger-than=$MOST_OF_ONE -fcallgraph-info=su -c "$file" \
			-o "$work/$(basename "$file" .c).o" 2>&1
	done
	tests/lint/preload-stack.py $MOST "$work"/*.ci >"$work/stack" || cat "$work/stack"
}
result "a function that programs call takes at most $MOST bytes of stack" "$(measure)"
result 'that was measured' "$(grep -qE 'at most [0-9]{3,} bytes' "$work/stack" ||
	echo 'nothing was')"
finish
