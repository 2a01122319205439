/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of stacks make records of many KiB, and only a little of each is read.  Copying all of
 * them out of the rings, each time into new memory, was most of a recorder's work.
 */
#include "trace/perf/queue.h"

#include <string.h>

#include "trace/perf/records.h"

/* Each record is looked at so often, at most, before it is its turn. */
#define LOOKS 16u

struct ring {
	struct perf_event_mmap_page *page;	/* NULL: there is none */
	const uint8_t *data;
	size_t bytes;
	uint64_t read;			/* up to this position everything is in the queue */
	bool has_ids;
};

struct held {
	uint64_t time;
	uint64_t at;			/* in the ring */
	struct perf_event_header *copy;	/* NULL: it is still in the ring */
	unsigned ring;
};

struct SptPerfQueue {
	struct ring *rings;
	unsigned n_rings;
	GArray *held;			/* struct held */
	unsigned first;			/* index of the first one that was not dropped */
	unsigned at;			/* index of the present one: those before it were taken */
	unsigned unreleased;		/* dropped, and not given back to the kernel yet */
	size_t copied_bytes, most_bytes;
	GByteArray *joined;		/* the record at hand, where a ring's end cuts it in two */
};

SptPerfQueue *spt_perf_queue_new(unsigned n_rings)
{
	SptPerfQueue *queue = g_new0(SptPerfQueue, 1);

	queue->rings = g_new0(struct ring, n_rings);
	queue->n_rings = n_rings;
	queue->held = g_array_new(FALSE, FALSE, sizeof(struct held));
	queue->joined = g_byte_array_new();
	queue->most_bytes = SIZE_MAX;
	return queue;
}

void spt_perf_queue_free(SptPerfQueue *queue)
{
	if (!queue)
		return;
	spt_perf_queue_clear(queue);
	g_array_unref(queue->held);
	g_byte_array_unref(queue->joined);
	g_free(queue->rings);
	g_free(queue);
}

void spt_perf_queue_limit(SptPerfQueue *queue, size_t most_bytes)
{
	queue->most_bytes = most_bytes;
}

void spt_perf_queue_add(SptPerfQueue *queue, unsigned number, struct perf_event_mmap_page *page,
			size_t page_bytes, size_t bytes)
{
	queue->rings[number] = (struct ring){
		.page = page,
		.data = (const uint8_t *)page + page_bytes,
		.bytes = bytes,
		.read = page->data_tail,
	};
}

void spt_perf_queue_expect_ids(SptPerfQueue *queue, unsigned number)
{
	queue->rings[number].has_ids = true;
}

static void remove_first(SptPerfQueue *queue, unsigned n)
{
	for (unsigned i = queue->first; i < queue->first + n; i++) {
		struct held *held = &g_array_index(queue->held, struct held, i);

		if (held->copy)
			queue->copied_bytes -= held->copy->size;
		g_free(held->copy);
	}
	queue->first += n;
	queue->at = queue->first;
	queue->unreleased += n;
}

/* Takes what was dropped out of the array. */
static void queue_close_up(SptPerfQueue *queue)
{
	if (queue->first)
		g_array_remove_range(queue->held, 0, queue->first);
	queue->at -= queue->first;
	queue->first = 0;
}

void spt_perf_queue_clear(SptPerfQueue *queue)
{
	remove_first(queue, queue->held->len - queue->first);
	queue_close_up(queue);
	memset(queue->rings, 0, queue->n_rings * sizeof(*queue->rings));
}

/* NULL: the content up to @end is invalid.  A header is never split. */
static const struct perf_event_header *queue_record_at(SptPerfQueue *queue, const struct ring *ring,
						       uint64_t at, uint64_t end)
{
	size_t place = at & (ring->bytes - 1), first = ring->bytes - place;
	const struct perf_event_header *header = (const void *)(ring->data + place);

	if (place % 8 || end - at < sizeof(*header) || header->size < sizeof(*header) ||
	    header->size % 8 || header->size > end - at)
		return NULL;
	if (header->size <= first)
		return header;
	g_byte_array_set_size(queue->joined, header->size);
	memcpy(queue->joined->data, header, first);
	memcpy(queue->joined->data + first, ring->data, header->size - first);
	return (const void *)queue->joined->data;
}

