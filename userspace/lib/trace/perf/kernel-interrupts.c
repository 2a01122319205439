/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interrupts and soft interrupts: spans of a CPU, which nest.  An interrupt's time is without those
 * that interrupted it, a soft interrupt's without all interrupts that came meanwhile.
 */
#include <string.h>

#include "trace/perf/kernel-hooks.h"

enum { VECTOR, NAME };

static struct spt_interrupt_cpu *interrupt_cpu(SptKernelState *state,
					       const struct spt_kernel_hit *hit)
{
	return &state->interrupts[hit->who.cpu];
}

static void irq_entered(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	struct spt_interrupt_cpu *cpu = interrupt_cpu(state, hit);
	struct spt_interrupt *irq;

	/* Ends were lost: those under way are not known. */
	if (cpu->n_irqs == SPT_INTERRUPTS_DEEP)
		cpu->n_irqs = 0;
	irq = &cpu->irqs[cpu->n_irqs++];
	*irq = (struct spt_interrupt){
		.hook = hit->hook,
		.begin = hit->who.time,
		.vector = (uint32_t)spt_hit_number(hit, VECTOR),
	};
	if (hit->hook->what)
		g_strlcpy(irq->name, hit->hook->what, sizeof(irq->name));
	else
		spt_hit_text(hit, NAME, irq->name, sizeof(irq->name));
}

static void interrupt_tell(SptKernelState *state, const struct spt_kernel_hit *hit,
			   const struct spt_interrupt *of, uint64_t value, uint8_t context)
{
	struct sysprof_part_irq part = {
		.part = { SYSPROF_PART_IRQ, sizeof(part) / 8, 0, 0 },
		.vector = of->vector,
	};
	const struct spt_kernel_event event = {
		.kind = hit->hook->kind,
		.phase = SYSPROF_PHASE_SPAN,
		.context = context,
		.begin = of->begin,
		.value = value,
		.weight = 1,
		.part = &part.part,
		.has_stack = true,
	};

	memcpy(part.name, of->name, sizeof(part.name));
	spt_kernel_tell(state, hit, &event);
}

/* The context that an interrupt found, or a soft interrupt. */
static uint8_t interrupted_context(const struct spt_kernel_hit *hit, bool is_soft)
{
	if (!is_soft && spt_hit_in_softirq(hit))
		return SYSPROF_CONTEXT_SOFTIRQ;
	return hit->who.tid ? SYSPROF_CONTEXT_TASK : SYSPROF_CONTEXT_IDLE;
}

/* Where ends were lost, what is above the one that ends has ended, too. */
static void irq_left(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	struct spt_interrupt_cpu *cpu = interrupt_cpu(state, hit);
	uint32_t vector = (uint32_t)spt_hit_number(hit, VECTOR);
	unsigned i = cpu->n_irqs;
	uint64_t ns, own;

	while (i && (g_strcmp0(cpu->irqs[i - 1].hook->what, hit->hook->what) ||
		     cpu->irqs[i - 1].vector != vector))
		i--;
	if (!i) {
		spt_kernel_tell_unpaired(state, hit);
		return;
	}
	cpu->n_irqs = i - 1;
	ns = hit->who.time - MIN(cpu->irqs[i - 1].begin, hit->who.time);
	own = ns - MIN(ns, cpu->irqs[i - 1].inner_ns);
	if (i > 1)
		cpu->irqs[i - 2].inner_ns += ns;
	else
		cpu->total_ns += ns;
	interrupt_tell(state, hit, &cpu->irqs[i - 1], own, interrupted_context(hit, false));
}

static struct spt_interrupt *softirq_of_thread(struct spt_interrupt_cpu *cpu, uint64_t thread)
{
	for (unsigned i = 0; i < SPT_INTERRUPTS_DEEP; i++)
		if (cpu->softirqs[i].thread == thread)
			return &cpu->softirqs[i];
	return NULL;
}

