// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions: who gets which record, and the account of every period.
 *
 * Running sessions are on an RCU list that ticks and hooks walk with interrupts off.  Everything of
 * a session that belongs to a CPU is touched on that CPU only, with interrupts off: no locks, and
 * the accounts are exact.
 *
 * Lock order: session->io_lock -> arm_lock (hooks.c) -> cpus_read_lock -> session->lock ->
 * list_lock, offline_lock.
 */
#include <linux/cpu.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>

#include "charge.h"
#include "clock-pmu.h"
#include "clock.h"
#include "hooks.h"
#include "periods.h"
#include "raw.h"
#include "session.h"
#include "snapshot.h"
#include "tables.h"
#include "times.h"

static LIST_HEAD(running_sessions);
static DEFINE_MUTEX(list_lock);
/* What is kept for a CPU, as long as it is offline. */
static DEFINE_RAW_SPINLOCK(offline_lock);
static bool want_maps;

/* The rings. */

static u32 sample_limit(const struct sysprof_ring *ring)
{
	return ring->bytes / 4 * 3;
}

static void wake_reader(struct sysprof_session *session, struct sysprof_session_cpu *sc)
{
	if (sysprof_ring_used(&sc->ring) >= session->config.watermark_bytes &&
	    wq_has_sleeper(&session->wait))
		irq_work_queue(&session->wake);
}

/* Room for a record; its header is written, its body is the caller's to write, all of it. */
static void *reserve(struct sysprof_session_cpu *sc, u32 bytes, u32 limit, u16 type)
{
	struct sysprof_record *record = sysprof_ring_reserve(&sc->ring, bytes, limit);

	if (!record)
		return NULL;
	record->type = type;
	record->flags = 0;
	record->size = bytes / 8;
	record->cpu = smp_processor_id();
	record->pid = 0;
	record->tid = 0;
	return record;
}

static noinline void tell_untold(struct sysprof_session_cpu *sc)
{
	struct sysprof_record *resync;
	struct sysprof_lost *lost;
	u64 sum;
	int i;

	/* What an overflow loses from here on sets it again. */
	WRITE_ONCE(sc->untold, false);
	barrier();
	for (i = 0; i < SYSPROF_LOST_REASONS; i++) {
		sum = READ_ONCE(sc->account.lost[i]);
		if (sum == sc->loss[i].told)
			continue;
		lost = reserve(sc, sizeof(*lost), sc->ring.bytes, SYSPROF_LOST);
		if (!lost)
			goto untold;
		lost->first_time = sc->loss[i].first_time;
		lost->last_time = sc->loss[i].last_time;
		lost->periods = sum - sc->loss[i].told;
		lost->reason = i;
		lost->reserved = 0;
		sysprof_ring_commit(&sc->ring);
		sc->loss[i].told = sum;
	}
	if (sc->resync) {
		resync = reserve(sc, sizeof(*resync), sc->ring.bytes, SYSPROF_RESYNC);
		if (!resync)
			goto untold;
		sysprof_ring_commit(&sc->ring);
		sc->resync = false;
	}
	return;
untold:
	WRITE_ONCE(sc->untold, true);
}

/* Tells of what was lost, as soon as there is room for it. */
static void tell_losses(struct sysprof_session_cpu *sc)
{
	if (unlikely(READ_ONCE(sc->untold)))
		tell_untold(sc);
}

noinline void sysprof_session_lose(struct sysprof_session_cpu *sc, enum sysprof_lost_reason reason,
				   u64 periods)
{
	struct sysprof_loss *loss = &sc->loss[reason];

	loss->last_time = ktime_get_mono_fast_ns();
	if (sc->account.lost[reason] == READ_ONCE(loss->told))
		loss->first_time = loss->last_time;
	sc->account.lost[reason] += periods;
	WRITE_ONCE(sc->untold, true);
}

