/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of record. */
#ifndef SPT_RECORD_OPTIONS_H
#define SPT_RECORD_OPTIONS_H

#include <stdbool.h>

#include "record-events.h"
#include "record-filter.h"
#include "record/recorder.h"

struct spt_record_options {
	SptRecorderOptions recorder;	/* its strings are those below */
	gboolean bundle;
	gboolean no_command_lines, no_maps;
	char *start_at, *stop_at;	/* names of marks, or NULL */
	char *when_mark;		/* likewise, recorder.when_mark */
	char **counter_files;		/* NAME=PATH */
	char **embedded;		/* files to embed */
	gboolean no_embed;		/* none of the system's own */
	gboolean only_command;		/* the rest of the system is not shown */
	gboolean all_cpus;		/* the report begins with the whole system */
	uint64_t duration_ns;		/* 0: no end */
	struct spt_record_events events;	/* recorder.points are its */
	struct spt_record_filter filter;	/* recorder.filter points to this */
	char **command;			/* the words after "--", in argv; empty: none */
	char *output, *to, *command_text;	/* to: "HOST:PORT" of a receiver, or NULL */
};

/* Complaint. */
#define SPT_RECORD_NO_DELAYS                                                                       \
	"Perf events do not report how late ticks come: --when-late needs the module (--source module)"

/* Parses the value of --source.  False: complained, return SPT_EXIT_USAGE. */
bool spt_record_parse_source(SptTraceSource *source, const char *text);
/*
 * Parses the value of --waits: "" picks by a grid, "all" records every wait, and a time records
 * waits of at least that length.  NULL: the option was not given.  False: complained, return
 * SPT_EXIT_USAGE.
 */
bool spt_record_parse_waits(SptTraceWaits *waits, const char *text);
/* Adds the source that has this name in --also, or all of them.  False: no source has that name. */
bool spt_record_add_source(SptRecorderOptions *recorder, const char *name);
/* Adds those that --also lists.  False: complained, return SPT_EXIT_USAGE. */
bool spt_record_parse_also(SptRecorderOptions *recorder, const char *text);
/* False: complained, return SPT_EXIT_USAGE. */
bool spt_record_options_parse(struct spt_record_options *options, int argc, char **argv);
void spt_record_options_clear(struct spt_record_options *options);

#endif
