/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines that programs and the kernel have written, by time.  A line is an event of a declared
 * kind that has a field "text" and a field "severity".
 */
#ifndef SPT_LOG_LINES_H
#define SPT_LOG_LINES_H

#include "profile/declared.h"
#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t time, severity;	/* severity: as in syslog(3) */
	uint32_t thread;		/* of the capture; 0: not known */
	char *source, *text;
} SptLogLine;

/* Whether a line is wanted; NULL: all are. */
typedef bool (*SptLogWanted)(uint64_t severity, const char *text, const void *data);

typedef struct {
	const SptFilter *filter;
	const SptFieldCondition *conditions;
	unsigned n_conditions;
	SptLogWanted is_wanted;
	const void *data;
	unsigned most;			/* lines beyond are only counted; 0: a million */
} SptLogQuery;

/* Whether its events are lines. */
bool spt_log_lines_are_of(const SptDeclared *kind);
/* Whether there are kinds with such fields. */
bool spt_log_lines_are_in(const SptCapture *capture);
/* An array of SptLogLine in the order of their times, which clears itself. */
GArray *spt_log_lines(const SptCapture *capture, const SptLogQuery *query, uint64_t *ret_n_more);

G_END_DECLS

#endif
