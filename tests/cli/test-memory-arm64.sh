#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What programs load, on aarch64, whose instructions an emulator runs: each call and byte beside the
# library's own counts, and each stack beside libgcc's.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

arm=build/arm64
emulator=(qemu-aarch64-static -L /usr/aarch64-linux-gnu)
cross=aarch64-linux-gnu-gcc
export SPT_MEMORY_COUNTS=$work/counts SPT_MEMORY_STACKS=1

built()
{
	MAKEFLAGS='' make -s B=$arm CC=$cross $arm/libspt-memory.so $arm/libspt-io.so \
		$arm/tests/libspt-memory-check.so $arm/workloads/allocates
}
check 'the libraries are built' built

# take LIBRARY COMMAND...: calls, bytes, frees and waits in the rings
take()
{
	local library=$1

	shift
	timeout 100 build/tests/gen-taken "${emulator[@]}" -E "LD_PRELOAD=$PWD/$arm/$library" "$@"
}

# exact MOST HOW: at most MOST of the stacks may be incomplete
exact()
{
	truncate -s 0 "$work/counts"
	truncate -s 4096 "$work/counts"
	take tests/libspt-memory-check.so "$arm/workloads/allocates" $2 >"$work/taken" || return
	python3 - "$work" "$1" <<'END'
import struct, sys
work, most = sys.argv[1:]
counts = open(work + "/counts", "rb").read(56)
calls, bytes_, frees, stacks, different, frames, incomplete = struct.unpack("7Q", counts)
taken = [int(word) for word in open(work + "/taken").read().split()]
print(taken, stacks, different, frames, incomplete)
assert taken[:3] == [calls, bytes_, frees], (calls, bytes_, frees)
assert calls > 100 and stacks > calls / 2 and frames > 2 * stacks
assert different == 0 and incomplete <= int(most) * stacks / 100
END
}
check 'known amounts: each call, byte and stack' exact 0 known
check 'threads that free each other'\''s: the same' exact 0 'threads 200'
check 'a tree of processes: the same' exact 0 'tree 1'
# The emulator may be interrupted where the C library has no unwind information.
check 'signal handlers, whose frames are the kernel'\''s: the same' exact 5 signals

waits()
{
	printf '#include <unistd.h>\nint main(void) { return usleep(50000); }\n' |
		$cross -xc -o "$work/sleeps" - && take libspt-io.so "$work/sleeps" >"$work/taken" &&
		grep -q ' 1$' "$work/taken"
}
check 'a call that waits' waits
echo "1..$number"
exit $broken
