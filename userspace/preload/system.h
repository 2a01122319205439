/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that leave errno alone, since the library runs in the middle of a program's calls.
 */
#ifndef SPT_PRELOAD_SYSTEM_H
#define SPT_PRELOAD_SYSTEM_H

#include <stdint.h>
#include <sys/syscall.h>

static inline long spt_call6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define spt_call(n, a, b, c, d) \
	spt_call6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#endif
