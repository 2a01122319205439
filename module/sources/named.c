// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace points that are requested by their own names: that one was hit, and by which stack.  What a
 * trace point passes is not read, so a member learns no more of it than by samples: who ran which
 * code, when.  That rules out those whose number or time alone gives away what others do with their
 * secrets, such as signals and system calls.  Those that do work for all tasks while they are on
 * are not here, either.
 *
 * Each has a function of its own type, as kernels that check indirect calls (kCFI) demand.
 */
#include <linux/netdevice.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>
#include <trace/events/net.h>
#include <trace/events/sched.h>
#include <trace/events/skb.h>
#include <trace/events/timer.h>
#include <trace/events/workqueue.h>

#include "compat/skb.h"
#include "compat/trace-type.h"
#include "sources/immediate.h"

/* Any context, locks of the scheduler held. */
static void named_hit(enum sysprof_immediate immediate)
{
	struct sysprof_immediate_event event = {
		.value = 1,
		.immediate = immediate,
		.axis = SYSPROF_AXIS_EVENTS,
		.phase = SYSPROF_PHASE_INSTANT,
	};

	if (!sysprof_immediate_passes(immediate, 1))
		sysprof_immediate_tell_from_hook(&event);
}

/* The function for trace point @name, which passes @types, of row @NAME. */
#define NAMED_HIT(name, NAME, ...)                                                                 \
	static void name##_hit(void *data, ##__VA_ARGS__)                                          \
	{                                                                                          \
		named_hit(SYSPROF_IMMEDIATE_##NAME);                                               \
	}
/* Where the trace point has that type. */
#define NAMED_HOOKING(hooking, name, probe)                                                        \
	static struct sysprof_hook name##_hooks[] = { { #name, probe } };                          \
	struct sysprof_hooking sysprof_##hooking = {                                               \
		.arming = SYSPROF_HOOKING_ARMING(sysprof_##hooking),                               \
		.hooks = name##_hooks,                                                             \
		.n = ARRAY_SIZE(name##_hooks),                                                     \
	}
#define NAMED_CHOOSE(name, ...) SYSPROF_TRACE_CHOOSE(name, name##_hit, NULL, __VA_ARGS__)

NAMED_HIT(sched_migrate_task, MIGRATE, struct task_struct *task, int cpu)
NAMED_HOOKING(named_migrate, sched_migrate_task,
	      NAMED_CHOOSE(sched_migrate_task, struct task_struct *, int));

NAMED_HIT(sched_process_fork, FORKED, struct task_struct *parent, struct task_struct *child)
NAMED_HOOKING(named_forked, sched_process_fork,
	      NAMED_CHOOSE(sched_process_fork, struct task_struct *, struct task_struct *));

NAMED_HIT(sched_process_exec, EXECUTED, struct task_struct *task, pid_t old_pid,
	  struct linux_binprm *binary)
NAMED_HOOKING(named_executed, sched_process_exec,
	      NAMED_CHOOSE(sched_process_exec, struct task_struct *, pid_t,
			   struct linux_binprm *));

NAMED_HIT(workqueue_execute_start, WORK, struct work_struct *work)
NAMED_HOOKING(named_work, workqueue_execute_start,
	      NAMED_CHOOSE(workqueue_execute_start, struct work_struct *));

/* Kernels up to 7.1 pass the address of the time. */
NAMED_HIT(hrtimer_expire_entry, HRTIMER, struct hrtimer *timer, ktime_t now)
static void old_hrtimer_hit(void *data, struct hrtimer *timer, ktime_t *now)
{
	named_hit(SYSPROF_IMMEDIATE_HRTIMER);
}

NAMED_HOOKING(named_hrtimer, hrtimer_expire_entry,
	      SYSPROF_TRACE_CHOOSE(hrtimer_expire_entry, hrtimer_expire_entry_hit,
				   SYSPROF_TRACE_CHOOSE(hrtimer_expire_entry, old_hrtimer_hit, NULL,
							struct hrtimer *, ktime_t *),
				   struct hrtimer *, ktime_t));

NAMED_HIT(net_dev_queue, NET_QUEUE, struct sk_buff *packet)
NAMED_HOOKING(named_net_queue, net_dev_queue, NAMED_CHOOSE(net_dev_queue, struct sk_buff *));

/* 5.10 gives no reason, 6.11 and later ones the receiving socket, too. */
NAMED_HIT(kfree_skb, DROPPED, struct sk_buff *packet, void *location,
	  SYSPROF_DROP_REASON reason)
static void bare_kfree_skb_hit(void *data, struct sk_buff *packet, void *location)
{
	named_hit(SYSPROF_IMMEDIATE_DROPPED);
}

static void received_kfree_skb_hit(void *data, struct sk_buff *packet, void *location,
				   SYSPROF_DROP_REASON reason, struct sock *receiver)
{
	named_hit(SYSPROF_IMMEDIATE_DROPPED);
}

static void latest_kfree_skb_hit(void *data, struct sk_buff *packet, void *location,
				 SYSPROF_DROP_REASON reason, const struct sock *receiver)
{
	named_hit(SYSPROF_IMMEDIATE_DROPPED);
}

#define DROPPED_BARE                                                                               \
	SYSPROF_TRACE_CHOOSE(kfree_skb, bare_kfree_skb_hit, NULL, struct sk_buff *, void *)
#define DROPPED_RECEIVED                                                                           \
	SYSPROF_TRACE_CHOOSE(kfree_skb, received_kfree_skb_hit, DROPPED_BARE, struct sk_buff *,    \
			     void *, SYSPROF_DROP_REASON, struct sock *)
#define DROPPED_LATEST                                                                             \
	SYSPROF_TRACE_CHOOSE(kfree_skb, latest_kfree_skb_hit, DROPPED_RECEIVED, struct sk_buff *,  \
			     void *, SYSPROF_DROP_REASON, const struct sock *)

NAMED_HOOKING(named_dropped, kfree_skb,
	      SYSPROF_TRACE_CHOOSE(kfree_skb, kfree_skb_hit, DROPPED_LATEST, struct sk_buff *,
				   void *, SYSPROF_DROP_REASON));
