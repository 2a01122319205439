// SPDX-License-Identifier: GPL-2.0-only
/*
 * The states of threads, reported by the scheduler: each thread leaves its CPU in some state, is
 * woken, and gets a CPU again.  That ends a wait.
 *
 * The kernel part of a waiter's stack is walked as it gets its CPU, before it runs.  Its memory is
 * not mapped yet.  So its user part is taken once it runs, before it does anything (arrival.h).
 * Until then the wait is pending; if another switch comes first, it is sent without user frames.
 *
 * sched_switch runs with the run queue locked, sched_waking with the pi_lock of the task that is
 * woken.  Nothing here wakes a task, prints or takes a lock that sleeps.
 */
#include <linux/kcsan-checks.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "sources/arrival.h"
#include "compat/switch.h"
#include "sources/event.h"
#include "hooks.h"
#include "source-ops.h"
#include "sources/sources.h"
#include "stack.h"
#include "sources/switch.h"
#include "sources/threads.h"
#include "throttle.h"
#include "sources/waits.h"
#include "trace-points.h"

#define TIMED_CALLS	64	/* one of this number is timed, and represents the others */

/**
 * struct switch_cpu - of one CPU; touched there with interrupts off
 * @slot: of @running; NULL: not known, or the idle task
 * @running: thread that got the CPU last, as far as that was reported: trace points are silent
 *	while it goes offline
 * @waiter: whose wait is pending, or NULL
 * @wait: which one
 * @waiter_stack: its stack
 * @waker_stack: that of who wakes; there may be a wait pending meanwhile
 * @calls: of the hooks
 * @stack_call: number of calls when a stack was last taken
 * @cost_ns: time of these calls
 * @stacks: stacks taken
 * @wakes: numbers given to them
 */
struct switch_cpu {
	struct sysprof_slot *slot;
	const struct task_struct *running;
	struct task_struct *waiter;
	struct sysprof_wait wait;
	struct sysprof_stack *waiter_stack;
	struct sysprof_stack *waker_stack;
	u64 calls;
	u64 stack_call;
	u64 cost_ns;
	u32 stacks;
	u32 wakes;
};

static DEFINE_PER_CPU(struct switch_cpu, switch_cpus);

/* Costs. */

static noinline void time_call(struct switch_cpu *cpu, u64 begin)
{
	u64 now = ktime_get_mono_fast_ns(), cost = now - begin;

	cpu->cost_ns += cost * TIMED_CALLS;
	/* Stacks are paid for by themselves. */
	if (cpu->stack_call + 1 != cpu->calls)
		sysprof_subscriptions_pay(now, cost, TIMED_CALLS);
}

static __always_inline void switch_end_call(struct switch_cpu *cpu, u64 begin)
{
	if (unlikely(++cpu->calls % TIMED_CALLS == 0))
		time_call(cpu, begin);
}

/* Waits. */

static void switch_finish(struct switch_cpu *cpu, bool is_on_time)
{
	if (is_on_time) {
		sysprof_stack_add_user(cpu->waiter_stack);
	} else {
		sysprof_stack_leave_out_user(cpu->waiter_stack);
		cpu->wait.flags |= SYSPROF_EVENT_NO_USER;
	}
	sysprof_waits_put(&cpu->wait, cpu->waiter_stack);
	cpu->waiter = NULL;
}

void sysprof_switch_arrived(void)
{
	struct switch_cpu *cpu = this_cpu_ptr(&switch_cpus);
	u64 begin = 0;

	if (!cpu->waiter)
		return;
	if (sysprof_event_is_timed(cpu->stacks))
		begin = ktime_get_mono_fast_ns();
	switch_finish(cpu, cpu->waiter == current);
	sysprof_event_pay_for_stack(&cpu->stacks, begin);
}

static noinline void tell_wait(struct switch_cpu *cpu, struct task_struct *task)
{
	struct sysprof_stack *stack = cpu->waiter_stack;

	cpu->stack_call = cpu->calls;
	sysprof_stack_take_kernel(stack, task);
	if (stack->request.max_user && sysprof_stack_has_user(task)) {
		cpu->waiter = task;
		sysprof_arrivals_await(task);
	} else {
		sysprof_stack_leave_out_user(stack);
		sysprof_waits_put(&cpu->wait, stack);
	}
	sysprof_event_pay_for_stack(&cpu->stacks, cpu->wait.end);
}

