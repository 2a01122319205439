// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: their life.  What they get of ticks is in session-samples.c.
 *
 * Everything of a session that belongs to a CPU is touched on that CPU only, with interrupts off:
 * no locks, and the accounts are exact.
 *
 * Lock order: session->io_lock -> arming->lock -> cpus_read_lock -> session->lock ->
 * list_lock, offline_lock.
 */
#include <linux/cpu.h>
#include <linux/nospec.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "chain.h"
#include "clock-grid.h"
#include "periods.h"
#include "session-quota.h"
#include "clock-pmu.h"
#include "clock.h"
#include "delivery.h"
#include "filter.h"
#include "hooks.h"
#include "memo.h"
#include "raw.h"
#include "session-rings.h"
#include "session-samples.h"
#include "session-stack.h"
#include "session-ticking.h"
#include "session.h"
#include "snapshot.h"
#include "source-ops.h"
#include "sysprof-event.h"
#include "tables.h"
#include "times.h"

/* Protects what all sessions share: the list of receivers, and the clock. */
static DEFINE_MUTEX(list_lock);
/* Protects the data of CPUs that are offline. */
static DEFINE_RAW_SPINLOCK(offline_lock);

/* Life. */

/* An overflow leaves work to this that needs interrupts off, outside NMI. */
static void tell_fn(struct irq_work *work)
{
	struct sysprof_session_cpu *sc = container_of(work, struct sysprof_session_cpu, tell);
	unsigned long flags;

	local_irq_save(flags);
	if (sc->joined && sc == &sc->session->cpus[smp_processor_id()]) {
		sysprof_delivery_report_losses(sc);
		sysprof_session_tell_account(sc->session, smp_processor_id(),
					     ktime_get_mono_fast_ns());
	}
	local_irq_restore(flags);
}

static void wake_fn(struct irq_work *work)
{
	struct sysprof_session *session = container_of(work, struct sysprof_session, wake);

	wake_up_interruptible(&session->wait);
	if (READ_ONCE(session->dead))
		queue_work(sysprof_unbound_wq, &session->reap);
}

static void reap_fn(struct work_struct *work)
{
	sysprof_session_stop(container_of(work, struct sysprof_session, reap));
}

/* Memory that a session takes, except for its rings, filter and counters. */
static u64 session_own_bytes(void)
{
	return sizeof(struct sysprof_session) +
	       (u64)nr_cpu_ids * sizeof(struct sysprof_session_cpu) + cpumask_size();
}

static void free_session(struct sysprof_session *session)
{
	kvfree(session->cpus);
	kfree(session->cpumask);
	kfree(session);
}

struct sysprof_session *sysprof_session_create(void)
{
	struct sysprof_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	int cpu, err;

	if (!session)
		return ERR_PTR(-ENOMEM);
	session->cpus = kvcalloc(nr_cpu_ids, sizeof(*session->cpus), GFP_KERNEL_ACCOUNT);
	session->cpumask = kzalloc(cpumask_size(), GFP_KERNEL_ACCOUNT);
	err = -ENOMEM;
	if (!session->cpus || !session->cpumask)
		goto err_free;
	session->charge = sysprof_session_quota_open();
	err = PTR_ERR_OR_ZERO(session->charge);
	if (err)
		goto err_free;
	err = sysprof_session_quota_add(session->charge, session_own_bytes());
	if (err) {
		sysprof_session_quota_close(session->charge);
		goto err_free;
	}
	INIT_LIST_HEAD(&session->link);
	mutex_init(&session->io_lock);
	mutex_init(&session->lock);
	init_waitqueue_head(&session->wait);
	init_irq_work(&session->wake, wake_fn);
	session->hurried = jiffies;
	INIT_WORK(&session->reap, reap_fn);
	session->opener = get_pid(task_tgid(current));
	session->is_exempt = sysprof_session_quota_is_exempt(session->charge);
	for_each_possible_cpu(cpu) {
		session->cpus[cpu].session = session;
		session->cpus[cpu].cpu = cpu;
		init_irq_work(&session->cpus[cpu].tell, tell_fn);
	}
	return session;

err_free:
	free_session(session);
	return ERR_PTR(err);
}

