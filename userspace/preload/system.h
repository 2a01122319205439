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
#if defined(__aarch64__)
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#endif
}

#define spt_call(n, a, b, c, d) \
	spt_call6(n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#endif
