// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: who gets which record, and the account of every period.
 *
 * Running sessions are on an RCU list that ticks and hooks walk with interrupts off.  Everything of a session that
 * belongs to a CPU is touched on that CPU only, with interrupts off: no locks, and the accounts are exact.
 *
 * Lock order: session->io_lock -> arm_lock (hooks.c) -> cpus_read_lock -> session->lock -> list_lock.
 */
#include <linux/cpu.h>
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "clock.h"
#include "hooks.h"
#include "session.h"
#include "snapshot.h"

static LIST_HEAD(running_sessions);
static DEFINE_MUTEX(list_lock);
static struct sysprof_stack_wish wish;
static atomic64_t ring_bytes_used = ATOMIC64_INIT(0);
static u64 ring_bytes_cap;

void sysprof_sessions_set_cap(u64 bytes)
{
	ring_bytes_cap = bytes;
}

/*
 * Of every @divisor periods of the clock one is the session's, at a place that varies so that nothing aliases with it.  This is the number of
 * the session's periods that lie before period @x of the clock.
 */
static u64 periods_before(const struct sysprof_session *session, u64 x)
{
	u64 whole;
	u32 rest;

	if (session->divisor == 1)
		return x;
	whole = div_u64_rem(x, session->divisor, &rest);
	return whole + (hash_64(whole, 32) % session->divisor < rest);
}

static u64 periods_between(const struct sysprof_session *session, u64 from, u64 to)
{
	return periods_before(session, to) - periods_before(session, from);
}

/* Of the clock's periods [from, to) on a CPU, how many are the session's: not before it joined. */
static u64 own_periods(const struct sysprof_session *session, const struct sysprof_session_cpu *sc, u64 from, u64 to)
{
	return periods_between(session, max(from, sc->first_period), to);
}

/* The rings. */

static u32 sample_limit(const struct sysprof_ring *ring)
{
	return ring->bytes / 4 * 3;
}

static void wake_reader(struct sysprof_session *session, struct sysprof_session_cpu *sc)
{
	if (sysprof_ring_used(&sc->ring) >= session->config.watermark_bytes && wq_has_sleeper(&session->wait))
		irq_work_queue(&session->wake);
}

/* Room for a record of which @set bytes begin as zeros; the caller writes the rest. */
static void *reserve(struct sysprof_session_cpu *sc, u32 bytes, u32 set, u32 limit, u16 type)
{
	struct sysprof_record *record;
	u64 time;

	record = sysprof_ring_reserve(&sc->ring, bytes, limit, &time);
	if (!record)
		return NULL;
	memset(record, 0, set);
	record->type = type;
	record->size = bytes / 8;
	record->cpu = smp_processor_id();
	record->time = time;
	return record;
}

/* Tells of what was lost, as soon as there is room for it. */
static void tell_losses(struct sysprof_session_cpu *sc)
{
	struct sysprof_record *resync;
	struct sysprof_lost *lost;
	int i;

	for (i = 0; i < SYSPROF_LOST_REASONS; i++) {
		if (!sc->loss[i].periods)
			continue;
		lost = reserve(sc, sizeof(*lost), sizeof(*lost), sc->ring.bytes, SYSPROF_LOST);
		if (!lost)
			return;
		lost->first_time = sc->loss[i].first_time;
		lost->last_time = sc->loss[i].last_time;
		lost->periods = sc->loss[i].periods;
		lost->reason = i;
		sysprof_ring_commit(&sc->ring);
		sc->loss[i].periods = 0;
	}
	if (sc->resync) {
		resync = reserve(sc, sizeof(*resync), sizeof(*resync), sc->ring.bytes, SYSPROF_RESYNC);
		if (!resync)
			return;
		sysprof_ring_commit(&sc->ring);
		sc->resync = false;
	}
}

static void lose(struct sysprof_session_cpu *sc, enum sysprof_lost_reason reason, u64 periods)
{
	struct sysprof_loss *loss = &sc->loss[reason];

	loss->last_time = ktime_get_mono_fast_ns();
	if (!loss->periods)
		loss->first_time = loss->last_time;
	loss->periods += periods;
	sc->account.lost[reason] += periods;
}

/* Fills in what the clock alone knows. */
static void complete_account(struct sysprof_session *session, int cpu, u64 now)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	u64 begun = sysprof_clock_period_at(now) + 1, next = sysprof_clock_catch_up(cpu, now);

	/* The period under way may have had its tick already. */
	begun = max(begun, next);
	sc->account.grid = periods_between(session, sc->first_period, begun);
	sc->account.pending = periods_between(session, next, begun);
	sysprof_clock_cost(cpu, &sc->account.cost_ns, &sc->account.ticks, NULL);
}

