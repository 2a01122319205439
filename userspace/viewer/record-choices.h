/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to record: the choices of the record form and the preferences, kept in one place. */
#ifndef SPT_RECORD_CHOICES_H
#define SPT_RECORD_CHOICES_H

#include <adwaita.h>

#include "events/event.h"
#include "record-run.h"

typedef enum {
	SPT_CHOICE_RATE,
	SPT_CHOICE_STACKS,
	SPT_CHOICE_EVENT,		/* event that is counted for ticks */
} SptChoice;

/* The state's key of the events that are recorded by name: "NAME,...". */
#define SPT_CHOICE_NAMES "event-names"
/* Likewise, the marks of a command at which its recording begins and ends. */
#define SPT_CHOICE_START_AT "start-at"
#define SPT_CHOICE_STOP_AT  "stop-at"

/* Fills @row with the choices, and keeps what is chosen. */
void spt_record_choices_fill(AdwComboRow *row, SptChoice choice);
/* Selects the last choice. */
void spt_record_choices_recall(AdwComboRow *row, SptChoice choice);
/* @sensitive row of a switch that keeps @key. */
void spt_record_choices_bind(GtkSwitch *widget, const char *key, int otherwise);

/* Why @source cannot be recorded here; NULL: it can.  The caller frees it. */
char *spt_record_source_problem(const SptEventOption *source);
/* Likewise, what is said. */
char *spt_record_statement_problem(const SptStatementOption *option);
/* Why counters cannot be recorded here; NULL: they can.  The caller frees it. */
char *spt_record_counters_problem(void);

/*
 * Fills in how to record, as it was chosen.  Sources that cannot be recorded here, or not without a
 * command, are skipped.
 */
void spt_record_choices_apply(SptRecordOptions *options);
/* The command line that records the same in a terminal. */
char *spt_record_choices_line(const SptRecordOptions *options);

#endif
