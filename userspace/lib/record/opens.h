/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins two events of the kernel by their key: an OPEN, which has the stack, and a CLOSE, which has
 * the result.
 */
#ifndef SPT_RECORD_OPENS_H
#define SPT_RECORD_OPENS_H

#include "capture/capture.h"
#include "record/recorder.h"
#include "sysprof-event.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptOpens SptOpens;

SptOpens *spt_opens_new(void);
void spt_opens_free(SptOpens *opens);
/* @row: the row of the OPEN, with its node. */
void spt_opens_open(SptOpens *opens, SptRecorder *recorder, const struct sysprof_event *event,
		    const SptTraceEvents *source, const SptEventRow *row);
/* Puts the row of both.  A CLOSE without an OPEN has none. */
void spt_opens_close(SptOpens *opens, SptRecorder *recorder, const struct sysprof_event *event,
		     const SptTraceEvents *source);

/* The file that @event names, above @node, and above it what the event did with it. */
uint32_t spt_opens_file_node(SptOpens *opens, SptRecorder *recorder,
			     const struct sysprof_event *event, uint32_t node);
/* The same for a wait with @part, in a call on a file; @node if it is in another call. */
uint32_t spt_opens_call_node(SptOpens *opens, SptRecorder *recorder, uint32_t pid,
			     const struct sysprof_part *part, uint32_t node);

G_END_DECLS

#endif
