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

G_END_DECLS

#endif
