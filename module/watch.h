/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_WATCH_H
#define _SYSPROF_WATCH_H

#include <linux/kprobes.h>
#include <linux/types.h>

#define SYSPROF_WATCHED	4	/* probes at most */

/*
 * Process context.  put() is register_kprobe() for a probe that is to be watched; it must not be
 * given one that is there.  remove() is unregister_kprobe().  start() and stop(): before the first
 * and after the last of them is used.
 */
int sysprof_watch_put(struct kprobe *probe);
void sysprof_watch_remove(struct kprobe *probe);
void sysprof_watch_start(void);
void sysprof_watch_stop(void);

/*
 * Whether reports of the probes may be missing: then nothing in the index of address
 * spaces can be trusted.  In the tick.
 */
bool sysprof_watch_is_blind(void);

#endif /* _SYSPROF_WATCH_H */