static bool collect_ring(SptPerfQueue *queue, unsigned number, uint64_t head, SptPerfLook look,
			 void *data)
{
	struct ring *ring = &queue->rings[number];
	unsigned lost_index = UINT_MAX;

	while (ring->read != head) {
		const struct perf_event_header *record =
			queue_record_at(queue, ring, ring->read, head);
		struct held held = { .at = ring->read, .ring = number };

		if (!record || !(ring->has_ids ? spt_perf_record_time_with_id(record, &held.time) :
						 spt_perf_record_time(record, &held.time)))
			return false;
		ring->read += record->size;
		if (!held.time)
			continue;
		if (look)
			look(record, data);
		/*
		 * The record of a loss is before the record that found room again, and must
		 * stay there.
		 */
		if (lost_index < queue->held->len)
			g_array_index(queue->held, struct held, lost_index).time = held.time;
		lost_index = record->type == PERF_RECORD_LOST ? queue->held->len : UINT_MAX;
		g_array_append_val(queue->held, held);
	}
	return true;
}

static int compare_held(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->ring != y->ring)
		return x->ring < y->ring ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Records that were taken or copied out are given back to the kernel. */
static void queue_release(SptPerfQueue *queue)
{
	g_autofree uint64_t *tails = g_new(uint64_t, queue->n_rings);

	for (unsigned number = 0; number < queue->n_rings; number++)
		tails[number] = queue->rings[number].read;
	for (unsigned i = queue->at; i < queue->held->len; i++) {
		const struct held *held = &g_array_index(queue->held, struct held, i);

		if (!held->copy)
			tails[held->ring] = MIN(tails[held->ring], held->at);
	}
	for (unsigned number = 0; number < queue->n_rings; number++)
		if (queue->rings[number].page)
			__atomic_store_n(&queue->rings[number].page->data_tail, tails[number],
					 __ATOMIC_RELEASE);
}

/*
 * Makes room in rings in which records that wait for their turn take more than a quarter, as far as
 * there may be copies.
 */
static void copy_out(SptPerfQueue *queue)
{
	for (unsigned i = queue->at; i < queue->held->len &&
				     queue->copied_bytes < queue->most_bytes; i++) {
		struct held *held = &g_array_index(queue->held, struct held, i);
		const struct ring *ring = &queue->rings[held->ring];
		const struct perf_event_header *record;

		if (held->copy || ring->read - ring->page->data_tail <= ring->bytes / 4)
			continue;
		record = queue_record_at(queue, ring, held->at, ring->read);
		held->copy = g_memdup2(record, record->size);
		queue->copied_bytes += record->size;
	}
}

static bool queue_collect(SptPerfQueue *queue, SptPerfLook look, void *data, unsigned *ret_ring)
{
	for (unsigned number = 0; number < queue->n_rings; number++) {
		const struct ring *ring = &queue->rings[number];
		uint64_t head;

		*ret_ring = number;
		if (!ring->page)
			continue;
		head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
		if (head - ring->read > ring->bytes ||
		    !collect_ring(queue, number, head, look, data))
			return false;
	}
	return true;
}

bool spt_perf_queue_collect(SptPerfQueue *queue, SptPerfLook look, void *data, unsigned *ret_ring)
{
	bool ok;

	queue_close_up(queue);
	ok = queue_collect(queue, look, data, ret_ring);
	g_array_sort(queue->held, compare_held);
	return ok;
}

static bool queue_has_room(const SptPerfQueue *queue)
{
	for (unsigned number = 0; number < queue->n_rings; number++) {
		const struct ring *ring = &queue->rings[number];

		if (ring->page && __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) -
						  ring->page->data_tail >
					  ring->bytes / 2)
			return false;
	}
	return true;
}

bool spt_perf_queue_make_room(SptPerfQueue *queue, SptPerfLook look, void *data)
{
	unsigned ring;

	if (queue_has_room(queue))
		return true;
	/* Invalid content is found again when it is collected. */
	if (queue->copied_bytes >= queue->most_bytes || !queue_collect(queue, look, data, &ring))
		return false;
	copy_out(queue);
	queue_release(queue);
	return queue_has_room(queue);
}

unsigned spt_perf_queue_length(const SptPerfQueue *queue)
{
	return queue->held->len - queue->first;
}

const struct perf_event_header *spt_perf_queue_get(SptPerfQueue *queue, unsigned i,
						   uint64_t *ret_time, unsigned *ret_ring)
{
	const struct held *held = &g_array_index(queue->held, struct held, queue->first + i);
	const struct ring *ring = &queue->rings[held->ring];

	queue->at = queue->first + i;
	*ret_time = held->time;
	*ret_ring = held->ring;
	return held->copy ? held->copy : queue_record_at(queue, ring, held->at, ring->read);
}

void spt_perf_queue_drop(SptPerfQueue *queue, unsigned n)
{
	remove_first(queue, n);
	/* Each pass is over all that are left: few of many are not worth one. */
	if (queue->unreleased < spt_perf_queue_length(queue) / LOOKS)
		return;
	queue->unreleased = 0;
	queue_release(queue);
	copy_out(queue);
	queue_release(queue);
}
