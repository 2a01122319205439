/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory of the recorded programs was resident, over time. */
#ifndef SPT_MEMORY_USE_H
#define SPT_MEMORY_USE_H

#include "capture/capture.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t first, most, last;	/* bytes; last: before the last process ended */
	uint64_t most_time;		/* when it was most */
} SptMemoryUse;

/* From @time on. */
typedef struct {
	uint64_t time, bytes;
} SptMemoryLevel;

/*
 * SptMemoryLevel in the order of time: the resident memory of all processes together.  Pages that
 * several of them share count for each.
 */
GArray *spt_resident_levels(const SptCapture *capture);
/* False: that was not recorded. */
bool spt_resident_use(const SptCapture *capture, SptMemoryUse *ret);

/* A clause: "3.1 MiB at first, 40.0 MiB at most after 1.20 s, 20.0 MiB at last". */
typedef char *(*SptBytesFormat)(uint64_t bytes);
char *spt_memory_use_text(const SptMemoryUse *use, uint64_t start_ns, SptBytesFormat format);

G_END_DECLS

#endif
