// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts and soft interrupts: how long their handlers take.  A handler's time is known when it
 * ends; the stack there has the interrupted code behind the handler's own frames.
 *
 * Handlers of one CPU's interrupts follow each other.  They interrupt soft interrupts, whose time
 * is without theirs.  NMIs are not reported: those that the kernel hands to actions (arm64) may
 * come within a hook.
 */
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <trace/events/irq.h>

#include "sources/immediate.h"

/*
 * RT kernels from 6.18 on can preempt the handler of a soft interrupt by another one on the same
 * CPU, which runs in another task.
 */
#ifdef CONFIG_PREEMPT_RT
#define SOFTIRQS 8
#else
#define SOFTIRQS 1
#endif

/**
 * struct softirq - a soft interrupt under way
 * @task: in which it runs; NULL: there is none
 * @begin: when it began
 * @total_ns: that of struct interrupt_cpu at that time
 */
struct softirq {
	const struct task_struct *task;
	u64 begin;
	u64 total_ns;
};

/**
 * struct interrupt_cpu - of one CPU; touched there with interrupts off
 * @begin: of the interrupt under way
 * @total_ns: of all interrupts
 * @softirqs: soft interrupts that were seen to begin
 * @depth: interrupts under way
 */
struct interrupt_cpu {
	u64 begin;
	u64 total_ns;
	struct softirq softirqs[SOFTIRQS];
	u32 depth;
};

static DEFINE_PER_CPU(struct interrupt_cpu, interrupt_cpus);

static void interrupts_tell(enum sysprof_immediate immediate, u64 begin, u64 now, u64 value,
			    u32 vector, const char *name)
{
	struct sysprof_part_irq part = {
		.part = { .type = SYSPROF_PART_IRQ, .size = sizeof(part) / 8 },
		.vector = vector,
	};
	struct sysprof_immediate_event event = {
		.begin = begin,
		.end = now,
		.value = value,
		.part = &part.part,
		.immediate = immediate,
		.context = immediate == SYSPROF_IMMEDIATE_IRQ && in_serving_softirq() ?
				   SYSPROF_CONTEXT_SOFTIRQ :
			   current->pid ? SYSPROF_CONTEXT_TASK :
					  SYSPROF_CONTEXT_IDLE,
	};

	if (name)
		strscpy(part.name, name, sizeof(part.name));
	sysprof_immediate_tell(&event);
}

static void begin_interrupt(void)
{
	struct interrupt_cpu *cpu;
	unsigned long flags;

	if (in_nmi())
		return;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&interrupt_cpus);
	if (!cpu->depth++)
		cpu->begin = ktime_get_mono_fast_ns();
	local_irq_restore(flags);
}

static void end_interrupt(u32 vector, const char *name)
{
	struct interrupt_cpu *cpu;
	unsigned long flags;
	u64 now;

	if (in_nmi())
		return;
	local_irq_save(flags);
	cpu = this_cpu_ptr(&interrupt_cpus);
	/* One that was under way when the hooks came was not seen to begin. */
	if (cpu->depth && !--cpu->depth) {
		now = ktime_get_mono_fast_ns();
		cpu->total_ns += now - cpu->begin;
		rcu_read_lock();
		interrupts_tell(SYSPROF_IMMEDIATE_IRQ, cpu->begin, now, now - cpu->begin, vector,
				name);
		rcu_read_unlock();
	}
	local_irq_restore(flags);
}

static void irq_entry_hit(void *data, int irq, struct irqaction *action)
{
	begin_interrupt();
}

static void irq_exit_hit(void *data, int irq, struct irqaction *action, int ret)
{
	end_interrupt(irq, action->name);
}

static struct softirq *softirq_of(struct interrupt_cpu *cpu, const struct task_struct *task)
{
	int i;

	for (i = 0; i < SOFTIRQS; i++)
		if (cpu->softirqs[i].task == task)
			return &cpu->softirqs[i];
	return NULL;
}

static void interrupts_softirq_entry_hit(void *data, unsigned int vector)
{
	struct interrupt_cpu *cpu;
	struct softirq *softirq;
	unsigned long flags;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&interrupt_cpus);
	softirq = SOFTIRQS > 1 ? softirq_of(cpu, NULL) : &cpu->softirqs[0];
	if (softirq)
		*softirq = (struct softirq){
			.task = current,
			.begin = ktime_get_mono_fast_ns(),
			.total_ns = cpu->total_ns,
		};
	else
		sysprof_immediate_missed(SYSPROF_IMMEDIATE_SOFTIRQ);
	local_irq_restore(flags);
}

