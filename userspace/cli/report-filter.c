/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From options to a filter.  --with and --without are written into the expression of --where, so
 * that there is only one kind of filter.
 */
#include "report-filter.h"

#include <string.h>

#include "cmd.h"
#include "profile/command.h"
#include "profile/marks.h"
#include "report-fields.h"
#include "report-metric.h"

#define FAILURES_SHOWN 5
#define LONGEST_NS (366 * 86400 * 1000000000ULL)	/* a year */

/* The metric, and whose it is. */
static void add_who(struct spt_filter_options *options, GArray *entries)
{
	const GOptionEntry ours[] = {
		{ "metric", 0, 0, G_OPTION_ARG_STRING, &options->metric_name, spt_report_metric_help(),
		  "NAME" },
		{ "process", 0, 0, G_OPTION_ARG_STRING, &options->process,
		  "Only processes of this name, program or pid", "P" },
		{ "thread", 0, 0, G_OPTION_ARG_STRING, &options->thread,
		  "Only threads of this name or tid", "T" },
		{ "cpu", 'C', 0, G_OPTION_ARG_STRING, &options->cpu,
		  "Only these CPUs, as in 0,2-5 (also --cpus)", "LIST" },
		SPT_CLI_ALIAS("cpus", G_OPTION_ARG_STRING, options->cpu),
		{ "parallelism", 0, 0, G_OPTION_ARG_STRING, &options->parallelism,
		  "Only while N threads ran at a time, as in 1 or 2-4 (with --metric latency)",
		  "N[-N]" },
	};

	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
}

void spt_filter_options_add_stacks(struct spt_filter_options *options, GArray *entries)
{
	const GOptionEntry ours[] = {
		{ "with", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->with,
		  "Only stacks with function FN (may be repeated)", "FN" },
		{ "without", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->without,
		  "Only stacks without function FN (may be repeated)", "FN" },
		{ "where", 0, 0, G_OPTION_ARG_STRING, &options->where,
		  "Only stacks that match, as in 'foo and (malloc or free)'; * and ? are wild",
		  "EXPR" },
		{ "kernel", 0, 0, G_OPTION_ARG_NONE, &options->kernel,
		  "Only what ran in the kernel (also --kernel-only)", NULL },
		SPT_CLI_ALIAS("kernel-only", G_OPTION_ARG_NONE, options->kernel),
		{ "user", 0, 0, G_OPTION_ARG_NONE, &options->user,
		  "Only what ran in user mode (also --user-only)", NULL },
		SPT_CLI_ALIAS("user-only", G_OPTION_ARG_NONE, options->user),
	};

	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
}

static void add_object(struct spt_filter_options *options, GArray *entries)
{
	const GOptionEntry object = {
		"object", 0, 0, G_OPTION_ARG_STRING, &options->object,
		"Only where the innermost function is in an object of this name; * and ? match any",
		"NAME"
	};

	g_array_append_val(entries, object);
}

void spt_filter_options_add_samples(struct spt_filter_options *options, GArray *entries)
{
	const GOptionEntry time = {
		"time", 0, 0, G_OPTION_ARG_STRING, &options->time,
		"Only from A to B after the start, as in 1.5..3 or 500ms..; either may be empty",
		"A..B"
	};

	const GOptionEntry command = {
		"only-command", 0, 0, G_OPTION_ARG_NONE, &options->only_command,
		"Only the command that was recorded, with all it started", NULL
	};

	const GOptionEntry field = {
		"field", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->fields,
		"Only events that meet a condition on a field, as in 'bytes > 4K' (may be repeated)",
		"COND"
	};
	const GOptionEntry all = { "all", 0, 0, G_OPTION_ARG_NONE, &options->all,
				   "Everything that ran, not only the command", NULL };

	const GOptionEntry marks[] = {
		{ "mark", 0, 0, G_OPTION_ARG_STRING, &options->mark,
		  "Only what a thread did within its marks of this name; * and ? are wild", "NAME" },
		{ "during", 0, 0, G_OPTION_ARG_STRING, &options->during,
		  "Only what all threads did while a mark of this name lasted", "NAME" },
		{ "slower-than", 0, 0, G_OPTION_ARG_STRING, &options->slower,
		  "With --mark, --during or --marks: only marks that last at least TIME, as in 16ms",
		  "TIME" },
	};

	g_array_append_val(entries, command);
	g_array_append_val(entries, all);
	add_who(options, entries);
	g_array_append_val(entries, time);
	g_array_append_vals(entries, marks, G_N_ELEMENTS(marks));
	g_array_append_val(entries, field);
}

