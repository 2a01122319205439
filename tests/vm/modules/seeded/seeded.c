// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mistakes that a sampling module could make, one for each value of bug=, made while it is loaded:
 * a debug kernel must see each, or its silence about this project's module says nothing.
 */
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/wait.h>

static char *bug = "";
module_param(bug, charp, 0444);

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(other);
static DECLARE_WAIT_QUEUE_HEAD(nobody);
static struct hrtimer timer;
static int *gone;
static unsigned long raced;

/* In the timer's hard interrupt, where samples are taken. */

static enum hrtimer_restart tick_sleep(struct hrtimer *unused)
{
	mutex_lock(&one);
	mutex_unlock(&one);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart tick_wake(struct hrtimer *unused)
{
	wake_up_interruptible(&nobody);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart tick_freed(struct hrtimer *unused)
{
	WRITE_ONCE(*gone, READ_ONCE(*gone) + 1);
	return HRTIMER_NORESTART;
}

static void tick(enum hrtimer_restart (*function)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(&timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer.function = function;
#endif
	hrtimer_start(&timer, ms_to_ktime(1), HRTIMER_MODE_REL_HARD);
	/* Running: a task about to sleep would be another mistake. */
	while (hrtimer_active(&timer))
		cond_resched();
}

/* In a probe, as mappings are followed in one. */
static int probe_allocates(struct kprobe *probe, struct pt_regs *regs)
{
	kfree(kmalloc(64, GFP_KERNEL));
	return 0;
}

static noinline void probed(void)
{
	barrier();
}

static int probe(void)
{
	static struct kprobe probe = { .addr = (kprobe_opcode_t *)probed,
				       .pre_handler = probe_allocates };
	int err = register_kprobe(&probe);

	if (err)
		return err;
	probed();
	unregister_kprobe(&probe);
	return 0;
}

static void lock_both(struct mutex *first, struct mutex *second)
{
	mutex_lock(first);
	mutex_lock(second);
	mutex_unlock(second);
	mutex_unlock(first);
}

static noinline void leak(void)
{
	int i;

	for (i = 0; i < 16; i++)
		gone = kmalloc(128, GFP_KERNEL);
	gone = NULL;
}

/* Two tasks add to it, and neither says so. */
static noinline void add(void)
{
	raced++;
}

static int add_until_told(void *unused)
{
	while (!kthread_should_stop()) {
		add();
		cond_resched();
	}
	return 0;
}

static int race(void)
{
	struct task_struct *other = kthread_run(add_until_told, NULL, "seeded");
	unsigned long end = jiffies + 5 * HZ;

	if (IS_ERR(other))
		return PTR_ERR(other);
	while (time_before(jiffies, end)) {
		add();
		cond_resched();
	}
	return kthread_stop(other);
}

static int __init seeded_init(void)
{
	if (!strcmp(bug, "sleep-in-irq")) {
		tick(tick_sleep);
	} else if (!strcmp(bug, "wake-in-irq")) {
		tick(tick_wake);
	} else if (!strcmp(bug, "use-after-free")) {
		gone = kzalloc(sizeof(*gone), GFP_KERNEL);
		kfree(gone);
		tick(tick_freed);
	} else if (!strcmp(bug, "allocate-in-probe")) {
		return probe();
	} else if (!strcmp(bug, "lock-order")) {
		lock_both(&one, &other);
		lock_both(&other, &one);
	} else if (!strcmp(bug, "leak")) {
		leak();
	} else if (!strcmp(bug, "race")) {
		return race();
	} else if (*bug) {
		return -EINVAL;
	}
	return 0;
}

static void __exit seeded_exit(void)
{
}

module_init(seeded_init);
module_exit(seeded_exit);

MODULE_DESCRIPTION("Mistakes for a debug kernel to find");
MODULE_LICENSE("GPL");
