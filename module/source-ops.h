/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this module calls of event sources, which are a module of their own, sysprof-sources.  It
 * names none of them: all goes through one table, which that module registers.  Hooks and ticks
 * look at a gate first, so that they call nothing where no source wants it.
 *
 * A session that has sources (session->sub) has a reference on that module, and so have hooks that
 * are armed.  The table is used with such a reference, or behind an open gate.  Gates may stay open
 * for some time after the last reference.  So the module can go when no session has sources: its
 * exit closes all gates, waits until nobody is behind one, and then takes the table back.
 */
#ifndef _SYSPROF_SOURCE_OPS_H
#define _SYSPROF_SOURCE_OPS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/time64.h>
#include <linux/types.h>

struct module;
struct pt_regs;
struct sysprof_session;
struct sysprof_session_cpu;
struct sysprof_source_account;
struct sysprof_source_infos;
struct sysprof_sources;
struct sysprof_thread;
struct task_struct;

/* By what it is asked for: "blacklist sysprof-sources" of modprobe.d counts for an alias only. */
#define SYSPROF_SOURCES_ALIAS "sysprof-event-sources"

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
 * @owner: the module that has them
 * @build: SYSPROF_BUILD as it was compiled
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
	struct module *owner;
	const char *build;
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
/* NULL: there is none, and all gates are closed. */
extern const struct sysprof_source_ops *sysprof_source_ops;

/*
 * For the other module's init and exit: from register() on the table may be used, from unregister()
 * on it is not.  -EINVAL: the headers of both modules differ; -EBUSY: there is a table.  Before
 * unregister() all gates are closed.  Process context.
 */
int sysprof_source_register(const struct sysprof_source_ops *ops);
void sysprof_source_unregister(void);

/*
 * These answer the ioctls.  Process context, without locks: they load the other module if there is
 * need of it.  -ENOPKG: it cannot be had; -EINTR: the caller is being killed.
 */
int sysprof_source_set(struct sysprof_session *session, const struct sysprof_sources *arg);
int sysprof_source_info(const struct sysprof_session *session, struct sysprof_source_infos *arg);
/* The session ends.  Process context. */
void sysprof_source_drop(struct sysprof_session *session);

/* The session is on and requested sums of threads.  Under io_lock it stays so. */
bool sysprof_source_has_threads(const struct sysprof_session *session);

/* The hooks that the session needs; 0: none, as without sources. */
u32 sysprof_source_requests(const struct sysprof_session *session);
/* The session's events begin. */
void sysprof_source_begin(struct sysprof_session *session);
/*
 * As arm() and disarm() of the table.  As long as hooks are armed they keep the other module, even
 * if the session has no sources any more.  Process context; arm() under io_lock.
 */
int sysprof_source_arm(u32 requests);
void sysprof_source_disarm(u32 requests);

/* Whether @ip is in the other module.  Any context, interrupts or preemption off. */
bool sysprof_source_owns(unsigned long ip);

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
