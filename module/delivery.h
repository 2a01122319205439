/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delivery: records into the rings of the sessions that run.  What a session is stands here, too:
 * everything above hands out through it.
 */
#ifndef _SYSPROF_DELIVERY_H
#define _SYSPROF_DELIVERY_H

#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "ring.h"
#include "stack-wish.h"
#include "traced.h"

struct cred;
struct file;
struct task_struct;

struct sysprof_charge;
struct sysprof_filter;
struct sysprof_pmu;
struct sysprof_raw_wishes;
struct sysprof_session;
struct sysprof_snapshot_walk;
struct sysprof_tables;
struct sysprof_tap;

/*
 * Samples that were lost for one reason: how many of the account's were reported, and when the
 * others were lost.
 */
struct sysprof_loss {
	u64 first_time;
	u64 last_time;
	u64 told;
};

/**
 * struct sysprof_session_cpu - what a session keeps for one CPU; touched on that CPU with
 *	interrupts off.  In a session with counters only overflows, which may be NMIs, write
 *	@account (but not state_lost), @loss (but not told) and @changes
 * @session: whose this is
 * @next: in the CPU's list of those that it ticks for
 * @ring: its records
 * @cpu: its number; while it is offline another one writes what has to be said of it
 * @joined: gets records from here; with @wanted also those of ticks
 * @wanted: one of the CPUs that the session samples; otherwise the CPU is left alone: no tick, and
 *	the account is made by its reader
 * @untold: a loss, or a resync, is waiting for room
 * @resync: state records were lost and the reader does not know yet
 * @first_period: the session's first period on this CPU
 * @account: grid and pending are only filled in when somebody asks
 * @account_time: when it was last put into the ring
 * @weight: of the tick being taken, 0 if the session has no part in it
 * @raw_bytes: of the stack that the session may have of this tick
 * @tables: its user's, if they may be followed in this tick, or NULL
 * @hides: of this tick's stack, which is of a process that the opener could not trace
 * @loss: by enum sysprof_lost_reason
 * @changes: of the account, by overflows
 * @tell: puts the account into the ring when an overflow found it due
 */
struct sysprof_session_cpu {
	/* What each tick needs: this on one cache line, the ring on the next, the account. */
	struct sysprof_session *session;
	struct sysprof_session_cpu *next;
	u64 first_period;
	u64 account_time;
	u64 weight;
	const struct sysprof_tables *tables;
	u32 raw_bytes;
	u32 changes;
	u16 cpu;
	bool joined;
	bool wanted;
	bool untold;
	bool resync;
	u8 hides;
	struct sysprof_ring ring;
	struct sysprof_account account;
	struct sysprof_loss loss[SYSPROF_LOST_REASONS];
	struct irq_work tell;
} ____cacheline_aligned;

/* What sessions without privilege get of others' processes: module parameter others. */
enum sysprof_hides {
	SYSPROF_HIDES_NOTHING,
	SYSPROF_HIDES_PLACES,	/* they get functions */
	SYSPROF_HIDES_FRAMES,
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
 * @divisor: one of this number of the clock's periods is the session's
 * @keeps_budget: no rate was requested
 * @least_stretch: with @keeps_budget: at most one of this number of periods is sampled, as the
 *	reader requested; read by ticks at any time
 * @wish: what the session requests of each stack, without what it can have only of some
 * @user_kind: kind of user frames that the session gets
 * @hides_others: of stacks of processes that its opener could not trace
 * @asks_rights: what it may have is another thing for each task
 * @pmu: counters, while it runs by them; NULL: the timer
 * @filter: whose ticks are wanted; NULL: everybody's
 * @charge: who pays for the rings
 * @running: between START and STOP
 * @is_exempt: the opener had CAP_SYS_RESOURCE: users cannot use up its share of a CPU
 * @may_see_addresses: the opener had CAP_PERFMON
 * @file: it is the session of, which outlives it
 * @cred: the opener's, of the file
 * @raw_wishes: of raw stacks; NULL as long as it has not asked for them
 * @tap: what it draws from event sources; NULL: nothing
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
	/* What each tick needs: this on one cache line, the beginning of the next on another. */
	struct sysprof_filter *filter;
	wait_queue_head_t wait;
	struct sysprof_stack_wish wish;
	u32 divisor;
	enum sysprof_user_kind user_kind;
	bool keeps_budget;
	bool asks_rights;
	bool is_exempt;
	bool dead;
	struct sysprof_config config ____cacheline_aligned;
	u32 least_stretch;
	struct list_head link;
	struct list_head open_link;
	struct mutex io_lock;
	struct mutex lock;
	enum sysprof_hides hides_others;
	struct sysprof_pmu *pmu;
	struct sysprof_charge *charge;
	bool running;
	bool may_see_addresses;
	const struct file *file;
	const struct cred *cred;
	struct sysprof_raw_wishes *raw_wishes;
	struct sysprof_tap *tap;
	struct sysprof_tables *tables;
	enum sysprof_reader reader;
	int read_next;
	struct pid *opener;
	struct sysprof_traced traced;
	struct sysprof_session_cpu *cpus;
	struct cpumask *cpumask;
	struct irq_work wake;
	struct work_struct reap;
	struct sysprof_snapshot_walk *snapshot;
};

