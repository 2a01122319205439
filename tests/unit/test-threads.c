/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module's table of threads (module/sources/threads.c) in user space: what comes between two
 * steps of another CPU, which no emulator can be made to do.
 */
#include <glib.h>

#include "shim.h"

/* What the headers of the module declare that this file needs. */
#define _SYSPROF_COMPAT_SWITCH_H
#define SYSPROF_TASK_LOCK 0
#define SYSPROF_TASK_FROZEN 0
#define __TASK_STOPPED 4
#define __TASK_TRACED 8
#define TASK_PARKED 0x40
#define TASK_DEAD 0x80
#define TASK_UNINTERRUPTIBLE 2
#define TASK_NOLOAD 0x400
#define sysprof_task_state(task) ((task)->state)
#define sysprof_is_on_cpu(task) ((task)->on_cpu)
#define task_cpu(task) ((void)(task), 0)
#define get_task_struct(task) ((task)->references++)
#define put_task_struct(task) ((task)->references--)
#define for_each_process_thread(process, thread)                                                   \
	for ((process) = (thread) = NULL; (process); (thread) = NULL)
#define DEFINE_RAW_SPINLOCK(name) unsigned name
#define raw_spin_lock_irqsave(lock, flags) ((flags) = 0, n_locked++, (void)(lock))
#define raw_spin_unlock_irqrestore(lock, flags) ((void)(lock), (void)(flags))
#define smp_acquire__after_ctrl_dep() ((void)0)
#define smp_rmb() ((void)0)
#define kcsan_nestable_atomic_begin() ((void)0)
#define kcsan_nestable_atomic_end() ((void)0)
#define BUILD_BUG_ON(wrong) _Static_assert(!(wrong), #wrong)
#define order_base_2(n) ((u32)(32 - __builtin_clz((n) - 1)))

#define TASKS 200000

static unsigned n_locked;

static u64 compare_and_swap(struct task_struct **key, struct task_struct *from,
			    struct task_struct *to)
{
	struct task_struct *before;

	shim_step();
	before = *key;
	if (before == from)
		*key = to;
	return (u64)(uintptr_t)before;
}
#define cmpxchg(key, from, to) ((struct task_struct *)(uintptr_t)compare_and_swap(key, from, to))

#include "threads.c"

unsigned int shim_cpu;
bool shim_without_release;
long shim_allocated, shim_fail_after = -1;
u64 shim_time = 1;
static void (*between)(void);
static unsigned steps_before;

/* Once, after some steps: what another CPU does meanwhile. */
void shim_step(void)
{
	void (*now)(void) = between;

	if (!now || steps_before-- > 0)
		return;
	between = NULL;
	now();
}

u64 ktime_get_mono_fast_ns(void)
{
	return ++shim_time;
}

sysprof_payer sysprof_quota_payer(const struct task_struct *task)
{
	return (sysprof_payer)task->pid;
}

void sysprof_shares_begin(struct sysprof_shares *of, unsigned int slots)
{
	memset(of, 0, sizeof(*of));
	of->part = (int)slots / 8;
}

static struct task_struct *tasks, *in_bucket[24];

/* Tasks whose keys are in one bucket; each is of user @payer. */
static void set_up(int payer)
{
	unsigned n = 0;

	g_assert_cmpint(sysprof_threads_alloc(), ==, 0);
	tasks = g_new0(struct task_struct, TASKS);
	for (unsigned i = 0; i < TASKS && n < G_N_ELEMENTS(in_bucket); i++) {
		tasks[i].pid = payer;
		if (sysprof_threads_bucket(&tasks[i]) == sysprof_threads_bucket(&tasks[0]))
			in_bucket[n++] = &tasks[i];
	}
	g_assert_cmpuint(n, ==, G_N_ELEMENTS(in_bucket));
	n_locked = 0;
}

static void tear_down(void)
{
	sysprof_threads_free();
	for (unsigned i = 0; i < TASKS; i++)
		g_assert_cmpint(tasks[i].references, ==, 0);
	g_free(tasks);
}

static struct sysprof_slot *add(unsigned i)
{
	return sysprof_threads_add(in_bucket[i], SYSPROF_STATE_RUNNING, 1, true);
}

/* The first thread's slot becomes the second one's. */
static void hand_over(void)
{
	sysprof_threads_remove(in_bucket[0]);
	g_assert_nonnull(add(1));
}

/* A thread that ends, seen by two CPUs, takes no other thread out of the table. */
static void test_removed_twice(void)
{
	for (unsigned before = 0; before < 12; before++) {
		set_up(SYSPROF_PAYER_ROOT);
		g_assert_nonnull(add(0));
		between = hand_over;
		steps_before = before;
		sysprof_threads_remove(in_bucket[0]);
		if (between)
			hand_over();
		between = NULL;
		g_assert_nonnull(sysprof_threads_find(in_bucket[1]));
		g_assert_null(sysprof_threads_find(in_bucket[0]));
		tear_down();
	}
}

/* Sums that another CPU is changing for ever: the reader gives up. */
static void test_changing(void)
{
	struct sysprof_thread record;
	struct sysprof_slot *slot;

	set_up(SYSPROF_PAYER_ROOT);
	slot = add(0);
	g_assert_cmpint(sysprof_threads_sum(in_bucket[0], slot, 5, &record), ==, 0);
	slot->seq++;
	g_assert_cmpint(sysprof_threads_sum(in_bucket[0], slot, 5, &record), ==, -EAGAIN);
	slot->seq++;
	between = hand_over;
	steps_before = 1;
	g_assert_cmpint(sysprof_threads_sum(in_bucket[0], slot, 5, &record), ==, -ENOENT);
	tear_down();
}

/* However often a user's threads come that have no slot, none takes the lock of all. */
static void test_no_room(void)
{
	struct sysprof_slot *slot;
	unsigned n = 0, locked;

	set_up(7);
	for (unsigned i = 0; i < G_N_ELEMENTS(in_bucket); i++)
		n += add(i) != NULL;
	/* Half of the bucket, and a user's part of the rest. */
	g_assert_cmpuint(n, ==, SYSPROF_THREAD_WAYS / 2 + SYSPROF_SHARES_IN_BUCKET);
	locked = n_locked;
	for (unsigned i = 0; i < 1000; i++)
		g_assert_null(add(G_N_ELEMENTS(in_bucket) - 1));
	g_assert_cmpuint(n_locked, ==, locked);
	/* One that has a slot begins anew in it. */
	slot = sysprof_threads_find(in_bucket[0]);
	g_assert_true(sysprof_threads_add(in_bucket[0], SYSPROF_STATE_NEW, 9, false) == slot);
	g_assert_cmpuint(slot->since, ==, 9);
	sysprof_threads_remove(in_bucket[0]);
	g_assert_nonnull(add(G_N_ELEMENTS(in_bucket) - 1));
	tear_down();
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/threads/removed-twice", test_removed_twice);
	g_test_add_func("/threads/changing", test_changing);
	g_test_add_func("/threads/no-room", test_no_room);
	return g_test_run();
}
