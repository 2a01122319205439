#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs whose stacks are hard to walk to their end, with perf events: on stacks of their own,
# without section headers, in assembly that nothing describes.

set -u

# shellcheck source=tests/cli/record.bash
. "$(dirname "$0")/record.bash"

for tool in gcc strip objcopy python3; do
	command -v "$tool" >/dev/null || { echo "Bail out! needs $tool"; exit 1; }
done
for_root

stacks=''
# whole NAME STACK: recorded, nearly all of it is on a complete stack that ends so.  Until the recorder
# has read a program its stacks end early: on a busy host that took 40 of 400 ms.
whole()
{
	timeout 60 "$cli" record --source perf --only-command ${stacks:+--stacks "$stacks"} \
		-o "$work/$1.capture" -- "$work/$1" \
		>"$work/out" 2>"$work/err" || return
	"$cli" export --format folded --only-command --user "$work/$1.capture" |
		awk -v stack="$2" '
		{ weight = $NF; sub(/ [0-9]+$/, ""); all += weight }
		index($0, stack) && !/\[stack incomplete\]/ { whole += weight }
		{ if (weight > most) { most = weight; example = $0 } }
		END {
			if (whole > 0.9 * all && all > 50) exit 0
			print whole + 0, "of", all + 0 ", most of it on", example
			exit 1
		}'
}

cat >"$work/burn.h" <<'END'
#include <time.h>
static volatile unsigned long sink;
__attribute__((noinline)) static void burn(void)
{
	struct timespec from, now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	do {
		for (unsigned i = 0; i < 1000000; i++)
			sink += i;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < 400);
}
END

cat >"$work/context.c" <<'END'
#include <stdlib.h>
#include <ucontext.h>
#include "burn.h"
static ucontext_t first, other;
__attribute__((noinline)) static void fiber(void)
{
	burn();
	sink++;
}
int main(void)
{
	getcontext(&other);
	other.uc_stack.ss_sp = malloc(65536);
	other.uc_stack.ss_size = 65536;
	other.uc_link = &first;
	makecontext(&other, fiber, 0);
	swapcontext(&first, &other);
	return 0;
}
END
gcc -O2 -o "$work/context" "$work/context.c"
timed check 'makecontext()' whole context ';fiber;burn'

# The address of a function on a stack, as other libraries do it; with padding before functions and
# without.
cat >"$work/put.c" <<'END'
#include <stdlib.h>
#include "burn.h"
void *first, *other;
__asm__(".text\n.type switch_to, @function\nswitch_to:\n.cfi_startproc\n"
	"push %rbp\n.cfi_adjust_cfa_offset 8\nmov %rsp, (%rdi)\nmov %rsi, %rsp\n"
	"pop %rbp\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size switch_to, . - switch_to\n");
void switch_to(void **save, void *to);
void before(void)
{
	sink++;
}
void ended(void)
{
	switch_to(&other, first);
}
__attribute__((noinline)) void fiber(void)
{
	burn();
	sink++;
}
int main(void)
{
	void **stack = (void **)((char *)malloc(65536) + 65536);

	/* What it would return to is no code. */
	*--stack = (void *)0x123456;
	*--stack = ended;
	*--stack = fiber;
	*--stack = NULL;
	switch_to(&first, stack);
	return 0;
}
END
# By copies: along frame pointers, to which the default changes where they are enough, nothing says
# that no call returns to it.
if [ "$(uname -m)" = x86_64 ]; then
	stacks=dwarf
	for level in 0 1 2 s; do
		gcc -O$level -o "$work/put-$level" "$work/put.c"
		timed check "a function that was put on the stack, -O$level" whole put-$level \
			';ended;fiber;burn'
	done
	stacks=''
fi

# Calls that do not return, at the end of their functions, and functions right behind them.
cat >"$work/last.c" <<'END'
#include <stdlib.h>
#include "burn.h"
__attribute__((noinline, noreturn)) void leave(void)
{
	burn();
	exit(0);
}
__attribute__((noinline, noreturn)) void call_last(void)
{
	sink++;
	leave();
}
void behind(void)
{
	sink++;
}
int main(void)
{
	call_last();
	behind();
}
END
for level in 0 s; do
	gcc -O$level -o "$work/last-$level" "$work/last.c"
	timed check "a call that is its function's last instruction, -O$level" whole last-$level \
		';main;call_last;leave;burn'
done

