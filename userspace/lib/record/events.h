/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EVENT records: the parts that all have, and a table of what each kind has besides.  A new kind
 * needs a row there only if its rows name a subject, or are of memory.
 */
#ifndef SPT_RECORD_EVENTS_H
#define SPT_RECORD_EVENTS_H

#include "capture/capture.h"
#include "process/tasks.h"
#include "record/recorder.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* The part of @type; NULL: there is none. */
const struct sysprof_part *spt_event_part(const struct sysprof_event *event, unsigned type);
/* The event's stack as if a tick had found it; to be freed. */
struct sysprof_sample *spt_event_sample(const struct sysprof_event *event);
/* The node of the event's stack; 0: it has none. */
uint32_t spt_event_node(SptRecorder *recorder, const struct sysprof_event *event,
			const SptThread *thread);
/* The node above @node that names the event's subject. */
uint32_t spt_event_named(SptRecorder *recorder, uint32_t node, const char *name);
/* The same where the subject is a place in an object, which has a symbol. */
uint32_t spt_event_placed(SptRecorder *recorder, uint32_t node, uint32_t object, uint64_t offset);
/* What a kind of events has besides stacks; NULL and 0: nothing. */
typedef struct {
	/* Takes the event: it is no row of the kind, or not at once. */
	void (*take)(SptRecorder *recorder, const struct sysprof_event *event);
	/* Sets what an event is about in its row, whose node is that of the stack. */
	void (*subject)(SptRecorder *recorder, const struct sysprof_event *event,
			const SptTraceEvents *source, SptEventRow *row);
	uint32_t layer;			/* of memory that is allocated: SPT_ALLOCATION_SLAB ... */
} SptEventIntake;

/* Never NULL, for any @kind. */
const SptEventIntake *spt_event_intake(uint16_t kind);
/* Notes what came too often to be recorded whole. */
void spt_events_finish(SptRecorder *recorder);
/* Takes an event of any kind. */
void spt_events_take(SptRecorder *recorder, const struct sysprof_event *event);

G_END_DECLS

#endif
