/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EVENT records: the parts that all have, and those of the kernel's own work. */
#ifndef SPT_RECORD_EVENTS_H
#define SPT_RECORD_EVENTS_H

#include "process/tasks.h"
#include "record/recorder.h"

G_BEGIN_DECLS

/* The part of @type; NULL: there is none. */
const struct sysprof_part *spt_event_part(const struct sysprof_event *event, unsigned type);
/* The node of the event's stack; 0: it has none. */
uint32_t spt_event_node(SptRecorder *recorder, const struct sysprof_event *event,
			const SptThread *thread);
/* The node above @node that names the event's subject. */
uint32_t spt_event_named(SptRecorder *recorder, uint32_t node, const char *name);
/* Takes an event of a source other than waits and wakings. */
void spt_events_take(SptRecorder *recorder, const struct sysprof_event *event,
		     const SptTraceEvents *source);

G_END_DECLS

#endif
