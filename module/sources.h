/* SPDX-License-Identifier: GPL-2.0-only */
/* What sessions draw from event sources: which, how much of it, and where it went. */
#ifndef _SYSPROF_SOURCES_H
#define _SYSPROF_SOURCES_H

#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/types.h>

#include "delivery.h"
#include "prompt.h"
#include "sysprof-event.h"

struct sysprof_stack;

/**
 * struct sysprof_lane_buffer - switches of a CPU that are not written yet
 * @begin: when the first happened
 * @last: when the last one did
 * @tid: who ran up to the first
 * @n: how many
 * @until: so long there is room for more without another thought; 0: not for one
 * @entries: as in struct sysprof_lane
 */
struct sysprof_lane_buffer {
	u64 begin;
	u64 last;
	u32 tid;
	u32 n;
	u64 until;
	u64 entries[SYSPROF_LANE_ENTRIES_MAX];
};

/**
 * struct sysprof_tap_cpu - of one CPU; touched there with interrupts off, or, while it is offline,
 *	on any with offline_lock (session.c) held
 * @left_out: waits that the account does not have yet: not picked, or below the threshold
 * @cost_before_ns: time that hooks took before the session began
 * @calls_before: likewise
 * @prompt_cost_before_ns: likewise, of prompt sources
 * @prompt_calls_before: likewise
 * @weight: weight of the wait under way; 0: not reported
 * @wakes: the waking under way is reported
 * @next: by enum sysprof_prompt: on an axis of its own, none is picked before this
 * @prompt_weight: weight of the event under way of a prompt source; 0: not reported
 * @account_time: when the accounts were last put into the ring
 * @wait: account
 * @wake: account
 * @lane: account
 * @prompt: accounts of prompt sources
 * @entries: of LANE
 */
struct sysprof_tap_cpu {
	struct sysprof_tally left_out;
	u64 cost_before_ns;
	u64 calls_before;
	u64 prompt_cost_before_ns[SYSPROF_PROMPTS];
	u64 prompt_calls_before[SYSPROF_PROMPTS];
	u64 weight;
	bool wakes;
	u64 prompt_weight;
	u64 next[SYSPROF_PROMPTS];
	u64 account_time;
	struct sysprof_source_account wait;
	struct sysprof_source_account wake;
	struct sysprof_source_account lane;
	struct sysprof_source_account prompt[SYSPROF_PROMPTS];
	struct sysprof_lane_buffer entries;
};

/**
 * struct sysprof_tap - what one session draws from all sources
 * @link: in the list of those that are on; RCU
 * @session: whose this is
 * @wait_id: number of WAIT in the session, 0: it does not want it
 * @wake_id: likewise
 * @lane_id: likewise
 * @n: sources that it asked for
 * @prompt: what it wants of prompt sources
 * @stacks: of WAIT
 * @takes_stacks: whether stacks of waiters are requested
 * @divisor: one of this number of the grid's periods is the session's; 0: every wait
 * @threshold: with @divisor 0; else U64_MAX
 * @plain_from: waits that begin from this time on and are shorter than @threshold are excluded;
 *	U64_MAX: some threads or CPUs are hidden from the session, or it has no waits
 * @start: when it began
 * @first_period: of the grid, of its own
 * @bit: number that no other tap in the list has, unless there are more than 64
 * @cpus: by CPU number
 */
struct sysprof_tap {
	struct list_head link;
	struct sysprof_session *session;
	u16 wait_id;
	u16 wake_id;
	u16 lane_id;
	u16 n;
	struct sysprof_prompt_wish prompt[SYSPROF_PROMPTS];
	u32 stacks;
	u32 divisor;
	bool takes_stacks;
	u64 threshold;
	u64 plain_from;
	u64 start;
	u64 first_period;
	u8 bit;
	struct sysprof_tap_cpu *cpus;
};

/* The taps that are on.  RCU read side. */
extern struct list_head sysprof_taps;
#define sysprof_for_each_tap(tap) list_for_each_entry_rcu(tap, &sysprof_taps, link)

