/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of record that say what of the system is recorded. */
#ifndef SPT_RECORD_FILTER_H
#define SPT_RECORD_FILTER_H

#include <glib.h>
#include <stdbool.h>

#include "trace/trace.h"

/* As they are given; all zero before. */
struct spt_record_filter {
	char **pids, **users;
	char *cpus, *cgroup;
	gboolean only_user, only_kernel;
	uint64_t *cpu_words;		/* what the SptTraceFilter points to */
};

/* Appends our GOptionEntry rows to @entries. */
void spt_record_filter_add(struct spt_record_filter *filter, GArray *entries);
/* False: complained.  @ret borrows from @filter. */
bool spt_record_filter_parse(struct spt_record_filter *filter, SptTraceFilter *ret);
void spt_record_filter_clear(struct spt_record_filter *filter);

#endif
