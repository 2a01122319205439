/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that choose samples, and how their frames are named, for every command that shows a
 * profile.
 */
#ifndef SPT_REPORT_FILTER_H
#define SPT_REPORT_FILTER_H

#include "profile/declared.h"
#include "profile/where-expression.h"
#include "profile/profile.h"
#include "profile/summary.h"
#include "report-shape.h"

/* Of a recording's name. */
#define SPT_REPORT_NOTHING_HOLDS                                                                   \
	"%s has no samples that meet the conditions; remove some of them"

/* As they were given; zero it to begin. */
struct spt_filter_options {
	char *input, *process, *thread, *cpu, *time, *where, *object, *vmlinux;
	char **with, **without, **fields;
	char *metric_name, *parallelism, *mark, *during, *slower;
	struct spt_shape_options shape;
	const SptMetric *metric;	/* after spt_filter_options_find_metric() */
	/* What report is by, and the kind whose events it lists; or NULL.  Not owned. */
	const char *by, *events;
	/* Of --field, after spt_filter_options_find_declared() */
	SptFieldCondition conditions[SPT_DECLARED_CONDITIONS];
	unsigned n_conditions;
	gboolean kernel, user, lines, no_inlines, short_templates, full_names, debuginfod;
	gboolean only_command, all;
	bool is_about_marks;		/* --slower-than needs no other option */
	bool has_fast_marks;		/* those that are not slower, instead */
	bool has_lead;			/* the command comes first: see spt_report_leads() */
};

/* The filter that the options mean, and the data that it points to. */
struct spt_report_filter {
	SptFilter filter;
	SptExpression *where;
	bool *cpus, *processes;
	SptMoments *moments;
};

/* Appends the options to @entries (GOptionEntry), and the empty one that ends them. */
void spt_filter_options_add(struct spt_filter_options *options, GArray *entries);
/*
 * Appends the options for the metric and for process, thread, CPU and time of a sample, without the
 * end.
 */
void spt_filter_options_add_samples(struct spt_filter_options *options, GArray *entries);
/* Appends the options about stacks, without the end. */
void spt_filter_options_add_stacks(struct spt_filter_options *options, GArray *entries);
/* Appends the options that work during a recording, without the end. */
void spt_filter_options_add_live(struct spt_filter_options *options, GArray *entries);
/* Appends the options for the sources of names, without the end. */
void spt_filter_options_add_files(struct spt_filter_options *options, GArray *entries);
/* How names are written. */
#define SPT_FILTER_SHORT_TEMPLATES(variable)                                                       \
	{ "short-templates", 0, 0, G_OPTION_ARG_NONE, &(variable),                                 \
	  "Write <...> for arguments of C++ templates; such functions count as one", NULL }
#define SPT_FILTER_FULL_NAMES(variable)                                                            \
	{ "full-names", 0, 0, G_OPTION_ARG_NONE, &(variable),                                      \
	  "C++ names with default arguments of templates; else std::string and the like", NULL }
void spt_filter_options_clear(struct spt_filter_options *options);
#define SPT_VMLINUX_HELP                                                                           \
	"The kernel that was recorded, with debug information (else it is looked for below /usr/lib/debug)"
/* Names for the frames of @capture, as the options request; NULL: complained. */
SptSymbols *spt_filter_options_symbols(const struct spt_filter_options *options,
				       const SptCapture *capture);
/* The metric of --metric, CPU time without it.  False: complained, return SPT_EXIT_USAGE. */
bool spt_filter_options_find_metric(struct spt_filter_options *options);
/*
 * The same, but NULL if no metric has the name and there is a file among the operands, which may
 * have it: spt_filter_options_find_declared() in report-fields.h.
 */
bool spt_filter_options_guess_metric(struct spt_filter_options *options, int argc, char **argv);
/* Whether @capture has the metric.  False: complained. */
bool spt_filter_options_check_metric(const struct spt_filter_options *options,
				     const SptCapture *capture);
/*
 * Whether text is about the recorded command because no option requests anything else.
 * --only-command requests that for every output.
 */
bool spt_report_leads(const struct spt_filter_options *options);
/* Whether one of the options is about stacks. */
bool spt_filter_options_about_stacks(const struct spt_filter_options *options);

/*
 * Makes the filter for @capture; NULL: for a recording that does not exist yet.  Times count from
 * @start_ns.  False: complained, return SPT_EXIT_USAGE.
 */
bool spt_report_filter_init(struct spt_report_filter *filter,
			    const struct spt_filter_options *options, const SptCapture *capture,
			    uint64_t start_ns);
void spt_report_filter_clear(struct spt_report_filter *filter);
/*
 * The name of the recorded command, to be freed, if @filter shows that alone of more; NULL: it
 * shows all there is, or what other conditions leave.
 */
char *spt_report_scope(const SptCapture *capture, const SptFilter *filter);

/*
 * Calls @show for the recording at @path with the filter of @options; returns its exit status, or
 * that of a complaint.
 */
typedef int (*SptFilteredShow)(const SptCapture *capture, const SptSummary *summary,
			       const SptFilter *filter, const void *data);
int spt_report_filtered(const char *path, struct spt_filter_options *options,
			SptFilteredShow show, const void *data);

/*
 * Reports the files that could not be read for names.  False if the conditions left no samples:
 * complained.
 */
bool spt_report_filter_check(const struct spt_filter_options *options, const SptCapture *capture,
			     SptSymbols *symbols, const SptProfile *profile);
/* report-suggest.c */

/*
 * "; did you mean ...?" with functions or processes that have @wanted in their names, or "".  The
 * caller frees it.
 */
char *spt_report_suggest(const SptProfile *profile, const char *wanted, bool processes);

/*
 * Which of the conditions names what the recording (@whole) does not have, a clause to be freed;
 * or NULL.
 */
char *spt_report_suggest_condition(const struct spt_filter_options *options,
				   const SptCapture *capture, const SptProfile *whole);

/*
 * download.c: a clause that says why nothing can be downloaded, with a remedy; NULL if downloads
 * work.
 */
const char *spt_cli_lacks_debuginfod(const char **ret_remedy);
/* download.c: names may come from the servers of $DEBUGINFOD_URLS.  False: complained. */
bool spt_cli_download(SptSymbols *symbols);

#endif
