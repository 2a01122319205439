// SPDX-License-Identifier: GPL-2.0-only
/* The table of event sources: who registers it, and how sessions come to it. */
#include <linux/cache.h>
#include <linux/jiffies.h>
#include <linux/kmod.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>

#include "compat/export.h"
#include "delivery.h"
#include "source-ops.h"
#include "sysprof-event.h"

/* For so long the other module is not asked for again when it could not be loaded. */
#define RETRY_JIFFIES HZ
#define TRIES	      3 /* it may be unloaded as soon as it is there */

const struct sysprof_source_ops *sysprof_source_ops __read_mostly;
struct sysprof_source_gates sysprof_source_gates __read_mostly;
SYSPROF_EXPORT(sysprof_source_gates);

/* Protects the table against its end, until there is a reference. */
static DEFINE_MUTEX(ops_lock);
/* One caller at a time has the module loaded.  Not taken by the module itself. */
static DEFINE_MUTEX(load_lock);

int sysprof_source_register(const struct sysprof_source_ops *ops)
{
	int err = 0;

	/* Both modules reach into the same structures: inline functions, and fields of sessions. */
	if (strcmp(ops->build, SYSPROF_BUILD)) {
		pr_err("%s is of another build: unload both and load those of one release\n",
		       ops->owner->name);
		return -EINVAL;
	}
	mutex_lock(&ops_lock);
	if (sysprof_source_ops)
		err = -EBUSY;
	else
		WRITE_ONCE(sysprof_source_ops, ops);
	mutex_unlock(&ops_lock);
	/* Ticks and switches that will see an open gate see the table. */
	synchronize_rcu();
	return err;
}
SYSPROF_EXPORT(sysprof_source_register);

void sysprof_source_unregister(void)
{
	/* For ticks and switches that saw an open gate, and use the table. */
	synchronize_rcu();
	mutex_lock(&ops_lock);
	WRITE_ONCE(sysprof_source_ops, NULL);
	mutex_unlock(&ops_lock);
	/* For walks of stacks that look at its owner. */
	synchronize_rcu();
}
SYSPROF_EXPORT(sysprof_source_unregister);

static bool take_reference(void)
{
	bool taken;

	mutex_lock(&ops_lock);
	taken = sysprof_source_ops && try_module_get(sysprof_source_ops->owner);
	mutex_unlock(&ops_lock);
	return taken;
}

/*
 * Who may open the device must not have a process started by each call, nor make others fail by
 * being killed while it waits.
 */
static int load_and_take(void)
{
	static unsigned long retry;
	static bool is_recent, failed;
	long wait;
	int i;

	lockdep_assert_held(&load_lock);
	/* By who had the lock before. */
	if (take_reference())
		return 0;
	wait = is_recent ? (long)(retry - jiffies) : 0;
	if (wait > 0 && failed)
		return -ENOPKG;
	if (wait > 0)
		schedule_timeout_killable(wait);
	retry = jiffies + RETRY_JIFFIES;
	is_recent = true;
	failed = false;
	for (i = 0; i < TRIES && !fatal_signal_pending(current); i++) {
		if (request_module(SYSPROF_SOURCES_ALIAS))
			break;
		if (take_reference()) {
			is_recent = false;
			return 0;
		}
	}
	if (fatal_signal_pending(current))
		return -EINTR;
	failed = true;
	return -ENOPKG;
}

static int source_get(void)
{
	int err;

	if (take_reference())
		return 0;
	if (mutex_lock_killable(&load_lock))
		return -EINTR;
	err = load_and_take();
	mutex_unlock(&load_lock);
	return err;
}

static void source_put(void)
{
	module_put(sysprof_source_ops->owner);
}

int sysprof_source_set(struct sysprof_session *session, const struct sysprof_sources *arg)
{
	bool had, has;
	int err;

	/* Nothing is loaded for what is refused, or is so already. */
	if (READ_ONCE(session->running))
		return -EBUSY;
	if (!arg->nr && !READ_ONCE(session->sub))
		return 0;
	err = source_get();
	if (err)
		return err;
	mutex_lock(&session->io_lock);
	had = session->sub;
	err = sysprof_source_ops->set(session, arg);
	has = session->sub;
	mutex_unlock(&session->io_lock);
	/* The session has a reference as long as it has a subscription. */
	if (had && !has)
		source_put();
	if (had || !has)
		source_put();
	return err;
}

int sysprof_source_info(const struct sysprof_session *session, struct sysprof_source_infos *arg)
{
	int err = source_get();

	if (err)
		return err;
	err = sysprof_source_ops->info(session, arg);
	source_put();
	return err;
}

void sysprof_source_drop(struct sysprof_session *session)
{
	if (!session->sub)
		return;
	sysprof_source_ops->destroy(session);
	source_put();
}

bool sysprof_source_has_threads(const struct sysprof_session *session)
{
	return session->sub && sysprof_source_ops->has_threads(session);
}

u32 sysprof_source_requests(const struct sysprof_session *session)
{
	return session->sub ? sysprof_source_ops->requests(session) : 0;
}

void sysprof_source_begin(struct sysprof_session *session)
{
	if (session->sub)
		sysprof_source_ops->begin(session);
}

int sysprof_source_arm(u32 requests)
{
	int err;

	if (!requests)
		return 0;
	err = sysprof_source_ops->arm(requests);
	/* That of the session, under io_lock, is still there. */
	if (!err)
		__module_get(sysprof_source_ops->owner);
	return err;
}

void sysprof_source_disarm(u32 requests)
{
	if (!requests)
		return;
	sysprof_source_ops->disarm(requests);
	source_put();
}

bool sysprof_source_owns(unsigned long ip)
{
	const struct sysprof_source_ops *ops = READ_ONCE(sysprof_source_ops);

	return ops && within_module(ip, ops->owner);
}
