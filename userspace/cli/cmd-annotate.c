/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli annotate: a function's source and instructions, with the weight of each. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "annotate.h"
#include "annotate/disassemble.h"
#include "cmd.h"
#include "profile/command.h"
#include "profile/summary.h"
#include "report-filter.h"
#include "report.h"

#define SHARES_COLUMNS 18
#define SOURCE_HEAD_COLUMNS (SHARES_COLUMNS + 8)
#define LINE_COLUMNS 24
#define ADDRESS_MIN_DIGITS 8

struct options {
	const char *function;
	gboolean json, source, instructions, ignored;
	char **source_dirs, *syntax;
	struct spt_filter_options filter;
};

static char *fit(const char *text, unsigned head)
{
	unsigned width = spt_terminal_width();

	return spt_format_cut(text, width > head + 20 ? width - head : 0);
}

/* Blank for zero, so that other values stand out. */
static void print_shares(uint64_t self, uint64_t total, uint64_t all)
{
	if (self)
		spt_report_print_share(spt_percent(self, all), 7);
	else
		printf("%7s  ", "");
	if (total)
		spt_report_print_share(spt_percent(total, all), 7);
	else
		printf("%7s  ", "");
}

static void print_file(const SptAnnotatedFile *file, uint64_t all)
{
	g_autofree char *path = spt_format_cut(file->found ? file->found : file->path, 0);
	bool was_shown = true;

	printf("\n%s%s%s\n", spt_color(SPT_COLOR_TITLE), path, spt_color(SPT_COLOR_OFF));
	if (file->problem)
		printf("    %s%s\n", file->problem,
		       file->found ? "" : "; --source-dir DIR names a directory of sources");
	printf("\n%7s  %7s  %6s  Source\n", "Self %", "Total %", "Line");
	for (unsigned i = 0; i < file->lines->len; i++) {
		const SptAnnotatedLine *line = &g_array_index(file->lines, SptAnnotatedLine, i);
		g_autofree char *wide = spt_annotated_line_text(line);
		g_autofree char *shown = fit(wide, SOURCE_HEAD_COLUMNS);
		bool is_shown = spt_annotated_file_shows(file, i);

		if (is_shown) {
			print_shares(line->self, line->total, all);
			printf("%6" PRIu32 "%s%s\n", line->number, *shown ? "  " : "", shown);
		} else if (was_shown && file->found) {
			printf("%24s\n", "...");
		}
		was_shown = is_shown;
	}
}

static unsigned digits_of(const SptAnnotatedCode *code)
{
	const GArray *instructions = code->instructions;
	uint64_t last =
		instructions->len ?
			g_array_index(instructions, SptInstruction, instructions->len - 1).address :
			0;
	unsigned digits = ADDRESS_MIN_DIGITS;

	while (digits < 16 && last >> 4 * digits)
		digits++;
	return digits;
}

static void print_instruction(const SptInstruction *instruction, unsigned digits, uint64_t all)
{
	g_autofree char *base = instruction->file ? g_path_get_basename(instruction->file) : NULL;
	g_autofree char *line =
		base ? g_strdup_printf("%s:%" PRIu32, base, instruction->line) : g_strdup("");
	g_autofree char *place = spt_format_cut(line, LINE_COLUMNS);
	g_autofree char *text =
		fit(instruction->text, SHARES_COLUMNS + digits + 2 + LINE_COLUMNS + 2);

	print_shares(instruction->self, instruction->total, all);
	printf("%*" PRIx64 "  %-*s  %s\n", (int)digits, instruction->address, LINE_COLUMNS, place,
	       text);
}

static void print_code(const SptAnnotatedCode *code, uint64_t all)
{
	g_autofree char *line = g_strdup_printf("%s  %s", code->function, code->object);
	g_autofree char *shown = spt_format_cut(line, 0);
	unsigned digits = digits_of(code);
	uint64_t next = code->start;

	printf("\n%s%s%s\n", spt_color(SPT_COLOR_TITLE), shown, spt_color(SPT_COLOR_OFF));
	if (code->problem) {
		g_autofree char *problem = spt_format_cut(code->problem, 0);

		printf("    no instructions: %s\n", problem);
		return;
	}
	printf("\n%7s  %7s  %*s  %-*s  Instruction\n", "Self %", "Total %", (int)digits, "Address",
	       LINE_COLUMNS, "Line");
	for (unsigned i = 0; i < code->instructions->len; i++) {
		const SptInstruction *instruction =
			&g_array_index(code->instructions, SptInstruction, i);

		if (instruction->offset != next)
			printf("%*s\n", SHARES_COLUMNS + (int)digits, "...");
		print_instruction(instruction, digits, all);
		next = instruction->offset + instruction->bytes;
	}
}