static void tell_account(struct sysprof_session *session, int cpu, u64 now)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	struct sysprof_account_record *record;

	complete_account(session, cpu, now);
	record = reserve(sc, sizeof(*record), sizeof(*record), sc->ring.bytes, SYSPROF_ACCOUNT);
	if (!record)
		return;
	record->account = sc->account;
	sysprof_ring_commit(&sc->ring);
	sc->account_time = now;
}

/* What happens on a CPU. */

#define for_each_joined(session, sc, cpu)								\
	list_for_each_entry_rcu(session, &running_sessions, link)					\
		if ((sc = &(session)->cpus[cpu])->joined && !READ_ONCE((session)->dead))

static void put_sample(struct sysprof_session *session, struct sysprof_session_cpu *sc,
		       const struct sysprof_stack *stack, u64 weight, u64 delay_ns)
{
	u32 n_kernel = min_t(u32, stack->n_kernel, session->config.max_kernel_frames);
	bool is_address = session->config.form == SYSPROF_FORM_ADDRESS;
	u32 found_user = is_address ? stack->n_user : stack->n_places;
	u32 n_user = min(found_user, session->config.max_user_frames);
	u32 bytes = sizeof(struct sysprof_sample) + (n_kernel + n_user) * sizeof(u64);
	struct sysprof_sample *sample;

	if (bytes > sample_limit(&sc->ring)) {
		lose(sc, SYSPROF_LOST_TOO_BIG, weight);
		return;
	}
	sample = reserve(sc, bytes, sizeof(*sample), sample_limit(&sc->ring), SYSPROF_SAMPLE);
	if (!sample) {
		lose(sc, SYSPROF_LOST_RING_FULL, weight);
		return;
	}
	sample->record.flags = stack->flags | (is_address ? SYSPROF_SAMPLE_ADDRESSES : 0);
	sample->record.pid = stack->pid;
	sample->record.tid = stack->tid;
	sample->mm = stack->mm;
	sample->delay_ns = delay_ns;
	sample->weight = min_t(u64, weight, U32_MAX);
	sample->n_kernel = n_kernel;
	sample->n_user = n_user;
	sample->kernel_end = n_kernel < stack->n_kernel ? SYSPROF_END_LIMIT : stack->kernel_end;
	sample->user_end = n_user < found_user ? SYSPROF_END_LIMIT : is_address ? stack->user_end : stack->places_end;
	sample->user_mode = session->config.user_mode - 1;
	memcpy(sample->frames, stack->kernel, n_kernel * sizeof(u64));
	memcpy(sample->frames + n_kernel, is_address ? stack->user : stack->places, n_user * sizeof(u64));
	sysprof_ring_commit(&sc->ring);

	sc->account.delivered += sample->weight;
	sc->account.samples++;
}

void sysprof_sessions_sample(const struct sysprof_stack *stack, u64 now, u64 from, u64 to, u64 delay_ns)
{
	int cpu = smp_processor_id();
	struct sysprof_session_cpu *sc;
	struct sysprof_session *session;
	u64 weight;

	for_each_joined(session, sc, cpu) {
		weight = own_periods(session, sc, from, to);
		if (!weight)
			continue;
		tell_losses(sc);
		put_sample(session, sc, stack, weight, delay_ns);
		if (now > sc->account_time + NSEC_PER_SEC)
			tell_account(session, cpu, ktime_get_mono_fast_ns());
		wake_reader(session, sc);
	}
}

void sysprof_sessions_idle(int cpu, u64 from, u64 to)
{
	struct sysprof_session_cpu *sc;
	struct sysprof_session *session;

	for_each_joined(session, sc, cpu)
		sc->account.idle += own_periods(session, sc, from, to);
}

void sysprof_sessions_offline(int cpu, u64 from, u64 to)
{
	struct sysprof_session_cpu *sc;
	struct sysprof_session *session;

	for_each_joined(session, sc, cpu)
		sc->account.offline += own_periods(session, sc, from, to);
}

void sysprof_sessions_lost(enum sysprof_lost_reason reason, u64 from, u64 to)
{
	int cpu = smp_processor_id();
	struct sysprof_session_cpu *sc;
	struct sysprof_session *session;
	u64 periods;

	for_each_joined(session, sc, cpu) {
		periods = own_periods(session, sc, from, to);
		if (periods)
			lose(sc, reason, periods);
	}
}