void sysprof_session_destroy(struct sysprof_session *session)
{
	int cpu;

	sysprof_session_stop(session);
	for_each_possible_cpu(cpu)
		irq_work_sync(&session->cpus[cpu].tell);
	irq_work_sync(&session->wake);
	cancel_work_sync(&session->reap);
	sysprof_snapshot_end(session->snapshot);
	sysprof_session_free_rings(session);
	sysprof_session_free_sent(session);
	sysprof_session_quota_sub(session->charge, sysprof_filter_bytes(session->filter));
	sysprof_filter_destroy(session->filter);
	sysprof_raw_put(session->raw_requests);
	sysprof_source_drop(session);
	sysprof_session_quota_sub(session->charge, session_own_bytes());
	sysprof_session_quota_close(session->charge);
	sysprof_tables_put(session->tables);
	put_pid(session->opener);
	free_session(session);
}

struct sysprof_tables *sysprof_session_tables(struct sysprof_session *session)
{
	mutex_lock(&session->lock);
	if (!session->tables)
		session->tables = sysprof_tables_get(session->cred, session->may_see_addresses);
	mutex_unlock(&session->lock);
	return session->tables;
}

int sysprof_session_configure(struct sysprof_session *session, struct sysprof_config *config,
			      bool keeps_budget, struct sysprof_filter *filter,
			      const struct cpumask *cpus)
{
	int cpu, err = 0;

	if (config->user_mode == SYSPROF_USER_TABLE + 1 && !sysprof_session_tables(session))
		return -ENOMEM;
	/* A snapshot may still use the filter, also once the session has stopped. */
	mutex_lock(&session->io_lock);
	mutex_lock(&session->lock);
	if (session->running)
		err = -EBUSY;
	else if (config->ring_bytes != session->config.ring_bytes)
		err = session->reader != SYSPROF_READER_NONE ?
			      -EBUSY :
			      sysprof_session_make_rings(session, config->ring_bytes);
	if (!err)
		err = sysprof_session_quota_add(session->charge, sysprof_filter_bytes(filter));
	if (err)
		goto out;
	if (config->raw_bytes && !session->raw_requests) {
		session->raw_requests = sysprof_raw_get();
		err = session->raw_requests ? 0 : -ENOMEM;
	}
	if (!err && config->user_mode == SYSPROF_USER_TABLE + 1)
		err = sysprof_session_make_sent(session);
	if (!err) {
		config->ring_stride = 2 * PAGE_SIZE + config->ring_bytes;
		session->config = *config;
		session->keeps_budget = keeps_budget;
		session->least_stretch = 1;
		sysprof_session_plan(session);
		swap(session->filter, filter);
		cpumask_copy(session->cpumask, cpus);
		for_each_possible_cpu(cpu)
			session->cpus[cpu].wanted =
				config->clock == SYSPROF_CLOCK_TIMER && cpumask_test_cpu(cpu, cpus);
	}
	/*
	 * Frees the filter that is not the session's: the old one, or the one that was not
	 * accepted.
	 */
	sysprof_session_quota_sub(session->charge, sysprof_filter_bytes(filter));
out:
	mutex_unlock(&session->lock);
	mutex_unlock(&session->io_lock);
	if (!err)
		sysprof_filter_destroy(filter);
	return err;
}

int sysprof_session_slow(struct sysprof_session *session, u32 part)
{
	int err = 0;

	mutex_lock(&session->lock);
	if (session->keeps_budget && part && part <= SYSPROF_MAX_STRETCH)
		WRITE_ONCE(session->least_stretch, part);
	else
		err = -EINVAL;
	mutex_unlock(&session->lock);
	return err;
}

static void begin_account(struct sysprof_session_cpu *sc, u64 first_period, u64 now)
{
	memset(&sc->account, 0, sizeof(sc->account));
	memset(sc->loss, 0, sizeof(sc->loss));
	sc->resync = false;
	sc->loss_unreported = false;
	sc->account_time = now;
	sc->first_period = first_period;
	sc->weight = 0;
	sc->rights = sc->session->rights;
	sysprof_codes_forget(sc);
	memset(sc->once, 0, sizeof(sc->once));
	sc->joined = true;
}

/*
 * Runs on its CPU, or, for a CPU that is offline, on any.  Begins with the next period: the current
 * one may have had its tick, or have none.
 */
static void session_join(struct sysprof_session *session, int cpu, void *unused)
{
	u64 now = ktime_get_mono_fast_ns(), next = sysprof_clock_catch_up(cpu, now);
	struct sysprof_session_cpu *sc = &session->cpus[cpu];

	begin_account(sc, max(next, sysprof_clock_period_at(now) + 1), now);
	sysprof_session_join_ticks(sc, cpu);
	sysprof_clock_retarget(cpu, now);
}

static void session_leave(struct sysprof_session *session, int cpu, void *unused)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];

	if (!sc->joined)
		return;
	sysprof_delivery_report_losses(sc);
	sysprof_session_tell_account(session, cpu, ktime_get_mono_fast_ns());
	sc->joined = false;
	sysprof_session_leave_ticks(sc, cpu);
}

