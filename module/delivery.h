/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delivery puts records into the rings of the sessions that run.  A session is declared here, too,
 * since all layers above deliver through it.
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

#include "arch.h"
#include "ring-write.h"
#include "stack-request.h"
#include "traced.h"

struct cred;
struct file;
struct task_struct;

struct sysprof_session_quota;
struct sysprof_filter;
struct sysprof_pmu;
struct sysprof_raw_requests;
struct sysprof_sent;
struct sysprof_session;
struct sysprof_snapshot_walk;
struct sysprof_tables;
struct sysprof_subscription;

/*
 * Samples that were lost for one reason: how many of those in the account were reported, and when
 * the others were lost.
 */
struct sysprof_loss {
	u64 first_time;
	u64 last_time;
	u64 reported;
};

/**
 * struct sysprof_once - outer frames that are in the ring
 * @id: theirs (struct sysprof_outer); 0: there are none
 * @number: what the reader knows them by
 */
struct sysprof_once {
	u64 id;
	u64 number;
};

/**
 * struct sysprof_stack_rights - what a session may have of one stack
 * @tables: the session's own tables, if they may be used for it; else NULL
 * @raw_bytes: bytes of the stack's copy; beside tables, once it is known that the stack needs one
 * @hides: enum sysprof_hides, since the opener could not trace the process
 */
struct sysprof_stack_rights {
	const struct sysprof_tables *tables;
	u32 raw_bytes;
	u8 hides;
};

/**
 * struct sysprof_session_cpu - what a session keeps for one CPU; touched on that CPU with
 *	interrupts off.  In a session with counters only overflows, which may be NMIs, write
 *	@account (but not state_lost), @loss (but not @reported), @changes and @rights.  Hooks, which
 *	they interrupt, read none of these
 * @session: the session
 * @next: the next session that this CPU ticks for
 * @ring: the session's records of this CPU
 * @cpu: the CPU's number.  While it is offline, another CPU writes its records
 * @joined: the session gets records from this CPU; with @wanted also those of ticks
 * @wanted: the session samples this CPU.  Otherwise the CPU has no tick for the session, and STATS
 *	computes the account
 * @loss_unreported: a loss or a resync is not reported yet, for lack of room
 * @resync: state records were lost, and the reader does not know yet
 * @first_period: the session's first period on this CPU
 * @account: the account; grid and pending are filled in only when it is read
 * @account_time: when the account was last put into the ring
 * @weight: weight of the tick being taken; 0 if the session does not use it
 * @rights: what the session may have of the stack of the tick being taken
 * @loss: losses, by enum sysprof_lost_reason
 * @once: by place, what samples and events can refer to
 * @changes: number of changes that overflows made to the account
 * @sent: the codes of scripts whose names the session got; NULL: it has no stacks by tables
 * @tell: puts the account into the ring when an overflow found it due
 */
struct sysprof_session_cpu {
	/*
	 * What each tick needs comes first: this is one cache line, the ring the next one, then the
	 * account.
	 */
	struct sysprof_session *session;
	struct sysprof_session_cpu *next;
	u64 first_period;
	u64 account_time;
	u64 weight;
	struct sysprof_stack_rights rights;
	u16 cpu;
	bool joined;
	bool wanted;
	bool loss_unreported;
	bool resync;
	struct sysprof_ring ring;
	struct sysprof_account account;
	struct sysprof_once once[SYSPROF_RECALL_PLACES];
	u32 changes;
	struct sysprof_sent *sent;
	struct sysprof_loss loss[SYSPROF_LOST_REASONS];
	struct irq_work tell;
} ____cacheline_aligned;

/*
 * What is hidden of other users' processes from sessions without privilege: module parameter
 * others.
 */
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
 * @open_link: in the list of all sessions, which belongs to revoke.c
 * @io_lock: one CONFIGURE, START, SNAPSHOT or read() at a time; held while the caller's memory is
 *	touched
 * @lock: configuration and state; mmap() takes it under the mmap lock, so no user memory may be
 *	touched under it
 * @config: as granted; config.ring_bytes is 0 before the first CONFIGURE
 * @divisor: the session uses one of this number of the clock's periods
 * @keeps_budget: no rate was requested: the session keeps to the budget
 * @least_stretch: with @keeps_budget: at most one of this number of periods is sampled, as the
 *	reader requested; read by ticks at any time
 * @request: what the session requests of each stack, without what it can have only of some
 * @user_kind: kind of user frames that the session gets
 * @hides_others: what is hidden of stacks of processes that the opener could not trace
 * @asks_rights: what the session may have depends on the task
 * @rights: unless it does: what it may have of each stack, but for copies beside tables
 * @is_once: the reader takes stacks that are sent once
 * @pmu: the counters while the session runs by counters; NULL: the timer
 * @filter: selects the ticks that the session wants; NULL: all ticks
 * @charge: the account that pays for the rings
 * @running: between START and STOP
 * @is_exempt: the opener had CAP_SYS_RESOURCE: other users cannot use up the session's part of a
 *	CPU
 * @may_see_addresses: the opener had CAP_PERFMON
 * @file: the open file of the session, which outlives it
 * @cred: the opener's credentials, held by the file
 * @raw_requests: requests for raw stacks; NULL until the session requests raw stacks
 * @sub: what the session takes from event sources; NULL: nothing
 * @tables: unwind tables, shared with other sessions; NULL until the session requests stacks by
 *	tables or adds a table
 * @dead: the session has ended for good (revoke.c) and takes no more records
 * @reader: how the reader takes records
 * @read_next: the CPU that the next read() begins with
 * @opener: the process that opened the session
 * @traced: the address spaces of which an opener without privilege may have everything
 * @cpus: by CPU number; only possible CPUs have a ring
 * @cpumask: the CPUs that the session samples
 * @hurried: when the reader was last woken for a new file, jiffies
 * @has_file: there is a new one that poll() has not reported
 * @wait: the waiters of poll() and read()
 * @wake: wakes @wait from any context
 * @reap: stops the session of an opener that has exited
 * @snapshot: state of SNAPSHOT's walk, owned by snapshot.c
 */
