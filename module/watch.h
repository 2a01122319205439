/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether the probes that follow mappings are still in place. */
#ifndef _SYSPROF_WATCH_H
#define _SYSPROF_WATCH_H

#include <linux/kprobes.h>
#include <linux/types.h>

#define SYSPROF_WATCHED	4	/* probes at most */

/*
 * Process context.  put() is register_kprobe() for a probe that is watched; the probe must not be
 * registered yet.  remove() is unregister_kprobe().  start() is called before the first probe is
 * used, stop() after the last.  @renew is called when probes may have missed something: it forgets
 * what is known of mappings, and has them read anew.
 */
int sysprof_watch_put(struct kprobe *probe);
void sysprof_watch_remove(struct kprobe *probe);
void sysprof_watch_start(void (*renew)(void));
void sysprof_watch_stop(void);

/*
 * Whether reports of the probes may be missing.  Then no index of an address space can be trusted.
 * In the tick.
 */
bool sysprof_watch_is_blind(void);

#endif /* _SYSPROF_WATCH_H */
