/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each report is one file, report-NAME.c, with one struct spt_report_kind.  cmd-report.c makes the
 * options from them, selects their data, and begins and ends the page.
 */
#ifndef SPT_REPORT_H
#define SPT_REPORT_H

#include "json.h"
#include "profile/declared.h"
#include "profile/profile.h"
#include "profile/summary.h"

/* The value of a report's option; the type is that of its GOptionEntry. */
union spt_report_value {
	int number;			/* also for an option without a value: 1 */
	char *text;
	char **texts;
};

/* A report, from its options to a page of text or JSON. */
struct spt_report {
	union spt_report_value value;
	const SptCapture *capture;
	SptSymbols *symbols;
	const SptSummary *summary;
	const SptMetric *metric;
	const SptFilter *filter;
	const SptFieldCondition *conditions;	/* of --field */
	unsigned n_conditions;
	uint64_t least_ns;		/* of --slower-than */
	const char *by;			/* of --by, beside --marks; NULL: it was not given */
	const struct spt_log_options *lines;	/* of --severity and --grep */
	const SptProfile *profile;	/* what the filter selects; NULL: see enum spt_report_of */
	const SptProfile *base;		/* the profile that it was selected from, or NULL */
	bool command_has_none;		/* of the metric: everything is shown instead */
	unsigned limit;			/* rows; UINT32_MAX for all */
	unsigned n_more;		/* rows that the limit removed, from find() */
	double min_percent;		/* rows below it are removed */
	bool has_confidence;		/* shares are shown with how sure they are */
	double n_independent;		/* then: samples, for spt_chance_range() */
	gpointer found;			/* the result of find() */
};

/* The data that a report needs. */
enum spt_report_of {
	SPT_REPORT_OF_PROFILE,
	SPT_REPORT_OF_BASE,		/* a profile and its base, of spt_profile_new_base() */
	SPT_REPORT_OF_SAMPLES,		/* no profile, and no conditions on stacks */
};

struct spt_report_kind {
	GOptionEntry option;		/* requests the report; its arg_data is not used */
	/* The option's help, to be freed; NULL: that of @option */
	char *(*help)(void);
	enum spt_report_of of;
	const char *metric;		/* the only metric that it shows; NULL: any */
	double min_percent;		/* default of --min for text */
	/*
	 * Checks the value before anything is opened.  False: complained.  May be NULL.  @metric
	 * NULL: only the recording knows it.
	 */
	bool (*check)(const union spt_report_value *value, const SptMetric *metric);
	/* Puts the data to be shown into @found.  False: complained.  May be NULL. */
	bool (*find)(struct spt_report *report);
	bool is_of_command;		/* by default, also without a profile */
	bool has_parts;			/* its shares can be shown with how sure they are */
	/* Print the report, below the lines with which all reports of a profile begin. */
	bool is_whole_page;		/* the text has no such lines */
	void (*text)(const struct spt_report *report);
	void (*json)(const struct spt_report *report, SptJson *json);
	GDestroyNotify clear;		/* frees @found, if it is set */
};

/* Every report, in the order of --help; the first one is the default. */
#define SPT_REPORTS(REPORT)                                                                        \
	REPORT(functions)                                                                          \
	REPORT(per)                                                                                \
	REPORT(tree)                                                                               \
	REPORT(callers)                                                                            \
	REPORT(callees)                                                                            \
	REPORT(categories)                                                                         \
	REPORT(groups)                                                                             \
	REPORT(wakers)                                                                             \
	REPORT(holders)                                                                            \
	REPORT(latest)                                                                             \
	REPORT(events)                                                                             \
	REPORT(marks)                                                                              \
	REPORT(histogram)                                                                          \
	REPORT(counters)                                                                           \
	REPORT(logs)                                                                               \
	REPORT(dbus)                                                                               \
	REPORT(malloc_arenas)                                                                      \
	REPORT(delay)                                                                              \
	REPORT(summary)
#define SPT_REPORT_DECLARE(name) extern const struct spt_report_kind spt_report_##name;
SPT_REPORTS(SPT_REPORT_DECLARE)

/* report-rows.c */

/* Width of a terminal that is wide enough for columns; 0: lines are not cut. */
unsigned spt_report_width(void);
/* The text for the object of @function. */
const char *spt_report_object(const SptFunction *function);
/*
 * The width of the names' column: that of the longest name, but on a terminal it leaves room for
 * the object.
 */
unsigned spt_report_fit_names(const SptFunction *functions, const uint32_t *shown, unsigned n,
			      unsigned width);
/* A percentage in its colour, at the right of @columns columns, and two blanks. */
void spt_report_print_share(double percent, int columns);
/*
 * Of a table, the head @text of a share, and the share of @weight in @whole, a part of the profile:
 * each with two blanks, and with how sure it is, if that is wanted: spt_report_part_columns() more.
 */
unsigned spt_report_part_columns(const struct spt_report *report);
void spt_report_print_part_head(const struct spt_report *report, const char *text, int columns);
void spt_report_print_part(const struct spt_report *report, uint64_t weight, uint64_t whole,
			   int columns);
/* The same as a member @key, an array of low and high in percent, of the object that is open. */
void spt_report_add_range(const struct spt_report *report, SptJson *json, const char *key,
			  uint64_t weight);
/* "Function  Object", the end of a line that SPT_COLOR_TITLE begins. */
void spt_report_print_names_head(unsigned name_columns);
void spt_report_print_names(const SptFunction *function, unsigned width, unsigned name_columns);

/*
 * Which functions a table shows, as an array of their numbers (uint32_t), to be unreferenced: in
 * @order, those that have some of the profile, or of @also (NULL: none), but no processes.  At most
 * @limit, and none below the least percentage; those that the limit removes are counted in n_more.
 */
GArray *spt_report_list_functions(struct spt_report *report, const uint32_t *order,
				  const SptProfile *also);

/*
 * How many rows from the start of @rows, an array sorted by weight, are shown: at most @limit, and
 * none below the least percentage.  Rows that the limit removes are counted in n_more.  @offset: of
 * the weight in an element.
 */
unsigned spt_report_n_shown(struct spt_report *report, const GArray *rows, size_t offset);

/* A weight in the metric's unit, as a member of the object that is open. */
void spt_report_add(const struct spt_report *report, SptJson *json, const char *key,
		    uint64_t weight);
/* Members "weight" and "pct" of the object that is open. */
void spt_report_add_weight(const struct spt_report *report, SptJson *json, uint64_t weight);

#endif
