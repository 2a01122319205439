/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli top: where the time goes now, again and again.  Each interval is a recording of its
 * own, to a file that is removed once it was read; the next one begins before the last one ends, so
 * that nothing is missed and nothing grows.
 */
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"
#include "profile/wholeness.h"
#include "record-options.h"
#include "record/recorder.h"
#include "report-filter.h"
#include "report-metric.h"
#include "screen.h"

#define STEP_MS 100
#define INTERVAL_NS 2000000000ULL
#define LEAST_INTERVAL_NS 100000000ULL
#define MOST_INTERVAL_NS 3600000000000ULL
#define BATCH_ROWS 20			/* where there is no screen to fill */
#define HEAD_ROWS 4
#define HEAD_COLUMNS 18

#define SCREEN_CLEAR "\033[2J"
#define SCREEN_HOME "\033[H"
#define LINE_END "\033[K"
#define SCREEN_END "\033[J"

static volatile sig_atomic_t interrupted;

struct options {
	char *interval;
	uint64_t interval_ns;
	double rate;			/* NAN: none was given */
	int count, limit, pid;
	gboolean total, processes;
	char *source, *waits_text;
	SptTraceWaits waits;
	struct spt_filter_options filter;
};

struct top {
	const struct options *options;
	const SptFilter *filter;
	SptTraceSource source;
	char *directory;
	unsigned number;		/* of the recording that runs */
	SptRecorder *recorder;
	bool is_screen, has_keys;	/* pages replace each other; q ends it */
};

static void on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static char *path_of(const struct top *top, unsigned number, const char *suffix)
{
	g_autofree char *name = g_strdup_printf("%u.capture%s", number, suffix);

	return g_build_filename(top->directory, name, NULL);
}

static void remove_files(const struct top *top, unsigned number)
{
	g_autofree char *path = path_of(top, number, "");
	g_autofree char *part = path_of(top, number, ".part");

	g_unlink(path);
	g_unlink(part);
}

static SptRecorder *begin_recording(const struct top *top, unsigned number, GError **error)
{
	g_autofree char *path = path_of(top, number, "");
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

	/* Whatever records the metric. */
	if (needs)
		spt_record_add_source(&options, needs + strlen("--"));
	recorder = spt_recorder_new(&options, error);

	if (!recorder || !spt_recorder_start(recorder, error))
		return NULL;
	return g_steal_pointer(&recorder);
}

/* How many rows a page has room for. */
static unsigned page_rows(const struct top *top)
{
	struct winsize size = { 0 };

	if (top->options->limit)
		return (unsigned)top->options->limit;
	if (top->is_screen && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_row > HEAD_ROWS + 1)
		return size.ws_row - HEAD_ROWS - 1;
	return BATCH_ROWS;
}

static void print_rows(const struct top *top, const SptProfile *profile)
{
	uint32_t n, shown = 0;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autofree uint32_t *order =
		spt_profile_order(profile, !top->options->total && !top->options->processes);
	const char *end = top->is_screen ? LINE_END : "";
	uint64_t all = spt_profile_total(profile);
	unsigned rows = page_rows(top), width = spt_terminal_width();

	for (uint32_t i = 0; i < n && shown < rows; i++) {
		const SptFunction *function = &functions[order[i]];
		g_autofree char *line = g_strdup_printf("%s  %s", function->name, function->object);
		g_autofree char *text =
			spt_format_cut(g_strchomp(line),
				       width > HEAD_COLUMNS + 10 ? width - HEAD_COLUMNS : 0);

		if (function->is_process != !!top->options->processes || function->total == 0)
			continue;
		if (!function->is_process)
			printf("%7.2f  ", spt_percent(function->self, all));
		printf("%7.2f  %s%s\n", spt_percent(function->total, all), text, end);
		shown++;
	}
}

/* Without inlined functions: debug information would be read anew for each page. */
static SptProfile *fold_page(const struct top *top, const SptCapture *capture, SptSymbols *symbols)
{
	spt_symbols_set_detail(symbols, 0);
	return spt_profile_new(capture, symbols, top->options->filter.metric, top->filter);
}

/* "0.52 of 2 CPUs busy", or of a process how much of the time it ran. */
static char *tell_busy(const struct top *top, const SptCapture *capture,
		       const SptRecorderStatus *status)
{
	double busy_ns = (double)capture->weight * (double)status->period_ns;
	SptWall wall;

	if (status->budget && status->delivered)
		busy_ns *= (double)(status->delivered + status->budget) / (double)status->delivered;
	if (top->options->pid) {
		spt_wall_of(&wall, capture, (uint64_t)busy_ns, status->elapsed_ns);
		return spt_format_wall(&wall);
	}
	return g_strdup_printf("%.2f of %u CPUs busy",
			       status->elapsed_ns ? busy_ns / (double)status->elapsed_ns : 0,
			       g_get_num_processors());
}

