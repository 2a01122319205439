/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of the streams are made of the table of kinds, when they are first needed. */
#include "capture/event-streams.h"

#include <stddef.h>
#include <string.h>

#define EVENT(role, number, type, member) \
	{ role, { number, type, offsetof(SptEventRow, member) }, #member }

/* All that an event can have. */
static const SptSampleColumn all_columns[] = {
	EVENT(SPT_ROLE_TIME, 1, SPT_FIELD_U64, time),
	EVENT(SPT_ROLE_CPU, 2, SPT_FIELD_U32, cpu),
	EVENT(SPT_ROLE_THREAD, 3, SPT_FIELD_U32, thread),
	EVENT(SPT_ROLE_NODE, 4, SPT_FIELD_U32, node),
	EVENT(SPT_ROLE_WEIGHT, 5, SPT_FIELD_U64, weight),
	EVENT(SPT_ROLE_DURATION, 6, SPT_FIELD_U64, duration_ns),
	EVENT(SPT_ROLE_SOURCE, 7, SPT_FIELD_U32, kind),
	EVENT(SPT_ROLE_CONTEXT, 8, SPT_FIELD_U8, context),
	EVENT(SPT_ROLE_WAKER, 9, SPT_FIELD_U32, holder),
	EVENT(SPT_ROLE_SIZE, 10, SPT_FIELD_U64, value),
	EVENT(SPT_ROLE_VALUE, 11, SPT_FIELD_U32, depth),
	EVENT(SPT_ROLE_FLAGS, 12, SPT_FIELD_U8, flags),
	EVENT(SPT_ROLE_OTHER_NODE, 13, SPT_FIELD_U32, holder_node),
};
/* As many begin each kind's stream. */
#define COMMON_COLUMNS 6

static const SptRole role_of_part[] = {
	[SPT_EVENT_WEIGHT] = SPT_ROLE_WEIGHT,	  [SPT_EVENT_VALUE] = SPT_ROLE_SIZE,
	[SPT_EVENT_CONTEXT] = SPT_ROLE_CONTEXT,	  [SPT_EVENT_HOLDER] = SPT_ROLE_WAKER,
	[SPT_EVENT_DEPTH] = SPT_ROLE_VALUE,	  [SPT_EVENT_FLAGS] = SPT_ROLE_FLAGS,
	[SPT_EVENT_HOLDER_NODE] = SPT_ROLE_OTHER_NODE,
};

const SptStreamType spt_stream_old_events = {
	"events", "", "", SPT_STREAM_SPANS, all_columns, G_N_ELEMENTS(all_columns),
};

struct event_stream {
	SptStreamType type;
	SptSampleColumn columns[G_N_ELEMENTS(all_columns)];
};

static SptSampleColumn column_of_field(const SptEventField *field)
{
	unsigned i = 0;
	SptSampleColumn column;

	while (all_columns[i].role != role_of_part[field->part])
		i++;
	column = all_columns[i];
	column.name = field->name;
	return column;
}

/* Its metric is the one that its weights have; others are made of its other columns. */
static void make_event_stream(struct event_stream *stream, const SptEventKind *kind)
{
	unsigned n = COMMON_COLUMNS;

	memcpy(stream->columns, all_columns, n * sizeof(all_columns[0]));
	for (const SptEventField *field = kind->fields; field->name; field++)
		stream->columns[n++] = column_of_field(field);
	stream->type = (SptStreamType){
		.name = kind->name,
		.metric = kind->metrics->name,
		.unit = spt_unit_name(kind->metrics->unit),
		.kind = SPT_STREAM_SPANS,
		.columns = stream->columns,
		.n_columns = n,
	};
}

/* By the kind's number; without a name: it has no stream. */
static const struct event_stream *event_streams(void)
{
	static struct event_stream *streams;

	if (g_once_init_enter(&streams)) {
		struct event_stream *made = g_new0(struct event_stream, spt_event_kind_numbers());
		const SptEventKind *kind;

		for (unsigned i = 0; (kind = spt_event_kind(i)); i++)
			if (kind->fields)
				make_event_stream(&made[kind->number], kind);
		g_once_init_leave(&streams, made);
	}
	return streams;
}

const SptStreamType *spt_event_stream(const SptEventKind *kind)
{
	return kind && kind->fields ? &event_streams()[kind->number].type : NULL;
}

const SptStreamType *spt_event_stream_of(const SptStreamRow *stream)
{
	const SptEventKind *kind;

	if (spt_stream_is_of(stream, &spt_stream_old_events))
		return &spt_stream_old_events;
	for (unsigned i = 0; (kind = spt_event_kind(i)); i++)
		if (kind->fields && spt_stream_is_of(stream, spt_event_stream(kind)))
			return spt_event_stream(kind);
	return NULL;
}