void sysprof_sessions_state(struct sysprof_record *record)
{
	u32 bytes = record->size * 8;
	struct sysprof_session_cpu *sc;
	struct sysprof_session *session;
	struct sysprof_record *copy;
	unsigned long flags;
	u64 time;

	local_irq_save(flags);
	rcu_read_lock();
	for_each_joined(session, sc, smp_processor_id()) {
		/* Where code lies is for those who see addresses. */
		if (record->type == SYSPROF_MAP && session->config.form != SYSPROF_FORM_ADDRESS)
			continue;
		tell_losses(sc);
		copy = reserve(sc, bytes, sizeof(*record), sc->ring.bytes, record->type);
		if (!copy) {
			sc->account.state_lost++;
			sc->resync = true;
			continue;
		}
		time = copy->time;
		memcpy(copy, record, bytes);
		copy->time = time;
		copy->cpu = smp_processor_id();
		sysprof_ring_commit(&sc->ring);
		wake_reader(session, sc);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

void sysprof_sessions_resync(void)
{
	struct sysprof_session_cpu *sc;
	struct sysprof_session *session;
	unsigned long flags;

	local_irq_save(flags);
	rcu_read_lock();
	for_each_joined(session, sc, smp_processor_id())
		sc->resync = true;
	rcu_read_unlock();
	local_irq_restore(flags);
}

void sysprof_sessions_exit(struct task_struct *task)
{
	struct sysprof_session *session;

	rcu_read_lock();
	list_for_each_entry_rcu(session, &running_sessions, link) {
		if (task_tgid(task) != session->opener)
			continue;
		WRITE_ONCE(session->dead, true);
		irq_work_queue(&session->wake);
	}
	rcu_read_unlock();
}

bool sysprof_sessions_any(void)
{
	return !list_empty(&running_sessions);
}

bool sysprof_sessions_want_maps(void)
{
	return READ_ONCE(wish.addresses);
}

struct sysprof_stack_wish sysprof_sessions_wish(void)
{
	return wish;
}

/* Life. */

static void wake_fn(struct irq_work *work)
{
	struct sysprof_session *session = container_of(work, struct sysprof_session, wake);

	wake_up_interruptible(&session->wait);
	if (READ_ONCE(session->dead))
		queue_work(system_unbound_wq, &session->reap);
}

static void reap_fn(struct work_struct *work)
{
	sysprof_session_stop(container_of(work, struct sysprof_session, reap));
}

struct sysprof_session *sysprof_session_create(void)
{
	struct sysprof_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return NULL;
	session->cpus = kvcalloc(nr_cpu_ids, sizeof(*session->cpus), GFP_KERNEL_ACCOUNT);
	if (!session->cpus) {
		kfree(session);
		return NULL;
	}
	INIT_LIST_HEAD(&session->link);
	mutex_init(&session->io_lock);
	mutex_init(&session->lock);
	init_waitqueue_head(&session->wait);
	init_irq_work(&session->wake, wake_fn);
	INIT_WORK(&session->reap, reap_fn);
	session->opener = get_pid(task_tgid(current));
	return session;
}

static void free_rings(struct sysprof_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!session->cpus[cpu].ring.bytes)
			continue;
		atomic64_sub(session->cpus[cpu].ring.bytes, &ring_bytes_used);
		sysprof_ring_deinit(&session->cpus[cpu].ring);
	}
}

void sysprof_session_destroy(struct sysprof_session *session)
{
	sysprof_session_stop(session);
	irq_work_sync(&session->wake);
	cancel_work_sync(&session->reap);
	sysprof_snapshot_end(session->snapshot);
	free_rings(session);
	put_pid(session->opener);
	kvfree(session->cpus);
	kfree(session);
}

static int make_rings(struct sysprof_session *session, u32 bytes)
{
	int cpu, err;

	free_rings(session);
	for_each_possible_cpu(cpu) {
		if (atomic64_add_return(bytes, &ring_bytes_used) > ring_bytes_cap) {
			atomic64_sub(bytes, &ring_bytes_used);
			err = -ENOSPC;
			goto err_free;
		}
		err = sysprof_ring_init(&session->cpus[cpu].ring, bytes, cpu_to_node(cpu));
		if (err) {
			atomic64_sub(bytes, &ring_bytes_used);
			goto err_free;
		}
	}
	return 0;

err_free:
	free_rings(session);
	session->config.ring_bytes = 0;
	return err;
}

int sysprof_session_configure(struct sysprof_session *session, struct sysprof_config *config)
{
	int err = 0;

	mutex_lock(&session->lock);
	if (session->running)
		err = -EBUSY;
	else if (config->ring_bytes != session->config.ring_bytes)
		err = session->reader != SYSPROF_READER_NONE ? -EBUSY : make_rings(session, config->ring_bytes);
	if (!err) {
		config->ring_stride = 2 * PAGE_SIZE + config->ring_bytes;
		session->config = *config;
	}
	mutex_unlock(&session->lock);
	return err;
}

