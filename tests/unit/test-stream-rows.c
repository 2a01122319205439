/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams beside the samples: what the writer wrote is what the reader reads, ids that lead nowhere
 * are none, and a capture without them has none.
 */
#include <string.h>
#include <unistd.h>

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
	static SptEventRow events[1];
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
	events[0] = (SptEventRow){ .time = UINT64_MAX, .duration_ns = 5, .weight = UINT64_MAX - 1,
				   .cpu = 3, .kind = 31, .context = 4, .holder = 0 };
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
	spt_capture_writer_put(fixture->writer, SPT_ROW_EVENT, &events[0]);
	spt_capture_writer_put(fixture->writer, SPT_ROW_ALLOCATION, &blocks[0]);
	spt_capture_writer_put(fixture->writer, SPT_ROW_RESIDENT, &resident[0]);
	open_again(fixture);
	assert_rows(fixture, SPT_ROW_WAIT, waits, 2);
	assert_rows(fixture, SPT_ROW_EVENT, events, 1);
	assert_rows(fixture, SPT_ROW_THREAD_TIME, times, 1);
	assert_rows(fixture, SPT_ROW_LANE, lanes, 2);
	assert_rows(fixture, SPT_ROW_SOURCE_ACCOUNT, accounts, 1);
	assert_rows(fixture, SPT_ROW_ALLOCATION, blocks, 1);
	assert_rows(fixture, SPT_ROW_RESIDENT, resident, 1);
	/* A stream is declared once, however many blocks it has. */
	g_assert_cmpuint(fixture->capture->n_streams, ==, 9);
	for (uint32_t i = 2; i < fixture->capture->n_streams; i++)
		g_assert_nonnull(spt_stream_type_of(&fixture->capture->streams[i]));
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

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, function) \
	g_test_add("/stream-rows/" name, Fixture, NULL, set_up, function, tear_down)
	ADD("round-trip", test_round_trip);
	ADD("live-memory", test_live_memory);
	ADD("many", test_many);
	ADD("resident", test_resident);
	ADD("strange-ids", test_strange_ids);
	ADD("none", test_none);
	return g_test_run();
}