/* On RT kernels several threads can be in a soft interrupt of a CPU. */
static void softirq_entered(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	struct spt_interrupt_cpu *cpu = interrupt_cpu(state, hit);
	uint64_t thread = spt_hit_thread(hit);
	struct spt_interrupt *softirq = softirq_of_thread(cpu, thread);

	if (!softirq)
		softirq = softirq_of_thread(cpu, 0);
	/* Ends were lost: any of them is as good. */
	if (!softirq)
		softirq = cpu->softirqs;
	*softirq = (struct spt_interrupt){
		.thread = thread,
		.begin = hit->who.time,
		.inner_ns = cpu->total_ns,
		.vector = (uint32_t)spt_hit_number(hit, VECTOR),
	};
}

static const char *softirq_name(uint32_t vector)
{
	static const char *const names[] = { "HI",    "TIMER",	 "NET_TX",  "NET_RX", "BLOCK",
					     "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };

	return vector < G_N_ELEMENTS(names) ? names[vector] : "";
}

static void softirq_left(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	struct spt_interrupt_cpu *cpu = interrupt_cpu(state, hit);
	struct spt_interrupt *softirq = softirq_of_thread(cpu, spt_hit_thread(hit));
	uint64_t ns, inner;

	if (!softirq || softirq->vector != spt_hit_number(hit, VECTOR)) {
		spt_kernel_tell_unpaired(state, hit);
		return;
	}
	ns = hit->who.time - MIN(softirq->begin, hit->who.time);
	inner = MIN(ns, cpu->total_ns - softirq->inner_ns);
	g_strlcpy(softirq->name, softirq_name(softirq->vector), sizeof(softirq->name));
	interrupt_tell(state, hit, softirq, ns - inner, interrupted_context(hit, true));
	softirq->thread = 0;
}

/*
 * Interrupts of x86 that have no action.  The kernel gives no samples of irq_work: they would cause
 * it.
 */
#define VECTOR_HOOKS(vector_name)                                                                  \
	{                                                                                          \
		.name = "irq_vectors:" vector_name "_exit",                                        \
		.kind = SYSPROF_SOURCE_IRQ,                                                        \
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK | SPT_HOOK_OPTIONAL,                     \
		.take = irq_left,                                                                  \
		.fields = { [VECTOR] = "vector" },                                                 \
		.what = vector_name,                                                               \
	},                                                                                         \
	{                                                                                          \
		.name = "irq_vectors:" vector_name "_entry",                                       \
		.kind = SYSPROF_SOURCE_IRQ,                                                        \
		.flags = SPT_HOOK_OPTIONAL,                                                        \
		.take = irq_entered,                                                               \
		.fields = { [VECTOR] = "vector" },                                                 \
		.what = vector_name,                                                               \
	}

const struct spt_kernel_hook spt_hooks_interrupts[] = {
	{
		.name = "irq:irq_handler_exit",
		.kind = SYSPROF_SOURCE_IRQ,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK,
		.take = irq_left,
		.fields = { [VECTOR] = "irq" },
	},
	{
		.name = "irq:irq_handler_entry",
		.kind = SYSPROF_SOURCE_IRQ,
		.take = irq_entered,
		.fields = { [VECTOR] = "irq", [NAME] = "name" },
	},
	VECTOR_HOOKS("local_timer"),
	VECTOR_HOOKS("reschedule"),
	VECTOR_HOOKS("call_function"),
	VECTOR_HOOKS("call_function_single"),
	VECTOR_HOOKS("x86_platform_ipi"),
	VECTOR_HOOKS("thermal_apic"),
	VECTOR_HOOKS("threshold_apic"),
	VECTOR_HOOKS("deferred_error_apic"),
	VECTOR_HOOKS("error_apic"),
	VECTOR_HOOKS("spurious_apic"),
	{
		.name = "irq:softirq_exit",
		.kind = SYSPROF_SOURCE_SOFTIRQ,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK,
		.take = softirq_left,
		.fields = { [VECTOR] = "vec" },
	},
	{
		.name = "irq:softirq_entry",
		.kind = SYSPROF_SOURCE_SOFTIRQ,
		.take = softirq_entered,
		.fields = { [VECTOR] = "vec" },
	},
	{ 0 },
};