void spt_filter_options_add_live(struct spt_filter_options *options, GArray *entries)
{
	add_who(options, entries);
	spt_filter_options_add_stacks(options, entries);
	add_object(options, entries);
}

void spt_filter_options_add_files(struct spt_filter_options *options, GArray *entries)
{
	const GOptionEntry ours[] = {
		{ "vmlinux", 0, 0, G_OPTION_ARG_FILENAME, &options->vmlinux, SPT_VMLINUX_HELP,
		  "FILE" },
		{ "debuginfod", 0, 0, G_OPTION_ARG_NONE, &options->debuginfod,
		  "Fetch missing debug information from the servers of $DEBUGINFOD_URLS, for files with 1 % of the time or more",
		  NULL },
	};

	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
}

void spt_filter_options_add(struct spt_filter_options *options, GArray *entries)
{
	const GOptionEntry ours[] = {
		{ "lines", 0, 0, G_OPTION_ARG_NONE, &options->lines,
		  "Count lines of source instead of functions, where there is debug information", NULL },
		SPT_FILTER_SHORT_TEMPLATES(options->short_templates),
		SPT_FILTER_FULL_NAMES(options->full_names),
		{ "no-inlines", 0, 0, G_OPTION_ARG_NONE, &options->no_inlines,
		  "Count inlined functions as part of their callers",
		  NULL },
	};
	const GOptionEntry end = { 0 };

	spt_filter_options_add_samples(options, entries);
	spt_filter_options_add_stacks(options, entries);
	add_object(options, entries);
	spt_shape_options_add(&options->shape, entries);
	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
	spt_filter_options_add_files(options, entries);
	g_array_append_val(entries, end);
}

void spt_filter_options_clear(struct spt_filter_options *options)
{
	g_free(options->input);
	g_free(options->metric_name);
	g_free(options->process);
	g_free(options->thread);
	g_free(options->cpu);
	g_free(options->time);
	g_free(options->where);
	g_free(options->object);
	g_free(options->parallelism);
	g_free(options->mark);
	g_free(options->during);
	g_free(options->slower);
	g_free(options->vmlinux);
	g_strfreev(options->fields);
	g_strfreev(options->with);
	g_strfreev(options->without);
	spt_shape_options_clear(&options->shape);
}

SptSymbols *spt_filter_options_symbols(const struct spt_filter_options *options,
				       const SptCapture *capture)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	const char *problem;

	spt_symbols_set_detail(symbols,
			       (options->lines ? SPT_DETAIL_LINES : 0) |
				       (options->no_inlines ? 0 : SPT_DETAIL_INLINES) |
				       (options->short_templates ? SPT_DETAIL_SHORT_TEMPLATES : 0) |
				       (options->full_names ? SPT_DETAIL_FULL_NAMES : 0));
	if (options->debuginfod && !spt_cli_download(symbols))
		return NULL;
	if (!options->vmlinux)
		return g_steal_pointer(&symbols);
	spt_symbols_set_vmlinux(symbols, options->vmlinux);
	problem = spt_symbols_vmlinux_problem(symbols);
	if (!problem)
		return g_steal_pointer(&symbols);
	spt_cli_complain("%s (--vmlinux) %s", options->vmlinux, problem);
	return NULL;
}

bool spt_filter_options_about_stacks(const struct spt_filter_options *options)
{
	return options->with || options->without || options->where || options->object ||
	       options->kernel || options->user || options->shape.root_at;
}

bool spt_report_leads(const struct spt_filter_options *options)
{
	/* --during is about what else ran. */
	return options->only_command || (options->has_lead && !options->all && !options->process &&
					 !options->thread && !options->during);
}

