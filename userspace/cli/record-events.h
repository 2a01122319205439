/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of record that name events: what is recorded beside samples, or takes them. */
#ifndef SPT_RECORD_EVENTS_OPTIONS_H
#define SPT_RECORD_EVENTS_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "record/recorder.h"

/* Texts as they are given, and what they come to. */
struct spt_record_events {
	char **events, **functions;	/* each a list */
	char **probes;
	char *malloc_arenas;		/* a file; "": the C library of what is recorded */
	char *filter;
	bool are_only_counted;
	GPtrArray *points;		/* SptPoint *; NULL: none */
};

/* Appends the options to @entries (GOptionEntry), which write to @events. */
void spt_record_events_add(struct spt_record_events *events, GArray *entries);
/*
 * Finds the points, but for an event that is the clock: a number, or with @clock "pmu" or "auto" a
 * hardware event.  @command: what is started; NULL: nothing.  Fills in those fields of @recorder.
 * False: complained.
 */
bool spt_record_events_parse(struct spt_record_events *events, const char *clock,
			     const char *command, SptRecorderOptions *recorder);
/* Whether probes are only counted. */
bool spt_record_events_are_counted_probes(const struct spt_record_events *events);
void spt_record_events_clear(struct spt_record_events *events);
/* The counts of what was recorded, on stderr. */
void spt_record_events_tell(const SptRecorderStatus *status, const GPtrArray *points);

#endif
