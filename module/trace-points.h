/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's trace points that both modules hook on to, and what code of a stack is theirs. */
#ifndef _SYSPROF_TRACE_POINTS_H
#define _SYSPROF_TRACE_POINTS_H

#include <linux/types.h>

struct tracepoint;

/* A trace point of the kernel image; NULL: there is none of that name.  Process context. */
struct tracepoint *sysprof_trace_point_find(const char *name);

/*
 * Whether @ip is in this module, in that of sources, or in the code that calls their hooks.  Any
 * context, interrupts or preemption off.
 */
bool sysprof_trace_points_own(unsigned long ip);

#endif /* _SYSPROF_TRACE_POINTS_H */
