/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rings of perf events hold is put in order of time, and has room while somebody waits: a
 * test in place of the kernel writes records into a ring.
 */
#include "trace/perf/queue.h"

#include <string.h>

#include "trace/perf/records.h"

#define PAGE_BYTES 4096
#define RING_BYTES 65536
#define COPY_BYTES 1024
#define RESERVED_BYTES (32u << 20)

struct ring {
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t n_written, n_lost;
};

static struct ring new_ring(SptPerfQueue *queue, unsigned number)
{
	struct ring ring = { .page = g_malloc0(PAGE_BYTES + RING_BYTES) };

	ring.data = (uint8_t *)ring.page + PAGE_BYTES;
	spt_perf_queue_add(queue, number, ring.page, PAGE_BYTES, RING_BYTES);
	return ring;
}

/* Of a name so long that the record is as large as one with a copy of a stack. */
static void write_record(struct ring *ring, uint64_t time)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		char name[COPY_BYTES];
		uint32_t at_pid, at_tid;
		uint64_t time;
	} record = {
		.header = { .type = PERF_RECORD_COMM, .size = sizeof(record) },
		.name = "name",
		.time = time,
	};
	uint64_t head = ring->page->data_head;
	size_t place = head % RING_BYTES, first = MIN(sizeof(record), RING_BYTES - place);

	if (head + sizeof(record) - ring->page->data_tail > RING_BYTES) {
		ring->n_lost++;
		return;
	}
	memcpy(ring->data + place, &record, first);
	memcpy(ring->data, (const uint8_t *)&record + first, sizeof(record) - first);
	ring->page->data_head += sizeof(record);
	ring->n_written++;
}

static void collect(SptPerfQueue *queue)
{
	unsigned ring;

	g_assert_true(spt_perf_queue_collect(queue, NULL, NULL, &ring));
}

static uint64_t take(SptPerfQueue *queue, unsigned i)
{
	uint64_t time, seen;
	unsigned ring;
	const struct perf_event_header *record = spt_perf_queue_get(queue, i, &time, &ring);

	g_assert_true(spt_perf_record_time(record, &seen));
	g_assert_cmpuint(seen, ==, time);
	return time;
}

static void test_order(void)
{
	g_autoptr(SptPerfQueue) queue = spt_perf_queue_new(2);
	struct ring rings[] = { new_ring(queue, 0), new_ring(queue, 1) };

	for (unsigned time = 1; time <= 20; time++)
		write_record(&rings[time % 3 == 0], time);
	collect(queue);
	g_assert_cmpuint(spt_perf_queue_length(queue), ==, 20);
	for (unsigned i = 0; i < 20; i++)
		g_assert_cmpuint(take(queue, i), ==, i + 1);
	spt_perf_queue_drop(queue, 20);
	for (unsigned i = 0; i < 2; i++) {
		g_assert_cmpuint(rings[i].page->data_tail, ==, rings[i].page->data_head);
		g_free(rings[i].page);
	}
}

/* While the fourth record of the first ring waits, many times what fits is written. */
static void test_room(void)
{
	g_autoptr(SptPerfQueue) queue = spt_perf_queue_new(2);
	struct ring rings[] = { new_ring(queue, 0), new_ring(queue, 1) };
	uint64_t time = 0, n = 0;

	while (time < 20)
		write_record(&rings[0], ++time);
	collect(queue);
	for (unsigned i = 0; i < 4; i++)
		g_assert_cmpuint(take(queue, i), ==, ++n);
	for (unsigned round = 0; round < 100; round++) {
		for (unsigned i = 0; i < 40; i++)
			write_record(&rings[i % 2], ++time);
		g_assert_true(spt_perf_queue_make_room(queue, NULL, NULL));
	}
	g_assert_cmpuint(rings[0].n_lost + rings[1].n_lost, ==, 0);
	spt_perf_queue_drop(queue, 4);
	collect(queue);
	g_assert_cmpuint(spt_perf_queue_length(queue), ==, time - n);
	for (unsigned i = 0; i < time - 4; i++)
		g_assert_cmpuint(take(queue, i), ==, ++n);
	spt_perf_queue_drop(queue, time - 4);
	for (unsigned i = 0; i < 2; i++) {
		g_assert_cmpuint(rings[i].page->data_tail, ==, rings[i].page->data_head);
		g_free(rings[i].page);
	}
}

/* Memory has an end, and is there again when what it held was taken. */
static void test_no_room(void)
{
	g_autoptr(SptPerfQueue) queue = spt_perf_queue_new(1);
	struct ring ring = new_ring(queue, 0);
	uint64_t time = 0;

	spt_perf_queue_limit(queue, RESERVED_BYTES);
	do
		for (unsigned i = 0; i < 40 && !ring.n_lost; i++)
			write_record(&ring, ++time);
	while (spt_perf_queue_make_room(queue, NULL, NULL));
	g_assert_cmpuint(ring.n_written * COPY_BYTES, >, RESERVED_BYTES / 2);
	g_assert_cmpuint(ring.n_written * COPY_BYTES, <, 2 * RESERVED_BYTES);
	g_assert_false(spt_perf_queue_make_room(queue, NULL, NULL));
	collect(queue);
	g_assert_cmpuint(spt_perf_queue_length(queue), ==, ring.n_written);
	spt_perf_queue_drop(queue, ring.n_written);
	for (unsigned i = 0; i < 40; i++)
		write_record(&ring, ++time);
	g_assert_true(spt_perf_queue_make_room(queue, NULL, NULL));
	spt_perf_queue_clear(queue);
	g_free(ring.page);
}

/* What waits in a ring stays there beyond the limit, also while others are taken. */
static void test_limit(void)
{
	g_autoptr(SptPerfQueue) queue = spt_perf_queue_new(1);
	struct ring ring = new_ring(queue, 0);
	uint64_t time = 0, n = 0, record_bytes, before;

	spt_perf_queue_limit(queue, 1);
	write_record(&ring, ++time);
	record_bytes = ring.page->data_head;
	while (ring.page->data_head < RING_BYTES / 4 * 3)
		write_record(&ring, ++time);
	collect(queue);
	for (unsigned i = 0; i < 2; i++)
		g_assert_cmpuint(take(queue, i), ==, ++n);
	before = ring.page->data_tail;
	spt_perf_queue_drop(queue, 2);
	/* Two were taken, and one was copied. */
	g_assert_cmpuint(ring.page->data_tail - before, ==, 3 * record_bytes);
	for (unsigned i = 0; i < time - 2; i++)
		g_assert_cmpuint(take(queue, i), ==, ++n);
	spt_perf_queue_drop(queue, time - 2);
	g_assert_cmpuint(ring.page->data_tail, ==, ring.page->data_head);
	g_free(ring.page);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perf-queue/order", test_order);
	g_test_add_func("/perf-queue/room", test_room);
	g_test_add_func("/perf-queue/no-room", test_no_room);
	g_test_add_func("/perf-queue/limit", test_limit);
	return g_test_run();
}
