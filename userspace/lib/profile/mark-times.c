/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where waits were picked by a grid, one represents its weight: then the parts are right for the
 * sums of many marks, and not for one.
 */
#include "profile/mark-times.h"

#include "capture/stream-rows.h"
#include "events/facts.h"
#include "profile/wait-index.h"

struct timing {
	SptMarkTimes *times;
	const SptWaitIndex *waits;	/* NULL: there are none */
};

static unsigned step_of(const SptMarkTimes *times, uint64_t ns)
{
	unsigned low = 0, high = SPT_MARK_STEPS - 1;

	while (low < high) {
		unsigned middle = (low + high + 1) / 2;

		if (times->steps[middle].from_ns <= ns)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static uint64_t overlap(uint64_t begin, uint64_t end, uint64_t from, uint64_t to)
{
	uint64_t first = MAX(begin, from), last = MIN(end, to);

	return last > first ? last - first : 0;
}

/* What @ns of the wait represent. */
static uint64_t weigh(const SptWaitRow *wait, uint64_t ns)
{
	return wait->duration_ns ? (uint64_t)((double)ns * (double)wait->weight_ns /
					      (double)wait->duration_ns) :
				   0;
}

static void add_wait(SptMarkStep *step, const SptWaitRow *wait, uint64_t begin, uint64_t end)
{
	uint64_t woken = spt_wait_woken(wait);
	uint64_t blocked = weigh(wait, overlap(begin, end, spt_wait_begin(wait), woken));
	bool is_disk = wait->state == SPT_STATE_DISK || wait->state == SPT_STATE_IOWAIT;

	step->runnable_ns += weigh(wait, overlap(begin, end, woken, wait->time));
	step->disk_ns += is_disk ? blocked : 0;
	step->blocked_ns += is_disk ? 0 : blocked;
}

static void time_mark(G_GNUC_UNUSED const char *name, G_GNUC_UNUSED const char *category,
		      const SptDeclaredRow *row, void *data)
{
	struct timing *timing = data;
	SptMarkStep *step = &timing->times->steps[step_of(timing->times, row->duration_ns)];
	const SptWaitIndex *waits = row->thread ? timing->waits : NULL;
	uint64_t end = row->time + row->duration_ns;

	step->n++;
	step->sum_ns += row->duration_ns;
	/* What is left of that without waits. */
	step->running_ns += row->thread ? row->duration_ns : 0;
	for (uint64_t i = waits ? spt_wait_index_after(waits, row->thread, row->time) : 0;
	     waits && i < waits->first[row->thread + 1] && spt_wait_begin(&waits->waits[i]) < end;
	     i++)
		add_wait(step, &waits->waits[i], row->time, end);
}

static void mark_times_begin(SptMarkTimes *times)
{
	static const uint64_t factors[] = { 1, 2, 5 };
	uint64_t ten = 1;

	*times = (SptMarkTimes){ 0 };
	for (unsigned i = 0; i < SPT_MARK_STEPS; i++) {
		times->steps[i].from_ns = i ? ten * factors[i % 3] : 0;
		ten *= i % 3 == 2 ? 10 : 1;
		times->steps[i].below_ns = i + 1 < SPT_MARK_STEPS ? ten * factors[(i + 1) % 3] :
								    UINT64_MAX;
	}
}

/* Weights of a grid may add up to more than there was. */
static void limit(SptMarkStep *step)
{
	uint64_t *const waits[] = { &step->runnable_ns, &step->disk_ns, &step->blocked_ns };

	for (unsigned i = 0; i < G_N_ELEMENTS(waits); i++) {
		*waits[i] = MIN(*waits[i], step->running_ns);
		step->running_ns -= *waits[i];
	}
}

uint64_t spt_mark_step_of_threads(const SptMarkStep *step)
{
	return step->running_ns + step->runnable_ns + step->disk_ns + step->blocked_ns;
}

void spt_mark_times(const SptCapture *capture, const SptMarkQuery *query, SptMarkTimes *ret)
{
	bool has_waits = spt_capture_has_stream(capture, SPT_ROW_WAIT);
	g_autoptr(SptWaitIndex) waits = has_waits ? spt_wait_index_new(capture) : NULL;

	mark_times_begin(ret);
	ret->has_waits = has_waits;
	spt_marks_each(capture, query, time_mark, &(struct timing){ ret, waits });
	for (unsigned i = 0; i < SPT_MARK_STEPS; i++) {
		SptMarkStep *step = &ret->steps[i];

		limit(step);
		ret->all.n += step->n;
		ret->all.sum_ns += step->sum_ns;
		ret->all.running_ns += step->running_ns;
		ret->all.runnable_ns += step->runnable_ns;
		ret->all.disk_ns += step->disk_ns;
		ret->all.blocked_ns += step->blocked_ns;
	}
}