/* One side of a range; an empty one leaves it open. */
static bool parse_side(const char *text, uint64_t start_ns, uint64_t *ret_ns)
{
	uint64_t ns;

	if (*text == '\0') {
		*ret_ns = 0;
		return true;
	}
	if (!spt_parse_ns(text, &ns) || ns > LONGEST_NS)
		return false;
	*ret_ns = start_ns + ns;
	return true;
}

static bool parse_time(const char *text, uint64_t start_ns, SptFilter *filter)
{
	g_auto(GStrv) sides = g_strsplit(text, "..", 2);

	if (g_strv_length(sides) == 2 && parse_side(sides[0], start_ns, &filter->begin_ns) &&
	    parse_side(sides[1], start_ns, &filter->end_ns) &&
	    (filter->end_ns == 0 || filter->begin_ns < filter->end_ns))
		return true;
	spt_cli_complain("--time %s is not a range; write A..B, as in 1.5..3 (seconds) or 500ms..",
			 text);
	return false;
}

static bool parse_cpus(const char *text, struct spt_report_filter *filter)
{
	filter->cpus = spt_cli_parse_cpus("--cpu", text);
	filter->filter.cpus = filter->cpus;
	filter->filter.n_cpus = SPT_CLI_CPUS_MAX;
	return filter->cpus != NULL;
}

static void add_condition(GString *text, const char *prefix, const char *condition,
			  const char *suffix)
{
	g_string_append_printf(text, "%s%s%s%s", text->len ? " and " : "", prefix, condition,
			       suffix);
}

static bool parse_where(const struct spt_filter_options *options, struct spt_report_filter *filter)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	/* Checked first, so that a complaint shows the text that was typed. */
	if (options->where) {
		g_autoptr(SptExpression) alone = spt_expression_parse(options->where, &error);

		if (!alone) {
			spt_cli_complain("--where: %s", error->message);
			return false;
		}
		add_condition(text, "(", options->where, ")");
	}
	for (unsigned side = 0; side < 2; side++) {
		for (char **name = side ? options->without : options->with; name && *name; name++) {
			g_autofree char *quoted = spt_expression_quote(*name);

			add_condition(text, side ? "not " : "", quoted, "");
		}
	}
	if (text->len == 0)
		return true;
	filter->where = spt_expression_parse(text->str, &error);
	filter->filter.where = filter->where;
	if (!filter->where)
		spt_cli_complain("%s", error->message);
	return filter->where != NULL;
}

/* "1", or "2-4". */
static bool parse_parallelism(const struct spt_filter_options *options, SptFilter *filter)
{
	g_auto(GStrv) sides = g_strsplit(options->parallelism, "-", 2);
	uint64_t least, most;

	if (!(options->metric->parts & SPT_METRIC_HAS_PARALLELISM)) {
		spt_cli_complain("--parallelism goes with --metric latency, not with %s",
				 options->metric->name);
		return false;
	}
	if (!sides[0] ||
	    !g_ascii_string_to_unsigned(sides[0], 10, 1, UINT16_MAX, &least, NULL) ||
	    !g_ascii_string_to_unsigned(sides[1] ? sides[1] : sides[0], 10, least, UINT16_MAX,
					&most, NULL)) {
		spt_cli_complain("--parallelism takes a number of threads, or two as in 1-2, not \"%s\"",
				 options->parallelism);
		return false;
	}
	filter->least_parallelism = (uint32_t)least;
	filter->most_parallelism = (uint32_t)most;
	return true;
}

/* Text about the whole recording, where none of the command's processes is known. */
static bool choose_command(struct spt_report_filter *filter,
			   const struct spt_filter_options *options, const SptCapture *capture)
{
	if (!capture || !spt_report_leads(options) ||
	    (!options->only_command && !spt_command_leads(capture)))
		return true;
	filter->processes = spt_command_processes(capture);
	filter->filter.processes = filter->processes;
	if (filter->processes || !options->only_command)
		return true;
	spt_cli_complain("%s is not the recording of a command (--only-command): \"" SPT_CLI
			 " record -- COMMAND\" makes one",
			 capture->path);
	return false;
}

