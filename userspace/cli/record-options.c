/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of record: parsed, checked, and turned into settings of the recorder. */
#include "record-options.h"

#include <math.h>
#include <string.h>

#include "cmd.h"
#include "record-rules.h"
#include "record/statement-options.h"

#define RAW_BYTES 16384			/* size of rings that cannot grow */
#define LEAST_LAST_NS 1000000000ULL
#define LEAST_MEMORY_BYTES (16ULL << 20)

/* Options as they are given. */
struct words {
	char *stacks, *source, *clock, *duration, *last, *late, *memory, *ring, *tracker,
		*waits, *kmem, *also, *when_mark;
	double rate;			/* NAN: none was given */
	gboolean extras[SPT_EVENT_N_OPTIONS];	/* options of events that have no value */
	gboolean statements[SPT_STATEMENT_N_OPTIONS];
	gboolean free_stacks, mappings, script_loops, script_names, ignored;
};

/* Bytes for "auto", "dwarf" or "dwarf,BYTES"; 0: another value. */
static uint32_t raw_bytes(const char *stacks)
{
	uint64_t bytes;

	if (strcmp(stacks, "auto") == 0 || strcmp(stacks, "dwarf") == 0)
		return RAW_BYTES;
	if (!g_str_has_prefix(stacks, "dwarf,") ||
	    !spt_parse_bytes(stacks + strlen("dwarf,"), &bytes) ||
	    bytes > SPT_TRACE_RAW_MAX_BYTES || bytes % 8)
		return 0;
	return (uint32_t)bytes;
}

bool spt_record_parse_source(SptTraceSource *source, const char *text)
{
	if (spt_trace_source_called(text, source))
		return true;
	spt_cli_complain(
		"--source takes module (the kernel module), perf (perf events), system (those of the whole system, which polkit may allow) or auto, not \"%s\"",
		text);
	return false;
}

static bool record_options_check(const struct words *words, SptTraceSource *ret_source)
{
	static const char *const kinds[] = { "fp", "dwarf", "table", "auto", "none", NULL };
	g_autofree char *nearest = spt_cli_suggest(words->stacks, kinds);

	if (!isnan(words->rate) && !(words->rate >= 1 && words->rate <= 50000))
		spt_cli_complain("-F must be 1 to 50000, not %g", words->rate);
	else if (strcmp(words->stacks, "fp") && strcmp(words->stacks, "none") &&
		 strcmp(words->stacks, "table") && !raw_bytes(words->stacks))
		spt_cli_complain(
			"Unknown --stacks \"%s\": use fp (frame pointers), dwarf or dwarf,BYTES (copies of the stack, a "
			"multiple of 8 up to %d), table (unwind tables in the module), auto or none%s",
			words->stacks, SPT_TRACE_RAW_MAX_BYTES, nearest);
	else
		return spt_record_parse_source(ret_source, words->source);
	return false;
}

/* The event that takes samples, and those that are recorded besides. */
static bool check_clock(struct spt_record_options *options, const struct words *words)
{
	SptRecorderOptions *recorder = &options->recorder;
	bool has_event;

	if (!spt_record_events_parse(&options->events, words->clock, *options->command, recorder))
		return false;
	has_event = recorder->clock == SPT_TRACE_PMU;
	if (!words->clock)
		return true;
	if (!strcmp(words->clock, "timer") && !has_event)
		recorder->clock = SPT_TRACE_TIMER;
	else if (!strcmp(words->clock, "pmu"))
		recorder->clock = SPT_TRACE_PMU;
	else if (!strcmp(words->clock, "auto"))
		recorder->clock = has_event ? SPT_TRACE_PMU : SPT_TRACE_ANY_CLOCK;
	else {
		spt_cli_complain(
			"Unknown --clock \"%s\"%s: use timer, pmu (hardware counters) or auto (pmu where there is one)",
			words->clock, has_event ? " for an event" : "");
		return false;
	}
	return true;
}

bool spt_record_parse_waits(SptTraceWaits *waits, const char *text)
{
	if (!text)
		return true;
	*waits = (SptTraceWaits){ .is_on = true };
	if (!*text)
		waits->period_ns = SPT_TRACE_WAITS_NS;
	else if (strcmp(text, "all") != 0 &&
		 (!spt_parse_ns(text, &waits->threshold_ns) || !waits->threshold_ns)) {
		spt_cli_complain(
			"--waits=%s is not possible: --waits picks waits in proportion to their length, "
			"--waits=all records each one, --waits=100us those of at least that time",
			text);
		return false;
	}
	return true;
}

