// SPDX-License-Identifier: GPL-2.0-only
/*
 * Are the probes still in place?  kernel.ftrace_enabled=0 and debugfs's kprobes/enabled switch them off and do not tell; then
 * mappings change unseen.  But the kernel's code shows it: where a probe is, the code is not what it was before the probe came.
 * Each tick looks, and takes no user stack then; once a second the worker does, and for hits that were counted as missed.  When the
 * probes are back, every address space is read anew, and the sessions are told to resync.
 *
 * It does not see the moments in which the kernel is changing the code, when hits can be lost already, or still: what is mapped
 * in one of those in the place of something else may be taken for that.  A probe at a place where somebody else's had changed the
 * code already cannot be watched so.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "session.h"
#include "spaces.h"
#include "watch.h"

#define CHECK_DELAY	HZ
#define BLIND_DELAY	(HZ / 10)

/**
 * struct watched - a probe that is in place
 * @probe: NULL: none
 * @code: the beginning of the code there without it
 * @missed: hits that it had missed when last looked at
 */
static struct watched {
	struct kprobe *probe;
	u32 code;
	unsigned long missed;
} watched[SYSPROF_WATCHED];

static bool blind;

static void check_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(check_work, check_fn);

static void kick_fn(struct irq_work *unused)
{
	mod_delayed_work(system_wq, &check_work, BLIND_DELAY);
}

static struct irq_work kick;

static u32 code_at(const struct kprobe *probe)
{
	return READ_ONCE(*(const u32 *)probe->addr);
}

static bool is_off(const struct watched *watched)
{
	const struct kprobe *probe = READ_ONCE(watched->probe);

	return probe && code_at(probe) == watched->code;
}

bool sysprof_watch_is_blind(void)
{
	int i;

	if (READ_ONCE(blind))
		return true;
	for (i = 0; i < SYSPROF_WATCHED; i++) {
		if (unlikely(is_off(&watched[i]))) {
			WRITE_ONCE(blind, true);
			irq_work_queue(&kick);
			return true;
		}
	}
	return false;
}

static bool has_missed(void)
{
	bool missed = false;
	int i;

	for (i = 0; i < SYSPROF_WATCHED; i++) {
		if (!watched[i].probe || watched[i].missed == READ_ONCE(watched[i].probe->nmissed))
			continue;
		watched[i].missed = watched[i].probe->nmissed;
		missed = true;
	}
	return missed;
}

static void check_fn(struct work_struct *work)
{
	bool off = false, missed = has_missed();
	int i;

	for (i = 0; i < SYSPROF_WATCHED; i++)
		off |= is_off(&watched[i]);
	if (off) {
		WRITE_ONCE(blind, true);
	} else if (missed || READ_ONCE(blind)) {
		/* First nothing is known any more, then it may be looked at again. */
		sysprof_spaces_renew();
		WRITE_ONCE(blind, false);
		sysprof_sessions_resync();
	}
	queue_delayed_work(system_wq, &check_work, off ? BLIND_DELAY : CHECK_DELAY);
}

int sysprof_watch_put(struct kprobe *probe)
{
	struct watched *place = watched;
	u32 code;
	int err;

	/* In place, but not on yet: the code is as it was. */
	probe->flags |= KPROBE_FLAG_DISABLED;
	err = register_kprobe(probe);
	if (err)
		return err;
	code = code_at(probe);
	err = enable_kprobe(probe);
	if (err) {
		unregister_kprobe(probe);
		return err;
	}
	while (place->probe)
		place++;
	place->code = code;
	place->missed = probe->nmissed;
	if (code_at(probe) != code)
		WRITE_ONCE(place->probe, probe);
	return 0;
}

void sysprof_watch_remove(struct kprobe *probe)
{
	int i;

	for (i = 0; i < SYSPROF_WATCHED; i++)
		if (watched[i].probe == probe)
			WRITE_ONCE(watched[i].probe, NULL);
	unregister_kprobe(probe);
}

void sysprof_watch_start(void)
{
	init_irq_work(&kick, kick_fn);
	WRITE_ONCE(blind, false);
	queue_delayed_work(system_wq, &check_work, CHECK_DELAY);
}

void sysprof_watch_stop(void)
{
	irq_work_sync(&kick);
	cancel_delayed_work_sync(&check_work);
}
