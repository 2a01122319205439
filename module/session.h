/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_SESSION_H
#define _SYSPROF_SESSION_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "filter.h"
#include "ring.h"
#include "stack.h"
#include "traced.h"

struct cred;
struct pt_regs;

struct sysprof_pmu;
struct sysprof_raw_wishes;
struct sysprof_session;
struct sysprof_tables;

/*
 * Samples that were lost for one reason: how many of the account's were told of, and when the
 * others were lost.
 */
struct sysprof_loss {
	u64 first_time;
	u64 last_time;
	u64 told;
};

/**
 * struct sysprof_session_cpu - what a session keeps for one CPU; touched on that CPU with
 * interrupts off.  In a session with counters
 *	@account but for state_lost, @loss but for told, and @changes are written by overflows alone, which may be NMIs
 * @session: whose this is
 * @next: in the CPU's list of those that it ticks for
 * @ring: its records
 * @joined: gets records from here; with @wanted also those of ticks
 * @wanted: one of the CPUs that the session samples; otherwise the CPU is left alone: no tick, and
 *	the account is
 *	made by whoever asks for it
 * @untold: a loss, or a resync, is waiting for room
 * @resync: state records were lost and the reader does not know yet
 * @first_period: the session's first period on this CPU
 * @account: grid and pending are only filled in when somebody asks
 * @account_time: when it was last put into the ring
 * @weight: of the tick being taken, 0 if the session has no part in it
 * @raw_bytes: of the stack that the session may have of this tick
 * @tables: its user's, if they may be followed in this tick, or NULL
 * @hides: this tick is of somebody else's process, whose stack the session may not have
 * @loss: by enum sysprof_lost_reason
 * @changes: of the account, by overflows
 * @tell: puts the account into the ring when an overflow found that it is time
 */
struct sysprof_session_cpu {
	struct sysprof_session *session;
	struct sysprof_session_cpu *next;
	struct sysprof_ring ring;
	u32 changes;
	struct irq_work tell;
	bool joined;
	bool wanted;
	bool untold;
	bool resync;
	u64 weight;
	u32 raw_bytes;
	bool hides;
	const struct sysprof_tables *tables;
	u64 first_period;
	u64 account_time;
	struct sysprof_account account;
	struct sysprof_loss loss[SYSPROF_LOST_REASONS];
};

/* How the reader takes its records; the first way used is the only one from then on. */
enum sysprof_reader { SYSPROF_READER_NONE, SYSPROF_READER_MMAP, SYSPROF_READER_READ };

/**
 * struct sysprof_session - one open file
 * @link: in the list of running sessions; RCU
 * @open_link: in that of all, revoke.c's
 * @io_lock: one START, SNAPSHOT or read() at a time; held while the caller's memory is touched
 * @lock: configuration and state; mmap() takes it under the mmap lock, so no user memory may be
 *	touched under it
 * @config: as granted; config.ring_bytes is 0 before the first CONFIGURE
 * @divisor: one of so many periods of the clock is the session's
 * @keeps_budget: no rate was asked for
 * @wish: what it wants of each stack, but for what it may have of some only
 * @user_kind: of user frames that it gets
 * @hides_others: it gets no stacks of processes that its opener could not trace
 * @asks_rights: what it may have is another thing for each task
 * @pmu: counters, while it runs by them; NULL: the timer
 * @filter: whose ticks are wanted; NULL: everybody's
 * @charge: who pays for the rings
 * @running: between START and STOP
 * @may_see_addresses: the opener had CAP_PERFMON
 * @file: it is the session of, which outlives it
 * @cred: the opener's, of the file
 * @raw_wishes: of raw stacks; NULL as long as it has not asked for them
 * @tables: that it shares with other sessions; NULL as long as it has neither asked for stacks by
 *	tables nor brought one
 * @dead: it has ended for good (revoke.c); takes no more records
 * @reader: see enum
 * @read_next: CPU that the next read() begins with
 * @opener: its process
 * @traced: what it has shown that it may trace, without privilege
 * @cpus: by CPU number, only possible ones have a ring
 * @cpumask: those that are wanted
 * @wait: poll() and read()
 * @wake: wakes them from any context
 * @reap: stops the session of an opener that has exited
 * @snapshot: what SNAPSHOT walks, owned by snapshot.c
 */
struct sysprof_session {
	struct list_head link;
	struct list_head open_link;
	struct mutex io_lock;
	struct mutex lock;
	struct sysprof_config config;
	u32 divisor;
	bool keeps_budget;
	bool asks_rights;
	bool hides_others;
	enum sysprof_user_kind user_kind;
	struct sysprof_stack_wish wish;
	struct sysprof_pmu *pmu;
	struct sysprof_filter *filter;
	struct sysprof_charge *charge;
	bool running;
	bool may_see_addresses;
	const struct file *file;
	const struct cred *cred;
	struct sysprof_raw_wishes *raw_wishes;
	struct sysprof_tables *tables;
	bool dead;
	enum sysprof_reader reader;
	int read_next;
	struct pid *opener;
	struct sysprof_traced traced;
	struct sysprof_session_cpu *cpus;
	struct cpumask *cpumask;
	wait_queue_head_t wait;
	struct irq_work wake;
	struct work_struct reap;
	struct sysprof_snapshot_walk *snapshot;
};

