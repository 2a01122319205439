/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of one kind as rows of weight, in the order of the file. */
#include "profile/events.h"

#include "base/words.h"
#include "capture/stream-rows.h"
#include "sysprof-event.h"

struct cursor {
	uint32_t kind;
	bool by_value;			/* the weight is the row's value */
	bool by_holder;			/* thread and stack are those of the lock's holder */
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

const char *spt_fault_name(uint32_t flags)
{
	if (flags & SYSPROF_FAULT_MAJOR)
		return SPT_WORDS("major");
	return flags & SYSPROF_FAULT_COPY ? SPT_WORDS("copy on write") : SPT_WORDS("minor");
}

bool spt_events_are_in(const SptCapture *capture, uint32_t kind)
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

static uint64_t count(const SptCapture *capture)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < capture->n_streams; i++)
		if (spt_stream_type_of(&capture->streams[i]) == &spt_stream_events)
			n = MAX(n, capture->streams[i].rows);
	return n;
}

static gpointer begin(const SptCapture *capture, uint32_t kind, bool by_value)
{
	struct cursor *cursor = g_new0(struct cursor, 1);

	cursor->kind = kind;
	cursor->by_value = by_value;
	cursor->reader = spt_stream_reader_new(capture, SPT_ROW_EVENT);
	return cursor;
}

static void end(gpointer data)
{
	struct cursor *cursor = data;

	spt_stream_reader_free(cursor->reader);
	g_free(cursor);
}

/* For groupings that only its metric has. */
static uint32_t detail_of(const SptEventRow *event)
{
	switch (event->kind) {
	case SYSPROF_SOURCE_LOCK:
		return event->holder;
	case SYSPROF_SOURCE_BLOCK_DONE:
		return event->depth;
	case SYSPROF_SOURCE_FAULT:
		return event->flags;
	default:
		return event->context;
	}
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
				.weight = cursor->by_value ? event->value : event->weight,
				.thread = cursor->by_holder ? event->holder : event->thread,
				.cpu = event->cpu,
				.node = cursor->by_holder ? event->holder_node : event->node,
				.detail = detail_of(event),
			};
	}
	return n;
}

static gpointer begin_lock_held(const SptCapture *capture)
{
	struct cursor *cursor = begin(capture, SYSPROF_SOURCE_LOCK, false);

	cursor->by_holder = true;
	return cursor;
}

static bool has_lock_held(const SptCapture *capture)
{
	return spt_events_are_in(capture, SYSPROF_SOURCE_HOLD);
}

const SptWeightSource spt_weights_lock_held = {
	.is_in = has_lock_held,
	.count = count,
	.begin = begin_lock_held,
	.next = next,
	.end = end,
};

#define SOURCE(name_, kind_, by_value_)                                \
	static bool has_##name_(const SptCapture *capture)             \
	{                                                              \
		return spt_events_are_in(capture, kind_);                     \
	}                                                              \
	static gpointer begin_##name_(const SptCapture *capture)       \
	{                                                              \
		return begin(capture, kind_, by_value_);               \
	}                                                              \
	const SptWeightSource spt_weights_##name_ = {                  \
		.is_in = has_##name_,                                  \
		.count = count,                                        \
		.begin = begin_##name_,                                \
		.next = next,                                          \
		.end = end,                                            \
	}

SOURCE(irq, SYSPROF_SOURCE_IRQ, false);
SOURCE(softirq, SYSPROF_SOURCE_SOFTIRQ, false);
SOURCE(irqs_off, SYSPROF_SOURCE_IRQS_OFF, false);
SOURCE(preempt_off, SYSPROF_SOURCE_PREEMPT_OFF, false);
SOURCE(lock, SYSPROF_SOURCE_LOCK, false);
SOURCE(faults, SYSPROF_SOURCE_FAULT, false);
SOURCE(fault_time, SYSPROF_SOURCE_FAULT, true);
SOURCE(page_cache, SYSPROF_SOURCE_PAGE_CACHE, false);
SOURCE(io, SYSPROF_SOURCE_BLOCK_DONE, false);
SOURCE(io_bytes, SYSPROF_SOURCE_BLOCK_DONE, true);
SOURCE(stalls, SYSPROF_SOURCE_STALL, false);
SOURCE(fragmentation, SYSPROF_SOURCE_FRAGMENT, false);
