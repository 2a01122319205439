#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# On a kernel that is too old, of another architecture or without what the module needs, the build
# fails with one sentence that says so.  Such kernels are made by telling make what the kernel's own
# files say otherwise.

# shellcheck source=tests/lint/tap.bash
. "$(dirname "$0")/tap.bash"

headers=$(cat build/module/.kdir 2>/dev/null)

# complaint ASSIGNMENT...: what is wrong with how the build failed.
complaint()
{
	local want=$1 said

	shift
	rm -rf build/check/needs
	if said=$(make -s -C module KDIR="$headers" OUT="$PWD/build/check/needs" "$@" 2>&1); then
		echo "the build with $* did not fail"
	elif [ "$(grep -v '^make' <<<"$said" | sed -n 's/.*\*\*\* \(.*\)  Stop\.$/\1/p')" != \
		"$want" ]; then
		echo "instead of '$want' the build with $* says:"
		echo "$said"
	fi
	rm -rf build/check/needs
}

if [ -z "$headers" ]; then
	skip "the module refuses kernels it cannot work on" "it was built for none"
	finish
fi

result "a kernel that is too old" "$(complaint 'sysprof needs Linux 5.10 or later, this is 5.4.' \
	VERSION=5 PATCHLEVEL=4)"
result "another architecture" \
	"$(complaint \
	'sysprof needs an x86_64 or arm64 kernel: it cannot walk the stacks of another.' \
	CONFIG_X86_64= CONFIG_ARM64=)"
needs=$(sed -n 's/^sysprof-needs := //p' module/compat/needs.mk)
for option in $needs; do
	result "a kernel without CONFIG_$option" \
		"$(complaint \
		"sysprof needs a kernel with CONFIG_$option, which this one was built without." \
		"CONFIG_$option=")"
done
# shellcheck disable=SC2086
result "DKMS is told the same" "$(diff <(printf 'CONFIG_%s\n' $needs) \
	<(sed -n 's/^BUILD_EXCLUSIVE_CONFIG="\(.*\)"/\1/p' dkms.conf | tr ' ' '\n'))"
finish
