/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows come in about the order in which blocks were freed, so it takes all of them to know what was
 * in use at a moment.  They are not kept: time is cut into parts, of which each has the sum of what
 * changed, and a bound of what may have been in use at most.  Only parts whose bound is above what
 * is known to have been in use are looked at event by event, those with the highest bounds first.
 */
#include "profile/peak.h"

#include <stdlib.h>
#include <string.h>

#define PARTS (64u << 10)
#define LEAST_WIDTH_NS 1024
/* Events that are looked at together: few at first, since they may rule out all others. */
#define FIRST_EVENTS (64u << 10)
#define MOST_EVENTS (8u << 20)

struct part {
	int64_t net;			/* what was allocated less what was freed */
	uint64_t across;		/* allocated here, and not freed here */
	/*
	 * Blocks that were allocated and freed here: all, and the largest group of them of which
	 * one may have lived while another one did.
	 */
	uint64_t local, most;
	uint64_t group, group_begin, group_end;	/* the latest group */
	uint32_t n_events;
	bool is_chosen, is_done;
	int64_t before;			/* in use at its begin */
	int64_t bound;
};

/* At one time, what is freed goes before what is allocated, unless it was allocated then. */
enum order { FREED, ALLOCATED, FREED_AT_ONCE };

struct event {
	uint64_t time;
	int64_t change;
	uint32_t part;
	enum order order;
};

struct SptPeak {
	struct part *parts;
	uint64_t begin, width;
	bool has_begun;
	uint64_t time;
	int64_t most;
	bool is_seen;			/* the time of @most is known */
};

SptPeak *spt_peak_new(void)
{
	SptPeak *peak = g_new0(SptPeak, 1);

	peak->parts = g_new0(struct part, PARTS);
	peak->width = LEAST_WIDTH_NS;
	return peak;
}

void spt_peak_free(SptPeak *peak)
{
	if (!peak)
		return;
	g_free(peak->parts);
	g_free(peak);
}

/* The parts, which are one after the other, become one.  No group has blocks of both. */
static void join(struct part *to, const struct part *one, const struct part *two)
{
	struct part joined = {
		.net = one->net + two->net,
		.across = one->across + two->across,
		.local = one->local + two->local,
		.most = MAX(one->most, two->most),
		.group = two->local ? two->group : one->group,
		.group_begin = two->local ? two->group_begin : one->group_begin,
		.group_end = two->local ? two->group_end : one->group_end,
		.n_events = one->n_events + two->n_events,
	};

	*to = joined;
}

static void widen(SptPeak *peak)
{
	for (uint32_t i = 0; i < PARTS / 2; i++)
		join(&peak->parts[i], &peak->parts[2 * i], &peak->parts[2 * i + 1]);
	memset(&peak->parts[PARTS / 2], 0, PARTS / 2 * sizeof(*peak->parts));
	peak->width *= 2;
}

/* The first one also has what was before it. */
static uint32_t part_at(const SptPeak *peak, uint64_t time)
{
	return time < peak->begin ? 0 : (uint32_t)((time - peak->begin) / peak->width);
}

static struct part *part_of(SptPeak *peak, uint64_t time)
{
	if (!peak->has_begun)
		peak->begin = time;
	peak->has_begun = true;
	while (time > peak->begin && (time - peak->begin) / peak->width >= PARTS)
		widen(peak);
	return &peak->parts[part_at(peak, time)];
}

static void add_local(struct part *part, uint64_t made, uint64_t freed, uint64_t weight)
{
	if (!weight)
		return;
	if (!part->local || made > part->group_end) {
		part->group = weight;
		part->group_begin = made;
	} else if (made < part->group_begin) {
		/* It may have lived while blocks of earlier groups did. */
		part->group = part->local + weight;
		part->group_begin = made;
	} else {
		part->group += weight;
	}
	part->group_end = MAX(part->group_end, freed);
	part->local += weight;
	part->most = MAX(part->most, part->group);
}

void spt_peak_add(SptPeak *peak, const SptAllocationRow *row)
{
	bool is_close = row->flags & SPT_ALLOCATION_CLOSE,
	     is_open = row->flags & SPT_ALLOCATION_OPEN;
	uint64_t freed = is_close ? row->time : row->time + row->duration_ns;
	struct part *made_in, *freed_in;

	/* Both, before either is used: parts may become wider. */
	freed_in = is_open ? NULL : part_of(peak, freed);
	made_in = is_close ? NULL : part_of(peak, row->time);
	freed_in = is_open ? NULL : part_of(peak, freed);
	if (made_in && made_in == freed_in) {
		add_local(made_in, row->time, freed, row->weight);
		made_in->n_events += 2;
		return;
	}
	if (made_in) {
		made_in->net += (int64_t)row->weight;
		made_in->across += row->weight;
		made_in->n_events++;
	}
	if (freed_in) {
		freed_in->net -= (int64_t)row->weight;
		freed_in->n_events++;
	}
}

