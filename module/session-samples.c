// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sessions get of a tick or an overflow: their samples, and the account of every period.
 * Ticks walk this CPU's list of sessions with interrupts off.
 */
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "clock-grid.h"
#include "contexts.h"
#include "filter.h"
#include "once.h"
#include "periods.h"
#include "raw.h"
#include "session-samples.h"
#include "session-stack.h"
#include "session-ticking.h"
#include "source-ops.h"
#include "stack.h"
#include "throttle.h"

/* Accounts. */

void sysprof_session_complete_account(struct sysprof_session *session, int cpu, u64 now)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];
	u64 begun = sysprof_clock_period_at(now) + 1, next;

	/* Overflows keep this account. */
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

void sysprof_session_tell_account(struct sysprof_session *session, int cpu, u64 now)
{
	struct sysprof_session_cpu *sc = &session->cpus[cpu];

	sysprof_session_complete_account(session, cpu, now);
	if (sysprof_delivery_account(sc))
		sc->account_time = now;
	if (session->sub)
		sysprof_source_ops->tell(sc, now);
}

/* Samples. */

static u32 sample_limit(const struct sysprof_ring *ring)
{
	return ring->bytes / 4 * 3;
}

/*
 * Bytes of the copy of the stack that goes into the sample.  Beside tables a copy is an extra: it
 * leaves half of the ring to samples.
 */
static __always_inline u32 raw_part(struct sysprof_session_cpu *sc, struct sysprof_stack *stack)
{
	bool by_tables = sc->session->user_kind == SYSPROF_KIND_TABLED;
	u32 bytes;

	if (by_tables) {
		if (likely(!sysprof_stack_misses_table(stack)))
			return 0;
		sc->rights.raw_bytes = sysprof_session_raw_bytes(sc->session);
		if (!sysprof_stack_copy_instead(stack, sc->rights.raw_bytes))
			return 0;
	} else if (likely(!sc->rights.raw_bytes) || !stack->raw) {
		return 0;
	}
	bytes = sysprof_raw_size(stack->raw, sc->rights.raw_bytes);
	return by_tables && sysprof_ring_used(&sc->ring) + bytes > sc->ring.bytes / 2 ? 0 : bytes;
}

/* Returns when the record was written, or lost. */
static __always_inline u64 put_sample(struct sysprof_session_cpu *sc, struct sysprof_stack *stack,
				      u64 weight, u64 delay_ns)
{
	const struct sysprof_session *session = sc->session;
	struct sysprof_user_part *user = &stack->user[session->user_kind];
	u32 n_kernel = min_t(u32, stack->n_kernel, session->request.max_kernel), n_user, bytes,
	    raw_bytes;
	struct sysprof_sample *sample;
	u64 time, cookie;
	u8 user_end;

	/* Else the compiler computes where it is each time. */
	OPTIMIZER_HIDE_VAR(user);
	if (session->user_kind == SYSPROF_KIND_TABLED)
		session_by_tables(sc, stack, &sc->rights);
	n_user = min(user->walk.n, session->request.max_user);
	user_end = n_user < user->walk.n ? SYSPROF_END_LIMIT : user->walk.end;
	if (unlikely(sc->rights.hides == SYSPROF_HIDES_FRAMES))
		n_kernel = n_user = 0;
	raw_bytes = raw_part(sc, stack);
	cookie = raw_bytes ? 0 : once_cookie(sc, &user->walk, n_user, sc->rights.hides);
	if (once_refers(cookie))
		n_user -= user->walk.outer.n;
	bytes = sizeof(struct sysprof_sample) + (n_kernel + n_user) * sizeof(u64) + raw_bytes;
	if (bytes > sample_limit(&sc->ring)) {
		sysprof_session_lose(sc, SYSPROF_LOST_TOO_BIG, weight);
		return sc->loss[SYSPROF_LOST_TOO_BIG].last_time;
	}
	sample = sysprof_delivery_take(sc, bytes, sample_limit(&sc->ring), SYSPROF_SAMPLE);
	if (!sample) {
		sysprof_session_lose(sc, SYSPROF_LOST_RING_FULL, weight);
		return sc->loss[SYSPROF_LOST_RING_FULL].last_time;
	}
	weight = min_t(u64, weight, U32_MAX);
	sample->record.flags = stack->flags | user->flags;
	sample->record.pid = stack->pid;
	sample->record.tid = stack->tid;
	sample->mm = stack->mm;
	sample->cookie = cookie;
	sample->delay_ns = delay_ns;
	sample->weight = weight;
	sample->n_kernel = n_kernel;
	sample->n_user = n_user;
	sample->kernel_end = n_kernel < stack->n_kernel ? SYSPROF_END_LIMIT : stack->kernel_end;
	sample->user_end = user_end;
	sample->user_mode = raw_bytes ? SYSPROF_USER_RAW : session->config.user_mode - 1;
	/* Stacks of tasks whose memory the reader may not read have frames only. */
	if (sample->user_mode == SYSPROF_USER_RAW && !raw_bytes)
		sample->user_mode = SYSPROF_USER_FP;
	sample->raw_bytes = raw_bytes;
	sample->context = stack->context + 1;
	if (n_kernel)
		memcpy(sample->frames, stack->kernel, n_kernel * sizeof(u64));
	if (unlikely(sc->rights.hides)) {
		sysprof_session_put_hidden(sample, &user->walk, sc->rights.hides);
	} else {
		once_put(sample->frames + n_kernel, &user->walk, n_user);
		sysprof_user_part_put_thread(user, sample->frames + n_kernel, n_user);
	}
	if (raw_bytes)
		sysprof_raw_put_into(sample->frames + n_kernel + n_user, raw_bytes, stack->raw,
				     sc->rights.raw_bytes);
	time = sample->record.time;
	ring_commit(&sc->ring);

	once_sent(sc, &user->walk, cookie);
	sc->account.delivered += weight;
	sc->account.samples++;
	return time;
}

