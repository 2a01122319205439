#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The recipe for CI: the same program passes, one that spends its time elsewhere does not.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"
recipe=$PWD/userspace/examples/ci.sh
export SYSPROF=$cli TMPDIR=$work POINTS=10

# work NAME: a program that works half the time in NAME.
work()
{
	cat >"$work/$1.c" <<END
volatile long sum;
__attribute__((noinline)) void common(void) { for (long i = 0; i < 1000; i++) sum += i; }
__attribute__((noinline)) void $1(void) { for (long i = 0; i < 1000; i++) sum += i; }
int main(void) { for (int i = 0; i < 1200000; i++) { common(); $1(); } return 0; }
END
	gcc -O1 -fno-omit-frame-pointer "$work/$1.c" -o "$work/$1.bin" && mv "$work/$1.bin" "$work/prog"
}

# ends STATUS TEXT: the recipe ends so, and prints that.
ends()
{
	local status=0

	"$recipe" "$work/base.capture" "$work/prog" >"$work/out" 2>"$work/err" || status=$?
	cat "$work/out"
	[ $status = "$1" ] && grep -q "$2" "$work/out"
}

work before
check "a first run makes what later ones are compared with" ends 0 'is new'
timed check "the same program passes" ends 0 'common'
work after
timed check "time that moved to another function fails, and the function is named" ends 3 'after'

echo "1..$number"
exit $broken
