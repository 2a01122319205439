/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli top: shows which functions take the time now, again and again.  Each interval is a
 * recording of its own, to a file that is removed once it is read; the next one begins before the
 * last one ends, so that nothing is missed and nothing grows.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "record-options.h"
#include "screen.h"
#include "top-page.h"

#define STEP_MS 100
#define STEP_KEYS_MS 25 /* while somebody waits for the effect of a key */
#define INTERVAL_NS 2000000000ULL
#define LEAST_INTERVAL_NS 100000000ULL
#define MOST_INTERVAL_NS 3600000000000ULL

#define BY_FUNCTION "function"		/* no grouping */
#define SCREEN_CLEAR "\033[2J"

static volatile sig_atomic_t interrupted;

struct options {
	char *interval, *by;
	uint64_t interval_ns;
	double rate;			/* NAN: none was given */
	int count, limit, pid;
	gboolean total, processes, ignored;
	char *source, *waits_text;
	SptTraceWaits waits;
	struct spt_filter_options filter;
};

struct top {
	const struct options *options;
	struct spt_top_look look;
	SptTraceSource source;
	char *directory;
	unsigned number;		/* of the present recording */
	SptRecorder *recorder;
	SptBrowser *browser;		/* for browsing the page; NULL: there are no keys */
	SptTopPage *page;		/* the browser's */
	bool is_held;			/* the page stays until p is pressed again */
};

static void cmd_top_on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static char *cmd_top_path_of(const struct top *top, unsigned number, const char *suffix)
{
	g_autofree char *name = g_strdup_printf("%u.capture%s", number, suffix);

	return g_build_filename(top->directory, name, NULL);
}

static void remove_files(const struct top *top, unsigned number)
{
	g_autofree char *path = cmd_top_path_of(top, number, "");
	g_autofree char *part = cmd_top_path_of(top, number, ".part");

	g_unlink(path);
	g_unlink(part);
}

static SptRecorder *begin_recording(const struct top *top, unsigned number, GError **error)
{
	g_autofree char *path = cmd_top_path_of(top, number, "");
	SptRecorderOptions options = {
		.source = top->source,
		.output = path,
		.waits = top->options->waits,
		.kmem_bytes = SPT_TRACE_KMEM_BYTES,
		.frugal_tables = true,
		.period_ns =
			isnan(top->options->rate) ? 0 : (uint64_t)(1e9 / top->options->rate + 0.5),
		.filter = { .pids = { (uint32_t)top->options->pid },
			    .n_pids = top->options->pid > 0 },
	};
	const char *needs = top->options->filter.metric->option;
	g_autoptr(SptRecorder) recorder = NULL;

	/* Any source that records the metric. */
	if (needs)
		spt_record_add_source(&options, needs + strlen("--"));
	recorder = spt_recorder_new(&options, error);

	if (!recorder || !spt_recorder_start(recorder, error))
		return NULL;
	return g_steal_pointer(&recorder);
}

static void hold(struct top *top, bool is_held)
{
	top->is_held = is_held;
	spt_browser_set_keys(top->browser, is_held ? "b by  p go on (held)" : "b by  p hold");
}

/* Groups, whose trees are walked, or functions again. */
static void top_choose_groups(struct top *top, const char *by)
{
	top->look.by_group = strcmp(by, BY_FUNCTION) != 0;
	top->look.roots = spt_regroup_named(by, top->options->filter.metric);
	spt_top_page_browse(top->page, top->browser);
}

/* What a key does that is not typed into an answer.  False: it ends top. */
static bool top_obey(struct top *top, int key)
{
	const char *answer;

	if (!top->page) /* before the first page only an end is possible */
		return key != 'q' && key != SPT_KEY_END;
	if (key == 'b' && !spt_browser_is_typing(top->browser)) {
		spt_browser_choose(top->browser, "by: ",
				   spt_regroup_choices(BY_FUNCTION, top->options->filter.metric));
		return true;
	}
	if (!spt_browser_obey(top->browser, key))
		return false;
	answer = spt_browser_answer(top->browser);
	if (answer)
		top_choose_groups(top, answer);
	return true;
}

/* All keys that were typed since. */
static void take_keys(struct top *top)
{
	bool has_changed = false;
	int key;

	while ((key = spt_screen_key(0)) != SPT_KEY_NONE) {
		if (key == 'p' && !spt_browser_is_typing(top->browser))
			hold(top, !top->is_held);
		else if (!top_obey(top, key))
			interrupted = 1;
		has_changed = true;
		if (interrupted)
			return;
	}
	if (has_changed && top->page)
		spt_browser_draw(top->browser);
}