/* A tick that reads it half changed takes a little too much or too little, once. */
static void update_wish(void)
{
	struct sysprof_stack_wish sum = {};
	struct sysprof_session *session;

	lockdep_assert_held(&list_lock);
	list_for_each_entry(session, &running_sessions, link) {
		sum.max_kernel = max(sum.max_kernel, session->config.max_kernel_frames);
		sum.max_user = max(sum.max_user, session->config.max_user_frames);
		sum.addresses |= session->config.form == SYSPROF_FORM_ADDRESS;
		sum.places |= session->config.form == SYSPROF_FORM_OBJECT;
	}
	wish = sum;
}

/* On its CPU, or for a CPU that is offline on any. */
static void join(struct sysprof_session *session, int cpu, void *unused)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	u64 now = ktime_get_mono_fast_ns();

	memset(&sc->account, 0, sizeof(sc->account));
	memset(sc->loss, 0, sizeof(sc->loss));
	sc->resync = false;
	sc->account_time = now;
	sc->first_period = sysprof_clock_catch_up(cpu, now);
	sc->joined = true;
}

static void leave(struct sysprof_session *session, int cpu, void *unused)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];

	if (!sc->joined)
		return;
	tell_losses(sc);
	tell_account(session, cpu, ktime_get_mono_fast_ns());
	sc->joined = false;
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

/* Runs @fn on @cpu with interrupts off; a CPU that is offline cannot come up meanwhile. */
static void on_cpu(void (*fn)(struct sysprof_session *, int, void *), struct sysprof_session *session, int cpu, void *arg)
{
	struct on_cpu_call call = { .fn = fn, .session = session, .cpu = cpu, .arg = arg };
	unsigned long flags;

	if (!smp_call_function_single(cpu, on_cpu_trampoline, &call, 1))
		return;
	local_irq_save(flags);
	fn(session, cpu, arg);
	local_irq_restore(flags);
}

int sysprof_session_start(struct sysprof_session *session, struct sysprof_start *ret)
{
	int cpu, err;

	/* Nobody reads the rings while they are emptied. */
	mutex_lock(&session->io_lock);
	err = sysprof_hooks_arm();
	if (err)
		goto out_io;

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

	mutex_lock(&list_lock);
	session->divisor = sysprof_clock_start(session->config.period_ns, &ret->grid_start, &ret->period_ns);
	ret->period_ns *= session->divisor;
	session->config.period_ns = ret->period_ns;
	for_each_possible_cpu(cpu)
		sysprof_ring_reset(&session->cpus[cpu].ring);
	list_add_tail_rcu(&session->link, &running_sessions);
	update_wish();
	mutex_unlock(&list_lock);
	for_each_possible_cpu(cpu)
		on_cpu(join, session, cpu, NULL);
	session->running = true;
out:
	mutex_unlock(&session->lock);
	cpus_read_unlock();
	if (err)
		sysprof_hooks_disarm();
out_io:
	mutex_unlock(&session->io_lock);
	return err;
}

void sysprof_session_stop(struct sysprof_session *session)
{
	bool was_running;
	int cpu;

	cpus_read_lock();
	mutex_lock(&session->lock);
	was_running = session->running;
	if (was_running) {
		for_each_possible_cpu(cpu)
			on_cpu(leave, session, cpu, NULL);
		mutex_lock(&list_lock);
		list_del_rcu(&session->link);
		update_wish();
		sysprof_clock_stop();
		mutex_unlock(&list_lock);
		session->running = false;
	}
	mutex_unlock(&session->lock);
	cpus_read_unlock();
	if (was_running) {
		/* Ticks and hooks that were walking the list are done with it. */
		synchronize_rcu();
		sysprof_hooks_disarm();
		wake_up_interruptible(&session->wait);
	}
}

/* The copy is taken here, too: a tick in between would make what it counts run ahead of the grid. */
static void refresh(struct sysprof_session *session, int cpu, void *arg)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	struct sysprof_stats *stats = arg;

	stats->time = ktime_get_mono_fast_ns();
	tell_losses(sc);
	if (sc->joined)
		complete_account(session, cpu, stats->time);
	stats->account = sc->account;
	sysprof_clock_cost(cpu, NULL, NULL, stats->cost);
}

int sysprof_session_stats(struct sysprof_session *session, struct sysprof_stats *stats)
{
	int err = 0;

	if (stats->cpu >= nr_cpu_ids || !cpu_possible(stats->cpu))
		return -EINVAL;
	cpus_read_lock();
	mutex_lock(&session->lock);
	if (session->config.ring_bytes)
		on_cpu(refresh, session, stats->cpu, stats);
	else
		err = -EINVAL;
	mutex_unlock(&session->lock);
	cpus_read_unlock();
	return err;
}
