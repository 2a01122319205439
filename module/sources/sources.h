/* SPDX-License-Identifier: GPL-2.0-only */
/* What each session takes from event sources, and the accounts of that. */
#ifndef _SYSPROF_SOURCES_H
#define _SYSPROF_SOURCES_H

#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "delivery.h"
#include "sources/immediate.h"
#include "sources/lane-buffer.h"
#include "sysprof-event.h"

struct sysprof_stack;

/**
 * struct sysprof_countdown_mark - up to where an account has the events of a source that passed
 * @passed: their number
 * @value: sum of their values
 * @is_set: they are the session's
 */
struct sysprof_countdown_mark {
	u64 passed;
	u64 value;
	bool is_set;
};

/**
 * struct sysprof_skipped - events of which users' sessions were not asked
 * @waits: number of waits
 * @switches: number of switches
 * @immediates: by enum sysprof_immediate: number of events
 */
struct sysprof_skipped {
	u64 waits;
	u64 switches;
	u64 immediates[SYSPROF_IMMEDIATES];
};

/**
 * struct sysprof_skips - of one CPU; touched there with interrupts off
 * @on: sessions that are not exempt have used up their part of the CPU, and are not asked
 * @n: what was skipped so far
 */
struct sysprof_skips {
	bool on;
	struct sysprof_skipped n;
};
DECLARE_PER_CPU(struct sysprof_skips, sysprof_skips);

/**
 * struct sysprof_subscription_cpu - a subscription's state of one CPU; used there with interrupts
 *	off.  While the CPU is offline, any CPU uses it with offline_lock (session.c) held
 * @left_out: waits that the account does not have yet: not picked, or below the threshold
 * @cost_before_ns: time that hooks took before the session began
 * @calls_before: calls of hooks before the session began
 * @immediate_cost_before_ns: time that hooks of immediate sources took before the session began
 * @immediate_calls_before: calls of those hooks before the session began
 * @weight: weight of the current wait; 0: it is not reported
 * @wakes: the current waking is reported
 * @next: by enum sysprof_immediate: no event before this position of its axis is picked
 * @marks: by enum sysprof_immediate: events that passed and are in the account
 * @immediate_weight: weight of the current event of an immediate source; 0: it is not reported
 * @skipped_before: the CPU's struct sysprof_skipped, as far as the accounts have it
 * @follows_skips: what is skipped is the session's
 * @account_time: when the accounts were last put into the ring
 * @wait: account of WAIT
 * @wake: account of WAKE
 * @lane: account of LANE
 * @immediate: accounts of immediate sources
 * @entries: switches for the next LANE
 */
struct sysprof_subscription_cpu {
	struct sysprof_tally left_out;
	u64 cost_before_ns;
	u64 calls_before;
	u64 immediate_cost_before_ns[SYSPROF_IMMEDIATES];
	u64 immediate_calls_before[SYSPROF_IMMEDIATES];
	u64 weight;
	bool wakes;
	u64 immediate_weight;
	u64 next[SYSPROF_IMMEDIATES];
	struct sysprof_countdown_mark marks[SYSPROF_IMMEDIATES];
	struct sysprof_skipped skipped_before;
	bool follows_skips;
	u64 account_time;
	struct sysprof_source_account wait;
	struct sysprof_source_account wake;
	struct sysprof_source_account lane;
	struct sysprof_source_account immediate[SYSPROF_IMMEDIATES];
	struct sysprof_lane_buffer entries;
};

/**
 * struct sysprof_subscription - what one session takes from all sources
 * @link: in the list of subscriptions that are on; RCU
 * @session: the session
 * @wait_id: number of WAIT in the session; 0: not requested
 * @wake_id: number of WAKE, likewise
 * @lane_id: number of LANE, likewise
 * @n: number of sources that the session requested
 * @immediate: requests for immediate sources
 * @stacks: SYSPROF_STACKS_* of WAIT
 * @request: the parts of these stacks
 * @takes_stacks: stacks of waiters are requested
 * @divisor: one of this number of the grid's periods is the session's; 0: every wait is recorded
 * @threshold: least duration, with @divisor 0; else U64_MAX
 * @is_on: the session's events have begun, and not ended
 * @is_exempt: the session's opener had CAP_SYS_RESOURCE
 * @is_plain: no thread or CPU is hidden from the session
 * @plain_from: waits that begin from this time on and are shorter than @threshold are only counted;
 *	U64_MAX: the session is not plain, or it has no waits
 * @start: when the session began
 * @first_period: the session's first period of its grid
 * @bit: a bit that no other subscription in the list has; 0: none was left
 * @cpus: by CPU number
 */
struct sysprof_subscription {
	struct list_head link;
	struct sysprof_session *session;
	u16 wait_id;
	u16 wake_id;
	u16 lane_id;
	u16 n;
	struct sysprof_immediate_request immediate[SYSPROF_IMMEDIATES];
	u32 stacks;
	struct sysprof_stack_request request;
	u32 divisor;
	bool takes_stacks;
	bool is_on;
	bool is_exempt;
	bool is_plain;
	u64 threshold;
	u64 plain_from;
	u64 start;
	u64 first_period;
	u64 bit;
	struct sysprof_subscription_cpu *cpus;
};

/* The subscriptions that are on, those of exempt sessions first.  RCU read side. */
extern struct list_head sysprof_subscriptions;
#define sysprof_for_each_subscription(sub)                                                         \
	list_for_each_entry_rcu(sub, &sysprof_subscriptions, link)