/* Fills in what the clock alone knows. */
static void complete_account(struct sysprof_session *session, int cpu, u64 now)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	u64 begun = sysprof_clock_period_at(now) + 1, next;

	/* Overflows keep it. */
	if (session->pmu)
		return;
	if (!sc->wanted) {
		sc->account.grid = sc->account.excluded = own_periods(session, sc, 0, begun);
		return;
	}
	next = sysprof_clock_catch_up(cpu, now);
	/* The period under way may have had its tick already. */
	begun = max(begun, next);
	sc->account.grid = own_periods(session, sc, 0, begun);
	sc->account.pending = own_periods(session, sc, next, begun);
	sysprof_clock_cost(cpu, &sc->account.cost_ns, &sc->account.ticks, NULL);
}

/* As it was between two overflows. */
static void copy_account(const struct sysprof_session_cpu *sc, struct sysprof_account *to)
{
	u32 changes;

	do {
		changes = READ_ONCE(sc->changes);
		/* An overflow interrupts this CPU: order against it is the compiler's alone. */
		barrier();
		*to = sc->account;
		barrier();
	} while (changes != READ_ONCE(sc->changes));
}

static void tell_account(struct sysprof_session *session, int cpu, u64 now)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	struct sysprof_account_record *record;

	complete_account(session, cpu, now);
	record = reserve(sc, sizeof(*record), sc->ring.bytes, SYSPROF_ACCOUNT);
	if (!record)
		return;
	copy_account(sc, &record->account);
	sysprof_ring_commit(&sc->ring);
	sc->account_time = now;
}

/* What happens on a CPU. */

#define for_each_joined(session, sc, cpu)                                                          \
	list_for_each_entry_rcu(session, &running_sessions, link)                                  \
		if ((sc = &(session)->cpus[cpu])->joined && !READ_ONCE((session)->dead))

static __always_inline void put_sample(struct sysprof_session_cpu *sc, struct sysprof_stack *stack,
				       u64 weight, u64 delay_ns)
{
	const struct sysprof_session *session = sc->session;
	const struct sysprof_user_part *user = &stack->user[session->user_kind];
	u32 n_kernel = min_t(u32, stack->n_kernel, session->wish.max_kernel), n_user, bytes,
	    raw_bytes = 0;
	struct sysprof_sample *sample;

	if (session->user_kind == SYSPROF_KIND_TABLED)
		sysprof_stack_by_tables(stack, sc->tables);
	n_user = min(user->walk.n, session->wish.max_user);
	if (unlikely(sc->hides))
		n_kernel = n_user = 0;
	if (stack->raw && sc->raw_bytes)
		raw_bytes = sysprof_raw_size(stack->raw, sc->raw_bytes);
	bytes = sizeof(struct sysprof_sample) + (n_kernel + n_user) * sizeof(u64) + raw_bytes;
	if (bytes > sample_limit(&sc->ring)) {
		sysprof_session_lose(sc, SYSPROF_LOST_TOO_BIG, weight);
		return;
	}
	sample = reserve(sc, bytes, sample_limit(&sc->ring), SYSPROF_SAMPLE);
	if (!sample) {
		sysprof_session_lose(sc, SYSPROF_LOST_RING_FULL, weight);
		return;
	}
	weight = min_t(u64, weight, U32_MAX);
	sample->record.flags = stack->flags | user->flags;
	sample->record.pid = stack->pid;
	sample->record.tid = stack->tid;
	sample->mm = stack->mm;
	sample->cookie = 0;
	sample->delay_ns = delay_ns;
	sample->weight = weight;
	sample->n_kernel = n_kernel;
	sample->n_user = n_user;
	sample->kernel_end = n_kernel < stack->n_kernel ? SYSPROF_END_LIMIT : stack->kernel_end;
	sample->user_end = n_user < user->walk.n ? SYSPROF_END_LIMIT : user->walk.end;
	sample->user_mode = session->config.user_mode - 1;
	/* Of tasks whose memory is not the reader's there are frames alone. */
	if (sample->user_mode == SYSPROF_USER_RAW && !raw_bytes)
		sample->user_mode = SYSPROF_USER_FP;
	sample->raw_bytes = raw_bytes;
	sample->reserved = 0;
	if (n_kernel)
		memcpy(sample->frames, stack->kernel, n_kernel * sizeof(u64));
	memcpy(sample->frames + n_kernel, user->frames, n_user * sizeof(u64));
	if (unlikely(sc->hides))
		sample->kernel_end = sample->user_end = SYSPROF_END_NONE;
	if (raw_bytes)
		sysprof_raw_put_into(sample->frames + n_kernel + n_user, stack->raw, sc->raw_bytes);
	sysprof_ring_commit(&sc->ring);

	sc->account.delivered += weight;
	sc->account.samples++;
}

