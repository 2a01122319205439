/* SPDX-License-Identifier: GPL-2.0-only */
/* Notices sleep, set clocks and pauses of a virtual machine. */
#ifndef _SYSPROF_TIMES_H
#define _SYSPROF_TIMES_H

#include <linux/compiler.h>
#include <linux/time64.h>
#include <linux/types.h>

/* Process context: once. */
int sysprof_time_init(void);
void sysprof_time_exit(void);

/* Process context: a session has begun. */
void sysprof_time_started(void);

#define SYSPROF_LOOK_NS		(100 * NSEC_PER_MSEC)
#define SYSPROF_PAUSE_NS	NSEC_PER_SEC

/* When a tick was last seen, on any CPU, to within SYSPROF_LOOK_NS. */
extern u64 sysprof_time_last;
u64 sysprof_time_look(u64 now, u64 due);

/*
 * A tick at @now was due at @due, or a little before.  If a pause of all CPUs delayed it, returns
 * the end of the pause, else 0.  Interrupts off, RCU read side, not in NMI.
 */
static inline u64 sysprof_time_seen(u64 now, u64 due)
{
	bool is_usual = (s64)(now - READ_ONCE(sysprof_time_last)) < (s64)SYSPROF_LOOK_NS &&
			(s64)(now - due) < (s64)SYSPROF_PAUSE_NS;

	return likely(is_usual) ? 0 : sysprof_time_look(now, due);
}

#endif /* _SYSPROF_TIMES_H */
