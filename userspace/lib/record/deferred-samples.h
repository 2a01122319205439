/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples whose stacks go through an object whose unwind table is still being made, or are in
 * mappings that only the next snapshot has.  They are deferred, so that neither they nor the
 * others wait: rows of a capture need not be in order of time.
 */
#ifndef SPT_DEFERRED_SAMPLES_H
#define SPT_DEFERRED_SAMPLES_H

#include <glib.h>
#include <stdbool.h>

#include "capture/capture.h"
#include "sysprof.h"

G_BEGIN_DECLS

/*
 * @row: without node and end.  @has_run: the task's process was seen to run its image before.
 * @comm: the task's name.  @late: the object without a table; 0: the mappings are not known, and
 * it waits for @snapshot.
 */
typedef struct {
	SptSampleRow row;
	const struct sysprof_sample *sample;
	const char *comm;
	uint32_t late;
	unsigned snapshot;
	bool has_run;
} SptDeferredSample;

typedef struct SptDeferred SptDeferred;

/* @max_bytes: of the samples' records. */
SptDeferred *spt_deferred_new(uint64_t max_bytes);
void spt_deferred_free(SptDeferred *deferred);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDeferred, spt_deferred_free)

/* Copies @sample, whose mappings the space @mm keeps.  False: there are too many. */
bool spt_deferred_put(SptDeferred *deferred, const SptDeferredSample *sample, uint64_t mm);
/* Calls @take for each, in order; those for which it returns false stay. */
void spt_deferred_take(SptDeferred *deferred, bool (*take)(SptDeferredSample *sample, void *data),
		       void *data);
bool spt_deferred_is_empty(const SptDeferred *deferred);
/* How many samples of @cpu up to @time are deferred, and their weight. */
uint64_t spt_deferred_count(const SptDeferred *deferred, unsigned cpu, uint64_t time,
			    uint64_t *ret_weight);

G_END_DECLS

#endif