static __always_inline void change_sums(struct sysprof_slot *slot)
{
	kcsan_nestable_atomic_begin();
	WRITE_ONCE(slot->seq, slot->seq + 1);
	/* Pairs with smp_rmb() in sysprof_threads_sum(). */
	smp_wmb();
}

static __always_inline void sums_changed(struct sysprof_slot *slot)
{
	/* Pairs with the second smp_rmb() in sysprof_threads_sum(). */
	smp_wmb();
	WRITE_ONCE(slot->seq, slot->seq + 1);
	kcsan_nestable_atomic_end();
}

/*
 * A waking that came before its thread left the CPU ends the wait to come only if the waker is
 * still at it; else the thread has run since, and was not woken from this wait.
 */
static noinline void check_early_waking(struct sysprof_slot *slot, struct task_struct *prev)
{
	u64 woken = READ_ONCE(slot->woken);

	if (sysprof_task_state(prev) != TASK_WAKING && !raw_spin_is_locked(&prev->pi_lock))
		cmpxchg(&slot->woken, woken, 0);
}

static noinline void switch_end_thread(struct switch_cpu *cpu, struct sysprof_slot *slot,
				       struct task_struct *prev, u64 now)
{
	struct sysprof_thread record;

	if (!sysprof_threads_sum(prev, slot, now, &record)) {
		record.flags |= SYSPROF_THREAD_ENDED;
		sysprof_subscriptions_thread(prev, &record);
	}
	sysprof_threads_remove(prev);
}

/* @prev leaves its CPU, for @state. */
static __always_inline void switch_leave(struct switch_cpu *cpu, struct task_struct *prev, u8 state,
					 bool is_dead, u64 now)
{
	struct sysprof_slot *slot = cpu->slot;

	if (unlikely(!slot || cpu->running != prev)) {
		slot = sysprof_threads_find(prev);
		if (!slot)
			return;
	}
	now = max(now, slot->since);
	change_sums(slot);
	slot->ns[likely(slot->state == SYSPROF_STATE_RUNNING) ? SYSPROF_STATE_RUNNING :
								SYSPROF_STATE_UNKNOWN] +=
		now - slot->since;
	slot->since = now;
	slot->state = state;
	slot->switches++;
	slot->cpu = smp_processor_id();
	sums_changed(slot);
	if (unlikely(is_dead)) {
		switch_end_thread(cpu, slot, prev, now);
		return;
	}
	/* Instants at which it was running do not count. */
	if (unlikely(slot->next <= now))
		sysprof_threads_pass(slot, now);
	if (unlikely(READ_ONCE(slot->woken))) {
		if (state == SYSPROF_STATE_PREEMPTED)
			WRITE_ONCE(slot->woken, 0);
		else
			check_early_waking(slot, prev);
	}
}

/* Nothing that the thread did while it was off its CPU was reported. */
static noinline void enter_unseen(struct sysprof_slot *slot, u64 now)
{
	now = max(now, slot->since);
	if (slot->next <= now)
		sysprof_threads_pass(slot, now);
	change_sums(slot);
	slot->ns[SYSPROF_STATE_UNKNOWN] += now - slot->since;
	slot->longest = max(slot->longest, now - slot->since);
	slot->since = now;
	slot->woken = 0;
	slot->wake = 0;
	sums_changed(slot);
	sysprof_waits_missed();
}

static __always_inline u64 blocked_part(const struct sysprof_slot *slot, u64 begin, u64 now)
{
	u64 woken = slot->woken;

	return likely(woken) ? clamp(woken, begin, now) - begin : now - begin;
}

