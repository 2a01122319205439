/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rings of the device, one for each CPU, as one stream in order of time.  A slow disk, a large
 * snapshot or a busy machine can hold up the reader.  A separate thread copies out of rings that
 * fill up meanwhile, within a limit of memory.
 */
#ifndef SPT_TRACE_RINGS_H
#define SPT_TRACE_RINGS_H

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptRings SptRings;

/* For @n_cpus rings of @bytes each; at most @most_kept_bytes are copied out of all of them. */
SptRings *spt_rings_new(unsigned n_cpus, uint32_t bytes, uint64_t most_kept_bytes);
/* The caller keeps the rings' memory. */
void spt_rings_free(SptRings *rings);

void spt_rings_add(SptRings *rings, unsigned cpu, struct sysprof_ring_page *page,
		   struct sysprof_ring_tail *tail, const void *data);
bool spt_rings_has(const SptRings *rings, unsigned cpu);

/* Start the thread, and end it. */
void spt_rings_watch(SptRings *rings);
void spt_rings_leave(SptRings *rings);

/* Copies out of each ring that is more than half full, as the thread does from time to time. */
void spt_rings_relieve(SptRings *rings);

/* As spt_trace_drain(); sets *@ret_drained to the time up to which that was. */
bool spt_rings_drain(SptRings *rings, bool all, SptTraceFunc func, void *data,
		     uint64_t *ret_drained, GError **error);

/* Whether no ring is more than half full, and nothing is kept outside of them. */
bool spt_rings_has_room(SptRings *rings);

G_END_DECLS

#endif
