/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a merger that passes on what it need not understand. */
#ifndef SPT_MERGE_STREAMS_H
#define SPT_MERGE_STREAMS_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* A capture, and what its ids become. */
typedef struct {
	const SptCapture *capture;
	const uint32_t *objects, *nodes;	/* new ids, by the old ones */
	uint32_t thread_base;
} SptMergeSource;

/*
 * Rows of all streams but the samples, and embedded files, behind a flush of all that they refer
 * to.
 */
bool spt_merge_streams(SptCaptureWriter *writer, const SptMergeSource *sources, unsigned n,
		       GError **error);

G_END_DECLS

#endif
