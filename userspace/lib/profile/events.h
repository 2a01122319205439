/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics of the kernel's own work.  Each event is a row, and its kind says to which metric it
 * belongs.
 */
#ifndef SPT_PROFILE_EVENTS_H
#define SPT_PROFILE_EVENTS_H

#include "events/event.h"
#include "profile/weights.h"

G_BEGIN_DECLS

/*
 * SptWeightRow.detail of a context is SPT_IN_*: what was interrupted; of the clock's samples the
 * context that they came in, or SPT_CONTEXT_NOT_KNOWN.
 */
#define SPT_CONTEXT_NOT_KNOWN 15
/*
 * The source of a metric that is a column of a kind's events; the detail of its rows is the column
 * that the kind names.  It is never freed: there is one for each metric.
 */
const SptWeightSource *spt_weights_of_events(const SptEventKind *kind,
					     const SptEventMetric *metric);

/* Whether events of @kind were recorded, by the accounts. */
bool spt_events_are_in(const SptCapture *capture, const SptEventKind *kind);
/* "minor", "major", ...: marked for translation. */
const char *spt_fault_name(uint32_t flags);
/* "task", "soft interrupt", ...: marked for translation. */
const char *spt_context_name(uint32_t context);

G_END_DECLS

#endif