static __always_inline void add_wish(struct sysprof_session_cpu *sc,
				     struct sysprof_stack_wish *wish, bool is_first)
{
	const struct sysprof_session *session = sc->session;

	if (is_first) {
		*wish = session->wish;
	} else {
		wish->max_kernel = max(wish->max_kernel, session->wish.max_kernel);
		wish->max_user = max(wish->max_user, session->wish.max_user);
		wish->addresses |= session->wish.addresses;
		wish->places |= session->wish.places;
	}
	if (unlikely(session->asks_rights))
		sysprof_session_ask_rights(sc, wish);
}

/*
 * What the sessions want of a tick's stack, and how many periods it stands for in each.  False:
 * there is none that wants it.
 */
static bool plan(struct sysprof_stack_wish *wish, struct pt_regs *regs, u64 from, u64 to)
{
	const struct sysprof_session *session;
	struct sysprof_session_cpu *sc;
	bool any = false;
	u64 own;

	for (sc = this_cpu_read(sysprof_ticking); sc; sc = sc->next) {
		session = sc->session;
		sc->weight = 0;
		own = own_periods(session, sc, from, to);
		if (!own || unlikely(READ_ONCE(session->dead)))
			continue;
		if (session->filter &&
		    !sysprof_filter_passes(session->filter, regs && user_mode(regs))) {
			sc->account.excluded += own;
			continue;
		}
		sc->weight = own;
		if (session->keeps_budget) {
			sc->weight = sampled_periods(session, sc, from, to);
			sc->account.budget += own - sc->weight;
			if (!sc->weight)
				continue;
		}
		add_wish(sc, wish, !any);
		any = true;
	}
	return any;
}

bool sysprof_sessions_sample(struct sysprof_stack *stack, struct pt_regs *regs, u64 now, u64 from,
			     u64 to, u64 delay_ns)
{
	bool wanted = plan(&stack->wish, regs, from, to);
	struct sysprof_session_cpu *sc;

	if (wanted)
		sysprof_stack_take(stack, regs);
	for (sc = this_cpu_read(sysprof_ticking); sc; sc = sc->next) {
		if (sc->weight) {
			tell_losses(sc);
			put_sample(sc, stack, sc->weight, delay_ns);
		}
		if (unlikely(now > sc->account_time + NSEC_PER_SEC))
			tell_account(sc->session, smp_processor_id(), ktime_get_mono_fast_ns());
		wake_reader(sc->session, sc);
	}
	return wanted;
}

/* An overflow leaves to this what has to be done with interrupts off, outside NMI. */
static void tell_fn(struct irq_work *work)
{
	struct sysprof_session_cpu *sc = container_of(work, struct sysprof_session_cpu, tell);
	unsigned long flags;

	local_irq_save(flags);
	if (sc->joined && sc == &sc->session->cpus[smp_processor_id()]) {
		tell_losses(sc);
		tell_account(sc->session, smp_processor_id(), ktime_get_mono_fast_ns());
	}
	local_irq_restore(flags);
}

/* An interrupt that an NMI found on the idle task's stack is work. */
static bool is_idle(void)
{
	return is_idle_task(current) && !in_serving_softirq() && !(in_nmi() && hardirq_count());
}

void sysprof_session_overflow(struct sysprof_session *session, struct sysprof_stack *stack,
			      struct pt_regs *regs, u64 periods)
{
	struct sysprof_session_cpu *sc = &session->cpus[smp_processor_id()];
	u64 own = periods - sc->account.grid, now = ktime_get_mono_fast_ns();

