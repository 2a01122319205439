/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli report: shows which functions took the time.  Each report is a file of its own; this
 * file has the parts that they share: options, the selection, and how a page begins.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "capture/stream-rows.h"
#include "cmd.h"
#include "import/import.h"
#include "memory-use.h"
#include "profile/command.h"
#include "profile/confidence.h"
#include "profile/languages.h"
#include "profile/sentences.h"
#include "profile/span.h"
#include "profile/wholeness.h"
#include "report-filter.h"
#include "report-log-lines.h"
#include "report-metric.h"
#include "report-tui.h"
#include "report-within.h"
#include "report.h"
#include "span.h"
#include "import/fleet.h"

/* --limit: no number was given. */
#define A_SCREEN G_MININT
/* Lines of a page beside its rows, and the shell's next line; and the least number of rows. */
#define ROWS_AROUND 10
#define ROWS_LEAST 8
/* Fraction of the elapsed time, from which on a command need not be asked why it waited. */
#define MUCH_RUNNING 0.8
/* From this part on, code without names is worth a line. */
#define MUCH_NAMELESS_PCT 10

#define ADDRESS_OF(name) &spt_report_##name,
static const struct spt_report_kind *const kinds[] = { SPT_REPORTS(ADDRESS_OF) };

struct options {
	union spt_report_value values[G_N_ELEMENTS(kinds)];
	unsigned kind;			/* the report that was requested */
	gboolean json, tui, confidence, ignored;
	int limit;
	double min_percent;
	struct spt_filter_options filter;
	struct spt_log_options lines;
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

static bool is_by_of_marks(const struct options *options, unsigned kind)
{
	bool has_marks = false;

	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		has_marks |= kinds[i] == &spt_report_marks && is_given(options, i);
	return has_marks && kinds[kind] == &spt_report_groups;
}

/* Of --by, beside --marks. */
static const char *by_of_marks(const struct options *options)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (is_by_of_marks(options, i) && kinds[options->kind] == &spt_report_marks)
			return options->values[i].text;
	return NULL;
}

static bool choose_kind(struct options *options)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *all = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_ptr_array_add(names, g_strconcat("--", kinds[i]->option.long_name, NULL));
		if (!is_given(options, i) || is_by_of_marks(options, i))
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

/* The subject of the whole report is not repeated. */
static bool choose_metric(struct options *options, int argc, char **argv)
{
	const char *only = kinds[options->kind]->metric;

	if (only && !options->filter.metric_name)
		options->filter.metric_name = g_strdup(only);
	if (kinds[options->kind] == &spt_report_groups)
		options->filter.by = options->values[options->kind].text;
	if (kinds[options->kind] == &spt_report_events)
		options->filter.events = options->values[options->kind].text;
	if (kinds[options->kind] == &spt_report_logs && options->filter.fields)
		options->filter.events = "log";
	options->filter.is_about_marks = kinds[options->kind] == &spt_report_marks ||
					 kinds[options->kind] == &spt_report_histogram;
	return spt_filter_options_guess_metric(&options->filter, argc, argv);
}

static bool check_kind(const struct options *options)
{
	const struct spt_report_kind *kind = kinds[options->kind];
	const union spt_report_value *value = &options->values[options->kind];
	const SptMetric *metric = options->filter.metric;
	bool has_text = !is_number(kind);

	if (kind->metric && g_strcmp0(kind->metric, metric ? metric->name : NULL) != 0) {
		spt_cli_complain("--%s shows no metric but \"%s\"", kind->option.long_name,
				 kind->metric);
		return false;
	}
	if (kind->check && !kind->check(value, metric))
		return false;
	if (kind->of != SPT_REPORT_OF_PROFILE &&
	    !spt_shape_is_plain(&options->filter.shape.shape)) {
		spt_cli_complain(
			"--%s%s%s shows no stacks that --hide, --merge, --root-at and --fold-recursion could change",
			kind->option.long_name, has_text ? " " : "", has_text ? value->text : "");
		return false;
	}
	if (kind->of != SPT_REPORT_OF_SAMPLES || !spt_filter_options_about_stacks(&options->filter))
		return true;
	spt_cli_complain("--%s%s%s takes no conditions on stacks", kind->option.long_name,
			 has_text ? " " : "", has_text ? value->text : "");
	return false;
}

