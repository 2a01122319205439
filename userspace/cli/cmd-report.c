/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli report: which functions the time went to.  Each report is a file of its own; here is
 * what they share: options, what is selected, and how a page begins.
 */
#include <math.h>
#include <stdio.h>

#include "cmd.h"
#include "report-filter.h"
#include "report.h"

#define ADDRESS_OF(name) &spt_report_##name,
static const struct spt_report_kind *const kinds[] = { SPT_REPORTS(ADDRESS_OF) };

struct options {
	union spt_report_value values[G_N_ELEMENTS(kinds)];
	unsigned kind;			/* the one that was asked for */
	gboolean json;
	int limit;
	double min_percent;
	struct spt_filter_options filter;
};

static bool is_number(const struct spt_report_kind *kind)
{
	return kind->option.arg == G_OPTION_ARG_NONE || kind->option.arg == G_OPTION_ARG_INT;
}

static bool is_given(const struct options *options, unsigned kind)
{
	const union spt_report_value *value = &options->values[kind];

	return is_number(kinds[kind]) ? value->number != 0 : value->text != NULL;
}

static bool choose_kind(struct options *options)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *all = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_ptr_array_add(names, g_strconcat("--", kinds[i]->option.long_name, NULL));
		if (!is_given(options, i))
			continue;
		options->kind = i;
		n++;
	}
	if (n <= 1)
		return true;
	all = spt_format_list(names, "and");
	spt_cli_complain("%s exclude each other; give one of them", all);
	return false;
}

static bool check_kind(const struct options *options)
{
	const struct spt_report_kind *kind = kinds[options->kind];
	const union spt_report_value *value = &options->values[options->kind];
	bool has_text = !is_number(kind);

	if (kind->check && !kind->check(value))
		return false;
	if (kind->of != SPT_REPORT_OF_SAMPLES || !spt_filter_options_about_stacks(&options->filter))
		return true;
	spt_cli_complain("--%s%s%s takes no conditions on stacks", kind->option.long_name,
			 has_text ? " " : "", has_text ? value->text : "");
	return false;
}

static bool check_numbers(const struct options *options)
{
	bool is_negative = options->limit < 0 || isnan(options->min_percent);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *all = NULL;

	g_ptr_array_add(names, g_strdup("--limit"));
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (kinds[i]->option.arg != G_OPTION_ARG_INT)
			continue;
		is_negative |= options->values[i].number < 0;
		g_ptr_array_add(names, g_strconcat("--", kinds[i]->option.long_name, NULL));
	}
	g_ptr_array_add(names, g_strdup("--min"));
	if (!is_negative)
		return true;
	all = spt_format_list(names, "and");
	spt_cli_complain("%s take a number that is not negative", all);
	return false;
}

static bool parse_options(int *argc, char ***argv, struct options *options)
{
	const GOptionEntry shared[] = {
		SPT_CLI_INPUT(options->filter.input),
		{ "min", 0, 0, G_OPTION_ARG_DOUBLE, &options->min_percent,
		  "Leave out what is below this share (0; of the tree 0.5, with --json 0)", "PCT" },
		{ "limit", 0, 0, G_OPTION_ARG_INT, &options->limit,
		  "At most N rows of a table (0: all)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "JSON, for scripts: sysprof-json(5) describes it", NULL },
	};
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));
	g_autoptr(GPtrArray) helps = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		GOptionEntry option = kinds[i]->option;

		option.arg_data = &options->values[i];
		if (kinds[i]->help) {
			option.description = kinds[i]->help();
			g_ptr_array_add(helps, (gpointer)option.description);
		}
		g_array_append_val(all, option);
	}
	g_array_append_vals(all, shared, G_N_ELEMENTS(shared));
	spt_filter_options_add(&options->filter, all);
	return spt_cli_parse(&cmd_report, (const GOptionEntry *)all->data, argc, argv) &&
	       choose_kind(options) && check_kind(options) && check_numbers(options);
}

static void clear_options(struct options *options)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (kinds[i]->option.arg == G_OPTION_ARG_STRING_ARRAY)
			g_strfreev(options->values[i].texts);
		else if (!is_number(kinds[i]))
			g_free(options->values[i].text);
	}
	spt_filter_options_clear(&options->filter);
}

/* Shares are of CPU time: a program that waits would look busy. */
static void print_wall(const SptCapture *capture)
{
	uint64_t ran, wall;
	double cpus;

	if (!spt_summary_wall(capture, &ran, &wall))
		return;
	cpus = (double)ran / (double)wall;
	if (cpus < SPT_SUMMARY_MANY)
		printf("ran %.0f %%, waited %.0f %% of %.2f s\n", 100 * MIN(cpus, 1),
		       100 - 100 * MIN(cpus, 1), (double)wall / 1e9);
	else
		printf("ran on %.1f CPUs at a time, for %.2f s\n", cpus, (double)wall / 1e9);
}

