// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arming, as arming.h has it.  The work may be queued again while it waits for the lock.  So it
 * checks whether there is anything to do, and is initialised only once.
 */
#include "arming.h"
#include "compat/export.h"

#define DISARM_DELAY (10 * HZ)

static void remove_unused(struct sysprof_arming *arming)
{
	mutex_lock(&arming->lock);
	if (arming->is_armed && !arming->users) {
		arming->remove(arming);
		arming->is_armed = false;
	}
	mutex_unlock(&arming->lock);
}

void sysprof_arming_work(struct work_struct *work)
{
	remove_unused(container_of(to_delayed_work(work), struct sysprof_arming, work));
}
SYSPROF_EXPORT(sysprof_arming_work);

int sysprof_arm(struct sysprof_arming *arming)
{
	int err = 0;

	mutex_lock(&arming->lock);
	if (!arming->is_armed) {
		err = arming->put(arming);
		arming->is_armed = !err;
	}
	if (!err)
		arming->users++;
	mutex_unlock(&arming->lock);
	return err;
}
SYSPROF_EXPORT(sysprof_arm);

void sysprof_disarm(struct sysprof_arming *arming)
{
	mutex_lock(&arming->lock);
	if (!--arming->users)
		mod_delayed_work(sysprof_percpu_wq, &arming->work, DISARM_DELAY);
	mutex_unlock(&arming->lock);
}
SYSPROF_EXPORT(sysprof_disarm);

void sysprof_disarm_now(struct sysprof_arming *arming)
{
	cancel_delayed_work_sync(&arming->work);
	remove_unused(arming);
}
SYSPROF_EXPORT(sysprof_disarm_now);
