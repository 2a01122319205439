/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the rest of the module calls of event sources.  It names none of them: all goes through one
 * table, which sources/ops.c fills in before the device is there.  Hooks and ticks look at a gate
 * first, so that they call nothing where no source wants it.
 */
#ifndef _SYSPROF_SOURCE_OPS_H
#define _SYSPROF_SOURCE_OPS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/time64.h>
#include <linux/types.h>

struct pt_regs;
struct sysprof_session;
struct sysprof_session_cpu;
struct sysprof_source_account;
struct sysprof_source_infos;
struct sysprof_sources;
struct sysprof_thread;
struct task_struct;

/* A tick that is less late is no event. */
#define SYSPROF_LATE_NS (10 * NSEC_PER_USEC)

/**
 * struct sysprof_source_gates - what sources want to be called for; any context
 * @late_ticks: late ticks
 * @switches: switches; released when everything that they use is ready
 * @holds: number of things for which ticks and arrivals are wanted
 */
struct sysprof_source_gates {
	bool late_ticks;
	bool switches;
	atomic_t holds;
};
extern struct sysprof_source_gates sysprof_source_gates;

/**
 * struct sysprof_source_ops - the calls; sources/sources.h describes those on sessions
 * @set: answers the ioctl
 * @info: answers the ioctl
 * @destroy: the session ends
 * @requests: the hooks that the session needs
 * @arm: arms these hooks
 * @disarm: disarms these hooks
 * @begin: the session's events begin
 * @end: the session's events end
 * @flush: writes what is held back
 * @account: reads an account
 * @tell: writes accounts that are due
 * @has_threads: the session is on and requested sums of threads
 * @thread: fills in the sums of a thread
 * @hold_threads: process context: from here to release_threads() there are sums; 0 or an error
 * @release_threads: see hold_threads()
 * @slots: number of slots of threads, while they are held
 * @leaving: the thread in a slot, with a reference, if it is off the list of threads; or NULL
 * @late: a tick came late.  In a tick, as sysprof_source_tick()
 * @tick: a tick, while there are holds
 * @switched: as sysprof_source_switch()
 * @arrives: a task gets this CPU, while there are holds
 */
struct sysprof_source_ops {
	int (*set)(struct sysprof_session *session, const struct sysprof_sources *arg);
	int (*info)(const struct sysprof_session *session, struct sysprof_source_infos *arg);
	void (*destroy)(struct sysprof_session *session);
	u32 (*requests)(const struct sysprof_session *session);
	int (*arm)(u32 requests);
	void (*disarm)(u32 requests);
	void (*begin)(struct sysprof_session *session);
	void (*end)(struct sysprof_session *session);
	void (*flush)(struct sysprof_session *session, int cpu);
	int (*account)(struct sysprof_session *session, int cpu, u32 id,
		       struct sysprof_source_account *ret);
	void (*tell)(struct sysprof_session_cpu *sc, u64 now);
	bool (*has_threads)(const struct sysprof_session *session);
	int (*thread)(const struct sysprof_session *session, struct task_struct *task,
		      struct sysprof_thread *record);
	int (*hold_threads)(void);
	void (*release_threads)(void);
	u32 (*slots)(void);
	struct task_struct *(*leaving)(u32 slot);
	void (*late)(struct pt_regs *regs, u64 now, u64 delay_ns);
	void (*tick)(struct pt_regs *regs);
	void (*switched)(bool preempt, struct task_struct *prev, struct task_struct *next,
			 unsigned int left, u64 now);
	void (*arrives)(struct task_struct *next);
};
/* Set once, by main.c, before the first session and the first hook. */
extern const struct sysprof_source_ops *sysprof_source_ops;

/*
 * A tick came @delay_ns late and interrupted @regs of current; NULL: it is taken here instead.
 * Interrupts off.
 */
static __always_inline void sysprof_source_tick(struct pt_regs *regs, u64 now, u64 delay_ns)
{
	if (unlikely(delay_ns >= SYSPROF_LATE_NS && READ_ONCE(sysprof_source_gates.late_ticks)))
		sysprof_source_ops->late(regs, now, delay_ns);
	if (unlikely(atomic_read(&sysprof_source_gates.holds)))
		sysprof_source_ops->tick(regs);
}

/*
 * This CPU switches from @prev, which is still current, to @next.  @left: the kernel's state in
 * which @prev leaves; 0: it could go on.  @now: the time; 0: not known.  Interrupts off, RCU read
 * side, with the run queue locked.
 */
static __always_inline void sysprof_source_switch(bool preempt, struct task_struct *prev,
						  struct task_struct *next, unsigned int left,
						  u64 now)
{
	/* Pairs with smp_store_release() in put_hooks() of sources/switch.c. */
	if (unlikely(smp_load_acquire(&sysprof_source_gates.switches)))
		sysprof_source_ops->switched(preempt, prev, next, left, now);
	if (unlikely(atomic_read(&sysprof_source_gates.holds)))
		sysprof_source_ops->arrives(next);
}

#endif /* _SYSPROF_SOURCE_OPS_H */