static bool parse_marks(const struct spt_filter_options *options, uint64_t *ret_least_ns)
{
	if (options->mark && options->during)
		spt_cli_complain("--mark and --during exclude each other; give one of them");
	else if (options->slower && !options->mark && !options->during &&
		 !options->is_about_marks)
		spt_cli_complain("--slower-than is about marks: it goes with --mark, --during or --marks");
	else if (options->slower && !spt_parse_ns(options->slower, ret_least_ns))
		spt_cli_complain("--slower-than takes a time such as 16ms or 1.5, not \"%s\"",
				 options->slower);
	else
		return true;
	return false;
}

/* The times of marks. */
static bool choose_moments(struct spt_report_filter *filter,
			   const struct spt_filter_options *options, const SptCapture *capture)
{
	const char *name = options->mark ? options->mark : options->during;
	SptMarkQuery query = { .name = name };

	if (!parse_marks(options, &query.least_ns))
		return false;
	if (!name)
		return true;
	if (options->has_fast_marks) {
		query.below_ns = query.least_ns;
		query.least_ns = 0;
	}
	filter->moments = spt_marks_moments(capture, &query, options->during);
	filter->filter.moments = filter->moments;
	if (!filter->moments && options->has_fast_marks)
		spt_cli_complain("%s has no mark \"%s\" of less than %s; \"report --marks\" lists its marks",
				 capture->path, name, options->slower);
	else if (!filter->moments && options->slower)
		spt_cli_complain("%s has no mark \"%s\" of %s or more; \"report --marks\" lists its marks",
				 capture->path, name, options->slower);
	else if (!filter->moments)
		spt_cli_complain("%s has no mark \"%s\"; \"report --marks\" lists its marks",
				 capture->path, name);
	return filter->moments;
}

bool spt_report_filter_init(struct spt_report_filter *filter,
			    const struct spt_filter_options *options, const SptCapture *capture,
			    uint64_t start_ns)
{
	*filter = (struct spt_report_filter){
		.filter = {
			.process = options->process,
			.thread = options->thread,
			.object = options->object,
			.root = options->shape.root,
			.side = options->kernel ? SPT_SIDE_KERNEL :
				options->user	? SPT_SIDE_USER :
						  SPT_SIDE_ANY,
		},
	};
	if (options->kernel && options->user) {
		spt_cli_complain(
			"--kernel and --user exclude each other; give one of them, or none for both");
		return false;
	}
	return choose_command(filter, options, capture) &&
	       choose_moments(filter, options, capture) &&
	       (!options->parallelism || parse_parallelism(options, &filter->filter)) &&
	       (!options->time || parse_time(options->time, start_ns, &filter->filter)) &&
	       (!options->cpu || parse_cpus(options->cpu, filter)) && parse_where(options, filter);
}

void spt_report_filter_clear(struct spt_report_filter *filter)
{
	g_clear_pointer(&filter->where, spt_expression_free);
	g_clear_pointer(&filter->cpus, g_free);
	g_clear_pointer(&filter->processes, g_free);
	g_clear_pointer(&filter->moments, spt_moments_free);
}

char *spt_report_scope(const SptCapture *capture, const SptFilter *filter)
{
	g_autofree char *name = filter->processes ? spt_command_name(capture) : NULL;

	for (uint32_t i = 1; name && i < capture->n_processes; i++)
		if (capture->processes[i].id && !filter->processes[i])
			return spt_format_cut(name, 0);
	return NULL;
}

static void tell_failures(const SptCapture *capture, SptSymbols *symbols)
{
	unsigned n = 0;

	for (uint32_t i = 1; i < capture->n_objects; i++) {
		const char *failure = spt_symbols_failure(symbols, i);

		if (failure && n++ < FAILURES_SHOWN)
			spt_cli_complain("%s %s", capture->objects[i].path, failure);
	}
	if (n > FAILURES_SHOWN)
		spt_cli_complain("... and %u more cannot be read", n - FAILURES_SHOWN);
}