static const char *name_of_softirq(unsigned int vector)
{
	static const char *const names[] = {
		[HI_SOFTIRQ] = "HI",	       [TIMER_SOFTIRQ] = "TIMER",
		[NET_TX_SOFTIRQ] = "NET_TX",   [NET_RX_SOFTIRQ] = "NET_RX",
		[BLOCK_SOFTIRQ] = "BLOCK",     [IRQ_POLL_SOFTIRQ] = "IRQ_POLL",
		[TASKLET_SOFTIRQ] = "TASKLET", [SCHED_SOFTIRQ] = "SCHED",
		[HRTIMER_SOFTIRQ] = "HRTIMER", [RCU_SOFTIRQ] = "RCU",
	};

	return vector < ARRAY_SIZE(names) ? names[vector] : NULL;
}

static void interrupts_softirq_exit_hit(void *data, unsigned int vector)
{
	struct interrupt_cpu *cpu;
	struct softirq *softirq;
	unsigned long flags;
	u64 now, duration, nested;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&interrupt_cpus);
	softirq = softirq_of(cpu, current);
	if (softirq) {
		now = ktime_get_mono_fast_ns();
		duration = now - softirq->begin;
		nested = min(cpu->total_ns - softirq->total_ns, duration);
		rcu_read_lock();
		interrupts_tell(SYSPROF_IMMEDIATE_SOFTIRQ, softirq->begin, now, duration - nested,
				vector, name_of_softirq(vector));
		rcu_read_unlock();
		softirq->task = NULL;
	}
	local_irq_restore(flags);
}

/* Interrupts of x86 that have no action: the probe's data is their name. */
static void __maybe_unused vector_entry_hit(void *data, int vector)
{
	begin_interrupt();
}

static void __maybe_unused vector_exit_hit(void *data, int vector)
{
	end_interrupt(vector, data);
}

/*
 * In pairs: hooks of ends are put before hooks of beginnings, and removed after them, so that no
 * handler is seen only to begin.
 */
/* clang-format off */
static struct sysprof_hook hooks[] = {
	{ "irq_handler_exit", irq_exit_hit },
	{ "irq_handler_entry", irq_entry_hit },
	{ "softirq_exit", interrupts_softirq_exit_hit },
	{ "softirq_entry", interrupts_softirq_entry_hit },
#define ENDS(vector) { #vector "_exit", vector_exit_hit, #vector, true }
#define BEGINS(vector) { #vector "_entry", vector_entry_hit, #vector, true }
#ifdef CONFIG_X86_LOCAL_APIC
	ENDS(local_timer), BEGINS(local_timer),
	ENDS(reschedule), BEGINS(reschedule),
	ENDS(call_function), BEGINS(call_function),
	ENDS(call_function_single), BEGINS(call_function_single),
	ENDS(irq_work), BEGINS(irq_work),
	ENDS(x86_platform_ipi), BEGINS(x86_platform_ipi),
	ENDS(thermal_apic), BEGINS(thermal_apic),
	ENDS(threshold_apic), BEGINS(threshold_apic),
	ENDS(deferred_error_apic), BEGINS(deferred_error_apic),
	ENDS(error_apic), BEGINS(error_apic),
	ENDS(spurious_apic), BEGINS(spurious_apic),
#endif
};
/* clang-format on */

static void __maybe_unused interrupts_check_prototypes(void)
{
	check_trace_callback_type_irq_handler_entry(irq_entry_hit);
	check_trace_callback_type_irq_handler_exit(irq_exit_hit);
	check_trace_callback_type_softirq_entry(interrupts_softirq_entry_hit);
	check_trace_callback_type_softirq_exit(interrupts_softirq_exit_hit);
}

static int interrupts_begin(void)
{
	int i;

	for_each_possible_cpu(i)
		*per_cpu_ptr(&interrupt_cpus, i) = (struct interrupt_cpu){};
	return 0;
}

struct sysprof_hooking sysprof_interrupts = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_interrupts),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
	.begin = interrupts_begin,
};