/* Waits as calls of the command that take long. */
static SptCalls parse_calls(char **waits, bool is_possible)
{
	if (g_strcmp0(*waits, "calls") != 0)
		return is_possible ? SPT_CALLS_IF_NEEDED : SPT_CALLS_NEVER;
	g_free(*waits);
	*waits = g_strdup("all");
	return SPT_CALLS_ALWAYS;
}

static bool parse_kmem(SptRecorderOptions *recorder, const char *text)
{
	uint64_t bytes = SPT_TRACE_KMEM_BYTES;

	if (text && *text && strcmp(text, "all") != 0 &&
	    (!spt_parse_bytes(text, &bytes) || !bytes || bytes > UINT32_MAX)) {
		spt_cli_complain(
			"--kmem=%s is not possible: --kmem picks one allocation for each 64 KiB, --kmem=4K one for each 4 KiB, "
			"--kmem=all records each one",
			text);
		return false;
	}
	recorder->kmem_bytes = text && strcmp(text, "all") == 0 ? 0 : (uint32_t)bytes;
	return true;
}

bool spt_record_add_source(SptRecorderOptions *recorder, const char *name)
{
	bool is_all = strcmp(name, "all") == 0, is_known = false;
	const SptEventOption *extra;

	for (unsigned i = 0; (extra = spt_event_option(i)); i++) {
		if (extra->of_command || (!is_all && strcmp(name, extra->name) != 0))
			continue;
		is_known = true;
		recorder->kernel |= extra->bit;
		if (!extra->bit && !recorder->waits.is_on)
			recorder->waits =
				(SptTraceWaits){ .is_on = true, .period_ns = SPT_TRACE_WAITS_NS };
	}
	recorder->kernel_is_optional |= is_all;
	return is_known;
}

bool spt_record_parse_also(SptRecorderOptions *recorder, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text ? text : "", ",", -1);
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const SptEventOption *extra;

	for (char **word = words; *word; word++) {
		g_autofree char *nearest = NULL, *list = NULL;

		if (spt_record_add_source(recorder, *word))
			continue;
		for (unsigned i = 0; (extra = spt_event_option(i)); i++)
			if (!extra->of_command)
				g_ptr_array_add(names, (gpointer)extra->name);
		g_ptr_array_add(names, NULL);
		nearest = spt_cli_suggest(*word, (const char *const *)names->pdata);
		list = g_strjoinv(",", (char **)names->pdata);
		spt_cli_complain("--also takes all, or some of %s, not \"%s\"%s", list, *word,
				 nearest);
		return false;
	}
	return true;
}

/* Whose memory is recorded. */
static unsigned memory_given(const struct spt_record_options *options, const struct words *words)
{
	const SptRecorderOptions *recorder = &options->recorder;
	unsigned n_pids = recorder->filter.n_pids;

	return (words->tracker ? SPT_GIVEN_MEMORY : 0) |
	       (n_pids == 1 ? SPT_GIVEN_ONE_PID : 0) |
	       (recorder->memory_options.mean_bytes ? SPT_GIVEN_MEMORY_SIZE : 0) |
	       (words->tracker && n_pids && !*options->command ? SPT_GIVEN_ATTACH : 0) |
	       (n_pids || *options->command ? SPT_GIVEN_ALLOCATING : 0);
}

static unsigned options_given(const struct spt_record_options *options, const struct words *words)
{
	return (*options->command ? SPT_GIVEN_COMMAND : 0) |
	       (options->filter.pids ? SPT_GIVEN_PID : 0) |
	       (options->all_cpus ? SPT_GIVEN_ALL_CPUS : 0) |
	       (options->only_command ? SPT_GIVEN_ONLY_COMMAND : 0) |
	       (words->last ? SPT_GIVEN_LAST : 0) | (words->late ? SPT_GIVEN_WHEN_LATE : 0) |
	       (words->when_mark ? SPT_GIVEN_WHEN_MARK : 0) |
	       (options->to ? SPT_GIVEN_TO : 0) | (options->bundle ? SPT_GIVEN_BUNDLE : 0) |
	       memory_given(options, words) |
	       (words->free_stacks ? SPT_GIVEN_FREE_STACKS : 0) |
	       (words->mappings ? SPT_GIVEN_MAPPINGS : 0) |
	       (options->recorder.calls == SPT_CALLS_ALWAYS ? SPT_GIVEN_CALLS : 0) |
	       (words->kmem ? SPT_GIVEN_KMEM : 0) |
	       (words->script_names ? SPT_GIVEN_SCRIPT_NAMES : 0) |
	       (spt_record_events_are_counted_probes(&options->events) ? SPT_GIVEN_COUNTED_PROBES :
									 0) |
	       (options->start_at || options->stop_at ? SPT_GIVEN_START_STOP : 0) |
	       (options->recorder.source == SPT_TRACE_PERF ? SPT_GIVEN_PERF : 0);
}

