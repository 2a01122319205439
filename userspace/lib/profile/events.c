/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of one kind as rows of weight, in the order of the file. */
#include "profile/events.h"

#include "base/words.h"
#include "capture/stream-rows.h"
#include "sysprof-event.h"

struct cursor {
	uint32_t kind;
	SptStreamReader *reader;
	const SptEventRow *event;
	uint32_t n_events;
};

const char *spt_context_name(uint32_t context)
{
	static const char *const names[] = {
		[SYSPROF_CONTEXT_TASK] = SPT_WORDS("task"),
		[SYSPROF_CONTEXT_SOFTIRQ] = SPT_WORDS("soft interrupt"),
		[SYSPROF_CONTEXT_IRQ] = SPT_WORDS("interrupt"),
		[SYSPROF_CONTEXT_NMI] = SPT_WORDS("NMI"),
		[SYSPROF_CONTEXT_IDLE] = SPT_WORDS("idle"),
	};

	return context < G_N_ELEMENTS(names) ? names[context] : SPT_WORDS("not known");
}

static bool has_events(const SptCapture *capture, uint32_t kind)
{
	g_autoptr(SptStreamReader) accounts =
		spt_stream_reader_new(capture, SPT_ROW_SOURCE_ACCOUNT);
	const SptSourceAccountRow *rows;
	uint32_t n;

	while ((rows = spt_stream_reader_next(accounts, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (rows[i].kind == kind)
				return true;
	return false;
}

static bool has_irqs(const SptCapture *capture)
{
	return has_events(capture, SYSPROF_SOURCE_IRQ);
}

static bool has_softirqs(const SptCapture *capture)
{
	return has_events(capture, SYSPROF_SOURCE_SOFTIRQ);
}

static bool has_locks(const SptCapture *capture)
{
	return has_events(capture, SYSPROF_SOURCE_LOCK);
}

static uint64_t count(const SptCapture *capture)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < capture->n_streams; i++)
		if (spt_stream_type_of(&capture->streams[i]) == &spt_stream_events)
			n = MAX(n, capture->streams[i].rows);
	return n;
}

static gpointer begin(const SptCapture *capture, uint32_t kind)
{
	struct cursor *cursor = g_new0(struct cursor, 1);

	cursor->kind = kind;
	cursor->reader = spt_stream_reader_new(capture, SPT_ROW_EVENT);
	return cursor;
}

static gpointer begin_irqs(const SptCapture *capture)
{
	return begin(capture, SYSPROF_SOURCE_IRQ);
}

static gpointer begin_softirqs(const SptCapture *capture)
{
	return begin(capture, SYSPROF_SOURCE_SOFTIRQ);
}

static gpointer begin_locks(const SptCapture *capture)
{
	return begin(capture, SYSPROF_SOURCE_LOCK);
}

static void end(gpointer data)
{
	struct cursor *cursor = data;

	spt_stream_reader_free(cursor->reader);
	g_free(cursor);
}

static uint32_t next(gpointer data, SptWeightRow *rows)
{
	struct cursor *cursor = data;
	uint32_t n = 0;

	while (n < SPT_WEIGHTS_BATCH) {
		const SptEventRow *event;

		if (!cursor->n_events)
			cursor->event = spt_stream_reader_next(cursor->reader, &cursor->n_events);
		if (!cursor->n_events)
			break;
		event = cursor->event++;
		cursor->n_events--;
		if (event->kind == cursor->kind)
			rows[n++] = (SptWeightRow){
				.time = event->time,
				.duration_ns = MIN(event->duration_ns, event->time),
				.weight = event->weight,
				.thread = event->thread,
				.cpu = event->cpu,
				.node = event->node,
				.detail = event->kind == SYSPROF_SOURCE_LOCK ? event->holder :
									       event->context,
			};
	}
	return n;
}

const SptWeightSource spt_weights_irq = {
	.is_in = has_irqs,
	.count = count,
	.begin = begin_irqs,
	.next = next,
	.end = end,
};

const SptWeightSource spt_weights_softirq = {
	.is_in = has_softirqs,
	.count = count,
	.begin = begin_softirqs,
	.next = next,
	.end = end,
};

const SptWeightSource spt_weights_lock = {
	.is_in = has_locks,
	.count = count,
	.begin = begin_locks,
	.next = next,
	.end = end,
};
