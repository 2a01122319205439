/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How to record: what the record form and the preferences both offer, and keep in one place. */
#ifndef SPT_RECORD_CHOICES_H
#define SPT_RECORD_CHOICES_H

#include <adwaita.h>

#include "recording.h"

typedef enum {
	SPT_CHOICE_RATE,
	SPT_CHOICE_STACKS,
	SPT_CHOICE_EVENT,		/* whose count makes a tick */
} SptChoice;

/* What can be chosen in @row, as it is; a choice is kept. */
void spt_record_choices_fill(AdwComboRow *row, SptChoice choice);
/* As it was chosen last. */
void spt_record_choices_recall(AdwComboRow *row, SptChoice choice);
/* @sensitive row of a switch that keeps @key. */
void spt_record_choices_bind(GtkSwitch *widget, const char *key, int otherwise);

/* Something else that can be recorded. */
typedef struct {
	const char *key, *option;	/* in the file of the state; of sysprof-cli record */
	const char *title, *subtitle;	/* to be translated */
	unsigned kernel;		/* SPT_TRACE_...; 0: waits, or memory */
	bool is_memory;
} SptRecordSource;

/* NULL behind the last one. */
const SptRecordSource *spt_record_source(unsigned i);
/* Why @source cannot be recorded here; NULL: it can.  To be freed. */
char *spt_record_source_problem(const SptRecordSource *source);
/* Why counters cannot be recorded here; NULL: they can.  To be freed. */
char *spt_record_counters_problem(void);

/*
 * Fills in how to record, as it was chosen.  Sources that cannot be recorded here, or not without a
 * command, are skipped.
 */
void spt_record_choices_apply(SptRecordingOptions *options);
/* The line for a terminal that records the same. */
char *spt_record_choices_line(const SptRecordingOptions *options);

#endif
