/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of all rings in order of time.  They stay where they are in the rings until their
 * turn has come; where that leaves too little room they are copied out.
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
/* The rings are about to go, and with them all that is in the queue. */
void spt_perf_queue_clear(SptPerfQueue *queue);

/*
 * Takes note of what is in the rings, and shows each record that counts to @look (may be NULL).
 * False: the ring of *@ret_ring holds something that cannot be right.
 */
bool spt_perf_queue_collect(SptPerfQueue *queue, SptPerfLook look, void *data, unsigned *ret_ring);
/*
 * Whether no ring is more than half full, which it sees to by copying out what they hold, until
 * @most_bytes are copied; @look as above.  To be called while a record is taken, of which nothing
 * is read any more.
 */
bool spt_perf_queue_make_room(SptPerfQueue *queue, size_t most_bytes, SptPerfLook look, void *data);
/*
 * How many there are, of which those that make_room() adds are not in order yet; the @i-th in order
 * of time, until the next call, and whence.
 */
unsigned spt_perf_queue_length(const SptPerfQueue *queue);
const struct perf_event_header *spt_perf_queue_get(SptPerfQueue *queue, unsigned i,
						   uint64_t *ret_time, unsigned *ret_ring);
/* The first @n have been taken: they leave the queue, and their rings have room again. */
void spt_perf_queue_drop(SptPerfQueue *queue, unsigned n);

G_END_DECLS

#endif