/* Of waits and events each one is recorded, and chance has no part in their sums. */
static bool check_confidence(const struct options *options)
{
	const struct spt_report_kind *kind = kinds[options->kind];

	if (!options->confidence || (kind->has_parts && options->filter.metric->is_cpu))
		return true;
	if (!kind->has_parts)
		spt_cli_complain("--%s has no shares that --confidence could be about; --functions, --tree, --callers, --callees and --by have",
				 kind->option.long_name);
	else
		spt_cli_complain("--confidence is about samples of CPU time; of the metric \"%s\" nothing is left to chance",
				 options->filter.metric->name);
	return false;
}

static bool check_numbers(const struct options *options)
{
	bool is_negative = (options->limit < 0 && options->limit != A_SCREEN) ||
			   isnan(options->min_percent);
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
		  "Hide rows below this percentage (0; tree: 0.5; --json: 0)", "PCT" },
		{ "limit", 0, 0, G_OPTION_ARG_INT, &options->limit,
		  "At most N rows of a table (0: all; else as many as a terminal has room for)",
		  "N" },
		{ "confidence", 0, 0, G_OPTION_ARG_NONE, &options->confidence,
		  "Print the 95 % confidence interval of each share of CPU time",
		  NULL },
		{ "tui", 0, 0, G_OPTION_ARG_NONE, &options->tui,
		  "The tree of calls on the whole screen, to walk through with the arrow keys",
		  NULL },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "JSON, for scripts: sysprof-json(5) describes it", NULL },
		SPT_CLI_AS_PERF("stdio", 0, options->ignored),
		SPT_CLI_AS_PERF("children", 0, options->ignored),
		SPT_CLI_AS_PERF("no-children", 0, options->ignored),
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
	spt_log_options_add(&options->lines, all);
	spt_filter_options_add(&options->filter, all);
	if (!spt_cli_parse(&cmd_report, (const GOptionEntry *)all->data, argc, argv) ||
	    !choose_kind(options) || !choose_metric(options, *argc, *argv) ||
	    !spt_shape_options_parse(&options->filter.shape) || !check_kind(options) ||
	    !check_numbers(options) ||
	    !spt_log_options_check(&options->lines, kinds[options->kind] == &spt_report_logs))
		return false;
	if (options->tui && (options->json || (options->kind && !options->filter.by))) {
		spt_cli_complain("--tui shows the tree of calls and takes no other report than --by");
		return false;
	}
	options->filter.has_lead = kinds[options->kind]->of != SPT_REPORT_OF_SAMPLES ||
				   kinds[options->kind]->is_of_command;
	return true;
}

static void clear_options(struct options *options)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
		if (kinds[i]->option.arg == G_OPTION_ARG_STRING_ARRAY)
			g_strfreev(options->values[i].texts);
		else if (!is_number(kinds[i]))
			g_free(options->values[i].text);
	}
	spt_log_options_clear(&options->lines);
	spt_filter_options_clear(&options->filter);
}

/*
 * Percentages are of CPU time: a program that waits would look busy.  Where the lead has not named
 * the command, that is done here, since the rows are of others, too.
 */
static void print_wall(const struct spt_report *report)
{
	const SptCapture *capture = report->capture;
	g_autofree char *name = report->filter->processes ? NULL : spt_command_name(capture);
	g_autofree char *shown = name ? spt_format_cut(name, 0) : NULL;
	g_autofree char *text = NULL;
	bool is_of_waits = spt_capture_has_stream(capture, SPT_ROW_WAIT) &&
			   g_strcmp0(spt_capture_host(capture, "waits"), "calls") != 0;
	SptWall wall;

	if (!spt_wall_find(&wall, capture))
		return;
	text = spt_sentences_wall(&wall);
	/* On a busy machine it may not have waited at all, but for CPUs. */
	printf("%s%s%s%s\n", shown ? shown : "", shown ? " " : "", text,
	       !wall.turns && wall.running + MAX(wall.ready, 0) >= MUCH_RUNNING ? "" :
	       is_of_waits ? "; --metric blocked shows for what" :
	       spt_capture_host(capture, "waits") ? "; --metric off-cpu shows for what" :
						    "; record --waits shows for what");
}