#define SYSPROF_DEFAULT_PERIOD_NS	NSEC_PER_MSEC
#define SYSPROF_MIN_PERIOD_NS		(20 * NSEC_PER_USEC)
#define SYSPROF_MAX_PERIOD_NS		NSEC_PER_SEC
#define SYSPROF_DEFAULT_RING_BYTES	(1U << 20)
#define SYSPROF_MAX_RING_BYTES		(64U << 20)

/* All in process context.  The first, once: whether the module's parameter can be understood. */
int sysprof_session_init(void);
struct sysprof_session *sysprof_session_create(void);
void sysprof_session_destroy(struct sysprof_session *session);
/*
 * @config: in: what is asked for, checked by the device; out: what is granted.  @keeps_budget: its
 * rate is no wish.  @filter and @cpus: from filter.c; the filter is the session's from then on,
 * unless this fails.
 */
int sysprof_session_configure(struct sysprof_session *session, struct sysprof_config *config,
			      bool keeps_budget, struct sysprof_filter *filter,
			      const struct cpumask *cpus);
/*
 * session-stack.c.  plan(), with the configuration at hand: what it wants of each stack.
 * hides_others(): that is what the administrator has said, of sessions without privilege.  The
 * others in the sampling context: whether the session gets copies of the stack of current, and is
 * told where its code lies, as its opener could look for himself; adds what it may have of the
 * stack of current alone, if @asks_rights.
 */
void sysprof_session_plan(struct sysprof_session *session);
bool sysprof_session_hides_others(void);
bool sysprof_session_may_have_raw(const struct sysprof_session *session);
void sysprof_session_ask_rights(struct sysprof_session_cpu *sc, struct sysprof_stack_wish *wish);
/*
 * session-ticking.c: those that a CPU ticks for, linked by next.  Touched there with interrupts
 * off, or, while it is offline, with offline_lock held.  lose(): session.c.
 */
DECLARE_PER_CPU(struct sysprof_session_cpu *, sysprof_ticking);
void sysprof_session_join_ticks(struct sysprof_session_cpu *sc, int cpu);
void sysprof_session_leave_ticks(struct sysprof_session_cpu *sc, int cpu);
void sysprof_session_lose(struct sysprof_session_cpu *sc, enum sysprof_lost_reason reason,
			  u64 periods);
/* The tables it shares, from now on until it is destroyed; NULL: no memory. */
struct sysprof_tables *sysprof_session_tables(struct sysprof_session *session);
int sysprof_session_start(struct sysprof_session *session, struct sysprof_start *ret);
void sysprof_session_stop(struct sysprof_session *session);
/*
 * The account of @stats->cpu; also puts what is known of losses into its ring, as far as there is
 * room.
 */
int sysprof_session_stats(struct sysprof_session *session, struct sysprof_stats *stats);

/*
 * What happens on a CPU, told to every running session.  On that CPU, interrupts off.  Periods are
 * the clock's: [from, to).
 *
 * A tick: takes what the sessions want of the stack of current (as in stack.h), into @stack, and
 * hands it out.  False: none of them wanted it.
 */
bool sysprof_sessions_sample(struct sysprof_stack *stack, struct pt_regs *regs, u64 now, u64 from,
			     u64 to, u64 delay_ns);
/* The first period from @from in which a session wants a tick; @from if there is no session. */
u64 sysprof_sessions_next(u64 from);
void sysprof_sessions_idle(int cpu, u64 from, u64 to);
void sysprof_sessions_offline(int cpu, u64 from, u64 to);
void sysprof_sessions_lost(enum sysprof_lost_reason reason, u64 from, u64 to);

/*
 * A counter of @session's own on this CPU overflowed and found @regs; it has counted @periods since
 * it was made.  @stack is the caller's to fill.  Any context, NMI too, but one call at a time for
 * each CPU.
 */
void sysprof_session_overflow(struct sysprof_session *session, struct sysprof_stack *stack,
			      struct pt_regs *regs, u64 periods);

/*
 * A state record for every running session: @record's size, type, flags, pid, tid and body are set,
 * time and cpu are not.  Any task or interrupt context but NMI; takes care of interrupts itself.
 */
void sysprof_sessions_state(struct sysprof_record *record);
/* All sessions must ask for a snapshot: something happened that no record tells.  As above. */
void sysprof_sessions_resync(void);
/* A new process; and @task, the last of its process, exits: its sessions end.  As above. */
void sysprof_sessions_forked(struct task_struct *parent, struct task_struct *child);
void sysprof_sessions_exit(struct task_struct *task);
/* Whether any session runs: hooks have nothing to do otherwise. */
bool sysprof_sessions_any(void);
/* Whether any wants MAP records. */
bool sysprof_sessions_want_maps(void);
/*
 * Under session->lock, with nobody using the rings: anew, each of @bytes; -ENOSPC beyond the user's
 * cap, or that of all, -ENOMEM, and then there are none.
 */
int sysprof_session_make_rings(struct sysprof_session *session, u32 bytes);
void sysprof_session_free_rings(struct sysprof_session *session);

#endif /* _SYSPROF_SESSION_H */
