/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording in a few numbers: what a status line says. */
#ifndef SPT_SUMMARY_H
#define SPT_SUMMARY_H

#include "capture/capture.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t samples;
	uint64_t lost;			/* periods whose samples found no room */
	uint64_t duration_ns;
	uint64_t period_ns;		/* 0: not known */
	unsigned cpus;			/* 0: not known */
} SptSummary;

/* What a recording that was cut off does not say is taken from its samples. */
void spt_summary_make(const SptCapture *capture, SptSummary *ret);

G_END_DECLS

#endif