static void bound_parts(SptPeak *peak)
{
	int64_t now = 0;

	for (uint32_t i = 0; i < PARTS; i++) {
		struct part *part = &peak->parts[i];

		part->before = now;
		part->bound = now + (int64_t)(part->across + part->most);
		part->is_done = !part->n_events;
		now += part->net;
		peak->most = MAX(peak->most, now);
	}
}

/* Whether the peak may be in that part. */
static bool is_candidate(const SptPeak *peak, const struct part *part)
{
	uint64_t begin = peak->begin + (uint64_t)(part - peak->parts) * peak->width;

	return !part->is_done && part->bound > 0 &&
	       (part->bound > peak->most ||
		(part->bound == peak->most && (!peak->is_seen || begin <= peak->time)));
}

static int by_bound(const void *a, const void *b)
{
	const struct part *x = *(const struct part *const *)a, *y = *(const struct part *const *)b;

	if (x->bound != y->bound)
		return x->bound > y->bound ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Chooses the parts to look at next, of about @most events; returns how many events they have. */
static uint64_t choose(SptPeak *peak, uint64_t most)
{
	g_autofree struct part **candidates = g_new(struct part *, PARTS);
	uint32_t n = 0;
	uint64_t n_events = 0;

	for (uint32_t i = 0; i < PARTS; i++) {
		peak->parts[i].is_chosen = false;
		if (is_candidate(peak, &peak->parts[i]))
			candidates[n++] = &peak->parts[i];
	}
	qsort(candidates, n, sizeof(*candidates), by_bound);
	for (uint32_t i = 0; i < n && (!i || n_events + candidates[i]->n_events <= most); i++) {
		candidates[i]->is_chosen = candidates[i]->is_done = true;
		n_events += candidates[i]->n_events;
	}
	return n_events;
}

static void collect(const SptPeak *peak, GArray *events, uint64_t time, int64_t change,
		    enum order order)
{
	const struct event event = { time, change, part_at(peak, time), order };

	if (peak->parts[event.part].is_chosen && change)
		g_array_append_val(events, event);
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* The events of the parts that were chosen, in order of time. */
static GArray *read_events(const SptPeak *peak, const SptCapture *capture, uint32_t whose,
			   uint64_t n_events)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	GArray *events = g_array_sized_new(FALSE, FALSE, sizeof(struct event),
					   (unsigned)MIN(n_events, MOST_EVENTS));
	const SptAllocationRow *rows;
	uint32_t n;

	while ((rows = spt_stream_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			const SptAllocationRow *row = &rows[i];
			bool is_close = row->flags & SPT_ALLOCATION_CLOSE,
			     is_open = row->flags & SPT_ALLOCATION_OPEN;
			bool is_short = !is_close && !row->duration_ns;
			uint64_t freed = is_close ? row->time : row->time + row->duration_ns;

			if (!spt_allocation_is_whose(row, whose))
				continue;
			if (!is_close)
				collect(peak, events, row->time, (int64_t)row->weight, ALLOCATED);
			if (!is_open)
				collect(peak, events, freed, -(int64_t)row->weight,
					is_short ? FREED_AT_ONCE : FREED);
		}
	}
	if (events->len)
		qsort(events->data, events->len, sizeof(struct event), by_time);
	return events;
}

static void look_at(SptPeak *peak, const GArray *events)
{
	uint32_t part = UINT32_MAX;
	int64_t now = 0;

	for (unsigned i = 0; i < events->len; i++) {
		const struct event *event = &g_array_index(events, struct event, i);

		if (event->part != part)
			now = peak->parts[event->part].before;
		part = event->part;
		now += event->change;
		if (now <= 0 || now < peak->most ||
		    (now == peak->most && peak->is_seen && event->time >= peak->time))
			continue;
		peak->most = now;
		peak->time = event->time;
		peak->is_seen = true;
	}
}

uint64_t spt_peak_find(SptPeak *peak, const SptCapture *capture, uint32_t whose, uint64_t *ret_most)
{
	uint64_t n, most = FIRST_EVENTS;

	bound_parts(peak);
	while ((n = choose(peak, most))) {
		g_autoptr(GArray) events = read_events(peak, capture, whose, n);

		look_at(peak, events);
		most = MOST_EVENTS;
	}
	*ret_most = peak->is_seen ? (uint64_t)peak->most : 0;
	return peak->is_seen ? peak->time : 0;
}