static void print_no_lines(const SptAnnotation *annotation)
{
	const SptAnnotatedCode *code =
		annotation->code->len ? annotation->code->pdata[0] : NULL;
	bool is_kernel = code && *code->object == '[' && strcmp(code->object, "[vdso]") != 0;

	printf("\nno lines: %s\n",
	       is_kernel ? "the kernel's debug information was not found; --vmlinux FILE says where it is" :
			   "there is no debug information for it");
}

/* @command: the recorded command whose part this is; or NULL. */
static void cmd_annotate_print_text(const char *function, const SptAnnotation *annotation,
				    const SptCapture *command, const struct options *options)
{
	g_autofree char *shown = spt_format_cut(function, 0);
	g_autofree char *samples = spt_format_count(annotation->n_samples);
	g_autofree char *name = command ? spt_command_name(command) : NULL;
	g_autofree char *shown_name = name ? spt_format_cut(name, 0) : NULL;
	const SptMetric *metric = options->filter.metric;
	uint64_t all = annotation->total;

	printf("%s%s%s: self %.2f %%, total %.2f %% of %s samples%s%s%s%s; percentages below are of its total\n",
	       spt_color(SPT_COLOR_TITLE), shown, spt_color(SPT_COLOR_OFF),
	       spt_percent(annotation->self, annotation->all),
	       spt_percent(annotation->total, annotation->all), samples, name ? " of " : "",
	       name ? shown_name : "", metric->is_cpu ? "" : ", metric ",
	       metric->is_cpu ? "" : metric->name);
	if (!options->instructions) {
		for (unsigned i = 0; i < annotation->files->len; i++)
			print_file(annotation->files->pdata[i], all);
		if (annotation->files->len == 0)
			print_no_lines(annotation);
	}
	if (!options->source) {
		for (unsigned i = 0; i < annotation->code->len; i++)
			print_code(annotation->code->pdata[i], all);
		if (annotation->code->len == 0)
			printf("\nno instructions: it has no symbol\n");
	}
}

bool spt_annotate_print_function(const SptCapture *capture, const SptMetric *metric,
				 const SptFilter *filter, const SptFunction *function)
{
	const struct options options = { .filter.metric = metric };
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptAnnotation) annotation = spt_annotation_new(
		capture, symbols, metric, filter, function->name, function->object, NULL);

	if (!annotation) {
		spt_cli_complain("%s has no samples with a function \"%s\"", capture->path,
				 function->name);
		return false;
	}
	spt_terminal_page();
	cmd_annotate_print_text(function->name, annotation, NULL, &options);
	return spt_cli_flush();
}

static int complain_of_function(const SptCapture *capture, SptSymbols *symbols,
				const SptFilter *filter, const char *function,
				const struct options *options)
{
	g_autoptr(SptProfile) profile =
		spt_profile_new(capture, symbols, options->filter.metric, filter);
	g_autofree char *nearest = NULL;

	if (!spt_report_filter_check(&options->filter, capture, symbols, profile))
		return SPT_EXIT_FAILURE;
	nearest = spt_report_suggest(profile, function, false);
	spt_cli_complain("%s has no samples with a function \"%s\"%s%s%s", capture->path, function,
			 options->filter.object ? " in an object " : "",
			 options->filter.object ? options->filter.object : "", nearest);
	return SPT_EXIT_FAILURE;
}

static SptAnnotation *cmd_annotate_annotate(const SptCapture *capture, SptSymbols *symbols,
					    const SptFilter *samples, const char *object,
					    const struct options *options)
{
	return spt_annotation_new(capture, symbols, options->filter.metric, samples,
				  options->function, object,
				  (const char *const *)options->source_dirs);
}

