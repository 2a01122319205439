// SPDX-License-Identifier: GPL-2.0-only
/*
 * A known answer for locks: while it is loaded a thread "holder" takes a mutex and a rwsem in turn,
 * ROUNDS times each, and sleeps with them for 10 ms, while WAITERS threads "waiter" come for them.
 * mutex_ns and rwsem_ns are what these have waited, summed.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>

#define ROUNDS	20
#define WAITERS	3

static unsigned long mutex_ns, rwsem_ns;
module_param(mutex_ns, ulong, 0444);
module_param(rwsem_ns, ulong, 0444);

static DEFINE_MUTEX(known_mutex);
static DECLARE_RWSEM(known_rwsem);
static DECLARE_COMPLETION(all_done);
static DECLARE_COMPLETION(held);
static DECLARE_COMPLETION(got);
static atomic64_t mutex_sum, rwsem_sum;
static atomic_t left = ATOMIC_INIT(WAITERS + 1);

static void end(void)
{
	if (atomic_dec_and_test(&left))
		complete(&all_done);
}

/* Until all waiters come for it. */
static noinline void hold(void)
{
	int i;

	for (i = 0; i < WAITERS; i++)
		complete(&held);
	usleep_range(10000, 11000);
	/* It stays on the stack. */
	barrier();
}

static void let_pass(void)
{
	int i;

	for (i = 0; i < WAITERS; i++)
		wait_for_completion(&got);
}

static int holder_fn(void *unused)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		mutex_lock(&known_mutex);
		hold();
		mutex_unlock(&known_mutex);
		let_pass();
		down_write(&known_rwsem);
		hold();
		up_write(&known_rwsem);
		let_pass();
	}
	end();
	return 0;
}

static noinline void wait_for_mutex(void)
{
	u64 begin;

	wait_for_completion(&held);
	begin = ktime_get_ns();
	mutex_lock(&known_mutex);
	atomic64_add(ktime_get_ns() - begin, &mutex_sum);
	mutex_unlock(&known_mutex);
	complete(&got);
}

static noinline void wait_for_rwsem(void)
{
	u64 begin;

	wait_for_completion(&held);
	begin = ktime_get_ns();
	down_write(&known_rwsem);
	atomic64_add(ktime_get_ns() - begin, &rwsem_sum);
	up_write(&known_rwsem);
	complete(&got);
}

static int waiter_fn(void *unused)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		wait_for_mutex();
		wait_for_rwsem();
	}
	end();
	return 0;
}

static int __init locks_init(void)
{
	int i;

	for (i = 0; i < WAITERS; i++)
		kthread_run(waiter_fn, NULL, "waiter");
	kthread_run(holder_fn, NULL, "holder");
	wait_for_completion(&all_done);
	/* Their last instructions are of this module. */
	msleep(100);
	mutex_ns = atomic64_read(&mutex_sum);
	rwsem_ns = atomic64_read(&rwsem_sum);
	return 0;
}

static void __exit locks_exit(void)
{
}

module_init(locks_init);
module_exit(locks_exit);

MODULE_DESCRIPTION("Locks whose waits are known");
MODULE_LICENSE("GPL");
