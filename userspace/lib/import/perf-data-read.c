/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of a file.  Perf writes them ring by ring, in rounds: what is older than the newest
 * record of a round is complete at the end of the next one.  Compressed records are one stream,
 * from which records come out in pieces.
 */
#include <string.h>
#include <zstd.h>

#include "base/words.h"
#include "import/perf-data-fields.h"
#include "import/perf-data-private.h"

/* Most records in a round, and bytes of copies; without rounds, the older half of them goes on. */
#define QUEUE_RECORDS (1u << 20)
#define QUEUE_BYTES   (256u << 20)
#define FIRST_RECORDS 1024u
#define CHUNK_BYTES   (1u << 18)
/* Most bytes that all compressed records become. */
#define UNPACKED_MAX (1ull << 38)
/* Most bytes of stacks that come later than their samples, and their records. */
#define CHAINS_BYTES	     (256u << 20)
#define RECORD_CALLCHAIN_LATER 22

/* Events of a machine with many CPUs have an id for each. */
#define RECENT_IDS 64

struct queued {
	uint64_t time;
	const struct spt_perf_data_event *event;
	const struct perf_event_header *record;
	bool is_copy;
};

struct reading {
	SptPerfData *data;
	const struct spt_perf_data_sink *sink;	/* NULL: only what follows is wanted */
	bool wants_chains;		/* stacks that come later */
	GHashTable *sampled;		/* the events that have samples; NULL: not wanted */
	const struct spt_perf_data_event *enough;	/* its samples end that */
	struct queued *queue, *merged;	/* merged: room for the next order of it */
	unsigned n_queued, n_room;
	size_t copied_bytes;		/* of its copies */
	uint64_t newest, round_newest;	/* of all, and of the round before */
	GByteArray *aligned;		/* a copy of the present record */
	ZSTD_DCtx *zstd;		/* NULL: nothing was compressed yet */
	GByteArray *unpacked;		/* of it, what is no whole record yet */
	uint64_t unpacked_bytes;
	bool is_unpacking;
	bool is_passing;		/* the present record's bytes do not stay where they are */
	bool is_done;			/* the sink wants no more */
	/* Events by ids that were looked up lately; of none: NULL. */
	struct {
		uint64_t id;
		const struct spt_perf_data_event *event;
	} recent[RECENT_IDS];
};

static void drop_queued(struct reading *reading, struct queued *queued)
{
	if (!queued->is_copy)
		return;
	reading->copied_bytes -= queued->record->size;
	g_free((void *)queued->record);
}

static void make_room(struct reading *reading)
{
	reading->n_room = MAX(2 * reading->n_room, FIRST_RECORDS);
	reading->queue = g_renew(struct queued, reading->queue, reading->n_room);
	g_free(reading->merged);
	reading->merged = g_new(struct queued, reading->n_room);
}

/* The end of the run that begins at @from, in which times do not fall. */
static unsigned end_of_run(const struct queued *all, unsigned n, unsigned from)
{
	while (++from < n && all[from - 1].time <= all[from].time)
		;
	return MIN(from, n);
}

/* Into @out the runs [@at, @middle) and [@middle, @end) as one; of equal times the first one's. */
static void merge_runs(const struct queued *all, unsigned at, unsigned middle, unsigned end,
		       struct queued *out)
{
	unsigned second = middle, n = at;

	while (at < middle && second < end)
		out[n++] = all[second].time < all[at].time ? all[second++] : all[at++];
	memcpy(&out[n], &all[at], (middle - at) * sizeof(*out));
	memcpy(&out[n + middle - at], &all[second], (end - second) * sizeof(*out));
}

/* Keeps the order of equal ones.  A round has a run or few for each ring. */
static void sort_queue(struct reading *reading)
{
	unsigned n = reading->n_queued, at, middle, end;

	while (end_of_run(reading->queue, n, 0) < n) {
		struct queued *from = reading->queue;

		for (at = 0; at < n; at = end) {
			middle = end_of_run(from, n, at);
			end = middle < n ? end_of_run(from, n, middle) : middle;
			merge_runs(from, at, middle, end, reading->merged);
		}
		reading->queue = reading->merged;
		reading->merged = from;
	}
}