static int print_annotation(const SptCapture *capture, G_GNUC_UNUSED const SptSummary *summary,
			    const SptFilter *filter, const void *data)
{
	const struct options *options = data;
	const char *function = options->function;
	g_autoptr(SptSymbols) symbols = spt_filter_options_symbols(&options->filter, capture);
	/* The object that has the samples need not be the one that has the function. */
	SptFilter samples = *filter;
	g_autoptr(SptAnnotation) annotation = NULL;

	if (!symbols)
		return SPT_EXIT_FAILURE;
	samples.object = NULL;
	annotation = cmd_annotate_annotate(capture, symbols, &samples, filter->object, options);
	/* The command has no samples of it: perhaps another process has. */
	if (!annotation && samples.processes && !options->filter.only_command) {
		samples.processes = NULL;
		annotation =
			cmd_annotate_annotate(capture, symbols, &samples, filter->object, options);
	}
	if (!annotation)
		return complain_of_function(capture, symbols, &samples, function, options);
	if (options->json)
		spt_annotate_print_json(capture, options->filter.metric, function, annotation);
	else {
		spt_terminal_page();
		cmd_annotate_print_text(function, annotation, samples.processes ? capture : NULL,
					options);
	}
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

static bool cmd_annotate_parse_options(int *argc, char ***argv, struct options *options)
{
	const GOptionEntry entries[] = {
		SPT_CLI_INPUT(options->filter.input),
		{ "source", 0, 0, G_OPTION_ARG_NONE, &options->source, "Only lines of source",
		  NULL },
		{ "instructions", 0, 0, G_OPTION_ARG_NONE, &options->instructions,
		  "Only instructions", NULL },
		{ "syntax", 'M', 0, G_OPTION_ARG_STRING, &options->syntax,
		  "x86 instructions as att (the default) or intel write them", "SYNTAX" },
		{ "source-dir", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->source_dirs,
		  "Look for sources below DIR, too (may be repeated)",
		  "DIR" },
		{ "object", 0, 0, G_OPTION_ARG_STRING, &options->filter.object,
		  "Only the function in an object of this name; * and ? match any", "NAME" },
		SPT_FILTER_SHORT_TEMPLATES(options->filter.short_templates),
		SPT_FILTER_FULL_NAMES(options->filter.full_names),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "JSON, for scripts: sysprof-json(5) describes it", NULL },
		SPT_CLI_AS_PERF("stdio", 0, options->ignored),
	};
	g_autoptr(GArray) all = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));

	g_array_append_vals(all, entries, G_N_ELEMENTS(entries));
	spt_filter_options_add_samples(&options->filter, all);
	spt_filter_options_add_stacks(&options->filter, all);
	spt_filter_options_add_files(&options->filter, all);
	if (!spt_cli_parse(&cmd_annotate, (const GOptionEntry *)all->data, argc, argv))
		return false;
	options->filter.has_lead = true;
	if (options->syntax && strcmp(options->syntax, "intel") == 0)
		spt_disassemble_as_intel();
	else if (options->syntax && strcmp(options->syntax, "att") != 0) {
		spt_cli_complain("--syntax takes att or intel, not \"%s\"", options->syntax);
		return false;
	}
	if (options->source && options->instructions)
		spt_cli_complain(
			"--source and --instructions exclude each other; give one of them, or none for both");
	return (!options->source || !options->instructions) &&
	       spt_filter_options_guess_metric(&options->filter, *argc, *argv);
}

/* Of two operands the first is the recording, unless only the second exists. */
static bool is_other_way_round(const char *first, const char *second)
{
	return !g_file_test(first, G_FILE_TEST_EXISTS) && g_file_test(second, G_FILE_TEST_EXISTS);
}

/* A file in a directory, or with an ending: hardly a function has such a name. */
static bool is_recording(const char *name)
{
	return strpbrk(name, "./") && g_file_test(name, G_FILE_TEST_EXISTS);
}

/* A single operand is the function.  Returns the recording; NULL: complained. */
static const char *take_operands(int argc, char **argv, struct options *options)
{
	int first = spt_cli_first_operand(argc, argv), n = argc - first;
	bool has_file = n == 2 && !options->filter.input;
	bool is_last = has_file && is_other_way_round(argv[first], argv[argc - 1]);

	if ((n != 1 && !has_file) || (n == 1 && is_recording(argv[first]))) {
		spt_cli_complain("annotate takes a function, and perhaps a recording: %s annotate %s",
				 spt_cli_called(), cmd_annotate.usage);
		return NULL;
	}
	options->function = is_last ? argv[first] : argv[argc - 1];
	return spt_cli_input(&cmd_annotate, is_last  ? argv[argc - 1] :
					    has_file ? argv[first] :
						       options->filter.input);
}

static int run_annotate(int argc, char **argv)
{
	struct options options = { 0 };
	const char *path = NULL;
	int status = SPT_EXIT_USAGE;

	if (cmd_annotate_parse_options(&argc, &argv, &options))
		path = take_operands(argc, argv, &options);
	if (path)
		status = spt_report_filtered(path, &options.filter, print_annotation, &options);
	g_strfreev(options.source_dirs);
	g_free(options.syntax);
	spt_filter_options_clear(&options.filter);
	return status;
}

const struct spt_command cmd_annotate = {
	.name = "annotate",
	.usage = "[FILE] FUNCTION",
	.is_read = true,
	.help = "Show source and instructions of a function, with the time of each",
	.run = run_annotate,
};