	if (!sc->joined || READ_ONCE(session->dead) || !own)
		return;
	if (is_idle()) {
		sc->account.idle += own;
	} else if (!sysprof_filter_passes(session->filter, user_mode(regs))) {
		sc->account.excluded += own;
	} else {
		add_wish(sc, &stack->wish, true);
		sysprof_stack_take(stack, regs);
		put_sample(sc, stack, own, 0);
	}
	sc->account.grid = periods;
	sc->account.ticks++;
	sc->account.cost_ns += ktime_get_mono_fast_ns() - now;
	WRITE_ONCE(sc->changes, sc->changes + 1);
	if (now > sc->account_time + NSEC_PER_SEC)
		irq_work_queue(&sc->tell);
	wake_reader(session, sc);
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
		/* A mapping is always told by who makes it. */
		if (record->type == SYSPROF_MAP && session->config.form != SYSPROF_FORM_ADDRESS &&
		    !sysprof_session_may_have_raw(session))
			continue;
		tell_losses(sc);
		copy = reserve(sc, bytes, sc->ring.bytes, record->type);
		if (!copy) {
			sc->account.state_lost++;
			sc->resync = true;
			sc->untold = true;
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
	for_each_joined(session, sc, smp_processor_id()) {
		sc->resync = true;
		sc->untold = true;
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

void sysprof_sessions_forked(struct task_struct *parent, struct task_struct *child)
{
	struct sysprof_session *session;
	unsigned long flags;

	local_irq_save(flags);
	rcu_read_lock();
	list_for_each_entry_rcu(session, &running_sessions, link)
		if (!sysprof_filter_forked(session->filter, parent, child))
			session->cpus[smp_processor_id()].account.state_lost++;
	rcu_read_unlock();
	local_irq_restore(flags);
}

void sysprof_sessions_exit(struct task_struct *task)
{
	struct sysprof_session *session;

	rcu_read_lock();
	list_for_each_entry_rcu(session, &running_sessions, link) {
		sysprof_filter_exited(session->filter, task);
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
	return READ_ONCE(want_maps);
}

/* Life. */

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

struct sysprof_session *sysprof_session_create(void)
{
	struct sysprof_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	int cpu;

	if (!session)
		return NULL;
	session->cpus = kvcalloc(nr_cpu_ids, sizeof(*session->cpus), GFP_KERNEL_ACCOUNT);
	session->cpumask = kzalloc(cpumask_size(), GFP_KERNEL_ACCOUNT);
	session->charge = sysprof_charge_open();
	if (!session->cpus || !session->cpumask || !session->charge) {
		if (session->charge)
			sysprof_charge_close(session->charge);
		kvfree(session->cpus);
		kfree(session->cpumask);
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
	for_each_possible_cpu(cpu) {
		session->cpus[cpu].session = session;
		init_irq_work(&session->cpus[cpu].tell, tell_fn);
	}
	return session;
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
	sysprof_charge_close(session->charge);
	sysprof_filter_destroy(session->filter);
	sysprof_raw_put(session->raw_wishes);
	sysprof_tables_put(session->tables);
	put_pid(session->opener);
	kvfree(session->cpus);
	kfree(session->cpumask);
	kfree(session);
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
	mutex_lock(&session->lock);
	if (session->running)
		err = -EBUSY;
	else if (config->ring_bytes != session->config.ring_bytes)
		err = session->reader != SYSPROF_READER_NONE ?
			      -EBUSY :
			      sysprof_session_make_rings(session, config->ring_bytes);
	if (!err && config->raw_bytes && !session->raw_wishes) {
		session->raw_wishes = sysprof_raw_get();
		err = session->raw_wishes ? 0 : -ENOMEM;
	}
	if (!err) {
		config->ring_stride = 2 * PAGE_SIZE + config->ring_bytes;
		session->config = *config;
		session->keeps_budget = keeps_budget;
		sysprof_session_plan(session);
		swap(session->filter, filter);
		cpumask_copy(session->cpumask, cpus);
		for_each_possible_cpu(cpu)
			session->cpus[cpu].wanted =
				config->clock == SYSPROF_CLOCK_TIMER && cpumask_test_cpu(cpu, cpus);
	}
	mutex_unlock(&session->lock);
	if (!err)
		sysprof_filter_destroy(filter);
	return err;
}

static void update_wishes(void)
{
	struct sysprof_session *session;
	bool any = false;

	lockdep_assert_held(&list_lock);
	list_for_each_entry(session, &running_sessions, link)
		any |= session->config.form == SYSPROF_FORM_ADDRESS || session->config.raw_bytes;
	WRITE_ONCE(want_maps, any);
}

static void begin_account(struct sysprof_session_cpu *sc, u64 first_period, u64 now)
{
	memset(&sc->account, 0, sizeof(sc->account));
	memset(sc->loss, 0, sizeof(sc->loss));
	sc->resync = false;
	sc->untold = false;
	sc->account_time = now;
	sc->first_period = first_period;
	sc->weight = 0;
	sc->raw_bytes = 0;
	sc->tables = NULL;
	sc->hides = false;
	sc->joined = true;
}

/*
 * On its CPU, or for a CPU that is offline on any.  Begins with the next period: this one may have
 * had its tick, or have none.
 */
static void join(struct sysprof_session *session, int cpu, void *unused)
{
	u64 now = ktime_get_mono_fast_ns(), next = sysprof_clock_catch_up(cpu, now);
	struct sysprof_session_cpu *sc = &session->cpus[cpu];

	begin_account(sc, max(next, sysprof_clock_period_at(now) + 1), now);
	sysprof_session_join_ticks(sc, cpu);
	sysprof_clock_retarget(cpu, now);
}

static void leave(struct sysprof_session *session, int cpu, void *unused)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];

	if (!sc->joined)
		return;
	tell_losses(sc);
	tell_account(session, cpu, ktime_get_mono_fast_ns());
	sc->joined = false;
	sysprof_session_leave_ticks(sc, cpu);
}

/*
 * From any CPU: the one that is left alone writes at most state records, and those until the list
 * is left.
 */
static void leave_unwanted(struct sysprof_session *session, int cpu)
{
	complete_account(session, cpu, ktime_get_mono_fast_ns());
	WRITE_ONCE(session->cpus[cpu].joined, false);
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

int sysprof_session_start(struct sysprof_session *session, struct sysprof_start *ret)
{
	int cpu, err;
	u64 now;

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
	list_add_tail_rcu(&session->link, &running_sessions);
	update_wishes();
	mutex_unlock(&list_lock);
	for_each_possible_cpu(cpu)
		if (session->cpus[cpu].wanted)
			on_cpu(join, session, cpu, NULL);
	sysprof_time_started();
	sysprof_filter_find_children(session->filter);
	if (session->pmu)
		sysprof_pmu_enable(session->pmu);
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
		if (session->pmu)
			sysprof_pmu_disable(session->pmu);
		for_each_possible_cpu(cpu) {
			if (session->pmu || session->cpus[cpu].wanted)
				on_cpu(leave, session, cpu, NULL);
			else
				leave_unwanted(session, cpu);
		}
		mutex_lock(&list_lock);
		list_del_rcu(&session->link);
		update_wishes();
		if (!session->pmu)
			sysprof_clock_stop(session->cpumask);
		mutex_unlock(&list_lock);
		if (session->pmu)
			sysprof_pmu_destroy(session->pmu);
		session->pmu = NULL;
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

/*
 * The copy is taken here, too: a tick in between would make what it counts run ahead of the grid.
 */
static void refresh(struct sysprof_session *session, int cpu, void *arg)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	struct sysprof_stats *stats = arg;

	stats->time = ktime_get_mono_fast_ns();
	if (session->pmu || sc->wanted)
		tell_losses(sc);
	if (sc->joined)
		complete_account(session, cpu, stats->time);
	copy_account(sc, &stats->account);
	sysprof_clock_cost(cpu, NULL, NULL, stats->cost);
}

int sysprof_session_stats(struct sysprof_session *session, struct sysprof_stats *stats)
{
	int err = 0;

	if (stats->cpu >= nr_cpu_ids || !cpu_possible(stats->cpu))
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