/* "frame > 16ms".  Names of marks may have a ">". */
static bool parse_when_mark(struct spt_record_options *options, const char *text)
{
	SptRecorderOptions *recorder = &options->recorder;
	const char *above = text ? strrchr(text, '>') : NULL;

	if (!text)
		return true;
	options->when_mark = above ? g_strstrip(g_strndup(text, (size_t)(above - text))) : NULL;
	recorder->when_mark = options->when_mark;
	if (!above || !*recorder->when_mark ||
	    !spt_parse_ns(above + 1 + strspn(above + 1, " "), &recorder->when_mark_ns))
		spt_cli_complain("--when-mark takes a mark and a time, as in 'frame > 16ms', not \"%s\"",
				 text);
	else
		return true;
	return false;
}

/* Options that limit the recording. */
static bool check_bounds(struct spt_record_options *options, const struct words *words)
{
	SptRecorderOptions *recorder = &options->recorder;
	uint64_t ring_bytes = 0;

	if (words->duration &&
	    (!spt_parse_ns(words->duration, &options->duration_ns) || !options->duration_ns))
		spt_cli_complain(
			"--duration takes a time such as 10, 10s or 500ms, not \"%s\"", words->duration);
	else if (words->ring &&
		 (!spt_parse_bytes(words->ring, &ring_bytes) || ring_bytes > UINT32_MAX))
		spt_cli_complain("--ring-bytes takes a size such as 1M, not \"%s\"",
				 words->ring);
	else if (words->last && (!spt_parse_ns(words->last, &recorder->last_ns) ||
				 recorder->last_ns < LEAST_LAST_NS))
		spt_cli_complain(
			"--last takes at least a second, such as 10, 10s or 1500ms, not \"%s\"",
			words->last);
	else if (words->late &&
		 (!spt_parse_ns(words->late, &recorder->late_ns) || !recorder->late_ns))
		spt_cli_complain("--when-late takes a delay such as 5ms, not \"%s\"", words->late);
	else if (words->memory && (!spt_parse_bytes(words->memory, &recorder->memory_bytes) ||
				   recorder->memory_bytes < LEAST_MEMORY_BYTES))
		spt_cli_complain("--memory-limit takes at least 16M, not \"%s\"", words->memory);
	else if (words->tracker && *words->tracker && strcmp(words->tracker, "all") != 0 &&
		 (!spt_parse_bytes(words->tracker, &recorder->memory_options.mean_bytes) ||
		  !recorder->memory_options.mean_bytes))
		spt_cli_complain(
			"--memory=%s is not possible: --memory records each allocation, --memory=64K on average one for each 64 KiB; "
			"--memory-limit SIZE bounds the recorder's own memory",
			words->tracker);
	else {
		recorder->ring_bytes = (uint32_t)ring_bytes;
		recorder->memory = words->tracker;
		recorder->memory_options.has_free_stacks = words->free_stacks;
		recorder->memory_options.has_mappings = words->mappings;
		if (!*options->command)
			recorder->memory_options.attached_pid = recorder->filter.pids[0];
		recorder->script_loops = words->script_loops;
		recorder->script_names = words->script_names;
		return true;
	}
	return false;
}

/* Cuts off the command: the arguments after "--".  Returns the number of arguments before it. */
static int split_command(int argc, char **argv, char ***ret_command)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			*ret_command = argv + i + 1;
			argv[i] = NULL;
			return i;
		}
	}
	*ret_command = argv + argc;
	return argc;
}

/* A shell variable that was meant to hold the value may be empty. */
static bool check_command(char **command, bool is_wanted)
{
	if (!is_wanted || *command)
		return true;
	spt_cli_complain("There is no command behind \"--\"; without \"--\" the recording lasts "
			 "until Ctrl-C, or for a time (--duration)");
	return false;
}

