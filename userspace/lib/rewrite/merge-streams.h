/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a merge that copies data without interpreting it. */
#ifndef SPT_MERGE_STREAMS_H
#define SPT_MERGE_STREAMS_H

#include "rewrite/merge.h"

G_BEGIN_DECLS

/* A capture, and the new ids for its ids. */
typedef struct {
	const SptCapture *capture;
	const uint32_t *objects, *nodes;	/* new ids, by the old ones */
	uint32_t thread_base;
} SptMergeSource;

/*
 * Copies the rows of all streams except the samples, and embedded files.  Everything that they
 * refer to must have been flushed.  @texts may be NULL.
 */
bool spt_merge_streams(SptCaptureWriter *writer, const SptMergeSource *sources, unsigned n,
		       const SptMergeTexts *texts, GError **error);

G_END_DECLS

#endif