int spt_report_filtered(const char *path, struct spt_filter_options *options,
			SptFilteredShow show, const void *data)
{
	g_autoptr(SptCapture) capture = spt_cli_open(path);
	struct spt_report_filter filter;
	SptSummary summary;
	int status = SPT_EXIT_USAGE;

	if (!capture)
		return SPT_EXIT_FAILURE;
	if (!spt_filter_options_find_declared(options, capture))
		return SPT_EXIT_USAGE;
	if (!spt_filter_options_check_metric(options, capture))
		return SPT_EXIT_FAILURE;
	spt_summary_init(&summary, capture);
	if (spt_report_filter_init(&filter, options, capture, summary.start_ns))
		status = show(capture, &summary, &filter.filter, data);
	spt_report_filter_clear(&filter);
	spt_summary_clear(&summary);
	return status;
}

/* Whether what ran beside the command meets the conditions that the command does not meet. */
static bool has_rest(const struct spt_filter_options *options, const SptCapture *capture,
		     SptSymbols *symbols)
{
	struct spt_filter_options everything = *options;
	g_autoptr(SptProfile) profile = NULL;
	struct spt_report_filter filter;
	SptSummary summary;

	everything.all = true;
	spt_summary_init(&summary, capture);
	if (spt_report_filter_init(&filter, &everything, capture, summary.start_ns))
		profile = spt_profile_new(capture, symbols, options->metric, &filter.filter);
	spt_report_filter_clear(&filter);
	spt_summary_clear(&summary);
	return profile && spt_profile_n_samples(profile) > 0;
}

/* What the command does not have, all that ran may have.  NULL: it has not. */
static const char *find_rest(const struct spt_filter_options *options, const SptCapture *capture,
			     SptSymbols *symbols)
{
	g_autofree bool *processes = spt_report_leads(options) && !options->only_command &&
						     spt_command_leads(capture) ?
					     spt_command_processes(capture) :
					     NULL;

	return processes && has_rest(options, capture, symbols) ?
		       "--all looks at more than the command" :
		       NULL;
}

bool spt_report_filter_check(const struct spt_filter_options *options, const SptCapture *capture,
			     SptSymbols *symbols, const SptProfile *profile)
{
	bool other = options->thread || options->mark || options->during ||
		     options->cpu || options->parallelism ||
		     spt_filter_options_about_stacks(options);
	const char *rest;
	SptSummary summary;
	g_autoptr(SptProfile) whole = NULL;
	g_autofree char *others = NULL;

	tell_failures(capture, symbols);
	if (spt_profile_n_samples(profile) > 0 ||
	    (!options->process && !options->time && !other && !options->only_command))
		return true;
	rest = find_rest(options, capture, symbols);
	if (options->only_command && !options->process && !options->time && !other) {
		spt_cli_complain("%s has no samples of its command (--only-command)",
				 capture->path);
		return false;
	}
	if (other) {
		whole = spt_profile_new(capture, symbols, options->metric, NULL);
		others = spt_report_suggest_condition(options, capture, whole);
		if (others || rest)
			spt_cli_complain("%s has no samples that meet the conditions: %s",
					 capture->path, others ? others : rest);
		else
			spt_cli_complain(SPT_REPORT_NOTHING_HOLDS, capture->path);
		return false;
	}
	if (!options->process) {
		spt_summary_init(&summary, capture);
		spt_cli_complain("%s has no samples in the time %s; it lasts %.3f s%s%s",
				 capture->path, options->time,
				 (double)(summary.end_ns - summary.start_ns) / 1e9,
				 rest ? "; " : "", rest ? rest : "");
		spt_summary_clear(&summary);
		return false;
	}
	whole = spt_profile_new(capture, symbols, options->metric, NULL);
	/* With a range of time, the range is more likely to be wrong. */
	others = options->time ? g_strdup("") : spt_report_suggest(whole, options->process, true);
	spt_cli_complain("%s has no samples of a process \"%s\"%s%s", capture->path,
			 options->process, options->time ? " in that time" : "", others);
	return false;
}
