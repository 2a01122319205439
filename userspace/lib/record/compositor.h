/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compositors that run already (Mutter, GNOME Shell) offer their marks to GNOME's profiler by an
 * interface on the session's bus: who calls Start() gives them a file, into which they write its
 * captures until Stop().  The file is memory, of which no more is kept than was not read yet.
 */
#ifndef SPT_COMPOSITOR_H
#define SPT_COMPOSITOR_H

#include "record/recorder.h"
#include "record/said.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

typedef struct SptCompositor SptCompositor;

/* Asks for the marks; NULL: nobody has some, or the bus cannot be reached. */
SptCompositor *spt_compositor_new(SptSaid *said, const SptThreadIds *threads);
/* Takes what was written.  Adds to @status. */
void spt_compositor_step(SptCompositor *compositor, SptMarksStatus *status);
/* Has it stopped, and takes the rest. */
void spt_compositor_finish(SptCompositor *compositor, SptMarksStatus *status);
void spt_compositor_free(SptCompositor *compositor);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCompositor, spt_compositor_free)

G_END_DECLS

#endif
