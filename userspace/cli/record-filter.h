/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of record that choose the part of the system to record. */
#ifndef SPT_RECORD_FILTER_H
#define SPT_RECORD_FILTER_H

#include <glib.h>
#include <stdbool.h>

#include "trace/trace.h"

/* The given options; all zero at first. */
struct spt_record_filter {
	char **pids, **users;
	char *cpus, *cgroup;
	gboolean only_user, only_kernel;
	uint64_t *cpu_words;		/* the SptTraceFilter points to this */
};

/* Appends our GOptionEntry rows to @entries. */
void spt_record_filter_add(struct spt_record_filter *filter, GArray *entries);
/* False: complained.  @ret borrows from @filter. */
bool spt_record_filter_parse(struct spt_record_filter *filter, SptTraceFilter *ret);
void spt_record_filter_clear(struct spt_record_filter *filter);

#endif
