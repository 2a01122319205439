/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams beside the samples: what the writer wrote is what the reader reads, ids that lead nowhere
 * are none, and a capture without them has none.
 */
#include <string.h>
#include <unistd.h>

#include "capture/events.h"
#include "capture/stream-rows.h"
#include "profile/allocations.h"
#include "profile/memory-use.h"
#include "written.h"

#define MANY 200000u

static void set_up(Fixture *fixture, gconstpointer data)
{
	(void)data;
	begin_file(fixture, 2);
}

static void assert_rows(const Fixture *fixture, SptRowKind kind, const void *wanted, uint64_t n)
{
	uint64_t n_found;
	g_autofree void *found = spt_stream_rows(fixture->capture, kind, &n_found);
	size_t bytes = spt_row_types[kind].schema->row_bytes;

	g_assert_cmpuint(n_found, ==, n);
	g_assert_cmpmem(found, n * bytes, wanted, n * bytes);
	g_assert_true(spt_capture_has_stream(fixture->capture, kind) == (n > 0));
}

static void test_round_trip(Fixture *fixture, gconstpointer data)
{
	static SptWaitRow waits[2];
	static SptThreadTimeRow times[1];
	static SptLaneRow lanes[2];
	static SptSourceAccountRow accounts[1];
	static SptAllocationRow blocks[1];
	static SptResidentRow resident[1];
	uint32_t node = spt_stash_child(fixture->stash, 0, &(SptFrame){ .offset = 1 });

	(void)data;
	waits[0] = (SptWaitRow){ .time = 5000000000, .duration_ns = UINT64_MAX, .runnable_ns = 7,
				 .weight_ns = 1000000, .cpu = 3, .cpu_before = 1, .thread = 1,
				 .node = node, .waker = 2, .waker_node = node, .state = 4,
				 .flags = SPT_WAIT_NO_WAKING, .waker_context = 2 };
	waits[1] = waits[0];
	waits[1].time++;
	times[0] = (SptThreadTimeRow){ .time = 9, .since = 1, .voluntary = 2, .involuntary = 3,
				       .wakes = 4, .longest_ns = 5, .thread = 2, .has_begin = 1,
				       .has_end = 1 };
	for (unsigned i = 0; i < SPT_THREAD_STATES; i++)
		times[0].ns[i] = i * UINT32_MAX;
	lanes[0] = (SptLaneRow){ .time = 1, .cpu = 1, .thread = 2, .state = 3 };
	lanes[1] = (SptLaneRow){ .time = 2, .cpu = 1 };
	accounts[0] = (SptSourceAccountRow){ .time = 1, .cost_ns = 2, .calls = 3, .kind = 1 };
	blocks[0] = (SptAllocationRow){ .time = 1, .duration_ns = 2, .bytes = 1ULL << 40,
					.memory_node = 3,
					.weight = UINT64_MAX, .handle = 5, .thread = 1,
					.node = node, .flags = SPT_ALLOCATION_CROSSED };
	resident[0] = (SptResidentRow){ .time = 7, .bytes = 1ULL << 40, .thread = 2 };
	for (unsigned i = 0; i < SPT_TALLIES; i++)
		accounts[0].tallies[i] = (SptTally){ i, i + 1, i + 2, i + 3 };
	for (unsigned i = 0; i < 2; i++) {
		spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT, &waits[i]);
		spt_capture_writer_put(fixture->writer, SPT_ROW_LANE, &lanes[i]);
		g_assert_true(spt_capture_writer_flush(fixture->writer, fixture->stash, NULL));
	}
	spt_capture_writer_put(fixture->writer, SPT_ROW_THREAD_TIME, &times[0]);
	spt_capture_writer_put(fixture->writer, SPT_ROW_SOURCE_ACCOUNT, &accounts[0]);
	spt_capture_writer_put(fixture->writer, SPT_ROW_ALLOCATION, &blocks[0]);
	spt_capture_writer_put(fixture->writer, SPT_ROW_RESIDENT, &resident[0]);
	open_again(fixture);
	assert_rows(fixture, SPT_ROW_WAIT, waits, 2);
	assert_rows(fixture, SPT_ROW_THREAD_TIME, times, 1);
	assert_rows(fixture, SPT_ROW_LANE, lanes, 2);
	assert_rows(fixture, SPT_ROW_SOURCE_ACCOUNT, accounts, 1);
	assert_rows(fixture, SPT_ROW_ALLOCATION, blocks, 1);
	assert_rows(fixture, SPT_ROW_RESIDENT, resident, 1);
	/* A stream is declared once, however many blocks it has. */
	g_assert_cmpuint(fixture->capture->n_streams, ==, 8);
	for (uint32_t i = 2; i < fixture->capture->n_streams; i++)
		g_assert_nonnull(spt_stream_type_of(&fixture->capture->streams[i]));
}

