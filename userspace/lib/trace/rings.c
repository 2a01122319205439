/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records are handed on in place, in the ring or in the copies from it.  Positions are the ring's,
 * and run freely:
 *
 *	at             kept              head
 *	 |  in chunks   |  in the ring    |
 *
 * A record that is being read in the ring keeps its place until that is done.  The merge rule and
 * its reasons are in the uapi header ("Rings").
 */
#include "trace/rings.h"

#include <string.h>

#include "base/realtime.h"
#include "base/words.h"
#include "trace/record-check.h"

#define LOOK_US 50000
/* While many records are handed on, room is given back in parts of a ring. */
#define GIVE_BACK_PART 16

struct chunk {
	uint32_t begin, bytes;
	uint8_t data[] __attribute__((aligned(8)));
};

struct ring {
	struct sysprof_ring_page *page;		/* NULL: no such CPU */
	struct sysprof_ring_tail *tail;
	const uint8_t *data;
	uint32_t at;				/* time of the next record to be handed on */
	uint32_t kept; /* up to this position records were copied out, or handed on */
	uint32_t being_read;			/* bytes of the record at @at, in the ring */
	uint32_t released;			/* value of the tail */
	GQueue chunks;
	/* While draining: position up to which it was checked, and time of the next record */
	uint32_t end;
	uint64_t time;
};

struct SptRings {
	struct ring *rings;
	struct ring **heap;			/* rings with records left, the earliest first */
	unsigned n_cpus, n_heap;
	uint32_t bytes;
	GMutex lock;
	GCond left;
	GThread *thread;
	bool is_left;
	uint64_t kept_bytes, most_kept_bytes;
};

SptRings *spt_rings_new(unsigned n_cpus, uint32_t bytes, uint64_t most_kept_bytes)
{
	SptRings *rings = g_new0(SptRings, 1);

	rings->rings = g_new0(struct ring, n_cpus);
	rings->heap = g_new0(struct ring *, n_cpus);
	rings->n_cpus = n_cpus;
	rings->bytes = bytes;
	rings->most_kept_bytes = most_kept_bytes;
	g_mutex_init(&rings->lock);
	g_cond_init(&rings->left);
	return rings;
}

void spt_rings_free(SptRings *rings)
{
	if (!rings)
		return;
	spt_rings_leave(rings);
	for (unsigned cpu = 0; cpu < rings->n_cpus; cpu++)
		g_queue_clear_full(&rings->rings[cpu].chunks, g_free);
	g_mutex_clear(&rings->lock);
	g_cond_clear(&rings->left);
	g_free(rings->rings);
	g_free(rings->heap);
	g_free(rings);
}

void spt_rings_add(SptRings *rings, unsigned cpu, struct sysprof_ring_page *page,
		   struct sysprof_ring_tail *tail, const void *data)
{
	rings->rings[cpu] =
		(struct ring){ .page = page, .tail = tail, .data = data, .chunks = G_QUEUE_INIT };
}

bool spt_rings_has(const SptRings *rings, unsigned cpu)
{
	return cpu < rings->n_cpus && rings->rings[cpu].page;
}

/* From here on with the lock. */

static uint32_t head_of(const struct ring *ring)
{
	/* Pairs with smp_store_release() in sysprof_ring_commit(). */
	return __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
}

/* START empties the rings. */
static void rings_begin(struct ring *ring)
{
	ring->at = ring->kept = ring->released = ring->tail->tail;
}

static void give_back(struct ring *ring)
{
	ring->released = ring->being_read ? ring->at : ring->kept;
	/* Pairs with smp_load_acquire() in sysprof_ring_reserve(): the records have been read. */
	__atomic_store_n(&ring->tail->tail, ring->released, __ATOMIC_RELEASE);
}

