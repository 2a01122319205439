// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page faults, as perf counts them: minor and major ones, each once, where the kernel has served
 * it.  x86's exception trace point reports when a fault began, and whether it was a write to a page
 * that was present.  Without that trace point, faults take no time.
 *
 * A CPU that comes online while the hooks are in place reports no faults until they are put in
 * place again.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "compat/trace-type.h"
#include "handles.h"
#include "prompt.h"

#ifdef SYSPROF_HAS_EXCEPTIONS
#include <trace/events/exceptions.h>
#define HAS_EXCEPTIONS
#elif defined(CONFIG_X86)
#include <asm/trace/exceptions.h>
#define HAS_EXCEPTIONS
#endif

#define BITS 12

/* Of x86's error code. */
#define FAULT_WAS_THERE BIT(0)
#define FAULT_WRITE	BIT(1)
#define FAULT_EXEC	BIT(4)

static const u64 kinds[] = { PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ };

static struct perf_event **counters;
/* By task: address and error code of the fault that it is in. */
static struct sysprof_handles *handles;

static u16 flags_of(u64 code)
{
	return (code & FAULT_WRITE ? SYSPROF_FAULT_WRITE : 0) |
	       (code & FAULT_EXEC ? SYSPROF_FAULT_EXEC : 0) |
	       (code & FAULT_WRITE && code & FAULT_WAS_THERE ? SYSPROF_FAULT_COPY : 0);
}

static void tell(u64 address, bool is_major, struct pt_regs *regs)
{
	struct sysprof_part_fault part = {
		.part = { .type = SYSPROF_PART_FAULT,
			  .size = sizeof(part) / 8,
			  .a = (is_major ? SYSPROF_FAULT_MAJOR : 0) |
			       (user_mode(regs) ? 0 : SYSPROF_FAULT_KERNEL) },
	};
	struct sysprof_prompt_event event = {
		.end = ktime_get_mono_fast_ns(),
		.value = 1,
		.part = &part.part,
		.regs = regs,
		.prompt = SYSPROF_PROMPT_FAULT,
		.axis = SYSPROF_AXIS_EVENTS,
		.phase = SYSPROF_PHASE_INSTANT,
	};
	struct sysprof_handle handle;

	event.begin = event.end;
	if (sysprof_handles_take(handles, current, &handle) &&
	    handle.key == address >> PAGE_SHIFT) {
		part.part.a |= flags_of(handle.value);
		event.begin = handle.since;
		event.phase = SYSPROF_PHASE_SPAN;
	}
	rcu_read_lock();
	sysprof_prompt_tell(&event);
	rcu_read_unlock();
}

static void fault_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	unsigned long flags;

	local_irq_save(flags);
	tell(data->addr, event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ, regs);
	local_irq_restore(flags);
}

/* Faults that are not served are none: the walk of a user stack makes some. */
static void exception_hit(void *data, unsigned long address, struct pt_regs *regs,
			  unsigned long code)
{
	struct sysprof_handle *handle;
	unsigned long flags;

	if (in_nmi() || pagefault_disabled())
		return;
	local_irq_save(flags);
	handle = sysprof_handles_put(handles, current);
	if (handle)
		*handle = (struct sysprof_handle){
			.since = ktime_get_mono_fast_ns(),
			.value = code,
			.key = address >> PAGE_SHIFT,
		};
	local_irq_restore(flags);
}

#ifdef HAS_EXCEPTIONS
#define TAKES_EXCEPTION(name)                                                                      \
	SYSPROF_TRACE_CHOOSE(name, exception_hit, NULL, unsigned long, struct pt_regs *,           \
			     unsigned long)
#else
#define TAKES_EXCEPTION(name) NULL
#endif

static struct sysprof_hook hooks[] = {
	{ "page_fault_user", TAKES_EXCEPTION(page_fault_user), .is_optional = true },
	{ "page_fault_kernel", TAKES_EXCEPTION(page_fault_kernel), .is_optional = true },
};

static void end(void)
{
	int i;

	for (i = 0; counters && i < nr_cpu_ids * ARRAY_SIZE(kinds); i++)
		if (!IS_ERR_OR_NULL(counters[i]))
			perf_event_release_kernel(counters[i]);
	kvfree(counters);
	counters = NULL;
	sysprof_handles_destroy(handles);
	handles = NULL;
}

static struct perf_event *create(int cpu, u64 kind)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = kind,
		.size = sizeof(attr),
		.sample_period = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, fault_hit, NULL);
}

static int create_counters(void)
{
	struct perf_event **at = counters;
	int cpu, i, err = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		for (i = 0; i < ARRAY_SIZE(kinds) && !err; i++, at++) {
			*at = create(cpu, kinds[i]);
			err = PTR_ERR_OR_ZERO(*at);
		}
	cpus_read_unlock();
	return err;
}

static int begin(void)
{
	int err = -ENOMEM;

	handles = sysprof_handles_create(BITS);
	counters = kvcalloc(nr_cpu_ids * ARRAY_SIZE(kinds), sizeof(*counters), GFP_KERNEL);
	if (handles && counters)
		err = create_counters();
	if (err)
		end();
	return err;
}

struct sysprof_hooking sysprof_faults = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_faults),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
	.begin = begin,
	.end = end,
};