struct sysprof_session {
	/*
	 * What each tick needs comes first: this is one cache line, the beginning of the config
	 * another.
	 */
	struct sysprof_filter *filter;
	wait_queue_head_t wait;
	struct sysprof_stack_request request;
	u32 divisor;
	enum sysprof_user_kind user_kind;
	bool keeps_budget;
	bool asks_rights;
	bool is_once;
	bool is_exempt;
	bool dead;
	struct sysprof_config config ____cacheline_aligned;
	u32 least_stretch;
	struct list_head link;
	struct list_head open_link;
	struct mutex io_lock;
	struct mutex lock;
	enum sysprof_hides hides_others;
	struct sysprof_stack_rights rights;
	struct sysprof_pmu *pmu;
	struct sysprof_session_quota *charge;
	bool running;
	bool may_see_addresses;
	bool has_file;
	unsigned long hurried;
	const struct file *file;
	const struct cred *cred;
	struct sysprof_raw_requests *raw_requests;
	struct sysprof_subscription *sub;
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
 * From begin() to end() @session gets records.  Process context, one call at a time.  Readers of
 * the list may still use the session for an RCU grace period after end().
 */
void sysprof_delivery_begin(struct sysprof_session *session);
void sysprof_delivery_end(struct sysprof_session *session);

static __always_inline void *sysprof_delivery_begin_record(const struct sysprof_session_cpu *sc,
							   struct sysprof_record *record,
							   u32 bytes, u16 type)
{
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

/*
 * Returns room for a record, as sysprof_ring_reserve() gives it, or NULL.  The header is filled in;
 * the caller fills in all of the body and then calls sysprof_ring_commit().
 */
static inline void *sysprof_delivery_reserve(struct sysprof_session_cpu *sc, u32 bytes, u32 limit,
					     u16 type)
{
	return sysprof_delivery_begin_record(
		sc, sysprof_ring_reserve(&sc->ring, bytes, limit), bytes, type);
}

/* The same, inline, for records that are written all the time; they may end with ring_commit(). */
static __always_inline void *sysprof_delivery_take(struct sysprof_session_cpu *sc, u32 bytes,
						   u32 limit, u16 type)
{
	return sysprof_delivery_begin_record(sc, ring_reserve(&sc->ring, bytes, limit), bytes,
					     type);
}

/* Writes an ACCOUNT record of @sc's account; false if there is no room. */
bool sysprof_delivery_account(struct sysprof_session_cpu *sc);
/* Copies the account as it was between two overflows. */
void sysprof_delivery_copy_account(const struct sysprof_session_cpu *sc,
				   struct sysprof_account *to);

/* Counts @periods as lost.  On their CPU, interrupts off, or in NMI. */
void sysprof_session_lose(struct sysprof_session_cpu *sc, enum sysprof_lost_reason reason,
			  u64 periods);
void sysprof_delivery_report_pending(struct sysprof_session_cpu *sc);

/* Reports losses as soon as there is room.  On the session's CPU, interrupts off, no NMI. */
static inline void sysprof_delivery_report_losses(struct sysprof_session_cpu *sc)
{
	if (unlikely(READ_ONCE(sc->loss_unreported)))
		sysprof_delivery_report_pending(sc);
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
/* The same for addresses of current's alone, without regard to what the session requested. */
bool sysprof_session_may_have_addresses(const struct sysprof_session *session);

/*
 * Writes a state record for one session, on this CPU with interrupts off.  If there is no room, a
 * RESYNC follows.  @record is as in sysprof_sessions_state().
 */
void sysprof_delivery_put_state(struct sysprof_session_cpu *sc,
				const struct sysprof_record *record);
/*
 * Sends a state record to every running session.  The caller sets @record's size, type, flags, pid,
 * tid and body, but not time and cpu.  Any task or interrupt context but NMI; disables interrupts
 * itself.
 */
void sysprof_sessions_state(struct sysprof_record *record);
/*
 * Makes all sessions ask for a snapshot, since something happened that no record reports.  Context
 * as above.
 */
void sysprof_sessions_resync(void);
/*
 * forked(): a process was made.  exit(): @task, the last thread of its process, exits, and its
 * sessions end.  Context as above.
 */
void sysprof_sessions_forked(struct task_struct *parent, struct task_struct *child);
void sysprof_sessions_exit(struct task_struct *task);
/* Whether any session runs.  If none does, hooks have nothing to do. */
bool sysprof_sessions_any(void);
/* Whether any session wants MAP records. */
bool sysprof_sessions_want_maps(void);

#endif /* _SYSPROF_DELIVERY_H */