/* Process context, with the session's io_lock; these answer the ioctls. */
int sysprof_sources_set(struct sysprof_session *session, const struct sysprof_sources *arg);
int sysprof_sources_info(const struct sysprof_session *session, struct sysprof_source_infos *arg);
void sysprof_sources_destroy(struct sysprof_session *session);

/* Which hooks a session needs while it runs: bits, for those below. */
u32 sysprof_sources_wishes(const struct sysprof_session *session);
/* Process context: the hooks of these; all, or an error and none. */
int sysprof_sources_arm(u32 wishes);
void sysprof_sources_disarm(u32 wishes);
/* Process context, nobody arms them any more: what is left of hooks goes. */
void sysprof_sources_exit(void);
/*
 * Under session->lock and list_lock (session.c), while the session gets records of all CPUs:
 * starts its events; ends them.
 */
void sysprof_sources_begin(struct sysprof_session *session);
void sysprof_sources_end(struct sysprof_session *session);
/* On @cpu, or for one that is offline: writes what it holds back of the session's, and accounts. */
void sysprof_sources_flush(struct sysprof_session *session, int cpu);
/* On @cpu likewise: the account of source @id; -EINVAL. */
int sysprof_sources_account(struct sysprof_session *session, int cpu, u32 id,
			    struct sysprof_source_account *ret);
/* Process context, RCU read side: the THREAD of @task, if the session gets it. */
bool sysprof_sources_thread(const struct sysprof_session *session, struct task_struct *task,
			    struct sysprof_thread *record);
/* Whether the session is on, with WAIT. */
bool sysprof_sources_has_threads(const struct sysprof_session *session);

/* In a hook, interrupts off: the accounts of this CPU; tap_tell(): if they are due. */
void sysprof_tap_put_accounts(struct sysprof_tap *tap, struct sysprof_session_cpu *sc, u64 now);
static __always_inline void sysprof_tap_tell(struct sysprof_tap *tap,
					     struct sysprof_session_cpu *sc, u64 now)
{
	if (unlikely(now > tap->cpus[sc->cpu].account_time + NSEC_PER_SEC) && sc->joined)
		sysprof_tap_put_accounts(tap, sc, now);
}

/* A record of what a thread has come to, for all who get it. */
void sysprof_taps_thread(struct task_struct *task, struct sysprof_thread *record);
/* The same for the lanes of @tap, behind what they hold of this CPU already. */
void sysprof_tap_lane(struct sysprof_tap *tap, u64 now, const struct task_struct *prev, u8 left,
		      const struct task_struct *next);
/* Whether any tap wants lanes. */
extern bool sysprof_lanes_wanted;

static inline void sysprof_tally_add(struct sysprof_tally *tally, u64 value, u64 ns, u64 weight)
{
	tally->events++;
	tally->value += value;
	tally->ns += ns;
	tally->weight += weight;
}

static __always_inline void sysprof_lane_put(struct sysprof_lane_buffer *entries, u64 now, u8 left,
					     const struct task_struct *next)
{
	entries->entries[entries->n++] = (now - entries->last) << SYSPROF_LANE_NS_SHIFT |
					 (u64)left << SYSPROF_LANE_STATE_SHIFT |
					 (next->pid & SYSPROF_LANE_TID_MASK);
	entries->last = now;
	if (unlikely(entries->n == SYSPROF_LANE_ENTRIES_MAX))
		entries->until = 0;
}

/* This CPU goes from one thread to another. */
static __always_inline void sysprof_taps_lane(u64 now, const struct task_struct *prev, u8 left,
					      const struct task_struct *next)
{
	struct sysprof_lane_buffer *entries;
	int cpu = smp_processor_id();
	struct sysprof_tap *tap;

	sysprof_for_each_tap(tap) {
		entries = &tap->cpus[cpu].entries;
		if (likely(now < entries->until))
			sysprof_lane_put(entries, now, left, next);
		else if (tap->lane_id)
			sysprof_tap_lane(tap, now, prev, left, next);
	}
}

#endif /* _SYSPROF_SOURCES_H */
