/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In which mark a thread was at a time: the innermost of those that it had begun and not ended. */
#ifndef SPT_MARK_SEGMENTS_H
#define SPT_MARK_SEGMENTS_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* "--marks", what to record instead; NULL: there are marks. */
const char *spt_mark_segments_lack(const SptCapture *capture);
/* A number of the mark's name; 0: it was in none. */
uint32_t spt_mark_segment(const SptCapture *capture, uint32_t thread, uint64_t time);
/* The name of that number, as long as the capture; "[no mark]". */
const char *spt_mark_segment_name(const SptCapture *capture, uint32_t number);

G_END_DECLS

#endif