static bool wait_interval(struct top *top, GError **error)
{
	SptRecorderStatus status;

	do {
		if (!spt_recorder_step(top->recorder, top->browser ? STEP_KEYS_MS : STEP_MS, error))
			return false;
		if (top->browser)
			take_keys(top);
		spt_recorder_status(top->recorder, &status);
	} while (!interrupted && status.elapsed_ns < top->options->interval_ns);
	return true;
}

/* The file has no name any more. */
static bool has_metric(const struct top *top, const SptCapture *capture, GError **error)
{
	SptCapture named = *capture;

	named.path = (char *)"What top records";
	return spt_metric_check(top->options->filter.metric, &named, error);
}

/* The function takes over @capture for the page. */
static bool cmd_top_show_page(struct top *top, SptCapture *capture, const SptRecorderStatus *status)
{
	g_autoptr(SptTopPage) page = NULL;

	if (top->is_held || (top->browser && interrupted)) {
		spt_capture_free(capture);
		return true;
	}
	page = spt_top_page_new(&top->look, capture, status);
	if (!top->browser)
		return spt_top_page_print(page);
	spt_top_page_browse(page, top->browser);
	spt_browser_draw(top->browser);
	spt_top_page_free(top->page);
	top->page = g_steal_pointer(&page);
	return true;
}

/*
 * Ends the recording of this interval and shows it, once that of the next one runs (if there is to
 * be one).
 */
static bool turn_page(struct top *top, bool is_last, GError **error)
{
	g_autoptr(SptRecorder) ended = g_steal_pointer(&top->recorder);
	g_autofree char *path = cmd_top_path_of(top, top->number, "");
	g_autoptr(SptCapture) capture = NULL;
	SptRecorderStatus status;

	if (!is_last) {
		top->recorder = begin_recording(top, top->number + 1, error);
		if (!top->recorder)
			return false;
	}
	if (!spt_recorder_finish(ended, NULL, error))
		return false;
	spt_recorder_status(ended, &status);
	capture = spt_capture_open(path, error);
	remove_files(top, top->number);
	top->number++;
	return capture && has_metric(top, capture, error) &&
	       cmd_top_show_page(top, g_steal_pointer(&capture), &status);
}

static bool show_pages(struct top *top, GError **error)
{
	top->recorder = begin_recording(top, top->number, error);
	if (!top->recorder)
		return false;
	if (top->look.is_screen && !top->options->count && spt_screen_begin())
		top->browser = spt_browser_new();
	if (top->browser)
		hold(top, false);
	if (top->look.is_screen)
		printf(SCREEN_CLEAR);
	for (int page = 1; !interrupted; page++) {
		bool is_last;

		if (!wait_interval(top, error))
			return false;
		is_last = interrupted || page == top->options->count;
		if (!turn_page(top, is_last, error))
			return false;
		if (is_last)
			break;
	}
	return true;
}