static void rings_keep(SptRings *rings, struct ring *ring)
{
	uint32_t head = head_of(ring);
	uint32_t from = g_queue_is_empty(&ring->chunks) ? ring->at + ring->being_read : ring->kept;
	uint32_t bytes = head - from, place = from & (rings->bytes - 1);
	uint32_t first = MIN(bytes, rings->bytes - place);
	struct chunk *chunk;

	if (head - ring->released <= rings->bytes / 2 || !bytes || bytes > rings->bytes ||
	    rings->kept_bytes + bytes > rings->most_kept_bytes)
		return;
	chunk = g_try_malloc(sizeof(*chunk) + bytes);
	if (!chunk)
		return;
	chunk->begin = from;
	chunk->bytes = bytes;
	memcpy(chunk->data, ring->data + place, first);
	memcpy(chunk->data + first, ring->data, bytes - first);
	g_queue_push_tail(&ring->chunks, chunk);
	rings->kept_bytes += bytes;
	ring->kept = head;
	give_back(ring);
}

static void keep_all(SptRings *rings)
{
	for (unsigned cpu = 0; cpu < rings->n_cpus; cpu++)
		if (rings->rings[cpu].page)
			rings_keep(rings, &rings->rings[cpu]);
}

static const struct sysprof_record *rings_record_at(const SptRings *rings, struct ring *ring)
{
	const struct chunk *chunk = g_queue_peek_head(&ring->chunks);

	return chunk ? (const void *)(chunk->data + (ring->at - chunk->begin)) :
		       (const void *)(ring->data + (ring->at & (rings->bytes - 1)));
}

static void rings_pass(SptRings *rings, struct ring *ring, uint32_t bytes)
{
	struct chunk *chunk = g_queue_peek_head(&ring->chunks);

	ring->at += bytes;
	ring->being_read = 0;
	if (chunk && ring->at - chunk->begin == chunk->bytes) {
		rings->kept_bytes -= chunk->bytes;
		g_free(g_queue_pop_head(&ring->chunks));
	}
	if (g_queue_is_empty(&ring->chunks))
		ring->kept = ring->at;
	if (ring->kept - ring->released >= rings->bytes / GIVE_BACK_PART)
		give_back(ring);
}

/*
 * Finds the time of @ring's next record; false: it has none below @safe, or its content is invalid.
 */
static bool next_record(SptRings *rings, struct ring *ring, uint64_t safe, GError **error)
{
	while (ring->at != ring->end) {
		const struct sysprof_record *record = rings_record_at(rings, ring);
		uint32_t place = ring->at & (rings->bytes - 1);
		size_t room = MIN(ring->end - ring->at, rings->bytes - place);

		if (record->type == SYSPROF_PAD && record->size &&
		    (size_t)record->size * 8 <= room) {
			rings_pass(rings, ring, record->size * 8);
			continue;
		}
		if (!spt_record_is_valid(record, room)) {
			spt_set_error(
				error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
				"%s: the ring of CPU %u holds a record that cannot be right (type %u, %u bytes)",
				SYSPROF_DEVICE, (unsigned)(ring - rings->rings), record->type,
				record->size * 8U);
			return false;
		}
		ring->time = record->time;
		return ring->time < safe;
	}
	return false;
}

static void sift_down(SptRings *rings, unsigned i)
{
	for (;;) {
		unsigned least = i, child = 2 * i + 1;

		for (unsigned end = MIN(child + 2, rings->n_heap); child < end; child++)
			if (rings->heap[child]->time < rings->heap[least]->time)
				least = child;
		if (least == i)
			return;
		struct ring *swap = rings->heap[i];

		rings->heap[i] = rings->heap[least];
		rings->heap[least] = swap;
		i = least;
	}
}

/* Checks every ring once; returns the time below which no more records can come. */
static uint64_t look_at_rings(SptRings *rings)
{
	uint64_t safe = (uint64_t)g_get_monotonic_time() * 1000;

	/* The clock before oldest_open_time; pairs with smp_mb() in sysprof_ring_reserve(). */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (unsigned cpu = 0; cpu < rings->n_cpus; cpu++) {
		struct ring *ring = &rings->rings[cpu];
		uint64_t open;

		if (!ring->page)
			continue;
		/* Read before head; pairs with smp_store_release() in sysprof_ring_commit(). */
		open = __atomic_load_n(&ring->page->oldest_open_time, __ATOMIC_ACQUIRE);
		ring->end = head_of(ring);
		if (open)
			safe = MIN(safe, open);
	}
	return safe;
}

