/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event of tracefs at the begin of a function, which reads what addresses lead to.
 * perf's own probes read registers alone.  Such an event has a name, and stays until somebody
 * removes it: a process of its own does that, once this one has closed it or has ended.
 */
#ifndef SPT_NAMED_EVENT_H
#define SPT_NAMED_EVENT_H

#include <glib.h>

#include "trace/points/format.h"

G_BEGIN_DECLS

typedef struct SptNamedEvent SptNamedEvent;

/*
 * @function: of the kernel, or "PATH:0xOFFSET" of a file that programs run.
 * @fetches: what is read, in order, as tracefs has it: "+8($arg1):u64".  Fills in the place of each
 * in the event's records, and the event's number for perf.  NULL, with an error.
 */
SptNamedEvent *spt_named_event_new(const char *function, const char *const *fetches,
				   SptPointField *fields, uint32_t *ret_id, GError **error);
/* Returns when it is removed.  Nobody may have it open any more. */
void spt_named_event_free(SptNamedEvent *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptNamedEvent, spt_named_event_free)

G_END_DECLS

#endif
