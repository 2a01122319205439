/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of programs that would harm what the two libraries have in the process. */
#ifndef SPT_PRELOAD_UNUSUAL_H
#define SPT_PRELOAD_UNUSUAL_H

#include <stdbool.h>
#include <sys/syscall.h>

#include "connect.h"

/* Whether spt_syscall_unusual() has to make the call. */
static inline bool spt_syscall_is_unusual(long n)
{
	return (n == SYS_seccomp || n == SYS_prctl || n == SYS_mlockall) && spt_link.rings;
}

long spt_syscall_unusual(long n, long a, long b, long c, long d, long e, long f);

#endif