/* The file, the samples, and what the kernel reports. */
static void add_sample_entries(struct spt_record_options *options, struct words *words,
			       GArray *all)
{
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options->output,
		  "The file to write (sysprof.capture)", "FILE" },
		{ "frequency", 'F', 0, G_OPTION_ARG_DOUBLE, &words->rate,
		  "Samples per second and CPU (1000, lowered if they would "
		  "take more than 1 % of a CPU)",
		  "HZ" },
		{ "clock", 0, 0, G_OPTION_ARG_STRING, &words->clock,
		  "timer (the default), pmu (hardware counters) or auto (counters if there are some)",
		  "CLOCK" },
		{ "duration", 0, 0, G_OPTION_ARG_STRING, &words->duration,
		  "End after this time, as in 10 (seconds) or 500ms", "TIME" },
		{ "stacks", 0, 0, G_OPTION_ARG_STRING, &words->stacks,
		  "User stacks: auto (the default: whole, whatever the code was built with), table (by tables, in the module), "
		  "dwarf[,BYTES] (by copies of the stack), fp (along frame pointers) or none",
		  "KIND" },
		{ "source", 0, 0, G_OPTION_ARG_STRING, &words->source,
		  "Where samples come from: auto, module, perf, or system (perf events of everything, which polkit may allow)",
		  "SOURCE" },
		{ "waits", 0, 0, G_OPTION_ARG_STRING, &words->waits,
		  "Also record waits: where, for how long, and who ended them (all: every wait; TIME: those of at least this; "
		  "calls: in the command's calls of the C library, whatever the kernel reports)",
		  SPT_CLI_OPTIONAL("all|calls|TIME") },
		{ "kmem", 0, 0, G_OPTION_ARG_STRING, &words->kmem,
		  "Also record memory that the kernel allocates and frees, with stacks: one allocation for each 64 KiB (all: each one; SIZE: one for each SIZE)",
		  SPT_CLI_OPTIONAL("all|SIZE") },
	};

	g_array_append_vals(all, entries, G_N_ELEMENTS(entries));
}

/* Several kinds of events at once, and how much is kept of all. */
static void add_bound_entries(struct words *words, GArray *all)
{
	const GOptionEntry entries[] = {
		{ "also", 0, 0, G_OPTION_ARG_STRING, &words->also,
		  "Several of these at once: all, or a list such as waits,locks,io", "LIST" },
		{ "script-loops", 0, 0, G_OPTION_ARG_NONE, &words->script_loops,
		  "Also record the frames of interpreters that execute functions of scripts, which are hidden otherwise",
		  NULL },
		{ "script-names", 0, 0, G_OPTION_ARG_NONE, &words->script_names,
		  "Without the module: ask Node.js, and Python from 3.12 on, to report their functions to /tmp, which makes them slower",
		  NULL },
		{ "ring-bytes", 0, 0, G_OPTION_ARG_STRING, &words->ring,
		  "Ring per CPU, a power of two (1M)", "SIZE" },
		{ "last", 0, 0, G_OPTION_ARG_STRING, &words->last,
		  "Keep the last TIME in memory; write it (to FILE, FILE-2 ...) at SIGUSR1, with --when-late, and at the end",
		  "TIME" },
		{ "when-late", 0, 0, G_OPTION_ARG_STRING, &words->late,
		  "With --last: write when a tick is this late (5ms)", "DELAY" },
		{ "when-mark", 0, 0, G_OPTION_ARG_STRING, &words->when_mark,
		  "With --last: write when a mark of the command is slow, as in 'frame > 16ms'",
		  "MARK > TIME" },
		{ "memory-limit", 0, 0, G_OPTION_ARG_STRING, &words->memory,
		  "Limit the recorder's memory to this (1G)", "SIZE" },
	};

	g_array_append_vals(all, entries, G_N_ELEMENTS(entries));
}

static void add_extra_entries(struct words *words, GArray *all)
{
	const SptEventOption *extra;

	for (unsigned i = 0; (extra = spt_event_option(i)); i++) {
		const GOptionEntry entry = { extra->name, 0, 0, G_OPTION_ARG_NONE,
					     &words->extras[i], extra->help, NULL };

		if (extra->help)
			g_array_append_val(all, entry);
	}
}

static unsigned extras_given(const struct words *words)
{
	const SptEventOption *extra;
	unsigned bits = words->kmem ? spt_option_kmem.bit : 0;

	for (unsigned i = 0; (extra = spt_event_option(i)); i++)
		bits |= words->extras[i] ? extra->bit : 0;
	return bits;
}