# remove HOW FROM TO
remove()
{
	python3 - "$@" <<'END'
import struct, sys
how, source, target = sys.argv[1:]
data = bytearray(open(source, "rb").read())
headers = struct.unpack_from("<Q", data, 0x28)[0]
if how == "all":
    data[0x28:0x30] = bytes(8)
    data[0x3c:0x40] = bytes(4)
elif how == "count":
    data[0x3c:0x3e] = bytes(2)
elif how == "cut":
    data = data[:headers]
open(target, "wb").write(data)
END
	chmod +x "$3"
}
cat >"$work/plain.c" <<'END'
#include "burn.h"
__attribute__((noinline)) void middle(void)
{
	burn();
	sink++;
}
int main(void)
{
	middle();
	sink++;
	return 0;
}
END
gcc -O2 -rdynamic -o "$work/plain" "$work/plain.c" && strip "$work/plain"
for how in all count cut; do
	remove $how "$work/plain" "$work/plain-$how"
	timed check "without section headers: $how" whole plain-$how ';main;middle;'
done
gcc -O2 -static-pie -o "$work/static" "$work/plain.c" && strip "$work/static" &&
	remove all "$work/static" "$work/static-all"
check '... linked statically: a row for each function' bash -c '
	timeout 60 "$1" record --source perf --only-command -o "$2/s.capture" -- \
		"$2/static-all" >/dev/null 2>"$2/err" &&
	"$1" report --json --only-command "$2/s.capture" >"$2/s.json" && python3 - "$2/s.json" <<END
import json, sys
report = json.load(open(sys.argv[1]))
rows = [f for f in report["functions"]
        if f["object"] == "static-all" and f["self"] > 0.02 * report["sum"]]
assert len(rows) == 1 and rows[0]["self"] > 0.8 * report["sum"], rows
END' - "$cli" "$work"

# Assembly without call frame information, wherever it lies.
cat >"$work/f.s" <<'END'
	.text
	.rept SKIPPED
	nop
	.endr
	DATA
	.globl f
f:	dec %rdi
	jnz f
	ret
	.section .note.GNU-stack,"",@progbits
END
cat >"$work/calls.c" <<'END'
void f(unsigned long n);
volatile int calls;
__attribute__((noinline)) void middle(void)
{
	for (int i = 0; i < 3; i++) {
		f(300000000);
		calls++;
	}
}
END
cat >"$work/calls-main.c" <<'END'
void middle(void);
int main(void)
{
	middle();
	return 0;
}
END
if [ "$(uname -m)" = x86_64 ]; then
	gcc -O2 -c -o "$work/calls.o" "$work/calls.c"
	gcc -O2 -c -o "$work/calls-main.o" "$work/calls-main.c"
	for skipped in 0 3 11; do
		sed "s/SKIPPED/$skipped/; /DATA/d" "$work/f.s" >"$work/f-now.s"
		gcc -c -o "$work/f.o" "$work/f-now.s"
		for order in 'f calls calls-main' 'calls f calls-main' 'calls calls-main f'; do
			# shellcheck disable=SC2086
			(cd "$work" && gcc -o nothing $(printf '%s.o ' $order))
			timed check "assembly that nothing describes, $skipped bytes on: $order" \
				whole nothing ';main;middle;f'
		done
	done
	# What looks like the beginning of an instruction is before it.
	sed 's/SKIPPED/0/; s/DATA/.byte 0x48, 0xb8/; s/^\t.globl f/&\n\t.type f, @function/' \
		"$work/f.s" >"$work/f-now.s"
	(cd "$work" && gcc -c -o f.o f-now.s && gcc -o nothing calls.o f.o calls-main.o)
	timed check '... behind data' whole nothing ';main;middle;f'

	# Made at run time, without a frame pointer, as Python's are: it calls, and returns at once.
	cat >"$work/trampoline.c" <<'END'
#include <string.h>
#include <sys/mman.h>
#include "burn.h"
/* sub $8, %rsp; call *%rdi; add $8, %rsp; ret */
static const unsigned char code[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd7, 0x48, 0x83, 0xc4, 8, 0xc3 };
__attribute__((noinline)) static void called(void)
{
	burn();
	sink++;
}
__attribute__((noinline)) static void middle(void (*through)(void (*)(void)))
{
	through(called);
	sink++;
}
int main(void)
{
	void *made = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(made, code, sizeof(code));
	middle((void (*)(void (*)(void)))made);
	return 0;
}
END
	gcc -O2 -fomit-frame-pointer -o "$work/trampoline" "$work/trampoline.c"
	timed check 'a trampoline that was made at run time' whole trampoline \
		';main;middle;[anon];called;burn'
fi

echo "1..$number"
exit $broken