static __always_inline void add_request(struct sysprof_session_cpu *sc,
					struct sysprof_stack_request *request, bool is_first)
{
	const struct sysprof_session *session = sc->session;

	if (is_first)
		*request = session->request;
	else
		sysprof_stack_request_add(request, &session->request);
	if (likely(!session->asks_rights))
		return;
	sysprof_session_ask_rights(session, &sc->rights);
	request->raw_bytes = max(request->raw_bytes, sc->rights.raw_bytes);
}

/*
 * The parts of a tick's stack that the sessions request, and how many periods it represents in
 * each.  False: no session wants it.
 */
static bool plan(struct sysprof_stack_request *request, struct pt_regs *regs,
		 const struct sysprof_tick *tick)
{
	const struct sysprof_session *session;
	struct sysprof_session_cpu *sc;
	u64 own, from, to = tick->to;
	bool any = false;

	for (sc = this_cpu_read(sysprof_ticking); sc; sc = sc->next) {
		session = sc->session;
		sc->weight = 0;
		from = tick->from;
		if (unlikely(from < tick->users_from) && !session->is_exempt) {
			from = min(tick->users_from, to);
			own = own_periods(session, sc, tick->from, from);
			if (own)
				sysprof_session_lose(sc, SYSPROF_LOST_THROTTLED, own);
		}
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
		add_request(sc, request, !any);
		any = true;
	}
	/* With a run queue locked there is no time for copies of stacks. */
	if (!regs)
		request->raw_bytes = 0;
	return any;
}

bool sysprof_sessions_sample(struct sysprof_stack *stack, struct pt_regs *regs,
			     struct sysprof_tick *tick)
{
	bool wanted = plan(&stack->request, regs, tick), is_shared;
	struct sysprof_session_cpu *sc = this_cpu_read(sysprof_ticking);

	if (wanted)
		sysprof_stack_take(stack, regs);
	/* Exempt sessions come first. */
	is_shared = sc && sc->session->is_exempt;
	for (; sc; sc = sc->next) {
		if (sc->weight) {
			if (is_shared && !sc->session->is_exempt && !tick->users_begin)
				tick->users_begin = tick->last;
			sysprof_delivery_report_losses(sc);
			tick->last = put_sample(sc, stack, sc->weight, tick->delay_ns);
		}
		if (unlikely(tick->now > sc->account_time + NSEC_PER_SEC))
			sysprof_session_tell_account(sc->session, smp_processor_id(),
						     ktime_get_mono_fast_ns());
		sysprof_delivery_wake(sc->session, sc);
	}
	return wanted;
}

static bool is_throttled(const struct sysprof_session *session, u64 now)
{
	return sysprof_throttle_until(SYSPROF_PAID_BY_ALL) > now ||
	       (!session->is_exempt && sysprof_throttle_until(SYSPROF_PAID_BY_USERS) > now);
}

void sysprof_session_overflow(struct sysprof_session *session, struct sysprof_stack *stack,
			      struct pt_regs *regs, u64 periods)
{
	struct sysprof_session_cpu *sc = &session->cpus[smp_processor_id()];
	u64 own = periods - sc->account.grid, now = ktime_get_mono_fast_ns(), end;

	if (!sc->joined || READ_ONCE(session->dead) || !own)
		return;
	if (sysprof_context_of_tick() == SYSPROF_CONTEXT_IDLE) {
		sc->account.idle += own;
	} else if (!sysprof_filter_passes(session->filter, user_mode(regs))) {
		sc->account.excluded += own;
	} else if (is_throttled(session, now)) {
		sysprof_session_lose(sc, SYSPROF_LOST_THROTTLED, own);
	} else {
		add_request(sc, &stack->request, true);
		sysprof_stack_take(stack, regs);
		put_sample(sc, stack, own, 0);
	}
	end = ktime_get_mono_fast_ns();
	sysprof_throttle_spend(SYSPROF_PAID_BY_ALL, end, end - now);
	if (!session->is_exempt)
		sysprof_throttle_spend(SYSPROF_PAID_BY_USERS, end, end - now);
	sc->account.grid = periods;
	sc->account.ticks++;
	sc->account.cost_ns += end - now;
	WRITE_ONCE(sc->changes, sc->changes + 1);
	if (now > sc->account_time + NSEC_PER_SEC)
		irq_work_queue(&sc->tell);
	sysprof_delivery_wake(session, sc);
}
