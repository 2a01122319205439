/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_SESSION_H
#define _SYSPROF_SESSION_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "ring.h"
#include "stack.h"

struct file;

/* Samples that found no room and were not yet told about. */
struct sysprof_loss {
	u64 first_time;
	u64 last_time;
	u64 periods;
};

/**
 * struct sysprof_session_cpu - what a session keeps for one CPU; touched on that CPU with interrupts off
 * @ring: its records
 * @joined: takes part in this CPU's ticks
 * @resync: state records were lost and the reader does not know yet
 * @first_period: the session's first period on this CPU
 * @account: grid and pending are only filled in when somebody asks
 * @account_time: when it was last put into the ring
 * @loss: by enum sysprof_lost_reason
 */
struct sysprof_session_cpu {
	struct sysprof_ring ring;
	bool joined;
	bool resync;
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
 * @io_lock: one START, SNAPSHOT or read() at a time; held while the caller's memory is touched
 * @lock: configuration and state; mmap() takes it under the mmap lock, so no user memory may be touched under it
 * @config: as granted; config.ring_bytes is 0 before the first CONFIGURE
 * @divisor: one of so many periods of the clock is the session's
 * @running: between START and STOP
 * @may_see_addresses: the opener had CAP_PERFMON
 * @dead: the opener has exited; takes no more records
 * @reader: see enum
 * @read_next: CPU that the next read() begins with
 * @opener: its process
 * @cpus: by CPU number, only possible ones have a ring
 * @wait: poll() and read()
 * @wake: wakes them from any context
 * @reap: stops the session of an opener that has exited
 * @snapshot: what SNAPSHOT walks, owned by snapshot.c
 */
struct sysprof_session {
	struct list_head link;
	struct mutex io_lock;
	struct mutex lock;
	struct sysprof_config config;
	u32 divisor;
	bool running;
	bool may_see_addresses;
	bool dead;
	enum sysprof_reader reader;
	int read_next;
	struct pid *opener;
	struct sysprof_session_cpu *cpus;
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

/* All in process context. */
struct sysprof_session *sysprof_session_create(void);
void sysprof_session_destroy(struct sysprof_session *session);
/* @config: in: what is asked for, checked by the device; out: what is granted. */
int sysprof_session_configure(struct sysprof_session *session, struct sysprof_config *config);
int sysprof_session_start(struct sysprof_session *session, struct sysprof_start *ret);
void sysprof_session_stop(struct sysprof_session *session);
/* The account of @stats->cpu; also puts what is known of losses into its ring, as far as there is room. */
int sysprof_session_stats(struct sysprof_session *session, struct sysprof_stats *stats);

/*
 * What happens on a CPU, told to every running session.  On that CPU, interrupts off.  Periods are the clock's: [from, to).
 */
void sysprof_sessions_sample(const struct sysprof_stack *stack, u64 now, u64 from, u64 to, u64 delay_ns);
void sysprof_sessions_idle(int cpu, u64 from, u64 to);
void sysprof_sessions_offline(int cpu, u64 from, u64 to);
void sysprof_sessions_lost(enum sysprof_lost_reason reason, u64 from, u64 to);

/*
 * A state record for every running session: @record's size, type, flags, pid, tid and body are set, time and cpu
 * are not.  Any task or interrupt context but NMI; takes care of interrupts itself.
 */
void sysprof_sessions_state(struct sysprof_record *record);
/* All sessions must ask for a snapshot: something happened that no record tells.  As above. */
void sysprof_sessions_resync(void);
/* @task, the last of its process, exits: its sessions end. */
void sysprof_sessions_exit(struct task_struct *task);
/* Whether any session runs: hooks have nothing to do otherwise. */
bool sysprof_sessions_any(void);
/* Whether any wants MAP records. */
bool sysprof_sessions_want_maps(void);
/* What the running sessions together ask of a stack. */
struct sysprof_stack_wish sysprof_sessions_wish(void);

/* Bytes that all rings together may take; set by main.c before the device is there. */
void sysprof_sessions_set_cap(u64 bytes);

#endif /* _SYSPROF_SESSION_H */
