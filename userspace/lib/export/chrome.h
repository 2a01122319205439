/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two halves of Chrome's JSON: chrome.c and chrome-sayings.c. */
#ifndef SPT_EXPORT_CHROME_H
#define SPT_EXPORT_CHROME_H

#include "export/export.h"
#include "export/numbers.h"

struct spt_chrome {
	const SptExportInput *input;
	SptOut *out;
	SptNumbers numbers;
	const SptMetric *metric;
	uint64_t period_ns;	      /* of CPU time; 0: not known, or another metric */
	uint32_t *first;	      /* by thread: the first one with its numbers */
	uint64_t *ends;		      /* by first thread: end of its last sample; 0: none yet */
	bool *is_seen;		      /* by thread: it has samples, waits, events or marks */
	bool has_events, has_samples; /* the next one follows a comma */
	uint64_t n_overlapping;	      /* their ids */
};

/* Begins the next event; its text is to be appended. */
GString *spt_chrome_next_event(struct spt_chrome *chrome);
void spt_chrome_append_us(const struct spt_chrome *chrome, GString *text, const char *key,
			  uint64_t time);
void spt_chrome_append_thread(const struct spt_chrome *chrome, GString *text, uint32_t thread);
/* chrome-sayings.c: marks, lines of logs and the like. */
void spt_chrome_write_sayings(struct spt_chrome *chrome);

#endif