/* An event of each kind that has a stream, with all that it can have. */
static unsigned events_of_all_kinds(SptEventRow *rows, uint32_t node)
{
	const SptEventKind *kind;
	unsigned n = 0;

	for (unsigned i = 0; (kind = spt_event_kind(i)); i++) {
		SptEventRow *row = &rows[n];

		for (const SptEventField *field = kind->fields; field && field->name; field++) {
			row->context = field->part == SPT_EVENT_CONTEXT ? 4 : row->context;
			row->holder = field->part == SPT_EVENT_HOLDER ? 2 : row->holder;
			row->value = field->part == SPT_EVENT_VALUE ? UINT64_MAX : row->value;
			row->depth = field->part == SPT_EVENT_DEPTH ? 70000 : row->depth;
			row->flags = field->part == SPT_EVENT_FLAGS ? 255 : row->flags;
			row->holder_node =
				field->part == SPT_EVENT_HOLDER_NODE ? node : row->holder_node;
		}
		row->time = UINT64_MAX;
		row->duration_ns = 5;
		row->weight = UINT64_MAX - i;
		row->cpu = 3;
		row->thread = 1;
		row->node = node;
		row->kind = kind->number;
		n += kind->fields != NULL;
	}
	return n;
}

/* Each kind has a stream of its own, and no others have its rows. */
static void test_events(Fixture *fixture, gconstpointer data)
{
	static const uint32_t without_stream[] = { 0, 1, 31, UINT32_MAX };
	uint32_t node = spt_stash_child(fixture->stash, 0, &(SptFrame){ .offset = 1 });
	/* Zeroed with its padding. */
	static SptEventRow rows[33];
	unsigned n = events_of_all_kinds(rows, node);

	(void)data;
	g_assert_cmpuint(n, ==, 10);
	spt_capture_writer_put_rows(fixture->writer, SPT_ROW_EVENT, rows, n);
	g_assert_true(spt_capture_writer_flush(fixture->writer, fixture->stash, NULL));
	for (unsigned i = 0; i < G_N_ELEMENTS(without_stream); i++)
		spt_capture_writer_put(fixture->writer, SPT_ROW_EVENT,
				       &(SptEventRow){ .kind = without_stream[i] });
	open_again(fixture);
	assert_rows(fixture, SPT_ROW_EVENT, rows, n);
	/* The first two are none, and the samples. */
	g_assert_cmpuint(fixture->capture->n_streams, ==, n + 2);
	for (unsigned i = 0; i < n; i++) {
		const SptEventKind *kinds[] = { spt_event_kind_of(rows[i].kind), NULL };
		g_autoptr(SptStreamReader) reader =
			spt_event_reader_new(fixture->capture, kinds);
		uint32_t found;

		g_assert_cmpmem(spt_stream_reader_next(reader, &found), sizeof(rows[i]), &rows[i],
				sizeof(rows[i]));
		g_assert_cmpuint(found, ==, 1);
		g_assert_null(spt_stream_reader_next(reader, &found));
		g_assert_cmpuint(spt_capture_n_events(fixture->capture, kinds[0]), ==, 1);
	}
	for (uint32_t i = 2; i < n + 2; i++) {
		const SptStreamRow *stream = &fixture->capture->streams[i];

		g_assert_cmpuint(stream->rows, ==, 1);
		g_assert_cmpstr(spt_stream_type_of(stream)->name, ==, stream->name);
	}
	for (uint64_t i = 0; i < fixture->capture->n_columns; i++)
		g_assert_cmpuint(fixture->capture->columns[i].role, !=, SPT_ROLE_SOURCE);
}

/* Writes a stream of all kinds, as in files of before: each second one is of a kind. */
static void put_old_events(Fixture *fixture, const uint64_t *kinds)
{
	const SptStreamType *type = &spt_stream_old_events;
	const SptStreamRow row = { .kind = type->kind, .name = type->name, .metric = "",
				   .unit = "" };
	const uint64_t times[] = { 100, 200, 300, 400 };
	SptStreamColumnRow columns[] = {
		{ .column = 1, .role = SPT_ROLE_TIME, .name = "time" },
		{ .column = 7, .role = SPT_ROLE_SOURCE, .name = "kind" },
	};
	uint32_t id = spt_capture_writer_stream(fixture->writer, &row, columns, 2);

	g_assert_true(spt_capture_writer_events(fixture->writer, id,
						(const SptEventColumn[]){ { 1, times, NULL },
									  { 7, kinds, NULL } },
						2, 4, times, NULL));
}