/* Hands on the records up to @time, but at least @n. */
static void hand_on_queued(struct reading *reading, uint64_t time, unsigned n)
{
	const struct spt_perf_data_sink *sink = reading->sink;
	unsigned i;

	sort_queue(reading);
	for (i = 0; i < reading->n_queued; i++) {
		struct queued *queued = &reading->queue[i];

		if (queued->time > time && i >= n)
			break;
		reading->is_done = reading->is_done ||
				   !sink->record(queued->record, queued->event, sink->data);
		drop_queued(reading, queued);
	}
	reading->n_queued -= i;
	if (i > 0)
		memmove(reading->queue, &reading->queue[i],
			reading->n_queued * sizeof(*reading->queue));
}

static void end_round(struct reading *reading)
{
	hand_on_queued(reading, reading->round_newest, 0);
	reading->round_newest = reading->newest;
}

static const struct spt_perf_data_event *event_by_id(struct reading *reading, uint64_t id)
{
	const struct spt_perf_data_event **recent = &reading->recent[id % RECENT_IDS].event;

	if (!*recent || reading->recent[id % RECENT_IDS].id != id) {
		*recent = g_hash_table_lookup(reading->data->by_id, &id);
		reading->recent[id % RECENT_IDS].id = id;
	}
	return *recent;
}

/* The record's event: the only one, or by its id. */
static const struct spt_perf_data_event *event_of(struct reading *reading,
						  const struct perf_event_header *record)
{
	const SptPerfData *data = reading->data;
	const struct spt_perf_data_event *first = spt_perf_data_events(data, 0), *event;
	struct spt_perf_fields fields;
	uint64_t id = 0;
	bool has_id;

	if (!first || data->events->len == 1)
		return first;
	if (record->type == PERF_RECORD_SAMPLE) {
		has_id = spt_perf_fields_id(record, &first->attr, &id);
	} else {
		has_id = spt_perf_fields_parse_end(record, &first->attr, &fields);
		id = fields.id;
	}
	event = has_id ? event_by_id(reading, id) : NULL;
	/* What perf makes itself has no id, and the layout of the first. */
	return event || (record->type == PERF_RECORD_SAMPLE && id) ? event : first;
}

/* When it happened; false: it is too short.  Whether a sample is whole its sink will know. */
static bool time_of_record(const struct perf_event_header *record,
			   const struct spt_perf_data_event *event, uint64_t *ret)
{
	struct spt_perf_fields fields;

	if (record->type == PERF_RECORD_SAMPLE)
		return spt_perf_fields_time(record, &event->attr, ret);
	if (!spt_perf_fields_parse_end(record, &event->attr, &fields))
		return false;
	*ret = fields.time;
	return true;
}

static bool take_kernel_record(struct reading *reading, const struct perf_event_header *record)
{
	const struct spt_perf_data_event *event = event_of(reading, record);
	struct queued queued = { .event = event, .record = record };

	if (!event)
		return true;
	if (!time_of_record(record, event, &queued.time))
		return false;
	if (queued.time == UINT64_MAX)
		queued.time = 0;
	/* Without times the order is that of the file. */
	if (!(event->attr.sample_type & PERF_SAMPLE_TIME))
		queued.time = reading->newest;
	if (reading->is_passing) {
		queued.record = g_memdup2(record, record->size);
		queued.is_copy = true;
		reading->copied_bytes += record->size;
	}
	reading->newest = MAX(reading->newest, queued.time);
	if (reading->n_queued == reading->n_room)
		make_room(reading);
	reading->queue[reading->n_queued++] = queued;
	if (reading->n_queued >= QUEUE_RECORDS || reading->copied_bytes >= QUEUE_BYTES)
		hand_on_queued(reading, 0, reading->n_queued / 2 + 1);
	return true;
}

static bool take_one(struct reading *reading, const struct perf_event_header *record);

/* Takes the whole records of @bytes; returns the number of bytes that they had, or -1. */
static int64_t take_records(struct reading *reading, const uint8_t *bytes, uint64_t n)
{
	uint64_t at = 0;

	while (n - at >= sizeof(struct perf_event_header) && !reading->is_done) {
		const struct perf_event_header *record = (const void *)(bytes + at);

		if (record->size < sizeof(*record) || record->size % 8)
			return -1;
		if (record->size > n - at)
			break;
		if (!take_one(reading, record))
			return -1;
		at += record->size;
	}
	return (int64_t)at;
}

