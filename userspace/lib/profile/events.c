/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of one kind as rows of weight, in the order of the file. */
#include "profile/events.h"

#include "base/words.h"
#include "capture/stream-rows.h"
#include "events/facts.h"

struct cursor {
	const SptEventKind *kinds[2];	/* the metric's, and NULL */
	const SptEventMetric *metric;
	SptStreamReader *reader;
	const SptEventRow *event;
	uint32_t n_events;
};

const char *spt_context_name(uint32_t context)
{
	static const char *const names[] = {
		[SPT_IN_TASK] = SPT_WORDS("task"),
		[SPT_IN_SOFTIRQ] = SPT_WORDS("soft interrupt"),
		[SPT_IN_IRQ] = SPT_WORDS("interrupt"),
		[SPT_IN_NMI] = SPT_WORDS("NMI"),
		[SPT_IN_IDLE] = SPT_WORDS("idle"),
	};

	return context < G_N_ELEMENTS(names) ? names[context] : SPT_WORDS("not known");
}

const char *spt_fault_name(uint32_t flags)
{
	if (flags & SPT_FAULT_MAJOR)
		return SPT_WORDS("major");
	return flags & SPT_FAULT_COPY ? SPT_WORDS("copy on write") : SPT_WORDS("minor");
}

bool spt_events_are_in(const SptCapture *capture, const SptEventKind *kind)
{
	g_autoptr(SptStreamReader) accounts =
		spt_stream_reader_new(capture, SPT_ROW_SOURCE_ACCOUNT);
	const SptSourceAccountRow *rows;
	uint32_t n;

	while ((rows = spt_stream_reader_next(accounts, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (rows[i].kind == kind->number)
				return true;
	return false;
}

/* The source of a metric, with what it is about. */
struct event_source {
	SptWeightSource base;
	const SptEventKind *kind;
	const SptEventMetric *metric;
};

static uint64_t part_of(const SptEventRow *event, SptEventPart part)
{
	switch (part) {
	case SPT_EVENT_WEIGHT:
		return event->weight;
	case SPT_EVENT_VALUE:
		return event->value;
	case SPT_EVENT_HOLDER:
		return event->holder;
	case SPT_EVENT_DEPTH:
		return event->depth;
	case SPT_EVENT_FLAGS:
		return event->flags;
	default:
		return event->context;
	}
}

/* There are some, and none of them has a weight.  The first one that has ends the search. */
static bool have_no_weight(const SptCapture *capture, const struct event_source *of)
{
	const SptEventKind *const kinds[] = { of->kind, NULL };
	g_autoptr(SptStreamReader) reader = spt_event_reader_new(capture, kinds);
	const SptEventRow *rows;
	bool found = false;
	uint32_t n;

	while ((rows = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			if (part_of(&rows[i], of->metric->weight))
				return false;
			found = true;
		}
	return found;
}

static bool are_in(const SptCapture *capture, const SptWeightSource *source)
{
	const struct event_source *of = (const struct event_source *)source;

	return spt_events_are_in(capture, of->metric->by_holder ? of->kind->holders : of->kind) &&
	       !(of->metric->without && have_no_weight(capture, of));
}

static uint64_t count(const SptCapture *capture, const SptWeightSource *source)
{
	return spt_capture_n_events(capture, ((const struct event_source *)source)->kind);
}

static gpointer begin(const SptCapture *capture, const SptWeightSource *source)
{
	const struct event_source *of = (const struct event_source *)source;
	struct cursor *cursor = g_new0(struct cursor, 1);

	cursor->kinds[0] = of->kind;
	cursor->metric = of->metric;
	cursor->reader = spt_event_reader_new(capture, cursor->kinds);
	return cursor;
}

static void end(gpointer data)
{
	struct cursor *cursor = data;

	spt_stream_reader_free(cursor->reader);
	g_free(cursor);
}

/* @n events as rows.  Inline, as most metrics weigh by the same part: then it is a constant. */
static inline void put_rows(const struct cursor *cursor, SptEventPart weight, SptWeightRow *rows,
			    uint32_t n)
{
	const SptEventPart detail = cursor->kinds[0]->detail;
	const bool by_holder = cursor->metric->by_holder;

	for (const SptEventRow *event = cursor->event; event < cursor->event + n; event++)
		*rows++ = (SptWeightRow){
			.time = event->time,
			.duration_ns = MIN(event->duration_ns, event->time),
			.weight = part_of(event, weight),
			.thread = by_holder ? event->holder : event->thread,
			.cpu = event->cpu,
			.node = by_holder ? event->holder_node : event->node,
			.detail = (uint32_t)part_of(event, detail),
		};
}

static uint32_t next(gpointer data, SptWeightRow *rows)
{
	struct cursor *cursor = data;
	const SptEventPart weight = cursor->metric->weight;
	uint32_t n = 0;

	while (n < SPT_WEIGHTS_BATCH) {
		uint32_t n_now;

		if (!cursor->n_events)
			cursor->event = spt_stream_reader_next(cursor->reader, &cursor->n_events);
		if (!cursor->n_events)
			break;
		n_now = MIN(cursor->n_events, SPT_WEIGHTS_BATCH - n);
		if (weight == SPT_EVENT_WEIGHT)
			put_rows(cursor, SPT_EVENT_WEIGHT, rows + n, n_now);
		else
			put_rows(cursor, weight, rows + n, n_now);
		n += n_now;
		cursor->event += n_now;
		cursor->n_events -= n_now;
	}
	return n;
}

const SptWeightSource *spt_weights_of_events(const SptEventKind *kind, const SptEventMetric *metric)
{
	struct event_source *source = g_new(struct event_source, 1);

	*source = (struct event_source){
		.base = { .of_events_are_in = are_in,
			  .count_of_events = count,
			  .begin_of_events = begin,
			  .next = next,
			  .end = end },
		.kind = kind,
		.metric = metric,
	};
	return &source->base;
}