static void add_statement_entries(struct words *words, GArray *all)
{
	for (unsigned i = 0; i < SPT_STATEMENT_N_OPTIONS; i++) {
		const SptStatementOption *option = spt_statement_option(i);
		const GOptionEntry entry = { option->name, 0, 0, G_OPTION_ARG_NONE,
					     &words->statements[i], option->help, NULL };

		g_array_append_val(all, entry);
	}
}

static unsigned statements_given(const struct words *words)
{
	unsigned bits = 0;

	for (unsigned i = 0; i < SPT_STATEMENT_N_OPTIONS; i++)
		bits |= words->statements[i] ? 1u << i : 0;
	return bits;
}

/* What programs and the system say, what is skipped, and what becomes of the recording. */
static void add_other_entries(struct spt_record_options *options, struct words *words, GArray *all)
{
	const GOptionEntry entries[] = {
		{ "memory", 0, 0, G_OPTION_ARG_STRING, &words->tracker,
		  "Also record what the command allocates and frees, each call with its stack (SIZE: on average one for each SIZE; with --pid: of a process that waits for it)",
		  SPT_CLI_OPTIONAL("all|SIZE") },
		{ "free-stacks", 0, 0, G_OPTION_ARG_NONE, &words->free_stacks,
		  "With --memory: also record the stacks that free memory (report --metric freed-here)",
		  NULL },
		{ "mappings", 0, 0, G_OPTION_ARG_NONE, &words->mappings,
		  "With --memory: also record mmap(), munmap() and mremap() (report --metric mapped)",
		  NULL },
		{ "counter", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->counter_files,
		  "Also record the number in a file once a second (may be repeated; * and ? are wild)",
		  "NAME=FILE" },
		{ "embed", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->embedded,
		  "Embed this file in the recording (may be repeated; \"" SPT_CLI
		  " info --files\" lists what is embedded)",
		  "FILE" },
		{ "no-embed", 0, 0, G_OPTION_ARG_NONE, &options->no_embed,
		  "Do not embed what describes the system: release, CPUs, memory, mounts, kernel configuration",
		  NULL },
		{ "start-at", 0, 0, G_OPTION_ARG_STRING, &options->start_at,
		  "Begin to record when the command makes a mark of this name", "MARK" },
		{ "stop-at", 0, 0, G_OPTION_ARG_STRING, &options->stop_at,
		  "End the recording when the command makes a mark of this name", "MARK" },
		{ "no-command-lines", 0, 0, G_OPTION_ARG_NONE, &options->no_command_lines,
		  "Do not record command lines: arguments can be secrets", NULL },
		{ "no-maps", 0, 0, G_OPTION_ARG_NONE, &options->no_maps,
		  "Do not record mappings of processes: they have addresses", NULL },
		{ "only-command", 0, 0, G_OPTION_ARG_NONE, &options->only_command,
		  "Record only COMMAND and what it starts", NULL },
		/* perf's options that are the default here, or have another name. */
		SPT_CLI_AS_PERF("all-cpus", 'a', options->all_cpus),
		SPT_CLI_AS_PERF("g", 'g', words->ignored),
		{ "call-graph", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &words->stacks, NULL,
		  "KIND" },
		{ "bundle", 0, 0, G_OPTION_ARG_NONE, &options->bundle,
		  "At the end, add names and lines to the recording, for other machines: \"" SPT_CLI
		  " bundle --help\" says more",
		  NULL },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &options->to,
		  "Send the recording to \"" SPT_CLI " receive\" there; in clear text: "
		  "for loopback and trusted networks",
		  "HOST:PORT" },
	};

	g_array_append_vals(all, entries, G_N_ELEMENTS(entries));
}

static bool record_options_parse(struct spt_record_options *options, struct words *words, int argc,
				 char **argv)
{
	g_autoptr(GArray) all = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));

	add_sample_entries(options, words, all);
	add_extra_entries(words, all);
	add_bound_entries(words, all);
	add_statement_entries(words, all);
	add_other_entries(options, words, all);
	spt_record_events_add(&options->events, all);
	spt_record_filter_add(&options->filter, all);
	if (!spt_cli_parse(&cmd_record, (const GOptionEntry *)all->data, &argc, &argv) ||
	    !spt_cli_check_output(options->output))
		return false;
	if (argc <= 1)
		return true;
	if (words->tracker && !*words->tracker)
		spt_cli_complain("\"%s\" is no option; a value of --memory follows \"=\", as in "
				 "--memory=64K; --memory-limit SIZE bounds the recorder's own memory",
				 argv[1]);
	else if (words->waits && !*words->waits)
		spt_cli_complain("\"%s\" is no option; a value of --waits follows \"=\", as in "
				 "--waits=all", argv[1]);
	else
		spt_cli_complain("\"%s\" is no option; put \"--\" in front of the command to run",
				 argv[1]);
	return false;
}

