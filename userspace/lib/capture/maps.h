/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which object lay where in a process, and for how long: what a capture's rows of mappings come to.
 */
#ifndef SPT_CAPTURE_MAPS_H
#define SPT_CAPTURE_MAPS_H

#include "capture/capture.h"
#include "process/spaces.h"

G_BEGIN_DECLS

/* [map.from, until).  map.is_seen: it was there before that, for an unknown time. */
typedef struct {
	SptMap map;			/* its object is one of the capture's, or 0 */
	uint64_t until;			/* UINT64_MAX: it was not seen to end */
	/*
	 * at @until, such as its process's end, it may have been gone already, for an unknown time
	 */
	bool is_gone_by;
} SptMapSpan;

typedef struct SptMapIndex SptMapIndex;

/* Where the rows of each process are; @capture must outlive it. */
SptMapIndex *spt_map_index_new(const SptCapture *capture);
void spt_map_index_free(SptMapIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMapIndex, spt_map_index_free)
/*
 * Of a process (its id): SptMapSpan, in the order of time, then of addresses.  @ret_is_cut: there
 * were more, which are missing.  Rows from after its end do not count.  To be freed with
 * g_array_unref().
 */
GArray *spt_map_index_spans(const SptMapIndex *index, uint32_t process, bool *ret_is_cut);

G_END_DECLS

#endif
