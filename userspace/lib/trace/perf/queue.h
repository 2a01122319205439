/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of all rings in order of time.  They stay in the rings until it is their turn.  If
 * that leaves too little room, they are copied out.
 */
#ifndef SPT_PERF_QUEUE_H
#define SPT_PERF_QUEUE_H

#include <glib.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptPerfQueue SptPerfQueue;

typedef void (*SptPerfLook)(const struct perf_event_header *record, void *data);

SptPerfQueue *spt_perf_queue_new(unsigned n_rings);
void spt_perf_queue_free(SptPerfQueue *queue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfQueue, spt_perf_queue_free)

/* Ring @number: @bytes, a power of two, behind a page of @page_bytes. */
void spt_perf_queue_add(SptPerfQueue *queue, unsigned number, struct perf_event_mmap_page *page,
			size_t page_bytes, size_t bytes);
/* Records of that ring have the id of their event: see spt_perf_record_time_with_id(). */
void spt_perf_queue_expect_ids(SptPerfQueue *queue, unsigned number);
/* The rings are about to be unmapped, and all records in the queue with them. */
void spt_perf_queue_clear(SptPerfQueue *queue);

/*
 * Adds the records that are in the rings, and shows each record that counts to @look (may be NULL).
 * False: the ring *@ret_ring has impossible content.
 */
bool spt_perf_queue_collect(SptPerfQueue *queue, SptPerfLook look, void *data, unsigned *ret_ring);
/* How many bytes of records are copied out of rings, and one record more; SIZE_MAX at first. */
void spt_perf_queue_limit(SptPerfQueue *queue, size_t most_bytes);
/*
 * Copies records out of rings that are more than half full, up to the limit; returns whether no
 * such ring is left.  @look is as above.  Called while a record is being taken, when
 * nothing of it is read any more.
 */
bool spt_perf_queue_make_room(SptPerfQueue *queue, SptPerfLook look, void *data);
/*
 * length(): the number of records.  Those that make_room() adds are not in order yet.  get(): the
 * @i-th in order of time, valid until the next call, with its time and ring.
 */
unsigned spt_perf_queue_length(const SptPerfQueue *queue);
const struct perf_event_header *spt_perf_queue_get(SptPerfQueue *queue, unsigned i,
						   uint64_t *ret_time, unsigned *ret_ring);
/* Removes the first @n records, which have been taken; their rings have room again. */
void spt_perf_queue_drop(SptPerfQueue *queue, unsigned n);

G_END_DECLS

#endif
