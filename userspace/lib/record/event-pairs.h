/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins two events of the kernel by their key: an OPEN, which has the stack, and a CLOSE, which has
 * the result.
 */
#ifndef SPT_RECORD_EVENT_PAIRS_H
#define SPT_RECORD_EVENT_PAIRS_H

#include "capture/capture.h"
#include "base/proc-files.h"
#include "record/recorder.h"
#include "sysprof-event.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptEventPairs SptEventPairs;

/* @files outlives the pairs. */
SptEventPairs *spt_event_pairs_new(SptProcFiles *files);
void spt_event_pairs_free(SptEventPairs *pairs);
/* @row: the row of the OPEN, with its node. */
void spt_event_pairs_open(SptEventPairs *pairs, SptRecorder *recorder,
			  const struct sysprof_event *event, const SptTraceEvents *source,
			  const SptEventRow *row);
/* Puts the row of both.  A CLOSE without an OPEN has none. */
void spt_event_pairs_close(SptEventPairs *pairs, SptRecorder *recorder,
			   const struct sysprof_event *event, const SptTraceEvents *source);

/* The file that @event names, above @node, and above it what the event did with it. */
uint32_t spt_event_pairs_file_node(SptEventPairs *pairs, SptRecorder *recorder,
				   const struct sysprof_event *event, uint32_t node);
/*
 * The same for a wait of process @pid with @part, in a call on a file or a futex; @node if it is in
 * another call.
 */
uint32_t spt_event_pairs_call_node(SptEventPairs *pairs, SptRecorder *recorder, uint32_t pid,
				   const struct sysprof_part *part, uint32_t node);
/* The process has ended, or executes another program. */
void spt_event_pairs_forget(SptEventPairs *pairs, uint32_t pid);

G_END_DECLS

#endif