/* @next gets its CPU: its wait is over. */
static __always_inline struct sysprof_slot *enter(struct switch_cpu *cpu, struct task_struct *next,
						  u64 now)
{
	struct sysprof_slot *slot = sysprof_threads_find(next);
	struct sysprof_wait *wait = &cpu->wait;
	u64 begin, duration, blocked = 0;
	bool passes, is_delivered;
	u8 state;

	if (unlikely(!slot)) {
		sysprof_waits_missed();
		return sysprof_threads_add(next, SYSPROF_STATE_RUNNING, now, true);
	}
	state = slot->state;
	if (unlikely(state == SYSPROF_STATE_RUNNING)) {
		enter_unseen(slot, now);
		return slot;
	}
	begin = slot->since;
	now = max(now, begin);
	duration = now - begin;
	if (sysprof_needs_waking(state))
		blocked = blocked_part(slot, begin, now);
	wait->begin = begin;
	wait->woken = begin + blocked;
	wait->end = now;
	wait->instants.to = 0;
	passes = slot->next <= now;
	if (unlikely(passes))
		wait->instants = sysprof_threads_pass(slot, now);
	is_delivered = sysprof_waits_pick(wait, passes, slot, next, cpu->waiter_stack);
	change_sums(slot);
	if (sysprof_needs_waking(state)) {
		slot->ns[state] += blocked;
		slot->ns[SYSPROF_STATE_WOKEN] += duration - blocked;
		slot->wakes += !!slot->woken;
	} else {
		slot->ns[state] += duration;
	}
	if (unlikely(slot->longest < duration))
		slot->longest = duration;
	slot->since = now;
	slot->woken = 0;
	slot->wake = 0;
	slot->state = SYSPROF_STATE_RUNNING;
	sums_changed(slot);
	if (is_delivered)
		tell_wait(cpu, next);
	return slot;
}

void sysprof_switch(bool preempt, struct task_struct *prev, struct task_struct *next,
		    unsigned int left, u64 now)
{
	struct switch_cpu *cpu = this_cpu_ptr(&switch_cpus);
	unsigned int state_now = sysprof_task_state(prev);
	u8 state = SYSPROF_STATE_PREEMPTED;

	if (!now)
		now = ktime_get_mono_fast_ns();
	if (unlikely(cpu->waiter))
		switch_finish(cpu, false);
	/* A thread that had a signal pending did not go to sleep, although it was about to. */
	if (!preempt && left && state_now != TASK_RUNNING)
		state = sysprof_threads_state(prev, left);
	if (prev->pid)
		switch_leave(cpu, prev, state, state_now == TASK_DEAD, now);
	sysprof_subscriptions_lane(now, prev, state, next);
	cpu->slot = next->pid ? enter(cpu, next, now) : NULL;
	cpu->running = next;
	switch_end_call(cpu, now);
}

/* Wakings. */

static __always_inline u8 context_now(void)
{
	if (likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK)) && !in_serving_softirq()))
		return current->pid ? SYSPROF_CONTEXT_TASK : SYSPROF_CONTEXT_IDLE;
	if (in_nmi())
		return SYSPROF_CONTEXT_NMI;
	return hardirq_count() ? SYSPROF_CONTEXT_IRQ : SYSPROF_CONTEXT_SOFTIRQ;
}

static noinline void tell_wake(struct switch_cpu *cpu, struct sysprof_slot *slot,
			       struct task_struct *task, u64 now)
{
	u32 number = cpu->wakes + 1;

	/* 0 is none. */
	number += !number;
	cpu->waker_stack->origin = SYSPROF_ORIGIN(0);
	if (!sysprof_wakes_put(task, slot, now, slot->context, cpu->waker_stack,
			       sysprof_wake_key(slot->waker_cpu, number)))
		return;
	cpu->stack_call = cpu->calls;
	cpu->wakes = number;
	slot->wake = number;
	sysprof_event_pay_for_stack(&cpu->stacks, now);
}

static __always_inline void wake(struct task_struct *task)
{
	struct switch_cpu *cpu = this_cpu_ptr(&switch_cpus);
	struct sysprof_slot *slot = sysprof_threads_find(task);
	u64 now = ktime_get_mono_fast_ns();
	u8 wanted;

	if (likely(slot)) {
		slot->waker_pid = current->tgid;
		slot->waker_tid = current->pid;
		slot->waker_cpu = smp_processor_id();
		slot->context = context_now();
		slot->wake = 0;
		wanted = READ_ONCE(sysprof_wakes_wanted);
		if (wanted == SYSPROF_WAKES_ALL ||
		    (wanted == SYSPROF_WAKES_GRID && READ_ONCE(slot->next) <= now))
			tell_wake(cpu, slot, task, now);
		/* The run queue's lock orders it before the switch to the thread. */
		WRITE_ONCE(slot->woken, now);
	}
	switch_end_call(cpu, now);
}

static void waking_hit(void *data, struct task_struct *task)
{
	/* It finds itself awake: it has not left its CPU, and no lock is held. */
	if (unlikely(task == current))
		return;
	/* With its pi_lock interrupts are off: this is a reader of RCU. */
	wake(task);
}