/*
 * Process context, one call at a time: from begin() to end() @session gets what happens.  Walkers
 * of the list may still use the session for a grace period of RCU after end().
 */
void sysprof_delivery_begin(struct sysprof_session *session);
void sysprof_delivery_end(struct sysprof_session *session);

/*
 * Room for a record, as sysprof_ring_reserve() gives it; its header is written, its body is the
 * caller's to write, all of it.  sysprof_ring_commit() must follow.
 */
static inline void *sysprof_delivery_reserve(struct sysprof_session_cpu *sc, u32 bytes, u32 limit,
					     u16 type)
{
	struct sysprof_record *record = sysprof_ring_reserve(&sc->ring, bytes, limit);

	if (!record)
		return NULL;
	record->type = type;
	record->flags = 0;
	record->size = bytes / 8;
	record->cpu = sc->cpu;
	record->pid = 0;
	record->tid = 0;
	return record;
}

/* An ACCOUNT record of @sc's account, as it is; false if there is no room. */
bool sysprof_delivery_account(struct sysprof_session_cpu *sc);
/* The account as it was between two overflows. */
void sysprof_delivery_copy_account(const struct sysprof_session_cpu *sc,
				   struct sysprof_account *to);

/* @periods are lost.  On their CPU, interrupts off, or in NMI. */
void sysprof_session_lose(struct sysprof_session_cpu *sc, enum sysprof_lost_reason reason,
			  u64 periods);
void sysprof_delivery_report_untold(struct sysprof_session_cpu *sc);

/* Reports what was lost, as soon as there is room for it.  On its CPU, interrupts off, no NMI. */
static inline void sysprof_delivery_report_losses(struct sysprof_session_cpu *sc)
{
	if (unlikely(READ_ONCE(sc->untold)))
		sysprof_delivery_report_untold(sc);
}

/* Wakes the reader if the ring holds enough for that.  Any context. */
static inline void sysprof_delivery_wake(struct sysprof_session *session,
					 struct sysprof_session_cpu *sc)
{
	if (sysprof_ring_used(&sc->ring) >= session->config.watermark_bytes &&
	    wq_has_sleeper(&session->wait))
		irq_work_queue(&session->wake);
}

/*
 * Whether the session gets copies of current's stack, and the addresses of its code, since
 * its opener could read both.  In the sampling context.
 */
bool sysprof_session_may_have_raw(const struct sysprof_session *session);

/*
 * A state record for one session, as below, on this CPU with interrupts off.  Without room
 * a RESYNC is sent.
 */
void sysprof_delivery_put_state(struct sysprof_session_cpu *sc,
				const struct sysprof_record *record);
/*
 * A state record for every running session: @record's size, type, flags, pid, tid and body are set,
 * time and cpu are not.  Any task or interrupt context but NMI; takes care of interrupts itself.
 */
void sysprof_sessions_state(struct sysprof_record *record);
/* All sessions must ask for a snapshot: something happened that no record reports.  As above. */
void sysprof_sessions_resync(void);
/* A new process; and @task, the last of its process, exits: its sessions end.  As above. */
void sysprof_sessions_forked(struct task_struct *parent, struct task_struct *child);
void sysprof_sessions_exit(struct task_struct *task);
/* Whether any session runs: hooks have nothing to do otherwise. */
bool sysprof_sessions_any(void);
/* Whether any wants MAP records. */
bool sysprof_sessions_want_maps(void);

#endif /* _SYSPROF_DELIVERY_H */