/* Adds what @payload unpacks to. */
static bool unpack_records(struct reading *reading, const void *payload, size_t bytes)
{
	ZSTD_inBuffer in = { payload, bytes, 0 };
	size_t status = 1;

	if (!reading->zstd)
		reading->zstd = ZSTD_createDCtx();
	while (in.pos < in.size || status == CHUNK_BYTES) {
		guint before = reading->unpacked->len;
		ZSTD_outBuffer out;
		int64_t taken;

		g_byte_array_set_size(reading->unpacked, before + CHUNK_BYTES);
		out = (ZSTD_outBuffer){ reading->unpacked->data + before, CHUNK_BYTES, 0 };
		status = ZSTD_decompressStream(reading->zstd, &out, &in);
		g_byte_array_set_size(reading->unpacked, before + (guint)out.pos);
		reading->unpacked_bytes += out.pos;
		if (ZSTD_isError(status) || reading->unpacked_bytes > UNPACKED_MAX)
			return false;
		status = out.pos;
		reading->is_unpacking = reading->is_passing = true;
		taken = take_records(reading, reading->unpacked->data, reading->unpacked->len);
		reading->is_unpacking = reading->is_passing = false;
		if (taken < 0)
			return false;
		if (taken > 0)
			g_byte_array_remove_range(reading->unpacked, 0, (guint)taken);
		if (reading->is_done)
			return true;
	}
	return true;
}

static bool take_compressed(struct reading *reading, const struct perf_event_header *record)
{
	const uint8_t *payload = (const uint8_t *)(record + 1);
	uint64_t bytes = record->size - sizeof(*record);

	/* A stream in itself would have no end. */
	if (reading->is_unpacking)
		return false;
	if (record->type == PERF_COMPRESSED2) {
		uint64_t said;

		if (bytes < sizeof(said))
			return false;
		memcpy(&said, payload, sizeof(said));
		payload += sizeof(said);
		bytes -= sizeof(said);
		if (said > bytes)
			return false;
		bytes = said;
	}
	return unpack_records(reading, payload, bytes);
}

/* Keeps the cookie, the number of frames, and these. */
static void keep_chain(SptPerfData *data, const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(record + 1);
	size_t n = (record->size - sizeof(*record)) / 8;

	if (n < 2 || words[1] > n - 2 || data->chains_bytes >= CHAINS_BYTES)
		return;
	n = 2 + (size_t)words[1];
	data->chains_bytes += 8 * n;
	g_hash_table_add(data->chains, g_memdup2(words, 8 * n));
}

static void note_sampled(struct reading *reading, const struct perf_event_header *record)
{
	const struct spt_perf_data_event *event = event_of(reading, record);

	if (event)
		g_hash_table_add(reading->sampled, (gpointer)event);
	reading->is_done = event && event == reading->enough;
}

/* Takes a whole record; false: it makes no sense. */
static bool take_one(struct reading *reading, const struct perf_event_header *record)
{
	const struct spt_perf_data_sink *sink = reading->sink;

	if (reading->wants_chains && record->type == RECORD_CALLCHAIN_LATER)
		keep_chain(reading->data, record);
	if (reading->sampled && record->type == PERF_RECORD_SAMPLE)
		note_sampled(reading, record);
	if (!sink && record->type != PERF_COMPRESSED && record->type != PERF_COMPRESSED2)
		return true;
	if (record->type < PERF_MADE)
		return take_kernel_record(reading, record);
	switch (record->type) {
	case PERF_HEADER_ATTR:
		return spt_perf_data_take_attr(reading->data, record);
	case PERF_EVENT_UPDATE:
		spt_perf_data_take_update(reading->data, record);
		return true;
	case PERF_FEATURE:
		spt_perf_data_take_feature(reading->data, record);
		return true;
	case PERF_BUILD_ID:
		spt_perf_data_take_build_id(reading->data, record, record->size);
		return true;
	case PERF_FINISHED_ROUND:
		end_round(reading);
		return true;
	case PERF_COMPRESSED:
	case PERF_COMPRESSED2:
		return take_compressed(reading, record);
	case PERF_ID_INDEX:
	case PERF_THREAD_MAP:
	case PERF_CPU_MAP:
	case PERF_TIME_CONV:
	case PERF_FINISHED_INIT:
		return true;
	default:
		sink->unread(record->type, sink->data);
		return true;
	}
}

