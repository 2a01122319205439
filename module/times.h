/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_TIMES_H
#define _SYSPROF_TIMES_H

#include <linux/types.h>

/* Process context: once. */
int sysprof_time_init(void);
void sysprof_time_exit(void);

/* Process context: a session has begun. */
void sysprof_time_started(void);
/*
 * A tick at @now that was due at @due, or a little before.  Returns the end of the pause that kept it, of all CPUs, or 0.  Interrupts
 * off, RCU read side, not in NMI.
 */
u64 sysprof_time_seen(u64 now, u64 due);

#endif /* _SYSPROF_TIMES_H */