static unsigned n_read(const SptCapture *capture, const SptEventKind *const *kinds,
		       uint64_t *ret_times)
{
	g_autoptr(SptStreamReader) reader = spt_event_reader_new(capture, kinds);
	const SptEventRow *rows;
	unsigned n_all = 0;
	uint32_t n;

	while ((rows = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			g_assert_true(kinds[0]->number == rows[i].kind ||
				      (kinds[1] && kinds[1]->number == rows[i].kind));
			ret_times[n_all++] = rows[i].time;
		}
	return n_all;
}

/* A file of before, merged with one of today, has both; a declared kind of that name is another. */
static void test_old_events(Fixture *fixture, gconstpointer data)
{
	const uint64_t irq = spt_event_irq.number, lock = spt_event_locks.number,
		       kinds[] = { irq, lock, 77, irq },
		       wanted[] = { 100, 200, 400, 50 };
	const SptEventKind *both[] = { &spt_event_locks, &spt_event_irq, NULL };
	const SptEventRow row = { .time = 50, .kind = irq };
	SptDeclarationRow declared = { .id = 1, .name = "locks", .title = "Locks of a door",
				       .shape = SPT_DECLARED_INTERVAL };
	uint64_t times[8];

	(void)data;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &declared);
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED,
			       &(SptDeclaredRow){ .time = 1, .kind = 1 });
	put_old_events(fixture, kinds);
	spt_capture_writer_put(fixture->writer, SPT_ROW_EVENT, &row);
	open_again(fixture);
	g_assert_cmpuint(n_read(fixture->capture, both, times), ==, 4);
	g_assert_cmpmem(times, sizeof(wanted), wanted, sizeof(wanted));
	g_assert_cmpuint(n_read(fixture->capture, both + 1, times), ==, 3);
	g_assert_cmpuint(times[2], ==, 50);
	both[1] = NULL;
	g_assert_cmpuint(n_read(fixture->capture, both, times), ==, 1);
	g_assert_cmpuint(spt_capture_n_events(fixture->capture, &spt_event_irq), ==, 5);
	g_assert_cmpuint(spt_capture_n_events(fixture->capture, &spt_event_locks), ==, 4);
}

static void test_strange_ids(Fixture *fixture, gconstpointer data)
{
	static SptWaitRow wait, wanted;

	(void)data;
	wait = (SptWaitRow){ .time = 1, .thread = 3, .node = 1, .waker = UINT32_MAX,
			     .waker_node = UINT32_MAX };
	wanted = (SptWaitRow){ .time = 1 };
	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT, &wait);
	open_again(fixture);
	assert_rows(fixture, SPT_ROW_WAIT, &wanted, 1);
}

/* Blocks that end by themselves, that stay, and that are freed by a row of their own. */
static void test_live_memory(Fixture *fixture, gconstpointer data)
{
	static SptAllocationRow blocks[] = {
		{ .time = 1000, .duration_ns = 2000, .bytes = 10, .weight = 10, .handle = 1 },
		{ .time = 2000, .bytes = 100, .weight = 100, .handle = 2,
		  .flags = SPT_ALLOCATION_OPEN },
		{ .time = 4500, .duration_ns = 2500, .bytes = 100, .weight = 100, .handle = 2,
		  .flags = SPT_ALLOCATION_CLOSE },
		{ .time = 9900, .bytes = 7, .weight = 7, .handle = 3,
		  .flags = SPT_ALLOCATION_OPEN },
	};
	static const uint64_t wanted[] = { 10, 100, 0, 0, 7 };
	uint64_t live[G_N_ELEMENTS(wanted)];

	(void)data;
	for (unsigned i = 0; i < G_N_ELEMENTS(blocks); i++)
		spt_capture_writer_put(fixture->writer, SPT_ROW_ALLOCATION, &blocks[i]);
	open_again(fixture);
	spt_allocations_live(fixture->capture, 0, 0, 10000, G_N_ELEMENTS(live), live);
	g_assert_cmpmem(live, sizeof(live), wanted, sizeof(wanted));
}