/* Without the lock: this may take long. */
static void rings_hand_on(SptRings *rings, struct ring *ring, SptTraceFunc func, void *data)
{
	const struct sysprof_record *record = rings_record_at(rings, ring);
	uint32_t bytes = record->size * 8U;

	if (g_queue_is_empty(&ring->chunks))
		ring->being_read = bytes;
	g_mutex_unlock(&rings->lock);
	func(record, data);
	g_mutex_lock(&rings->lock);
	rings_pass(rings, ring, bytes);
}

/* Public, and without the lock. */

bool spt_rings_drain(SptRings *rings, bool all, SptTraceFunc func, void *data,
		     uint64_t *ret_drained, GError **error)
{
	GError *damage = NULL;
	uint64_t safe;

	g_mutex_lock(&rings->lock);
	*ret_drained = safe = look_at_rings(rings);
	if (all)
		safe = UINT64_MAX;
	rings->n_heap = 0;
	for (unsigned cpu = 0; cpu < rings->n_cpus && !damage; cpu++)
		if (rings->rings[cpu].page &&
		    next_record(rings, &rings->rings[cpu], safe, &damage))
			rings->heap[rings->n_heap++] = &rings->rings[cpu];
	for (unsigned i = rings->n_heap / 2; i-- > 0;)
		sift_down(rings, i);
	while (rings->n_heap && !damage) {
		struct ring *ring = rings->heap[0];

		rings_hand_on(rings, ring, func, data);
		if (!next_record(rings, ring, safe, &damage))
			rings->heap[0] = rings->heap[--rings->n_heap];
		sift_down(rings, 0);
	}
	for (unsigned cpu = 0; cpu < rings->n_cpus; cpu++)
		if (rings->rings[cpu].page)
			give_back(&rings->rings[cpu]);
	g_mutex_unlock(&rings->lock);
	if (damage)
		g_propagate_error(error, damage);
	return !damage;
}

void spt_rings_relieve(SptRings *rings)
{
	g_mutex_lock(&rings->lock);
	keep_all(rings);
	g_mutex_unlock(&rings->lock);
}

bool spt_rings_has_room(SptRings *rings)
{
	bool has_room;

	g_mutex_lock(&rings->lock);
	has_room = !rings->kept_bytes;
	for (unsigned cpu = 0; cpu < rings->n_cpus; cpu++)
		if (rings->rings[cpu].page &&
		    head_of(&rings->rings[cpu]) - rings->rings[cpu].released > rings->bytes / 2)
			has_room = false;
	g_mutex_unlock(&rings->lock);
	return has_room;
}

static void *rings_watch(void *data)
{
	SptRings *rings = data;

	spt_realtime_begin();
	g_mutex_lock(&rings->lock);
	while (!rings->is_left) {
		keep_all(rings);
		g_cond_wait_until(&rings->left, &rings->lock, g_get_monotonic_time() + LOOK_US);
	}
	g_mutex_unlock(&rings->lock);
	return NULL;
}

void spt_rings_watch(SptRings *rings)
{
	for (unsigned cpu = 0; cpu < rings->n_cpus; cpu++)
		if (rings->rings[cpu].page)
			rings_begin(&rings->rings[cpu]);
	rings->is_left = false;
	/* Without it the capacity of a ring is the limit. */
	rings->thread = g_thread_try_new("rings", rings_watch, rings, NULL);
}

void spt_rings_leave(SptRings *rings)
{
	g_mutex_lock(&rings->lock);
	rings->is_left = true;
	g_cond_signal(&rings->left);
	g_mutex_unlock(&rings->lock);
	if (rings->thread)
		g_thread_join(g_steal_pointer(&rings->thread));
}