/*
 * Runs on any CPU: a CPU that the session does not want writes at most state records, and those
 * until the session is off the list.
 */
static void leave_unwanted(struct sysprof_session *session, int cpu)
{
	sysprof_session_complete_account(session, cpu, ktime_get_mono_fast_ns());
	WRITE_ONCE(session->cpus[cpu].joined, false);
}

/* Totals that a CPU holds back, of events that come from all CPUs. */
static void leave_sources(struct sysprof_session *session, int cpu, void *unused)
{
	sysprof_source_ops->flush(session, cpu);
}

struct on_cpu_call {
	void (*fn)(struct sysprof_session *session, int cpu, void *arg);
	struct sysprof_session *session;
	int cpu;
	void *arg;
};

static void on_cpu_trampoline(void *data)
{
	struct on_cpu_call *call = data;

	call->fn(call->session, call->cpu, call->arg);
}

/*
 * Runs @fn on @cpu with interrupts off; a CPU that is offline cannot come up meanwhile, but other
 * sessions may do the same for it.
 */
static void on_cpu(void (*fn)(struct sysprof_session *, int, void *),
		   struct sysprof_session *session, int cpu, void *arg)
{
	struct on_cpu_call call = { .fn = fn, .session = session, .cpu = cpu, .arg = arg };
	unsigned long flags;

	if (!smp_call_function_single(cpu, on_cpu_trampoline, &call, 1))
		return;
	raw_spin_lock_irqsave(&offline_lock, flags);
	fn(session, cpu, arg);
	raw_spin_unlock_irqrestore(&offline_lock, flags);
}

/* Removes the session from all lists; hooks may use it for one more grace period. */
static void leave_all(struct sysprof_session *session)
{
	int cpu;

	lockdep_assert_held(&session->lock);
	if (session->sub) {
		mutex_lock(&list_lock);
		sysprof_source_ops->end(session);
		mutex_unlock(&list_lock);
		for_each_possible_cpu(cpu)
			on_cpu(leave_sources, session, cpu, NULL);
	}
	if (session->pmu)
		sysprof_pmu_disable(session->pmu);
	for_each_possible_cpu(cpu) {
		if (session->pmu || session->cpus[cpu].wanted)
			on_cpu(session_leave, session, cpu, NULL);
		else
			leave_unwanted(session, cpu);
	}
	mutex_lock(&list_lock);
	sysprof_delivery_end(session);
	if (!session->pmu)
		sysprof_clock_stop(session->cpumask);
	mutex_unlock(&list_lock);
	if (session->pmu)
		sysprof_pmu_destroy(session->pmu);
	session->pmu = NULL;
}

/*
 * Hooks that were walking the list are done with the session after it.  session->lock is held until
 * then: CONFIGURE would free the rings and the filter that they use, START would move the session
 * in the list while they walk it.
 */
static void wait_for_hooks(struct sysprof_session *session)
{
	lockdep_assert_held(&session->lock);
	synchronize_rcu();
	WRITE_ONCE(session->running, false);
}

int sysprof_session_start(struct sysprof_session *session, struct sysprof_start *ret)
{
	u32 requests;
	int cpu, err;
	u64 now;

	/* No reader uses the rings while they are emptied. */
	mutex_lock(&session->io_lock);
	err = sysprof_hooks_arm();
	if (err)
		goto out_io;
	/* Not changed before the session runs, as io_lock is held. */
	requests = sysprof_source_requests(session);
	err = sysprof_source_arm(requests);
	if (err) {
		sysprof_hooks_disarm();
		goto out_io;
	}

	cpus_read_lock();
	mutex_lock(&session->lock);
	err = -EBUSY;
	if (session->running)
		goto out;
	err = -EINVAL;
	if (!session->config.ring_bytes)
		goto out;
	err = -ESRCH;
	if (session->dead)
		goto out;
	err = 0;
	if (session->config.clock == SYSPROF_CLOCK_PMU) {
		session->pmu = sysprof_pmu_create(session);
		if (IS_ERR(session->pmu)) {
			err = PTR_ERR(session->pmu);
			session->pmu = NULL;
			goto out;
		}
	}

	mutex_lock(&list_lock);
	sysprof_filter_reset(session->filter);
	if (session->pmu) {
		ret->grid_start = ktime_get_mono_fast_ns();
		ret->period_ns = session->config.period_ns;
	} else {
		session->divisor = sysprof_clock_start(session->config.period_ns, session->cpumask,
						       &ret->grid_start, &ret->period_ns);
		ret->period_ns *= session->divisor;
		session->config.period_ns = ret->period_ns;
	}
	now = ktime_get_mono_fast_ns();
	for_each_possible_cpu(cpu) {
		sysprof_ring_reset(&session->cpus[cpu].ring);
		if (!session->cpus[cpu].wanted)
			begin_account(&session->cpus[cpu], sysprof_clock_period_at(now) + 1, now);
	}
	sysprof_delivery_begin(session);
	mutex_unlock(&list_lock);
	for_each_possible_cpu(cpu)
		if (session->cpus[cpu].wanted)
			on_cpu(session_join, session, cpu, NULL);
	sysprof_time_started();
	sysprof_filter_find_children(session->filter);
	session->running = true;
	if (session->pmu)
		err = sysprof_pmu_enable(session->pmu);
	mutex_lock(&list_lock);
	sysprof_source_begin(session);
	mutex_unlock(&list_lock);
	if (err) {
		leave_all(session);
		wait_for_hooks(session);
	}
out:
	mutex_unlock(&session->lock);
	cpus_read_unlock();
	if (err) {
		sysprof_source_disarm(requests);
		sysprof_hooks_disarm();
	}
out_io:
	mutex_unlock(&session->io_lock);
	return err;
}