/* Without those of users, if @skips. */
#define sysprof_for_each_asking_subscription(sub, skips)                                           \
	for ((sub) = list_entry_rcu(sysprof_subscriptions.next, typeof(*(sub)), link);             \
	     &(sub)->link != &sysprof_subscriptions && !(unlikely(skips) && !(sub)->is_exempt);    \
	     (sub) = list_entry_rcu((sub)->link.next, typeof(*(sub)), link))

/*
 * Each session makes the work of hooks longer.  While there are many of users, that work is paid
 * for as the stacks of events are: this call was timed, represents @calls, and took @cost_ns
 * without a stack.  Once the part of users is used up, their sessions are not asked for a while.
 * In a hook, interrupts off.
 */
void sysprof_subscriptions_pay(u64 now, u64 cost_ns, u32 calls);
bool sysprof_subscriptions_still_skip(void);
/* Whether users' sessions are not asked of the event under way; the caller counts it as skipped. */
static __always_inline bool sysprof_subscriptions_skip(void)
{
	return unlikely(this_cpu_read(sysprof_skips.on)) && sysprof_subscriptions_still_skip();
}

/*
 * What is called of a session from here on has a subscription: session->sub is not NULL, but for
 * set() and info().
 *
 * set() and info() answer the ioctls, whose arguments are checked.  Process context, set() with the
 * session's io_lock.
 */
int sysprof_sources_set(struct sysprof_session *session, const struct sysprof_sources *arg);
int sysprof_sources_info(const struct sysprof_session *session, struct sysprof_source_infos *arg);
void sysprof_sources_destroy(struct sysprof_session *session);

/* The hooks that a session needs while it runs, as bits for the functions below. */
u32 sysprof_sources_requests(const struct sysprof_session *session);
/* Arms these hooks: all of them, or an error and none.  Process context. */
int sysprof_sources_arm(u32 requests);
void sysprof_sources_disarm(u32 requests);
/* Process context, when nobody arms hooks any more: removes those that are still in place. */
void sysprof_sources_disarm_now(void);
/*
 * Begin and end the session's events.  Under session->lock and list_lock (session.c), while the
 * session gets records of all CPUs.
 */
void sysprof_sources_begin(struct sysprof_session *session);
void sysprof_sources_end(struct sysprof_session *session);
/*
 * Writes the records that are held back for the session, and its accounts.  On @cpu; if that is
 * offline, on any CPU.
 */
void sysprof_sources_flush(struct sysprof_session *session, int cpu);
/* Reads the account of source @id; -EINVAL.  On @cpu, as above. */
int sysprof_sources_account(struct sysprof_session *session, int cpu, u32 id,
			    struct sysprof_source_account *ret);
/*
 * Fills in the THREAD record of @task; -ENOENT if the session does not get it, -EAGAIN as
 * sysprof_threads_sum().  Process context, RCU read side.
 */
int sysprof_sources_thread(const struct sysprof_session *session, struct task_struct *task,
			   struct sysprof_thread *record);
/* Whether the session is on and requested WAIT. */
bool sysprof_sources_has_threads(const struct sysprof_session *session);

/* Write the accounts of this CPU; the second only if they are due.  In a hook, interrupts off. */
void sysprof_subscription_put_accounts(struct sysprof_subscription *sub,
				       struct sysprof_session_cpu *sc, u64 now);
static __always_inline void sysprof_subscription_tell(struct sysprof_subscription *sub,
						      struct sysprof_session_cpu *sc, u64 now)
{
	if (unlikely(now > sub->cpus[sc->cpu].account_time + NSEC_PER_SEC) && sc->joined)
		sysprof_subscription_put_accounts(sub, sc, now);
}

/*
 * The same for the session of @sc, if its sources are on: events that are only
 * counted write nothing.  On the CPU of @sc, interrupts off.
 */
void sysprof_sources_tell(struct sysprof_session_cpu *sc, u64 now);

/* Sends @record, the sums of @task, to all sessions that get it. */
void sysprof_subscriptions_thread(struct task_struct *task, struct sysprof_thread *record);
/* Adds a switch to the lanes of @entries->sub, behind those of this CPU that it holds already. */
void sysprof_subscription_lane(struct sysprof_lane_buffer *entries, u64 now,
			       const struct task_struct *prev, u8 left,
			       const struct task_struct *next);
/* The lanes of this CPU that subscriptions want, the newest first. */
DECLARE_PER_CPU(struct sysprof_lane_buffer *, sysprof_lanes);

static inline void sysprof_tally_add(struct sysprof_tally *tally, u64 value, u64 ns, u64 weight)
{
	tally->events++;
	tally->value += value;
	tally->ns += ns;
	tally->weight += weight;
}

/* The same while users' sessions are not asked. */
void sysprof_subscriptions_lane_skipping(u64 now, const struct task_struct *prev, u8 left,
					 const struct task_struct *next);

/* This CPU switches from one thread to another.  RCU read side. */
static __always_inline void sysprof_subscriptions_lane(u64 now, const struct task_struct *prev,
						       u8 left, const struct task_struct *next)
{
	struct sysprof_lane_buffer *entries = this_cpu_read(sysprof_lanes);

	if (likely(!entries))
		return;
	if (sysprof_subscriptions_skip()) {
		sysprof_subscriptions_lane_skipping(now, prev, left, next);
		return;
	}
	for (; unlikely(entries); entries = READ_ONCE(entries->older))
		if (likely(now < entries->until))
			sysprof_lane_put(entries, now, left, next);
		else
			sysprof_subscription_lane(entries, now, prev, left, next);
}

#endif /* _SYSPROF_SOURCES_H */