/* Silence about the kernel or other users would be taken for idleness. */
static void print_missing(const SptCapture *capture)
{
	g_autofree char *missing = spt_sentences_missing(capture);

	if (missing)
		printf("%s\n", missing);
}

/* Interpreters that ran and are not known: only their own functions are there. */
static void print_without_scripts(const struct spt_report *report)
{
	g_autofree char *unknown = spt_languages_unknown(report->profile, report->capture);
	g_autofree char *shown = unknown ? spt_format_cut(unknown, 0) : NULL;

	if (shown)
		printf("%s\n", shown);
}

static void print_stacks(const struct spt_report *report)
{
	g_autofree char *line = NULL, *shown = NULL;
	double pct;

	spt_wholeness_of(report->profile, report->capture, report->filter, &pct, &line);
	shown = line ? spt_format_cut(line, 0) : NULL;
	if (shown)
		printf("%s\n", shown);
}

static bool print_metric_instead(const struct spt_report *report, const SptMetric *metric)
{
	if (!spt_metric_is_in(metric, report->capture) ||
	    spt_weights_count(report->capture, metric->source) == 0)
		return false;
	printf("there is no CPU time in it; --metric %s shows %s\n", metric->name, metric->value);
	return true;
}

/* Of what another program wrote, such as a profile of memory, or hits of trace points. */
static void print_other_metric(const struct spt_report *report)
{
	const GPtrArray *declared = spt_declared_metrics(report->capture);
	const SptMetric *metric;

	for (unsigned i = 0; (metric = spt_metric(i)); i++)
		if (print_metric_instead(report, metric))
			return;
	for (unsigned i = 0; i < declared->len; i++)
		if (print_metric_instead(report, declared->pdata[i]))
			return;
}

/* What of another program's file is not there. */
static void print_import_note(const SptCapture *capture)
{
	const char *note = spt_capture_host(capture, SPT_IMPORT_NOTE);

	if (note)
		printf("%s\n", note);
}

/* Code of JIT compilers, whose program has to report names. */
static void print_nameless(const struct spt_report *report)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	uint64_t nameless = 0;
	double made_pct;

	for (uint32_t i = 0; i < n; i++)
		if (!functions[i].is_process && !functions[i].has_symbol &&
		    g_strcmp0(functions[i].object, "[anon]") == 0)
			nameless += functions[i].self;
	made_pct = spt_percent(nameless, spt_profile_total(report->profile));
	if (made_pct >= MUCH_NAMELESS_PCT)
		printf("%.0f %% is in code made at run time, which has no names unless its program reports them (node --perf-prof, or record --script-names)%s\n",
		       made_pct,
		       g_strcmp0(spt_capture_host(report->capture, "source"), "perf") == 0 &&
				       spt_languages_have_compiler(report->profile) ?
			       "; the module names those of Node.js and Java by itself" :
			       "");
}

/* There are no conditions on samples, except perhaps whose they are. */
static bool is_whole(const struct spt_report *report)
{
	return spt_sentences_find_part(report->filter) != SPT_SENTENCES_OF_PART;
}

/* "mt: 49 % of all; the rest: --all", and how it failed. */
static void print_lead(const struct spt_report *report, const GArray *said, bool may_have_rest)
{
	const SptCapture *capture = report->capture;
	g_autofree char *name = spt_command_name(capture);
	g_autofree char *failure = spt_command_failure(capture);
	g_autofree char *shown = name ? spt_format_cut(name, 0) : NULL;
	g_autofree char *none = spt_metric_none(report->metric);
	uint64_t weight = spt_profile_total(report->profile);
	const char *rest = may_have_rest && weight < capture->weight ? "; the rest: --all" : "";

	if (!name)
		return;
	if (!report->filter->processes) {
		if (may_have_rest && !spt_command_is_known(capture))
			printf("Everything that ran; which of it was %s is not recorded\n", shown);
		else if (may_have_rest && !spt_command_leads(capture))
			printf("Everything that ran; %s alone: --only-command\n", shown);
		else if (may_have_rest)
			printf("%s has %s%s\n", shown, none,
			       weight ? "; everything that ran is shown" : ", nor has anything else");
	} else if (!report->metric->is_cpu || !is_whole(report)) {
		printf("%s%s%s%s\n", spt_color(SPT_COLOR_TITLE), shown,
		       spt_color(SPT_COLOR_OFF), may_have_rest ? "; the rest: --all" : "");
	} else {
		const SptSentence *part = spt_sentences_find(said, "command");
		g_autofree char *plain = spt_sentence_plain(part ? part->text : shown);
		g_autofree char *lead = spt_format_cut(plain, 0);

		printf("%s%s%s%s\n", spt_color(SPT_COLOR_TITLE), lead, spt_color(SPT_COLOR_OFF),
		       rest);
	}
	if (failure)
		printf("%s%s %s%s\n", spt_color(SPT_COLOR_HOT), shown, failure,
		       spt_color(SPT_COLOR_OFF));
}