/* Bytes that follow a record and are not in its size. */
static uint64_t bytes_behind(const uint8_t *at, const struct perf_event_header *record)
{
	uint64_t bytes = 0;

	if (record->type == PERF_AUXTRACE && record->size >= sizeof(*record) + sizeof(bytes))
		memcpy(&bytes, at + sizeof(*record), sizeof(bytes));
	if (record->type == PERF_TRACING_DATA && record->size >= sizeof(*record) + 4)
		memcpy(&bytes, at + sizeof(*record), 4);
	return bytes > INT64_MAX ? INT64_MAX : (bytes + 7) / 8 * 8;
}

/*
 * The record at @at, of @size bytes.  Those that perf makes itself may have any number of bytes,
 * and what follows them is copied to a better place.
 */
static bool take_at(struct reading *reading, uint64_t at, uint16_t size)
{
	const uint8_t *bytes = reading->data->bytes + at;
	bool ok;

	if ((uintptr_t)bytes % 8 == 0)
		return take_one(reading, (const void *)bytes);
	g_byte_array_set_size(reading->aligned, 0);
	g_byte_array_append(reading->aligned, bytes, size);
	reading->is_passing = true;
	ok = take_one(reading, (const void *)reading->aligned->data);
	reading->is_passing = false;
	return ok;
}

static bool read_data_records(struct reading *reading, GError **error)
{
	SptPerfData *data = reading->data;
	uint64_t at = data->begin;

	while (data->end - at >= sizeof(struct perf_event_header) && !reading->is_done) {
		struct perf_event_header record;
		uint64_t behind;

		memcpy(&record, data->bytes + at, sizeof(record));
		/* The last one of a file that was cut off. */
		if (record.size > data->end - at)
			break;
		behind = bytes_behind(data->bytes + at, &record);
		if (record.size < sizeof(record) ||
		    (record.size % 8 && record.type < PERF_MADE) ||
		    !take_at(reading, at, record.size))
			return spt_perf_data_refuse(error,
						    SPT_WORDS("one of its records is damaged"));
		at += record.size;
		if (behind > data->end - at)
			break;
		if (record.type == PERF_TRACING_DATA && reading->sink)
			spt_perf_data_take_points(
				data, (struct spt_perf_section){ data->bytes + at, behind });
		at += behind;
	}
	hand_on_queued(reading, UINT64_MAX, 0);
	return true;
}

/* @reading says what is wanted. */
static bool read_wanted(struct reading *reading, GError **error)
{
	bool ok;

	reading->aligned = g_byte_array_new();
	reading->unpacked = g_byte_array_new();
	ok = read_data_records(reading, error);
	for (unsigned i = 0; i < reading->n_queued; i++)
		drop_queued(reading, &reading->queue[i]);
	g_free(reading->queue);
	g_free(reading->merged);
	g_byte_array_unref(reading->aligned);
	g_byte_array_unref(reading->unpacked);
	ZSTD_freeDCtx(reading->zstd);
	return ok;
}

bool spt_perf_data_read(SptPerfData *data, const struct spt_perf_data_sink *sink, GError **error)
{
	struct reading reading = { .data = data, .sink = sink };

	return read_wanted(&reading, error);
}

/* What is damaged is found, and said, by the one who reads all of it. */
GHashTable *spt_perf_data_sampled(SptPerfData *data, const struct spt_perf_data_event *enough)
{
	struct reading reading = {
		.data = data, .sampled = g_hash_table_new(NULL, NULL), .enough = enough
	};

	read_wanted(&reading, NULL);
	return reading.sampled;
}

const uint64_t *spt_perf_data_later_stack(SptPerfData *data, uint64_t cookie, uint64_t *ret_n)
{
	struct reading reading = { .data = data, .wants_chains = true };
	const uint64_t *words;

	if (!data->chains) {
		data->chains = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
		read_wanted(&reading, NULL);
	}
	words = g_hash_table_lookup(data->chains, &cookie);
	*ret_n = words ? words[1] : 0;
	return words ? words + 2 : NULL;
}
