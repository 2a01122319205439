// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery: who gets which record, and how records that found no room are reported.
 *
 * Running sessions are on an RCU list that hooks walk with interrupts off.  Everything of a session
 * that belongs to a CPU is touched on that CPU only, with interrupts off: no locks, and the
 * accounts are exact.
 */
#include <linux/jiffies.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "compat/export.h"
#include "delivery.h"
#include "filter.h"
#include "traced.h"

/* A reader is woken for new files no more often than this. */
#define HURRY_EVERY (HZ / 100)

static LIST_HEAD(running_sessions);
static bool want_maps;

/* Records that were lost. */

noinline void sysprof_delivery_report_pending(struct sysprof_session_cpu *sc)
{
	struct sysprof_record *resync;
	struct sysprof_lost *lost;
	u64 sum;
	int i;

	/* Records lost by an overflow from here on set the flag again. */
	WRITE_ONCE(sc->loss_unreported, false);
	barrier();
	for (i = 0; i < SYSPROF_LOST_REASONS; i++) {
		sum = READ_ONCE(sc->account.lost[i]);
		if (sum == sc->loss[i].reported)
			continue;
		lost = sysprof_delivery_reserve(sc, sizeof(*lost), sc->ring.bytes, SYSPROF_LOST);
		if (!lost)
			goto unreported;
		lost->first_time = sc->loss[i].first_time;
		lost->last_time = sc->loss[i].last_time;
		lost->periods = sum - sc->loss[i].reported;
		lost->reason = i;
		lost->reserved = 0;
		sysprof_ring_commit(&sc->ring);
		sc->loss[i].reported = sum;
	}
	if (sc->resync) {
		resync = sysprof_delivery_reserve(sc, sizeof(*resync), sc->ring.bytes,
						  SYSPROF_RESYNC);
		if (!resync)
			goto unreported;
		sysprof_ring_commit(&sc->ring);
		sc->resync = false;
	}
	return;
unreported:
	WRITE_ONCE(sc->loss_unreported, true);
}
SYSPROF_EXPORT(sysprof_delivery_report_pending);

noinline void sysprof_session_lose(struct sysprof_session_cpu *sc, enum sysprof_lost_reason reason,
				   u64 periods)
{
	struct sysprof_loss *loss = &sc->loss[reason];

	loss->last_time = ktime_get_mono_fast_ns();
	if (sc->account.lost[reason] == READ_ONCE(loss->reported))
		loss->first_time = loss->last_time;
	sc->account.lost[reason] += periods;
	WRITE_ONCE(sc->loss_unreported, true);
}

/* Accounts. */

void sysprof_delivery_copy_account(const struct sysprof_session_cpu *sc, struct sysprof_account *to)
{
	u32 changes;

	do {
		changes = READ_ONCE(sc->changes);
		/*
		 * An overflow interrupts this CPU, so ordering against it is only the compiler's.
		 */
		barrier();
		*to = sc->account;
		barrier();
	} while (changes != READ_ONCE(sc->changes));
}

bool sysprof_delivery_account(struct sysprof_session_cpu *sc)
{
	struct sysprof_account_record *record =
		sysprof_delivery_reserve(sc, sizeof(*record), sc->ring.bytes, SYSPROF_ACCOUNT);

	if (!record)
		return false;
	sysprof_delivery_copy_account(sc, &record->account);
	sysprof_ring_commit(&sc->ring);
	return true;
}

/* Events on a CPU that concern all sessions. */

#define for_each_joined(session, sc, cpu)                                                          \
	list_for_each_entry_rcu(session, &running_sessions, link)                                  \
		if ((sc = &(session)->cpus[cpu])->joined && !READ_ONCE((session)->dead))

bool sysprof_session_may_have_addresses(const struct sysprof_session *session)
{
	return session->may_see_addresses || sysprof_traced_may(session, current, current->mm);
}
SYSPROF_EXPORT(sysprof_session_may_have_addresses);

bool sysprof_session_may_have_raw(const struct sysprof_session *session)
{
	return session->config.raw_bytes && sysprof_session_may_have_addresses(session);
}

void sysprof_delivery_put_state(struct sysprof_session_cpu *sc, const struct sysprof_record *record)
{
	u32 bytes = record->size * 8;
	struct sysprof_record *copy;
	u64 time;

	sysprof_delivery_report_losses(sc);
	copy = sysprof_delivery_reserve(sc, bytes, sc->ring.bytes, record->type);
	if (!copy) {
		sc->account.state_lost++;
		sc->resync = true;
		sc->loss_unreported = true;
		return;
	}
	time = copy->time;
	memcpy(copy, record, bytes);
	copy->time = time;
	copy->cpu = sc->cpu;
	sysprof_ring_commit(&sc->ring);
	sysprof_delivery_wake(sc->session, sc);
}
SYSPROF_EXPORT(sysprof_delivery_put_state);

/*
 * The reader of a session with tables has one for the file in a moment: before the new program has
 * run long.  Anybody can map new files: the reader is not woken for each.
 */
static void hurry(struct sysprof_session *session)
{
	if (session->user_kind != SYSPROF_KIND_TABLED ||
	    time_before(jiffies, session->hurried + HURRY_EVERY))
		return;
	session->hurried = jiffies;
	WRITE_ONCE(session->has_file, true);
	irq_work_queue(&session->wake);
}

void sysprof_sessions_state(struct sysprof_record *record)
{
	struct sysprof_session_cpu *sc;
	struct sysprof_session *session;
	unsigned long flags;

	local_irq_save(flags);
	rcu_read_lock();
	for_each_joined(session, sc, smp_processor_id()) {
		/* A mapping is always reported by the task that makes it. */
		if (record->type == SYSPROF_MAP && session->config.form != SYSPROF_FORM_ADDRESS &&
		    !sysprof_session_may_have_raw(session))
			continue;
		sysprof_delivery_put_state(sc, record);
		if (record->type == SYSPROF_OBJECT)
			hurry(session);
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
		sc->loss_unreported = true;
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

/* The sessions that get records. */

static void delivery_update_requests(void)
{
	struct sysprof_session *session;
	bool any = false;

	list_for_each_entry(session, &running_sessions, link)
		any |= session->config.form == SYSPROF_FORM_ADDRESS || session->config.raw_bytes;
	WRITE_ONCE(want_maps, any);
}

void sysprof_delivery_begin(struct sysprof_session *session)
{
	list_add_tail_rcu(&session->link, &running_sessions);
	delivery_update_requests();
}

void sysprof_delivery_end(struct sysprof_session *session)
{
	list_del_rcu(&session->link);
	delivery_update_requests();
}