void sysprof_session_stop(struct sysprof_session *session)
{
	bool was_running;
	u32 requests;

	cpus_read_lock();
	mutex_lock(&session->lock);
	was_running = session->running;
	requests = was_running ? sysprof_source_requests(session) : 0;
	if (was_running)
		leave_all(session);
	cpus_read_unlock();
	if (was_running)
		wait_for_hooks(session);
	mutex_unlock(&session->lock);
	if (was_running) {
		sysprof_source_disarm(requests);
		sysprof_hooks_disarm();
		wake_up_interruptible(&session->wait);
	}
}

/* A copy is taken here, too: a tick in between would make its counts run ahead of the grid. */
static void refresh(struct sysprof_session *session, int cpu, void *arg)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	struct sysprof_memo_counts counts;
	struct sysprof_stats *stats = arg;

	stats->time = ktime_get_mono_fast_ns();
	if (session->pmu || sc->wanted)
		sysprof_delivery_report_losses(sc);
	if (sc->joined)
		sysprof_session_complete_account(session, cpu, stats->time);
	sysprof_delivery_copy_account(sc, &stats->account);
	sysprof_clock_cost(cpu, NULL, NULL, stats->cost);
	sysprof_memo_counts(cpu, &counts);
	stats->stacks_known = counts.known;
	stats->stacks_walked = counts.walked;
	stats->stacks_checked = counts.checked;
	stats->stacks_wrong = counts.wrong;
}

/* False: there is no such CPU.  @cpu is the caller's: speculation keeps to the CPUs, too. */
static bool check_cpu(u32 *cpu)
{
	if (*cpu >= nr_cpu_ids)
		return false;
	*cpu = array_index_nospec(*cpu, nr_cpu_ids);
	return cpu_possible(*cpu);
}

int sysprof_session_stats(struct sysprof_session *session, struct sysprof_stats *stats)
{
	int err = 0;

	if (!check_cpu(&stats->cpu))
		return -EINVAL;
	cpus_read_lock();
	mutex_lock(&session->lock);
	if (!session->config.ring_bytes)
		err = -EINVAL;
	else if (session->pmu || session->cpus[stats->cpu].wanted)
		on_cpu(refresh, session, stats->cpu, stats);
	else
		refresh(session, stats->cpu, stats);
	mutex_unlock(&session->lock);
	cpus_read_unlock();
	return err;
}

struct source_stats_call {
	struct sysprof_source_stats *stats;
	int err;
};

static void refresh_source(struct sysprof_session *session, int cpu, void *arg)
{
	struct source_stats_call *call = arg;
	struct sysprof_source_stats *stats = call->stats;

	stats->time = ktime_get_mono_fast_ns();
	call->err = sysprof_source_ops->account(session, cpu, stats->source, &stats->account);
}

int sysprof_session_source_stats(struct sysprof_session *session,
				 struct sysprof_source_stats *stats)
{
	struct source_stats_call call = { .stats = stats, .err = -EINVAL };

	if (stats->reserved || !check_cpu(&stats->cpu))
		return -EINVAL;
	cpus_read_lock();
	mutex_lock(&session->lock);
	if (session->config.ring_bytes && session->sub)
		on_cpu(refresh_source, session, stats->cpu, &call);
	mutex_unlock(&session->lock);
	cpus_read_unlock();
	return call.err;
}
