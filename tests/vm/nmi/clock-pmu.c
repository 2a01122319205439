// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests, in place of the module's own: counters of a machine that has none.  Their event is the
 * NMI that the emulator is asked to send (tests/vm/run --nmi), and each is the end of a period:
 * whatever an overflow does is done in true NMI context.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <asm/nmi.h>

#include "clock-pmu.h"
#include "delivery.h"
#include "session-samples.h"
#include "stack.h"

#define SESSIONS_MAX 4

/**
 * struct counter - of one session on one CPU
 * @periods: NMIs since it was made
 * @stack: where one puts what it finds
 */
struct counter {
	u64 periods;
	struct sysprof_stack *stack;
};

struct sysprof_pmu {
	struct sysprof_session *session;
	struct counter counters[];
};

static struct sysprof_pmu *enabled[SESSIONS_MAX];
static unsigned int users;
static DEFINE_MUTEX(lock);

static int nmi(unsigned int type, struct pt_regs *regs)
{
	struct sysprof_pmu *pmu;
	struct counter *counter;
	int i;

	for (i = 0; i < SESSIONS_MAX; i++) {
		pmu = READ_ONCE(enabled[i]);
		counter = pmu ? &pmu->counters[smp_processor_id()] : NULL;
		if (counter && counter->stack)
			sysprof_session_overflow(pmu->session, counter->stack, regs,
						 ++counter->periods);
	}
	return NMI_HANDLED;
}

bool sysprof_pmu_available(void)
{
	return true;
}

void sysprof_pmu_destroy(struct sysprof_pmu *pmu)
{
	int cpu;

	mutex_lock(&lock);
	if (!--users)
		unregister_nmi_handler(NMI_LOCAL, "sysprof-test");
	mutex_unlock(&lock);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		kfree(pmu->counters[cpu].stack);
	kfree(pmu);
}

struct sysprof_pmu *sysprof_pmu_create(struct sysprof_session *session)
{
	struct sysprof_pmu *pmu = kzalloc(struct_size(pmu, counters, nr_cpu_ids), GFP_KERNEL);
	int cpu;

	if (!pmu)
		return ERR_PTR(-ENOMEM);
	pmu->session = session;
	mutex_lock(&lock);
	if (!users++)
		register_nmi_handler(NMI_LOCAL, nmi, 0, "sysprof-test");
	mutex_unlock(&lock);
	for_each_cpu(cpu, session->cpumask) {
		if (!cpu_online(cpu))
			continue;
		pmu->counters[cpu].stack = kzalloc(sizeof(*pmu->counters[cpu].stack), GFP_KERNEL);
		if (!pmu->counters[cpu].stack) {
			sysprof_pmu_destroy(pmu);
			return ERR_PTR(-ENOMEM);
		}
	}
	return pmu;
}

static int exchange(struct sysprof_pmu *old, struct sysprof_pmu *new)
{
	int i = 0;

	mutex_lock(&lock);
	while (i < SESSIONS_MAX && enabled[i] != old)
		i++;
	if (i < SESSIONS_MAX)
		WRITE_ONCE(enabled[i], new);
	mutex_unlock(&lock);
	return i < SESSIONS_MAX ? 0 : -EBUSY;
}

int sysprof_pmu_enable(struct sysprof_pmu *pmu)
{
	return exchange(NULL, pmu);
}

void sysprof_pmu_disable(struct sysprof_pmu *pmu)
{
	exchange(pmu, NULL);
	/* NMIs that had seen it are over. */
	synchronize_rcu();
}
