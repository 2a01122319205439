/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that is open: its file, the names of its functions, and what does not depend on what
 * is selected.  What is shown of it is a document (document.h).
 */
#ifndef SPT_RECORDING_H
#define SPT_RECORDING_H

#include <gio/gio.h>

#include "profile/coverage.h"
#include "profile/lanes.h"
#include "profile/summary.h"
#include "profile/tracks.h"
#include "whole.h"

typedef struct {
	SptCapture *capture;
	SptSymbols *symbols;		/* under the lock: they learn, nothing else changes */
	GMutex symbols_lock;
	GCancellable *fetches;		/* debug information from servers; or NULL */
	SptWhole *whole;		/* in CPU time, as folded */
	SptSummary summary;
	GPtrArray *tracks;		/* SptTrack */
	GArray *coverage;		/* SptCoverageRow */
	GMutex lanes_lock;
	SptLanes *lanes;		/* NULL: not needed yet; spt_recording_lanes() */
} SptRecording;

/*
 * Takes over @capture, and folds it, which takes time; @progress may be NULL.  @fetches: debug
 * information may be fetched from servers until it is cancelled, and is said on it as "doing" (a
 * sentence); NULL: it may not.
 */
SptRecording *spt_recording_new(SptCapture *capture, GCancellable *fetches, SptProgress progress,
				void *data);
SptRecording *spt_recording_ref(SptRecording *recording);
void spt_recording_unref(SptRecording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptRecording, spt_recording_unref)

/* Its metrics, CPU time first; NULL after the last one. */
const SptMetric *spt_recording_metric(const SptRecording *recording, unsigned i);
/* Its lanes, which it owns; made when they are first needed. */
const SptLanes *spt_recording_lanes(SptRecording *recording);

typedef struct {
	char *text;			/* "function (object)" */
	bool is_machinery;		/* as by culprit.h */
	bool takes_lock;
} SptStackFrame;

/* The frames of a stack, innermost first; elements are SptStackFrame. */
GPtrArray *spt_recording_stack(SptRecording *recording, uint32_t node);

#endif