static bool is_of_calls(const struct spt_report *report)
{
	return report->metric->parts & SPT_METRIC_HAS_STATE &&
	       g_strcmp0(spt_capture_host(report->capture, "waits"), "calls") == 0;
}

static void print_named(const GArray *said, const char *name)
{
	const SptSentence *sentence = spt_sentences_find(said, name);

	if (sentence)
		spt_format_print_sentence(sentence->text);
}

/*
 * Whose waits or memory it was: the rows below begin with the scheduler or the allocator.  And what
 * of it was lost, since the head counts samples.
 */
static void print_metric(const struct spt_report *report, const GArray *said)
{
	static const char *const names[] = { "idle", "places", "lock", "stacks", "lost", NULL };
	g_autofree char *sum = spt_metric_text(report->metric, spt_profile_total(report->profile));

	printf("metric %s, %s: %s\n", report->metric->name, report->metric->value, sum);
	for (unsigned i = 0; i < said->len; i++) {
		const SptSentence *sentence = &g_array_index(said, SptSentence, i);

		if (g_strv_contains(names, sentence->name))
			spt_format_print_sentence(sentence->text);
	}
}

/* "5 recordings of 2 hosts, added up ..." */
static void print_fleet(const SptCapture *capture)
{
	const char *n = spt_capture_host(capture, SPT_FLEET_CAPTURES),
		   *hosts = spt_capture_host(capture, SPT_FLEET_HOSTS);

	if (n && hosts)
		printf("%s recordings of %s %s (--by host), ", n, hosts,
		       strcmp(hosts, "1") == 0 ? "host" : "hosts");
}

static void print_text_head(const struct spt_report *report,
			    const struct spt_filter_options *filter, bool may_have_rest)
{
	const SptSummary *summary = report->summary;
	g_autofree char *samples = spt_format_count(spt_profile_n_samples(report->profile));
	g_autofree char *all = spt_format_count(spt_fleet_samples(report->capture));
	g_autofree char *lost = spt_format_count(summary->lost);
	g_autofree char *span = spt_cli_span(report->capture, summary, "in ");
	g_autofree char *period = spt_format_period(report->capture);
	g_autoptr(GArray) said = spt_sentences_new(report->profile, report->capture,
						   report->symbols,
						   spt_sentences_find_part(report->filter));

	print_lead(report, said, may_have_rest);
	/* What another metric counts are no samples. */
	if (report->metric->is_cpu &&
	    spt_profile_n_samples(report->profile) < report->capture->n_samples &&
	    !spt_capture_host(report->capture, SPT_FLEET_SAMPLES))
		printf("%s of ", samples);
	printf("%s samples, %s lost, %s; %s\n", all, lost, span, period);
	if (!report->metric->is_cpu)
		print_metric(report, said);
	else if (report->capture->n_samples == 0)
		print_other_metric(report);
	else if (is_whole(report))
		print_wall(report);
	else if (filter->mark)
		spt_report_print_within(report, filter->mark);
	print_named(said, "waited");
	print_named(said, "caller");
	print_named(said, "place");
	if (spt_cli_is_of_heap(report->metric) && is_whole(report)) {
		spt_cli_print_resident(report->capture, summary->start_ns, 0);
		spt_cli_print_heap(report->capture, summary->start_ns, 0);
	}
	if (is_of_calls(report))
		printf("%s\n", SPT_CLI_CALLS_NOTE);
	print_fleet(report->capture);
	print_import_note(report->capture);
	print_missing(report->capture);
	print_without_scripts(report);
	print_stacks(report);
	print_nameless(report);
	print_named(said, "python");
	if (report->capture->damage)
		printf("recording is damaged; shown is what can be read of it\n");
	else if (!report->capture->finished)
		printf("recording was cut off; shown up to its last flush\n");
	if (summary->budget > 0)
		printf("rate was lowered to keep to the budget of CPU time: %.1f %% of the periods were sampled\n",
		       spt_percent(summary->delivered, summary->delivered + summary->budget));
	putchar('\n');
}