static int run_pages(const struct options *options, const SptFilter *filter, SptTraceSource source)
{
	struct sigaction action = { .sa_handler = cmd_top_on_interrupt };
	struct top top = { .options = options,
			   .source = source,
			   .look = { .options = &options->filter,
				     .filter = filter,
				     .pid = options->pid,
				     .limit = options->limit,
				     .by_total = options->total,
				     .by_group = options->processes || options->by,
				     .roots = options->by ?
						      spt_regroup_named(options->by,
									options->filter.metric) :
						      SPT_ROOTS_PROGRAM,
				     .is_screen = isatty(STDOUT_FILENO) } };
	g_autoptr(GError) error = NULL;
	bool ok;

	top.directory = g_dir_make_tmp("sysprof-top-XXXXXX", &error);
	if (!top.directory) {
		spt_cli_complain("Cannot make a directory for what is recorded: %s",
				 error->message);
		return SPT_EXIT_FAILURE;
	}
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	ok = show_pages(&top, &error);
	spt_screen_end();
	if (error)
		spt_cli_complain("%s", error->message);
	spt_browser_free(top.browser);
	spt_top_page_free(top.page);
	spt_recorder_free(top.recorder);
	remove_files(&top, top.number);
	remove_files(&top, top.number + 1);
	g_rmdir(top.directory);
	g_free(top.directory);
	return ok ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

static bool top_check_by(const struct options *options)
{
	g_auto(GStrv) choices = spt_regroup_choices(NULL, options->filter.metric);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *nearest = spt_cli_suggest(options->by, (const char *const *)choices);
	g_autofree char *all = NULL;

	if (g_strv_contains((const char *const *)choices, options->by))
		return true;
	for (char **name = choices; *name; name++)
		g_ptr_array_add(names, g_strdup(*name));
	all = spt_format_list(names, "or");
	spt_cli_complain("--by takes %s, not \"%s\"%s", all, options->by, nearest);
	return false;
}

static bool check_options(struct options *options, SptTraceSource *ret_source)
{
	if (!isnan(options->rate) && !(options->rate >= 1 && options->rate <= 50000))
		spt_cli_complain(
			"-F must be 1 to 50000, not %g", options->rate);
	else if (options->interval && (!spt_parse_ns(options->interval, &options->interval_ns) ||
				       options->interval_ns < LEAST_INTERVAL_NS ||
				       options->interval_ns > MOST_INTERVAL_NS))
		spt_cli_complain(
			"--interval takes 100ms to 3600s, not \"%s\"", options->interval);
	else if (options->by && !top_check_by(options))
		return false;
	else if (options->count < 0 || options->limit < 0 || options->pid < 0)
		spt_cli_complain("--count, --limit and --pid take a number that is not negative");
	else if (!spt_trace_source_called(options->source, ret_source))
		spt_cli_complain("--source takes auto, module, perf or system, not \"%s\"",
				 options->source);
	else
		return spt_record_parse_waits(&options->waits, options->waits_text);
	return false;
}

static bool find_metric(struct options *options)
{
	if (options->waits_text && !options->filter.metric_name)
		options->filter.metric_name = g_strdup("off-cpu");
	return spt_filter_options_find_metric(&options->filter);
}

static int run_top(int argc, char **argv)
{
	struct options options = { .interval_ns = INTERVAL_NS,
				   .rate = NAN,
				   .source = g_strdup("auto") };
	const GOptionEntry ours[] = {
		{ "interval", 0, 0, G_OPTION_ARG_STRING, &options.interval,
		  "Time between pages (2s)", "TIME" },
		{ "count", 0, 0, G_OPTION_ARG_INT, &options.count,
		  "End after N pages (0: at Ctrl-C)", "N" },
		{ "processes", 0, 0, G_OPTION_ARG_NONE, &options.processes,
		  "Show processes instead of functions", NULL },
		{ "by", 0, 0, G_OPTION_ARG_STRING, &options.by,
		  "Show groups instead of functions: program (as --processes), process, thread, cpu, object and the others of report --by",
		  "KIND" },
		{ "total", 0, 0, G_OPTION_ARG_NONE, &options.total,
		  "Sort by total instead of self", NULL },
		{ "limit", 0, 0, G_OPTION_ARG_INT, &options.limit,
		  "At most N rows (as many as the screen has room for)", "N" },
		{ "frequency", 'F', 0, G_OPTION_ARG_DOUBLE, &options.rate,
		  "Samples per second and CPU (1000, lowered if they would take more than 1 % of a CPU)",
		  "HZ" },
		{ "pid", 'p', 0, G_OPTION_ARG_INT, &options.pid,
		  "Only this process and what it starts", "PID" },
		{ "source", 0, 0, G_OPTION_ARG_STRING, &options.source,
		  "Where samples come from: auto, module, perf, or system (perf events of everything, which polkit may allow)",
		  "SOURCE" },
		{ "waits", 0, 0, G_OPTION_ARG_STRING, &options.waits_text,
		  "Where threads wait (--metric off-cpu, unless another is asked for)",
		  SPT_CLI_OPTIONAL("all|TIME") },
		SPT_CLI_AS_PERF("all-cpus", 'a', options.ignored),
		SPT_CLI_AS_PERF("g", 'g', options.ignored),
	};
	g_autoptr(GArray) entries = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));
	SptTraceSource source = SPT_TRACE_AUTO;
	struct spt_report_filter filter = { 0 };
	int status = SPT_EXIT_USAGE;

	g_array_append_vals(entries, ours, G_N_ELEMENTS(ours));
	spt_filter_options_add_live(&options.filter, entries);
	if (spt_cli_parse(&cmd_top, (const GOptionEntry *)entries->data, &argc, &argv) &&
	    find_metric(&options)) {
		if (argc > 1)
			spt_cli_complain(
				"top takes no \"%s\", only options; it shows the whole machine, or a process with -p",
				argv[1]);
		else if (check_options(&options, &source) &&
			 spt_report_filter_init(&filter, &options.filter, NULL, 0))
			status = run_pages(&options, &filter.filter, source);
	}
	spt_report_filter_clear(&filter);
	spt_filter_options_clear(&options.filter);
	g_free(options.source);
	g_free(options.interval);
	g_free(options.by);
	g_free(options.waits_text);
	return status;
}

const struct spt_command cmd_top = {
	.name = "top",
	.usage = "",
	.help = "Show live where the time goes",
	.run = run_top,
};
