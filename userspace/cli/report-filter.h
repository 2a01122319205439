/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that choose samples and how their frames are named, for every command that shows a
 * profile.
 */
#ifndef SPT_REPORT_FILTER_H
#define SPT_REPORT_FILTER_H

#include "profile/expression.h"
#include "profile/profile.h"
#include "profile/summary.h"

/* Of a recording's name. */
#define SPT_REPORT_NOTHING_HOLDS                                                                   \
	"%s has no samples that meet the conditions; leave some of them out"

/* As they were given; zero it to begin. */
struct spt_filter_options {
	char *input, *process, *thread, *cpu, *time, *where, *object, *vmlinux;
	char **with, **without;
	char *metric_name, *parallelism;
	const SptMetric *metric;	/* after spt_filter_options_find_metric() */
	gboolean kernel, user, lines, no_inlines, short_templates, debuginfod;
	gboolean only_command, all;
	bool has_lead;			/* the command comes first: see spt_report_leads() */
};

/* The filter they amount to, and what it points to. */
struct spt_report_filter {
	SptFilter filter;
	SptExpression *where;
	bool *cpus, *processes;
};

/* Appends the options to @entries (GOptionEntry), and the empty one that ends them. */
void spt_filter_options_add(struct spt_filter_options *options, GArray *entries);
/* Only those that ask which metric, and who, where and when a sample was taken, without an end. */
void spt_filter_options_add_samples(struct spt_filter_options *options, GArray *entries);
/* Only those that ask for what is on a stack, without an end. */
void spt_filter_options_add_stacks(struct spt_filter_options *options, GArray *entries);
/* Only those that make sense while a recording goes on, without an end. */
void spt_filter_options_add_live(struct spt_filter_options *options, GArray *entries);
/* Only those that say where names come from, without an end. */
void spt_filter_options_add_files(struct spt_filter_options *options, GArray *entries);
/* How names are written. */
#define SPT_FILTER_SHORT_TEMPLATES(variable)                                                       \
	{ "short-templates", 0, 0, G_OPTION_ARG_NONE, &(variable),                                 \
	  "Write <...> for arguments of C++ templates; such functions count as one", NULL }
void spt_filter_options_clear(struct spt_filter_options *options);
#define SPT_VMLINUX_HELP                                                                           \
	"The kernel that was recorded, with debug information (else it is looked for below /usr/lib/debug)"
/* What names the frames of @capture as is wished; NULL: complained. */
SptSymbols *spt_filter_options_symbols(const struct spt_filter_options *options,
				       const SptCapture *capture);
/* The metric of --metric, CPU time without it.  False: complained, return SPT_EXIT_USAGE. */
bool spt_filter_options_find_metric(struct spt_filter_options *options);
/* Whether @capture has the metric.  False: complained. */
bool spt_filter_options_check_metric(const struct spt_filter_options *options,
				     const SptCapture *capture);
/*
 * Whether text is about the command that was recorded, as long as nothing else is asked for.
 * --only-command asks for it in whatever is shown.
 */
bool spt_report_leads(const struct spt_filter_options *options);
/* Whether one of them asks for what is on the stack. */
bool spt_filter_options_about_stacks(const struct spt_filter_options *options);

/*
 * Of @capture; NULL: of what is not recorded yet.  @start_ns: where times count from.  False:
 * complained, return SPT_EXIT_USAGE.
 */
bool spt_report_filter_init(struct spt_report_filter *filter,
			    const struct spt_filter_options *options, const SptCapture *capture,
			    uint64_t start_ns);
void spt_report_filter_clear(struct spt_report_filter *filter);

/*
 * Calls @show for the recording at @path with the filter that @options amount to; returns its exit
 * status, or that of a complaint.
 */
typedef int (*SptFilteredShow)(const SptCapture *capture, const SptSummary *summary,
			       const SptFilter *filter, const void *data);
int spt_report_filtered(const char *path, const struct spt_filter_options *options,
			SptFilteredShow show, const void *data);

/*
 * Says which files could not be read for the names.  False if the conditions have left nothing:
 * complained.
 */
bool spt_report_filter_check(const struct spt_filter_options *options, const SptCapture *capture,
			     SptSymbols *symbols, const SptProfile *profile);
/*
 * Functions, or processes, that have @wanted in their names: "; did you mean ...?", or nothing.  To
 * be freed.
 */
char *spt_report_suggest(const SptProfile *profile, const char *wanted, bool processes);

/* download.c: a clause that says why nothing can be fetched, with what to do; NULL if it can. */
const char *spt_cli_lacks_debuginfod(const char **ret_remedy);
/* download.c: names may come from the servers of $DEBUGINFOD_URLS.  False: complained. */
bool spt_cli_download(SptSymbols *symbols);

#endif