/* "1,234 samples", or "12 of" them where conditions hold, and how much of what else than CPU time. */
static char *tell_samples(const struct top *top, const SptCapture *capture,
			  const SptProfile *profile)
{
	const SptMetric *metric = top->options->filter.metric;
	GString *text = g_string_new(NULL);
	g_autofree char *all = spt_format_count(capture->n_samples);
	g_autofree char *some = spt_format_count(spt_profile_n_samples(profile));
	g_autofree char *sum = spt_metric_text(metric, spt_profile_total(profile));

	if (spt_profile_n_samples(profile) < capture->n_samples)
		g_string_append_printf(text, "%s of ", some);
	g_string_append_printf(text, "%s samples", all);
	if (!metric->is_cpu)
		g_string_append_printf(text, ", metric %s: %s", metric->name, sum);
	return g_string_free(text, FALSE);
}

static bool print_page(const struct top *top, const SptCapture *capture,
		       const SptRecorderStatus *status)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) profile = fold_page(top, capture, symbols);
	g_autofree char *busy = tell_busy(top, capture, status);
	g_autofree char *samples = tell_samples(top, capture, profile);
	g_autofree char *lost = spt_format_count(status->lost);
	const char *end = top->is_screen ? LINE_END : "";
	g_autofree char *budget = NULL, *stacks = spt_wholeness_line(capture, NULL);
	g_autofree char *shown_stacks = stacks ? spt_format_cut(stacks, 0) : NULL;

	/* Those that were skipped are taken for more of the same. */
	if (status->budget && status->delivered)
		budget = g_strdup_printf("; %.1f %% of %.0f Hz, to keep to the budget",
					 spt_percent(status->delivered,
						     status->delivered + status->budget),
					 1e9 / (double)status->period_ns);
	if (top->is_screen)
		printf(SCREEN_HOME);
	printf("%s; %s, %s lost, in %.1f s (source: %s)%s%s\n%s%s\n%s%s\n", busy, samples, lost,
	       (double)status->elapsed_ns / 1e9, status->source, budget ? budget : "", end,
	       stacks ? shown_stacks : "", end,
	       top->options->processes ? " Time %  Process" : " Self %  Total %  Function  Object",
	       end);
	print_rows(top, profile);
	if (top->is_screen)
		printf(SCREEN_END);
	else
		putchar('\n');
	return spt_cli_flush();
}

/* q ends it, and so does the end of the terminal. */
static void take_key(void)
{
	int key = spt_screen_key(0);

	if (key == 'q' || key == SPT_KEY_END)
		interrupted = 1;
}

static bool wait_interval(struct top *top, GError **error)
{
	SptRecorderStatus status;

	do {
		if (!spt_recorder_step(top->recorder, STEP_MS, error))
			return false;
		if (top->has_keys)
			take_key();
		spt_recorder_status(top->recorder, &status);
	} while (!interrupted && status.elapsed_ns < top->options->interval_ns);
	return true;
}

/* Nobody knows the name of the file. */
static bool has_metric(const struct top *top, const SptCapture *capture, GError **error)
{
	SptCapture named = *capture;

	named.path = (char *)"What top records";
	return spt_metric_check(top->options->filter.metric, &named, error);
}

/*
 * Ends the recording of this interval and shows it, once that of the next one runs (if there is to
 * be one).
 */
static bool turn_page(struct top *top, bool is_last, GError **error)
{
	g_autoptr(SptRecorder) ended = g_steal_pointer(&top->recorder);
	g_autofree char *path = path_of(top, top->number, "");
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
	return capture && has_metric(top, capture, error) && print_page(top, capture, &status);
}

static bool show_pages(struct top *top, GError **error)
{
	top->recorder = begin_recording(top, top->number, error);
	if (!top->recorder)
		return false;
	top->has_keys = top->is_screen && !top->options->count && spt_screen_begin();
	if (top->is_screen)
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
	struct sigaction action = { .sa_handler = on_interrupt };
	struct top top = { .options = options,
			   .filter = filter,
			   .source = source,
			   .is_screen = isatty(STDOUT_FILENO) };
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
	spt_recorder_free(top.recorder);
	remove_files(&top, top.number);
	remove_files(&top, top.number + 1);
	g_rmdir(top.directory);
	g_free(top.directory);
	return ok ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
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
	else if (options->count < 0 || options->limit < 0 || options->pid < 0)
		spt_cli_complain("--count, --limit and --pid take a number that is not negative");
	else if (!spt_cli_parse_source(options->source, ret_source))
		spt_cli_complain("--source takes auto, module or perf, not \"%s\"",
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
		  "Where samples come from: auto, module or perf", "SOURCE" },
		{ "waits", 0, 0, G_OPTION_ARG_STRING, &options.waits_text,
		  "Where threads wait (--metric off-cpu, unless another is asked for)",
		  SPT_CLI_OPTIONAL("all|TIME") },
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
	g_free(options.waits_text);
	return status;
}

const struct spt_command cmd_top = {
	.name = "top",
	.usage = "",
	.help = "Show live where the time goes",
	.run = run_top,
};