static void add_json_sentences(const struct spt_report *report, SptJson *json)
{
	g_autoptr(GArray) said = spt_sentences_new(report->profile, report->capture,
						   report->symbols,
						   spt_sentences_find_part(report->filter));

	spt_json_array(json, "sentences");
	for (unsigned i = 0; i < said->len; i++) {
		const SptSentence *sentence = &g_array_index(said, SptSentence, i);

		spt_json_object(json, NULL);
		spt_json_text(json, "about", sentence->name);
		spt_json_text(json, "text", sentence->text);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

/* The keys are a contract with scripts (json.md): add some, but never rename one. */
static void add_json_head(const struct spt_report *report, SptJson *json)
{
	spt_json_text(json, "file", report->capture->path);
	spt_json_text(json, "scope",
		      report->filter->processes ? "command" :
		      is_whole(report)		? "all" :
						  "part");
	spt_json_count(json, "samples", spt_profile_n_samples(report->profile));
	spt_metric_add_sum(json, report->metric, report->capture,
			   spt_profile_total(report->profile));
	spt_json_count(json, "lost", report->summary->lost);
	if (is_of_calls(report))
		spt_json_text(json, "waits_of", "calls");
	if (report->summary->budget > 0)
		spt_json_number(json, "sampled_pct",
				spt_percent(report->summary->delivered,
					    report->summary->delivered + report->summary->budget));
}

static void add_json_memory(const struct spt_report *report, SptJson *json)
{
	spt_cli_add_resident(json, report->capture);
	if (spt_cli_is_of_heap(report->metric))
		spt_cli_add_heap(json, report->capture);
}

static int print_page(const struct spt_report_kind *kind, const struct spt_report *report,
		      const struct options *options)
{
	SptJson *json = &(SptJson){ 0 };

	if (options->json) {
		spt_json_object(json, NULL);
		if (report->profile)
			add_json_head(report, json);
		/* A summary has no room for them. */
		if (report->profile && !kind->is_whole_page) {
			add_json_sentences(report, json);
			add_json_memory(report, json);
			if (options->filter.mark && report->metric->is_cpu)
				spt_report_add_within(report, options->filter.mark, json);
		}
		kind->json(report, json);
		spt_json_end_object(json);
	} else {
		g_autofree char *more = spt_format_count(report->n_more);

		spt_terminal_page();
		if (report->profile && !kind->is_whole_page)
			print_text_head(report, &options->filter,
					options->filter.has_lead && !options->filter.all &&
							!options->filter.only_command &&
							!options->filter.process &&
							!options->filter.thread &&
							!options->filter.during);
		kind->text(report);
		if (report->n_more && options->limit == A_SCREEN)
			printf("%s... %s more: --limit 0%s\n", spt_color(SPT_COLOR_FAINT), more,
			       spt_color(SPT_COLOR_OFF));
	}
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

/* Number of rows: as requested, or as the screen has room for. */
static unsigned limit_of(const struct options *options)
{
	unsigned rows = options->json ? 0 : spt_terminal_rows();

	if (options->limit != A_SCREEN)
		return options->limit ? (unsigned)options->limit : UINT32_MAX;
	return rows ? MAX(rows, ROWS_LEAST + ROWS_AROUND) - ROWS_AROUND : UINT32_MAX;
}

static bool has_samples(const SptProfile *profile)
{
	return spt_profile_n_samples(profile) > 0;
}

/* Short marks, and those that waited all the time, are an answer without a sample. */
static bool is_of_marks_alone(const struct spt_report *report,
			      const struct spt_filter_options *filter)
{
	return filter->mark && report->metric->is_cpu && !has_samples(report->profile) &&
	       !filter->process && !filter->thread && !filter->cpu && !filter->parallelism &&
	       !filter->time && !spt_filter_options_about_stacks(filter);
}

/* The profile of @report, to be freed, and its base. */
static SptProfile *fold(struct spt_report *report, enum spt_report_of of)
{
	const SptCapture *capture = report->capture;

	if (of == SPT_REPORT_OF_SAMPLES)
		return NULL;
	if (of != SPT_REPORT_OF_BASE)
		return spt_profile_new(capture, report->symbols, report->metric, report->filter);
	report->base = spt_profile_new_base_for(capture, report->symbols, report->metric,
						report->filter);
	return spt_profile_refilter(report->base, report->filter, NULL);
}

static bool has_single_samples(const SptCapture *capture)
{
	if (spt_capture_host(capture, SPT_FLEET_SAMPLES))
		spt_cli_complain("--confidence needs samples one by one, and those of a directory are added up; give one recording");
	else if (!spt_span_is_known(capture))
		spt_cli_complain("--confidence needs samples one by one, and what was imported without times are sums");
	else
		return true;
	return false;
}

static double count_independent(const struct spt_report *report)
{
	g_autoptr(SptProfile) base = spt_profile_new_reread(report->capture, report->symbols,
							    report->metric, report->filter);

	return spt_chance_samples(base, report->filter, spt_capture_period_ns(report->capture));
}

static int print_report(const SptCapture *capture, const SptSummary *summary,
			const SptFilter *filter, const void *data)
{
	const struct options *options = data;
	const struct spt_report_kind *kind = kinds[options->kind];
	g_autoptr(SptSymbols) symbols = spt_filter_options_symbols(&options->filter, capture);
	g_autoptr(SptProfile) profile = NULL;
	g_autoptr(SptProfile) base = NULL;
	SptFilter whole = *filter;
	struct spt_report report = {
		.value = options->values[options->kind],
		.by = by_of_marks(options),
		.capture = capture,
		.symbols = symbols,
		.summary = summary,
		.metric = options->filter.metric,
		.filter = filter,
		.conditions = options->filter.conditions,
		.n_conditions = options->filter.n_conditions,
		.lines = &options->lines,
		.limit = limit_of(options),
		.has_confidence = options->confidence,
		.min_percent = options->min_percent >= 0 ? options->min_percent :
			       options->json		 ? 0 :
							   kind->min_percent,
	};
	int status = SPT_EXIT_FAILURE;

	if (!symbols)
		return SPT_EXIT_FAILURE;
	if (!check_confidence(options))
		return SPT_EXIT_USAGE;
	if (options->confidence && !has_single_samples(capture))
		return SPT_EXIT_USAGE;
	if (options->filter.slower)
		spt_parse_ns(options->filter.slower, &report.least_ns);
	profile = fold(&report, kind->of);
	base = (SptProfile *)report.base;
	/* Of the command or of all: what conditions leave has to add up. */
	if (profile && !has_samples(profile) && !options->filter.only_command &&
	    spt_sentences_find_part(filter) == SPT_SENTENCES_OF_COMMAND) {
		whole.processes = NULL;
		report.filter = &whole;
		report.command_has_none = true;
		spt_profile_free(profile);
		spt_profile_free(g_steal_pointer(&base));
		profile = fold(&report, kind->of);
		base = (SptProfile *)report.base;
	}
	report.profile = profile;
	if (options->confidence)
		report.n_independent = count_independent(&report);
	if (profile && !is_of_marks_alone(&report, &options->filter) &&
	    !spt_report_filter_check(&options->filter, capture, symbols, profile))
		return SPT_EXIT_FAILURE;
	spt_shape_options_apply(&options->filter.shape, &profile);
	report.profile = profile;
	if (options->tui)
		return spt_report_tui(&report, options->filter.by, &options->filter.shape.shape) ?
			       SPT_EXIT_OK :
			       SPT_EXIT_FAILURE;
	if (!kind->find || kind->find(&report))
		status = print_page(kind, &report, options);
	if (report.found)
		kind->clear(report.found);
	return status;
}

static int run_report(int argc, char **argv)
{
	struct options options = { .min_percent = -1, .limit = A_SCREEN };
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
	.usage = "[FILE|DIRECTORY]",
	.help = "Show which functions the time went to",
	.is_read = true,
	.run = run_report,
};