bool spt_record_options_parse(struct spt_record_options *options, int argc, char **argv)
{
	g_autofree char **arguments = NULL;
	struct words words = { .stacks = g_strdup("auto"), .source = g_strdup("auto"), .rate = NAN };
	SptTraceSource source = SPT_TRACE_AUTO;
	SptTraceFilter filter = { 0 };
	bool ok;
	int n;

	*options = (struct spt_record_options){ .output = g_strdup(SPT_CLI_CAPTURE) };
	n = split_command(argc, argv, &options->command);
	arguments = g_memdup2(argv, ((size_t)n + 1) * sizeof(*argv));
	arguments[n] = NULL;
	ok = record_options_parse(options, &words, n, arguments) &&
	     check_command(options->command, n < argc) && record_options_check(&words, &source) &&
	     spt_record_filter_parse(&options->filter, &filter);
	/* The command's name, and its arguments if they may be recorded. */
	options->command_text = options->no_command_lines ? g_strdup(*options->command) :
							    g_strjoinv(" ", options->command);
	options->recorder = (SptRecorderOptions){
		.source = source,
		.output = options->to ? options->to : options->output,
		.period_ns = isnan(words.rate) ? 0 : (uint64_t)(1e9 / words.rate + 0.5),
		.no_user = strcmp(words.stacks, "none") == 0 ||
			   (strcmp(words.stacks, "auto") == 0 && filter.only_kernel),
		.raw_bytes = raw_bytes(words.stacks),
		.raw_most_bytes = raw_bytes(words.stacks) && !strchr(words.stacks, ',') ?
					  SPT_TRACE_RAW_MAX_BYTES :
					  0,
		.raw_if_needed = strcmp(words.stacks, "auto") == 0,
		.by_tables =
			strcmp(words.stacks, "auto") == 0 || strcmp(words.stacks, "table") == 0,
		.filter = filter,
		.kernel = extras_given(&words),
		.command = options->command_text && *options->command_text ? options->command_text :
									     NULL,
		.no_command_lines = options->no_command_lines,
		.no_maps = options->no_maps,
		.embed = { .has_system = !options->no_embed,
			   .files = (const char *const *)options->embedded },
		.start_at = options->start_at,
		.stop_at = options->stop_at,
		.counters = { .files = (const char *const *)options->counter_files },
	};
	spt_statements_request(statements_given(&words), &options->recorder);
	options->recorder.calls = parse_calls(&words.waits, *options->command && !words.last);
	ok = ok && check_bounds(options, &words) && parse_when_mark(options, words.when_mark) &&
	     spt_record_rules_check(options_given(options, &words)) &&
	     check_clock(options, &words) &&
	     spt_record_parse_waits(&options->recorder.waits, words.waits) &&
	     parse_kmem(&options->recorder, words.kmem) &&
	     spt_record_parse_also(&options->recorder, words.also);
	g_free(words.kmem);
	g_free(words.also);
	g_free(words.when_mark);
	g_free(words.clock);
	g_free(words.duration);
	g_free(words.ring);
	g_free(words.last);
	g_free(words.late);
	g_free(words.memory);
	g_free(words.tracker);
	g_free(words.stacks);
	g_free(words.source);
	g_free(words.waits);
	return ok;
}

void spt_record_options_clear(struct spt_record_options *options)
{
	spt_record_events_clear(&options->events);
	spt_record_filter_clear(&options->filter);
	g_clear_pointer(&options->output, g_free);
	g_clear_pointer(&options->to, g_free);
	g_clear_pointer(&options->counter_files, g_strfreev);
	g_clear_pointer(&options->embedded, g_strfreev);
	g_clear_pointer(&options->start_at, g_free);
	g_clear_pointer(&options->stop_at, g_free);
	g_clear_pointer(&options->when_mark, g_free);
	g_clear_pointer(&options->command_text, g_free);
}