static void print_text_head(const struct spt_report *report)
{
	const SptSummary *summary = report->summary;
	g_autofree char *samples = spt_format_count(spt_profile_n_samples(report->profile));
	g_autofree char *all = spt_format_count(report->capture->n_samples);
	g_autofree char *lost = spt_format_count(summary->lost);
	g_autofree char *duration = spt_format_ns(summary->end_ns - summary->start_ns);
	g_autofree char *period = spt_format_period(report->capture);

	if (spt_profile_n_samples(report->profile) < report->capture->n_samples)
		printf("%s of ", samples);
	printf("%s samples, %s lost, in %s on %u %s; %s\n", all, lost, duration, summary->n_cpus,
	       summary->n_cpus == 1 ? "CPU" : "CPUs", period);
	if (spt_profile_n_samples(report->profile) == report->capture->n_samples)
		print_wall(report->capture);
	if (!report->capture->finished)
		printf("recording was cut off; shown up to its last flush\n");
	if (summary->budget > 0)
		printf("rate was lowered to keep to the budget of CPU time: %.1f %% of the periods were sampled\n",
		       spt_percent(summary->delivered, summary->delivered + summary->budget));
	putchar('\n');
}

/* The keys are a contract with scripts (json.md): add some, but never rename one. */
static void add_json_head(const struct spt_report *report, SptJson *json)
{
	spt_json_text(json, "file", report->capture->path);
	spt_json_count(json, "samples", spt_profile_n_samples(report->profile));
	spt_json_count(json, "periods", spt_profile_total(report->profile));
	spt_json_count(json, "period_ns", spt_capture_period_ns(report->capture));
	spt_json_count(json, "lost", report->summary->lost);
	if (report->summary->budget > 0)
		spt_json_number(json, "sampled_pct",
				spt_percent(report->summary->delivered,
					    report->summary->delivered + report->summary->budget));
}

static int print_page(const struct spt_report_kind *kind, const struct spt_report *report,
		      bool is_json)
{
	SptJson *json = &(SptJson){ 0 };

	if (is_json) {
		spt_json_object(json, NULL);
		if (report->profile)
			add_json_head(report, json);
		kind->json(report, json);
		spt_json_end_object(json);
	} else {
		if (report->profile)
			print_text_head(report);
		kind->text(report);
	}
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

static int print_report(const SptCapture *capture, const SptSummary *summary,
			const SptFilter *filter, const void *data)
{
	const struct options *options = data;
	const struct spt_report_kind *kind = kinds[options->kind];
	g_autoptr(SptSymbols) symbols = spt_filter_options_symbols(&options->filter, capture);
	g_autoptr(SptProfile) base = NULL;
	g_autoptr(SptProfile) profile = NULL;
	struct spt_report report = {
		.value = options->values[options->kind],
		.capture = capture,
		.symbols = symbols,
		.summary = summary,
		.filter = filter,
		.limit = options->limit ? (unsigned)options->limit : UINT32_MAX,
		.min_percent = options->min_percent >= 0 ? options->min_percent :
			       options->json		 ? 0 :
							   kind->min_percent,
	};
	int status = SPT_EXIT_FAILURE;

	if (!symbols)
		return SPT_EXIT_FAILURE;
	if (kind->of == SPT_REPORT_OF_BASE)
		report.base = base = spt_profile_new_base(capture, symbols);
	if (kind->of != SPT_REPORT_OF_SAMPLES)
		report.profile = profile = base ? spt_profile_refilter(base, filter, NULL) :
						  spt_profile_new(capture, symbols, filter);
	if (profile && !spt_report_filter_check(&options->filter, capture, symbols, profile))
		return SPT_EXIT_FAILURE;
	if (!kind->find || kind->find(&report))
		status = print_page(kind, &report, options->json);
	if (report.found)
		kind->clear(report.found);
	return status;
}

static int run_report(int argc, char **argv)
{
	struct options options = { .min_percent = -1 };
	const char *path;
	int status = SPT_EXIT_USAGE;

	if (parse_options(&argc, &argv, &options) &&
	    (path = spt_cli_recording(&cmd_report, options.filter.input, argc, argv)))
		status = spt_report_filtered(path, &options.filter, print_report, &options);
	clear_options(&options);
	return status;
}

const struct spt_command cmd_report = {
	.name = "report",
	.usage = "[FILE]",
	.help = "Show which functions the time went to",
	.run = run_report,
};
