/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that choose samples and how their frames are named, for every command that shows a profile. */
#ifndef SPT_REPORT_FILTER_H
#define SPT_REPORT_FILTER_H

#include "profile/expression.h"
#include "profile/profile.h"

/* As they were given; zero it to begin. */
struct spt_filter_options {
	char *process, *thread, *cpu, *time, *where, *object;
	char **with, **without;
	gboolean kernel, user, lines, no_inlines;
};

/* The filter they amount to, and what it points to. */
struct spt_report_filter {
	SptFilter filter;
	SptExpression *where;
	bool *cpus;
};

/* Appends the options to @entries (GOptionEntry), and the empty one that ends them. */
void spt_filter_options_add(struct spt_filter_options *options, GArray *entries);
void spt_filter_options_clear(struct spt_filter_options *options);
/* How frames are taken apart, for spt_symbols_set_detail(). */
unsigned spt_filter_options_detail(const struct spt_filter_options *options);
/* Whether one of them asks for what is on the stack. */
bool spt_filter_options_about_stacks(const struct spt_filter_options *options);

/* @start_ns: where times count from.  False: complained, return SPT_EXIT_USAGE. */
bool spt_report_filter_init(struct spt_report_filter *filter, const struct spt_filter_options *options,
			    uint64_t start_ns);
void spt_report_filter_clear(struct spt_report_filter *filter);

/* False if the conditions have left nothing: complained. */
bool spt_report_filter_check(const struct spt_filter_options *options, const SptCapture *capture, SptSymbols *symbols,
			     const SptProfile *profile);
/* Functions, or processes, that have @wanted in their names: "; did you mean ...?", or nothing.  To be freed. */
char *spt_report_suggest(const SptProfile *profile, const char *wanted, bool processes);

#endif