static void wakeup_new_hit(void *data, struct task_struct *task)
{
	unsigned long flags;

	/*
	 * Pairs with the release in switch_put_hooks().  Where @task leaves its CPU for ever,
	 * sched_switch sees at least what is seen here, as run queues' locks are in between, and
	 * removes it.
	 */
	if (!smp_load_acquire(&sysprof_source_gates.switches))
		return;
	local_irq_save(flags);
	sysprof_threads_add(task, SYSPROF_STATE_NEW,
			    min_t(u64, task->start_time, ktime_get_mono_fast_ns()), false);
	local_irq_restore(flags);
}

/* Arming. */

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
} hooks[] = {
	{ "sched_waking", waking_hit },
	{ "sched_wakeup_new", wakeup_new_hit },
};

static void __maybe_unused switch_check_prototypes(void)
{
	check_trace_callback_type_sched_waking(waking_hit);
	check_trace_callback_type_sched_wakeup_new(wakeup_new_hit);
}

const char *sysprof_switch_lacks(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		hooks[i].tracepoint = sysprof_trace_point_find(hooks[i].name);
		if (!hooks[i].tracepoint)
			return hooks[i].name;
	}
	return NULL;
}

static void switch_free_stacks(void)
{
	struct switch_cpu *cpu;
	int i;

	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(&switch_cpus, i);
		kvfree(cpu->waiter_stack);
		kvfree(cpu->waker_stack);
		cpu->waiter_stack = cpu->waker_stack = NULL;
	}
}

static int switch_alloc_stacks(void)
{
	struct switch_cpu *cpu;
	int i;

	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(&switch_cpus, i);
		cpu->slot = NULL;
		cpu->waiter = NULL;
		cpu->calls = cpu->cost_ns = 0;
		cpu->waiter_stack = kvzalloc_node(sizeof(*cpu->waiter_stack), GFP_KERNEL,
						  cpu_to_node(i));
		cpu->waker_stack =
			kvzalloc_node(sizeof(*cpu->waker_stack), GFP_KERNEL, cpu_to_node(i));
		if (!cpu->waiter_stack || !cpu->waker_stack) {
			switch_free_stacks();
			return -ENOMEM;
		}
	}
	return 0;
}

static void switch_remove_hooks(int n)
{
	WRITE_ONCE(sysprof_source_gates.switches, false);
	while (n--)
		tracepoint_probe_unregister(hooks[n].tracepoint, hooks[n].probe, NULL);
	tracepoint_synchronize_unregister();
	/* sched_switch stays hooked, for sessions that saw that it was wanted. */
	synchronize_rcu();
	sysprof_arrivals_end();
}

static int switch_put_hooks(void)
{
	int i, err;

	sysprof_arrivals_begin();
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		err = tracepoint_probe_register(hooks[i].tracepoint, hooks[i].probe, NULL);
		if (err) {
			switch_remove_hooks(i);
			return err;
		}
	}
	/*
	 * Pairs with the dependent loads of CPUs that see the table: everything that they use is
	 * ready.
	 */
	smp_store_release(&sysprof_source_gates.switches, true);
	sysprof_threads_scan();
	return 0;
}

static int switch_put_all(struct sysprof_arming *arming)
{
	/*
	 * The hooks that call sysprof_switch() stay as long as the table, which would be wrong
	 * otherwise.
	 */
	int err = sysprof_hooks_hold();

	if (err)
		return err;
	err = switch_alloc_stacks();
	if (err)
		goto err_hooks;
	err = sysprof_threads_alloc();
	if (err)
		goto err_stacks;
	err = switch_put_hooks();
	if (err)
		goto err_threads;
	return 0;

err_threads:
	sysprof_threads_free();
err_stacks:
	switch_free_stacks();
err_hooks:
	sysprof_hooks_disarm();
	return err;
}

static void switch_remove_all(struct sysprof_arming *arming)
{
	switch_remove_hooks(ARRAY_SIZE(hooks));
	sysprof_threads_free();
	switch_free_stacks();
	sysprof_hooks_disarm();
}

struct sysprof_arming sysprof_switches =
	SYSPROF_ARMING(sysprof_switches, switch_put_all, switch_remove_all);

void sysprof_switch_cost(int cpu, u64 *ns, u64 *calls)
{
	*ns = READ_ONCE(per_cpu_ptr(&switch_cpus, cpu)->cost_ns);
	*calls = READ_ONCE(per_cpu_ptr(&switch_cpus, cpu)->calls);
}
