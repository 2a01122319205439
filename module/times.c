// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes of time itself, reported by TIME records: sleep and resume of the machine, clocks that
 * are set, and pauses of a virtual machine, in which its clock runs but none of its CPUs.
 */
#include <linux/math64.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>
#include <linux/suspend.h>
#include <linux/timekeeping.h>

#include "delivery.h"
#include "times.h"

#define STEP_NS		(10 * NSEC_PER_MSEC)
/* adjtimex() makes a clock faster or slower by less than one part in this many. */
#define SLEW		1000

u64 sysprof_time_last;

/**
 * struct watch - of all CPUs together, changed with sysprof_time_last under the lock
 * @lock: a raw one, for it is taken in interrupts; but every SYSPROF_LOOK_NS nobody needs it
 * @offset: of CLOCK_REALTIME from CLOCK_MONOTONIC at sysprof_time_last
 * @gap_begin: beginning of the last time without a tick that was longer than SYSPROF_PAUSE_NS: all
 *	CPUs were idle, or none could run
 * @gap_end: end of that time
 * @is_reported: there was a pause, and its record is written
 */
static struct watch {
	raw_spinlock_t lock;
	s64 offset;
	u64 gap_begin;
	u64 gap_end;
	bool is_reported;
} watch = { .lock = __RAW_SPIN_LOCK_UNLOCKED(watch.lock) };

static void times_tell(u32 reason, u64 gap_ns)
{
	struct sysprof_time record = {
		.record = { .type = SYSPROF_TIME, .size = sizeof(record) / 8 },
		.boottime = ktime_get_boot_fast_ns(),
		.realtime = ktime_get_real_fast_ns(),
		.gap_ns = gap_ns,
		.reason = reason,
	};

	sysprof_sessions_state(&record.record);
}

/* Call with the lock held.  Whether CLOCK_REALTIME was set since the last check. */
static bool times_look(u64 now)
{
	s64 offset = ktime_get_real_fast_ns() - ktime_get_mono_fast_ns(), off;
	u64 elapsed = now - sysprof_time_last;

	if (elapsed > SYSPROF_PAUSE_NS) {
		watch.gap_begin = sysprof_time_last;
		watch.gap_end = now;
		watch.is_reported = false;
	}
	off = abs(offset - watch.offset);
	watch.offset = offset;
	WRITE_ONCE(sysprof_time_last, now);
	return off > STEP_NS + (s64)div_u64(elapsed, SLEW);
}

u64 sysprof_time_look(u64 now, u64 due)
{
	bool stepped = false, is_pause = false, is_news = false;
	u64 begin = 0, end = 0;

	raw_spin_lock(&watch.lock);
	if ((s64)(now - sysprof_time_last) >= (s64)SYSPROF_LOOK_NS)
		stepped = times_look(now);
	/* The first tick to be late may not be the first to come. */
	if ((s64)(now - due) >= (s64)SYSPROF_PAUSE_NS && due < watch.gap_end) {
		is_pause = true;
		is_news = !watch.is_reported;
		watch.is_reported = true;
		begin = max(due, watch.gap_begin);
		end = watch.gap_end;
	}
	raw_spin_unlock(&watch.lock);
	if (stepped)
		times_tell(SYSPROF_TIME_STEP, 0);
	if (is_news)
		times_tell(SYSPROF_TIME_PAUSE, end - begin);
	return is_pause ? end : 0;
}

void sysprof_time_started(void)
{
	raw_spin_lock_irq(&watch.lock);
	sysprof_time_last = ktime_get_mono_fast_ns();
	watch.offset = ktime_get_real_fast_ns() - sysprof_time_last;
	raw_spin_unlock_irq(&watch.lock);
	times_tell(SYSPROF_TIME_START, 0);
}

static int power_event(struct notifier_block *block, unsigned long event, void *unused)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		times_tell(SYSPROF_TIME_SUSPEND, 0);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		times_tell(SYSPROF_TIME_RESUME, 0);
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block power_notifier = { .notifier_call = power_event };

int sysprof_time_init(void)
{
	return register_pm_notifier(&power_notifier);
}

void sysprof_time_exit(void)
{
	unregister_pm_notifier(&power_notifier);
}
