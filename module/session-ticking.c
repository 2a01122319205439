// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sessions that a CPU ticks for: the periods that they want, and what happens to periods that
 * have no sample.
 */
#include <linux/percpu.h>

#include "periods.h"
#include "session-ticking.h"

DEFINE_PER_CPU(struct sysprof_session_cpu *, sysprof_ticking);
DEFINE_PER_CPU(u64, sysprof_every_period) = U64_MAX;

static void look_for_every_period(int cpu)
{
	struct sysprof_session_cpu *sc;
	u64 every = U64_MAX;

	for (sc = per_cpu(sysprof_ticking, cpu); sc; sc = sc->next)
		if (sc->session->divisor == 1 && !sc->session->keeps_budget)
			every = min(every, sc->first_period);
	per_cpu(sysprof_every_period, cpu) = every;
}

void sysprof_session_join_ticks(struct sysprof_session_cpu *sc, int cpu)
{
	struct sysprof_session_cpu **link = per_cpu_ptr(&sysprof_ticking, cpu);

	/*
	 * Sessions are served in the order in which they began, exempt ones first: the others do
	 * not pay for what those take.
	 */
	while (*link && ((*link)->session->is_exempt || !sc->session->is_exempt))
		link = &(*link)->next;
	sc->next = *link;
	*link = sc;
	look_for_every_period(cpu);
}

void sysprof_session_leave_ticks(struct sysprof_session_cpu *sc, int cpu)
{
	struct sysprof_session_cpu **link;

	for (link = per_cpu_ptr(&sysprof_ticking, cpu); *link; link = &(*link)->next)
		if (*link == sc) {
			*link = sc->next;
			break;
		}
	look_for_every_period(cpu);
}

u64 sysprof_sessions_look_for_next(u64 from, u64 users_from)
{
	const struct sysprof_session *session;
	struct sysprof_session_cpu *sc;
	u64 first = U64_MAX, n, begin;
	u32 stretch;

	for (sc = this_cpu_read(sysprof_ticking); sc; sc = sc->next) {
		session = sc->session;
		stretch = stretch_of(session);
		begin = max(from, sc->first_period);
		if (!session->is_exempt)
			begin = max(begin, users_from);
		n = picked_before(picked_before(begin, session->divisor), stretch);
		first = min(first, picked(picked(n, stretch), session->divisor));
	}
	return first == U64_MAX ? from : first;
}

void sysprof_sessions_idle(int cpu, u64 from, u64 to)
{
	struct sysprof_session_cpu *sc;

	for (sc = per_cpu(sysprof_ticking, cpu); sc; sc = sc->next)
		sc->account.idle += own_periods(sc->session, sc, from, to);
}

void sysprof_sessions_offline(int cpu, u64 from, u64 to)
{
	struct sysprof_session_cpu *sc;

	for (sc = per_cpu(sysprof_ticking, cpu); sc; sc = sc->next)
		sc->account.offline += own_periods(sc->session, sc, from, to);
}

void sysprof_sessions_lost(enum sysprof_lost_reason reason, u64 from, u64 to)
{
	struct sysprof_session_cpu *sc;
	u64 periods;

	for (sc = this_cpu_read(sysprof_ticking); sc; sc = sc->next) {
		periods = own_periods(sc->session, sc, from, to);
		if (periods)
			sysprof_session_lose(sc, reason, periods);
	}
}
