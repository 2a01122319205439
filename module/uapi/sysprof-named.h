/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Trace points that are event sources of their own, further kinds of struct sysprof_source
 * (sysprof-event.h).
 *
 * An event is one hit: an INSTANT of value 1, with the stack of the thread that ran there or was
 * interrupted.  What the trace point passes is not in it.  The grid is of events, so that a long
 * period counts hits, in the account, and reports next to none.  Filters and others=none apply to
 * the thread that ran: for MIGRATE and FORKED not to the one that is moved or made.
 *
 *	asset                    actor         door                what closes it; its test
 *	-----                    -----         ----                ------------------------
 *	what others do           group member  all of them         no field; stacks as those of
 *	                                                           samples; vm/named
 *	                                       others              not here: those whose number or
 *	                                                           time alone gives secrets of others
 *	                                                           away, as of signals and system calls
 *	time of all tasks        group member  all of them         stacks held to a part of a CPU, as
 *	                                                           of other events; none that makes
 *	                                                           tasks slower where it is not hit
 */
#ifndef _UAPI_SYSPROF_NAMED_H
#define _UAPI_SYSPROF_NAMED_H

enum sysprof_named_source {
	SYSPROF_SOURCE_MIGRATE	= 32,	/* sched:sched_migrate_task */
	SYSPROF_SOURCE_FORKED	= 33,	/* sched:sched_process_fork */
	SYSPROF_SOURCE_EXECUTED	= 34,	/* sched:sched_process_exec */
	SYSPROF_SOURCE_WORK	= 35,	/* workqueue:workqueue_execute_start */
	SYSPROF_SOURCE_HRTIMER	= 36,	/* timer:hrtimer_expire_entry */
	SYSPROF_SOURCE_NET_QUEUE = 37,	/* net:net_dev_queue */
	SYSPROF_SOURCE_DROPPED	= 38,	/* skb:kfree_skb */
};

#endif /* _UAPI_SYSPROF_NAMED_H */
