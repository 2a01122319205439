/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which object was mapped where in a process, and for how long, from a capture's rows of mappings.
 */
#ifndef SPT_CAPTURE_MAPS_H
#define SPT_CAPTURE_MAPS_H

#include "capture/capture.h"
#include "process/spaces.h"

G_BEGIN_DECLS

/* [map.from, until).  map.is_seen: it had been mapped before that for an unknown time. */
typedef struct {
	SptMap map;			/* its object is one of the capture's, or 0 */
	uint64_t until;			/* UINT64_MAX: it was not seen to end */
	/*
	 * at @until, such as the process's end, it may have been unmapped already, for an unknown
	 * time
	 */
	bool is_gone_by;
} SptMapSpan;

typedef struct SptMapIndex SptMapIndex;

/* An index of the rows of each process; @capture must outlive it. */
SptMapIndex *spt_map_index_new(const SptCapture *capture);
void spt_map_index_free(SptMapIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMapIndex, spt_map_index_free)
/*
 * The mappings of a process (its id): SptMapSpan, by time, then by address.  @ret_is_cut: some are
 * missing, since there were too many.  Rows from after its end do not count.  The caller frees it
 * by g_array_unref().
 */
GArray *spt_map_index_spans(const SptMapIndex *index, uint32_t process, bool *ret_is_cut);

G_END_DECLS

#endif
