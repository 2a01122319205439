/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EVENT records, with the stacks of perf's samples. */
#ifndef SPT_PERF_EVENT_H
#define SPT_PERF_EVENT_H

#include "trace/perf/records.h"

G_BEGIN_DECLS

/*
 * Begins an event in @made: with the frames of @stack, a sample with a raw part, and the copy of
 * the stack behind them; NULL: it has none.  The caller sets the rest.  The result is valid until
 * something is added.
 */
struct sysprof_event *spt_perf_event_begin(GByteArray *made, SptPerfRecords *records,
					   const struct spt_perf_who *who,
					   const struct perf_event_header *stack,
					   const struct spt_perf_sink *sink);
/* Adds a user frame, which may move the event, to one without a part. */
struct sysprof_event *spt_perf_event_add_frame(GByteArray *made, uint64_t frame);
void spt_perf_event_add(GByteArray *made, const struct sysprof_part *part);
/* Hands it on: it is of @who. */
void spt_perf_event_put(GByteArray *made, const struct spt_perf_who *who,
			const struct spt_perf_sink *sink);

G_END_DECLS

#endif
