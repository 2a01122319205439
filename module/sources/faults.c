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
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>

#include "compat/trace-type.h"
#include "sources/immediate.h"

#ifdef SYSPROF_HAS_EXCEPTIONS
#include <trace/events/exceptions.h>
#define HAS_EXCEPTIONS
#elif defined(CONFIG_X86)
#include <asm/trace/exceptions.h>
#define HAS_EXCEPTIONS
#endif

#define BITS 13

/* Bits of x86's error code. */
#define FAULT_WAS_THERE BIT(0)
#define FAULT_WRITE	BIT(1)
#define FAULT_EXEC	BIT(4)

static const u64 kinds[] = { PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ };

static struct perf_event **counters;

/**
 * struct begun - a fault that a task handles
 * @task: the task
 * @page: number of the page
 * @code: x86's error code
 * @since: when it began
 * @check: @task and @since, to find out whether another task wrote here at the same time
 */
struct begun {
	const struct task_struct *task;
	unsigned long page;
	unsigned long code;
	u64 since;
	u64 check;
};

/*
 * By hash of the task.  Of two tasks with the same hash the later one's fault remains, and the
 * other's takes no time: that is rare, and all others are cheap.
 */
static struct begun *begun;

static struct begun *begun_of(const struct task_struct *task)
{
	return &begun[hash_ptr((void *)task, BITS)];
}

static u64 check_of(const struct task_struct *task, u64 since)
{
	return (unsigned long)task ^ since;
}

static u16 faults_flags_of(u64 code)
{
	return (code & FAULT_WRITE ? SYSPROF_FAULT_WRITE : 0) |
	       (code & FAULT_EXEC ? SYSPROF_FAULT_EXEC : 0) |
	       (code & FAULT_WRITE && code & FAULT_WAS_THERE ? SYSPROF_FAULT_COPY : 0);
}

static void faults_tell(u64 address, bool is_major, struct pt_regs *regs)
{
	struct sysprof_part_fault part = {
		.part = { .type = SYSPROF_PART_FAULT,
			  .size = sizeof(part) / 8,
			  .a = (is_major ? SYSPROF_FAULT_MAJOR : 0) |
			       (user_mode(regs) ? 0 : SYSPROF_FAULT_KERNEL) },
	};
	struct sysprof_immediate_event event = {
		.end = ktime_get_mono_fast_ns(),
		.value = 1,
		.part = &part.part,
		.regs = regs,
		.immediate = SYSPROF_IMMEDIATE_FAULT,
		.axis = SYSPROF_AXIS_EVENTS,
		.phase = SYSPROF_PHASE_INSTANT,
	};
	const struct begun at = *begun_of(current);
	unsigned long flags;

	event.begin = event.end;
	if (at.task == current && at.page == address >> PAGE_SHIFT &&
	    at.check == check_of(current, at.since)) {
		part.part.a |= faults_flags_of(at.code);
		event.begin = at.since;
		event.phase = SYSPROF_PHASE_SPAN;
	}
	local_irq_save(flags);
	rcu_read_lock();
	sysprof_immediate_tell(&event);
	rcu_read_unlock();
	local_irq_restore(flags);
}

static void fault_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	if (unlikely(!sysprof_immediate_passes(SYSPROF_IMMEDIATE_FAULT, 1)))
		faults_tell(data->addr, event->attr.config == PERF_COUNT_SW_PAGE_FAULTS_MAJ, regs);
}

/* Faults that are not served do not count: the walk of a user stack makes some. */
static void __maybe_unused exception_hit(void *data, unsigned long address, struct pt_regs *regs,
					 unsigned long code)
{
	u64 now;

	/* In interrupts none are. */
	if (in_interrupt() || pagefault_disabled())
		return;
	now = ktime_get_mono_fast_ns();
	*begun_of(current) = (struct begun){
		.task = current,
		.page = address >> PAGE_SHIFT,
		.code = code,
		.since = now,
		.check = check_of(current, now),
	};
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

static void faults_end(void)
{
	int i;

	for (i = 0; counters && i < nr_cpu_ids * ARRAY_SIZE(kinds); i++)
		if (!IS_ERR_OR_NULL(counters[i]))
			perf_event_release_kernel(counters[i]);
	/*
	 * A counter can go while its handler runs, as that only keeps RCU from going on.  What it
	 * uses is freed here, and after this function.
	 */
	synchronize_rcu();
	kvfree(counters);
	counters = NULL;
	kvfree(begun);
	begun = NULL;
}

static struct perf_event *faults_create(int cpu, u64 kind)
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
			*at = faults_create(cpu, kinds[i]);
			err = PTR_ERR_OR_ZERO(*at);
		}
	cpus_read_unlock();
	return err;
}

struct creation {
	struct work_struct work;
	int err;
};

static void create_fn(struct work_struct *work)
{
	struct creation *creation = container_of(work, struct creation, work);

	creation->err = create_counters();
}

/*
 * Before 6.2 perf asks current for rights to count on a CPU.  The counters are the module's, and
 * sessions get what their own rights allow: a worker creates them.
 */
static int create_counters_as_kernel(void)
{
	struct creation creation;

	INIT_WORK_ONSTACK(&creation.work, create_fn);
	schedule_work(&creation.work);
	flush_work(&creation.work);
	destroy_work_on_stack(&creation.work);
	return creation.err;
}

static int faults_begin(void)
{
	int err = -ENOMEM;

	begun = kvcalloc(1UL << BITS, sizeof(*begun), GFP_KERNEL);
	counters = kvcalloc(nr_cpu_ids * ARRAY_SIZE(kinds), sizeof(*counters), GFP_KERNEL);
	if (begun && counters)
		err = create_counters_as_kernel();
	if (err)
		faults_end();
	return err;
}

struct sysprof_hooking sysprof_faults = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_faults),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
	.begin = faults_begin,
	.end = faults_end,
};