/* More rows than a block has: most are packed before the flush that writes their nodes. */
static void test_many(Fixture *fixture, gconstpointer data)
{
	static const uint32_t flags[] = { 0, SPT_ALLOCATION_CROSSED, SPT_ALLOCATION_OPEN,
					  SPT_ALLOCATION_CLOSE };
	g_autofree SptAllocationRow *blocks = g_new0(SptAllocationRow, MANY);

	(void)data;
	for (unsigned i = 0; i < MANY; i++) {
		SptFrame frame = { .offset = i % 1000 };

		blocks[i] = (SptAllocationRow){ .time = 1000 * i, .duration_ns = i % 16, .bytes = i,
						.weight = i / 70000, .thread = 1 + i % 2,
						.node = spt_stash_child(fixture->stash, 0, &frame),
						.flags = flags[i / 40000 % 4] };
		spt_capture_writer_put(fixture->writer, SPT_ROW_ALLOCATION, &blocks[i]);
	}
	open_again(fixture);
	g_assert_cmpuint(fixture->capture->n_streams, ==, 3);
	assert_rows(fixture, SPT_ROW_ALLOCATION, blocks, MANY);
}

/* Two processes, one of which ends, and readings of the same time. */
static void test_resident(Fixture *fixture, gconstpointer data)
{
	static SptResidentRow rows[] = {
		{ 1000, 100, 1 }, { 2000, 150, 1 }, { 2000, 1000, 2 },
		{ 3000, 0, 2 },	  { 4000, 120, 1 }, { 5000, 0, 1 },
	};
	static const SptMemoryLevel wanted[] = {
		{ 1000, 100 }, { 2000, 1150 }, { 3000, 150 }, { 4000, 120 }, { 5000, 0 },
	};
	g_autoptr(GArray) levels = NULL;
	SptMemoryUse use;

	(void)data;
	/* In the order of the file they may be late. */
	spt_capture_writer_put(fixture->writer, SPT_ROW_RESIDENT, &rows[4]);
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		if (i != 4)
			spt_capture_writer_put(fixture->writer, SPT_ROW_RESIDENT, &rows[i]);
	open_again(fixture);
	levels = spt_resident_levels(fixture->capture);
	g_assert_cmpmem(levels->data, levels->len * sizeof(SptMemoryLevel), wanted, sizeof(wanted));
	g_assert_true(spt_resident_use(fixture->capture, &use));
	g_assert_cmpuint(use.first, ==, 100);
	g_assert_cmpuint(use.most, ==, 1150);
	g_assert_cmpuint(use.most_time, ==, 2000);
	g_assert_cmpuint(use.last, ==, 120);
}

static void test_none(Fixture *fixture, gconstpointer data)
{
	(void)data;
	open_again(fixture);
	assert_rows(fixture, SPT_ROW_WAIT, NULL, 0);
	assert_rows(fixture, SPT_ROW_LANE, NULL, 0);
	g_assert_false(spt_resident_use(fixture->capture, &(SptMemoryUse){ 0 }));
}

/* A recording with waits alone replaces another one, one without anything does not. */
static void test_replaces(Fixture *fixture, gconstpointer data)
{
	g_autofree char *old = g_strconcat(fixture->path, ".old", NULL);
	g_autoptr(GError) error = NULL;

	(void)data;
	g_assert_true(spt_capture_writer_finish(fixture->writer, fixture->stash, 9, NULL));
	g_clear_pointer(&fixture->writer, spt_capture_writer_free);
	fixture->writer = spt_capture_writer_new(fixture->path, NULL);
	spt_capture_writer_keep_old(fixture->writer);
	g_assert_false(spt_capture_writer_finish(fixture->writer, fixture->stash, 9, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY);
	g_clear_pointer(&fixture->writer, spt_capture_writer_free);
	fixture->writer = spt_capture_writer_new(fixture->path, NULL);
	spt_capture_writer_keep_old(fixture->writer);
	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT,
			       &(SptWaitRow){ .time = 1, .duration_ns = 1 });
	open_again(fixture);
	g_assert_cmpint(g_unlink(old), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, function) \
	g_test_add("/stream-rows/" name, Fixture, NULL, set_up, function, tear_down)
	ADD("round-trip", test_round_trip);
	ADD("live-memory", test_live_memory);
	ADD("many", test_many);
	ADD("resident", test_resident);
	ADD("events", test_events);
	ADD("old-events", test_old_events);
	ADD("strange-ids", test_strange_ids);
	ADD("none", test_none);
	ADD("replaces", test_replaces);
	return g_test_run();
}
