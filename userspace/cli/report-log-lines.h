/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which lines report --logs shows: those of a severity, and those with a text. */
#ifndef SPT_REPORT_LOG_LINES_H
#define SPT_REPORT_LOG_LINES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* As they were given; zero it to begin. */
struct spt_log_options {
	char *severity, *pattern;
	GRegex *regex;			/* after the check; NULL: any text */
	uint64_t most;			/* the highest severity that is shown */
};

/* Appends the options to @entries (GOptionEntry), without the end. */
void spt_log_options_add(struct spt_log_options *options, GArray *entries);
/* @is_logs: the report is of lines.  False: complained, return SPT_EXIT_USAGE. */
bool spt_log_options_check(struct spt_log_options *options, bool is_logs);
bool spt_log_options_meet(const struct spt_log_options *options, uint64_t severity,
			  const char *text);
void spt_log_options_clear(struct spt_log_options *options);
/* The name of a severity of syslog(3); "?": there is none. */
const char *spt_log_severity_name(uint64_t severity);

#endif
