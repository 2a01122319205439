/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event of tracefs at the begin or the return of a function.  It can read what addresses lead
 * to, while perf's own probes read registers alone, and is one probe for all CPUs, while perf's are
 * one for each.  Such an event has a name, and stays until somebody removes it: a process of its
 * own does that for all of them, once this one has closed them or has ended.  For one thread.
 */
#ifndef SPT_NAMED_EVENT_H
#define SPT_NAMED_EVENT_H

#include <glib.h>

#include "trace/points/format.h"

G_BEGIN_DECLS

typedef struct SptNamedEvent SptNamedEvent;

/*
 * @place: a function of the kernel, or "PATH:0xOFFSET" of a file that programs run.
 * @fetches: what is read, in order, as tracefs has it: "+8($arg1):u64".  Fills in the place of each
 * in the event's records, and the event's number for perf.  NULL, with an error.
 */
SptNamedEvent *spt_named_event_new(const char *place, const char *const *fetches,
				   SptPointField *fields, uint32_t *ret_id, GError **error);
/* One that reads nothing; NULL: it cannot be had, and perf's own probes have to do. */
SptNamedEvent *spt_named_event_bare(const char *place, bool is_return, uint32_t *ret_id);
/* After the last one, returns when all are removed.  Nobody may have it open any more. */
void spt_named_event_free(SptNamedEvent *event);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptNamedEvent, spt_named_event_free)

G_END_DECLS

#endif
