// SPDX-License-Identifier: GPL-2.0-only
/*
 * The other clock: a hardware counter on each CPU, of cycles or any other event.  Where its
 * overflow is an NMI it finds code that has interrupts off.  Each session has its own counters;
 * session-samples.c decides what happens to a period.
 *
 * A period is a number of events; a counter that stands still, because the CPU sleeps or perf holds
 * it back, has no periods.  CPUs that come online while a session runs have no counter until its
 * next START.
 */
#include <linux/cpu.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "delivery.h"
#include "session-quota.h"
#include "clock-pmu.h"
#include "session-samples.h"
#include "stack.h"

/**
 * struct counter - of one session on one CPU
 * @session: whose
 * @event: perf's
 * @stack: where an overflow puts what it finds; an overflow is not interrupted by another of the
 *	same counter
 */
struct counter {
	struct sysprof_session *session;
	struct perf_event *event;
	struct sysprof_stack *stack;
};

struct sysprof_pmu {
	struct sysprof_session_quota *charge;
	unsigned int nr;
	struct counter counters[];
};

/* Runs in NMI, or in an ordinary interrupt if the PMU has no other. */
static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct counter *counter = event->overflow_handler_context;

	sysprof_session_overflow(counter->session, counter->stack, regs,
				 div64_u64(local64_read(&event->count), event->attr.sample_period));
}

static struct perf_event *clock_pmu_create(int cpu, u32 type, u64 config, u64 period, void *context)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = config,
		.size = sizeof(attr),
		.sample_period = period,
		.pinned = 1,
		.disabled = 1,
		/* A guest that has the PMU to itself leaves no other choice. */
		.exclude_guest = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, overflow, context);
}

bool sysprof_pmu_available(void)
{
	static enum { UNKNOWN, YES, NO } known;
	struct perf_event *event;

	if (READ_ONCE(known) == UNKNOWN) {
		cpus_read_lock();
		event = clock_pmu_create(raw_smp_processor_id(), PERF_TYPE_HARDWARE,
					 PERF_COUNT_HW_CPU_CYCLES, SYSPROF_DEFAULT_EVENT_PERIOD,
					 NULL);
		cpus_read_unlock();
		WRITE_ONCE(known, IS_ERR(event) ? NO : YES);
		if (!IS_ERR(event))
			perf_event_release_kernel(event);
	}
	return READ_ONCE(known) == YES;
}

void sysprof_pmu_destroy(struct sysprof_pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->nr; i++) {
		if (!IS_ERR_OR_NULL(pmu->counters[i].event))
			perf_event_release_kernel(pmu->counters[i].event);
		kfree(pmu->counters[i].stack);
	}
	sysprof_session_quota_sub(pmu->charge, pmu->nr * sizeof(*pmu->counters[0].stack));
	kfree(pmu);
}

struct sysprof_pmu *sysprof_pmu_create(struct sysprof_session *session)
{
	const struct sysprof_config *config = &session->config;
	struct sysprof_pmu *pmu =
		kzalloc(struct_size(pmu, counters, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	struct counter *counter;
	long err = -ENOMEM;
	int cpu;

	if (!pmu)
		return ERR_PTR(err);
	pmu->charge = session->charge;
	for_each_cpu(cpu, session->cpumask) {
		if (!cpu_online(cpu))
			continue;
		err = sysprof_session_quota_add(pmu->charge, sizeof(*counter->stack));
		if (err)
			goto err_destroy;
		counter = &pmu->counters[pmu->nr++];
		counter->session = session;
		err = -ENOMEM;
		counter->stack =
			kzalloc_node(sizeof(*counter->stack), GFP_KERNEL_ACCOUNT, cpu_to_node(cpu));
		if (!counter->stack)
			goto err_destroy;
		counter->event = clock_pmu_create(cpu, config->event_type, config->event_config,
						  config->event_period, counter);
		if (IS_ERR(counter->event)) {
			err = PTR_ERR(counter->event);
			/* perf's error for an event that the machine does not have. */
			if (err == -ENOENT)
				err = -ENODEV;
			goto err_destroy;
		}
	}
	return pmu;

err_destroy:
	sysprof_pmu_destroy(pmu);
	return ERR_PTR(err);
}

int sysprof_pmu_enable(struct sysprof_pmu *pmu)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < pmu->nr; i++) {
		event = pmu->counters[i].event;
		perf_event_enable(event);
		/* The event is pinned: if it is not on its CPU now, it never will be. */
		if (READ_ONCE(event->state) < PERF_EVENT_STATE_OFF)
			return -EBUSY;
	}
	return 0;
}

void sysprof_pmu_disable(struct sysprof_pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < pmu->nr; i++)
		perf_event_disable(pmu->counters[i].event);
}
