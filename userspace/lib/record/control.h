/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control socket of GNOME's profiler, for programs that speak its protocol already: GLib,
 * GTK 4, Mutter, WebKit.  A thread of theirs sends "CreatRing" and a nul through the descriptor
 * that SYSPROF_CONTROL_FD names, and gets a descriptor of shared memory: a page with a head (how
 * far it was read), a tail (how far it was written), offset and size of the ring, then the ring,
 * with frames of its capture format.  Marks, counters and lines of logs become rows of declared
 * kinds (said.h); other frames are dropped.  The frames name no thread, so rows have the first one
 * of their process.
 */
#ifndef SPT_CONTROL_H
#define SPT_CONTROL_H

#include "record/recorder.h"
#include "record/said.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

#define SPT_CONTROL_VARIABLE "SYSPROF_CONTROL_FD"

typedef struct SptControl SptControl;

/*
 * @fd: our side of a pair of stream sockets, then owned; -1: none.  @said and @threads outlive it.
 */
SptControl *spt_control_new(int fd, SptSaid *said, const SptThreadIds *threads);
void spt_control_free(SptControl *control);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptControl, spt_control_free)
bool spt_control_is_used(const SptControl *control);
/*
 * A frame that came otherwise, of the @bytes that it says it has, at least 24; counts in @status.
 * False: it cannot be one.
 */
bool spt_control_take(SptControl *control, const void *frame, uint16_t bytes,
		      SptMarksStatus *status);
/* Answers requests and takes what is in the rings.  Adds to @status. */
void spt_control_step(SptControl *control, SptMarksStatus *status);

G_END_DECLS

#endif
