/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli export: a recording in other tools' formats. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "export/export.h"
#include "profile/arrange.h"
#include "profile/summary.h"
#include "report-filter.h"

/* NULL: complained. */
static const SptExport *find_format(const char *name)
{
	const SptExport *format = name ? spt_export_find(name) : NULL;
	g_autoptr(GString) known = g_string_new(NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autofree char *nearest = NULL;

	if (format)
		return format;
	for (unsigned i = 0; (format = spt_export_format(i)); i++) {
		g_string_append_printf(known, "%s%s", i ? ", " : "", format->name);
		g_ptr_array_add(names, (gpointer)format->name);
	}
	g_ptr_array_add(names, NULL);
	nearest = spt_cli_suggest(name ? name : "", (const char *const *)names->pdata);
	if (name)
		spt_cli_complain("--format takes %s, not \"%s\"%s", known->str, name, nearest);
	else
		spt_cli_complain("export needs --format, one of %s", known->str);
	return NULL;
}

static char *help_of_formats(void)
{
	GString *text = g_string_new(NULL);
	const SptExport *format;

	for (unsigned i = 0; (format = spt_export_format(i)); i++)
		g_string_append_printf(text, "%s%s: %s", i ? "; " : "", format->name, format->help);
	return g_string_free(text, FALSE);
}

/* The parts of a recording that @format carries, or those that it does not. */
static char *list_parts(const SptExport *format, bool carried)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (unsigned part = 0; part < SPT_EXPORT_N_PARTS; part++)
		if (!!(format->carries & 1u << part) == carried)
			g_ptr_array_add(names, (gpointer)spt_export_part(part));
	g_ptr_array_add(names, NULL);
	return names->len == 1 ? g_strdup("nothing") :
				 g_strjoinv(", ", (char **)names->pdata);
}

static void explain_one(const SptExport *format)
{
	g_autofree char *carried = list_parts(format, true), *missing = list_parts(format, false);

	printf("%s: %s\nCarries: %s\nLeaves out: %s\n", format->name, format->help, carried,
	       missing);
}

/* A table, with the names of parts above their columns. */
static void explain_all(void)
{
	const SptExport *format;

	for (unsigned part = 0; part < SPT_EXPORT_N_PARTS; part++) {
		printf("%12s", "");
		for (unsigned before = 0; before < part; before++)
			printf("| ");
		printf("%s\n", spt_export_part(part));
	}
	for (unsigned i = 0; (format = spt_export_format(i)); i++) {
		printf("%-11s", format->name);
		for (unsigned part = 0; part < SPT_EXPORT_N_PARTS; part++)
			printf(" %c", format->carries & 1u << part ? 'x' : '-');
		printf("  %s\n", format->help);
	}
}

static int explain_formats(const char *name)
{
	const SptExport *format = name ? find_format(name) : NULL;

	if (name && !format)
		return SPT_EXIT_USAGE;
	if (format)
		explain_one(format);
	else
		explain_all();
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

struct options {
	struct spt_filter_options filter;
	const SptExport *format;
	char *out;
};

/* What chooses samples, weighs or joins them does not apply to states of threads. */
static bool is_about_samples(const struct spt_filter_options *options, const SptFilter *filter)
{
	return filter->process || filter->processes || filter->thread || filter->cpus ||
	       filter->where || filter->root || filter->object || filter->side ||
	       filter->moments || filter->most_parallelism || options->fields ||
	       !options->metric->is_cpu || !spt_shape_is_plain(&options->shape.shape);
}

/* False: complained. */
static bool write_export(const struct options *options, const SptExportInput *input)
{
	bool is_file = options->out && strcmp(options->out, "-") != 0;
	g_autoptr(GError) error = NULL;
	g_autoptr(SptOut) out = is_file ? spt_out_new_file(options->out, &error) :
					  spt_out_new_fd(STDOUT_FILENO);

	if (out && !options->format->write(input, out, &error)) {
		spt_cli_complain("%s", error->message);
		return false;
	}
	if (out && spt_out_finish(out, &error))
		return true;
	if (is_file)
		spt_cli_complain("Cannot write %s: %s", options->out, error->message);
	else
		spt_cli_complain("Cannot write the output: %s", error->message);
	return false;
}

/* Times of the recording, or of the range that was chosen. */
static SptExportInput export_find_times(const SptSummary *summary, const SptFilter *filter)
{
	return (SptExportInput){
		.start_ns = summary->start_ns,
		.begin_ns = MAX(filter->begin_ns, summary->start_ns),
		.end_ns = filter->end_ns ? MIN(filter->end_ns, summary->end_ns) : summary->end_ns,
	};
}

static bool export_lanes(const SptCapture *capture, const SptSummary *summary,
			 const SptFilter *filter, const struct options *options)
{
	g_autoptr(SptSymbols) symbols = spt_filter_options_symbols(&options->filter, capture);
	g_autoptr(SptProfile) base = NULL;
	g_autoptr(SptLanes) lanes = NULL;
	SptExportInput input = export_find_times(summary, filter);

	if (!symbols)
		return false;
	if (is_about_samples(&options->filter, filter)) {
		spt_cli_complain("--format lanes takes no conditions but --time, and no --metric, --hide and the like");
		return false;
	}
	base = spt_profile_new_reread(capture, symbols, SPT_METRIC_CPU, NULL);
	input.lanes = lanes = spt_lanes_new(base);
	return write_export(options, &input);
}

/* With each sample's time and thread. */
static bool export_samples(const SptCapture *capture, const SptSummary *summary,
			   const SptFilter *filter, const struct options *options)
{
	g_autoptr(SptSymbols) symbols = spt_filter_options_symbols(&options->filter, capture);
	const SptShape *shape = &options->filter.shape.shape;
	g_autoptr(SptProfile) whole = NULL;
	g_autoptr(SptProfile) shaped = NULL;
	g_autoptr(SptProfile) profile = NULL;
	SptExportInput input = export_find_times(summary, filter);

	if (!symbols)
		return false;
	whole = spt_profile_new_reread(capture, symbols, options->filter.metric, filter);
	if (!spt_shape_is_plain(shape))
		shaped = spt_profile_arrange(whole, &(SptArrangement){ .shape = *shape });
	input.base = shaped ? shaped : whole;
	input.profile = profile = spt_profile_refilter(input.base, filter, NULL);
	input.filter = filter;
	input.capture = capture;
	return spt_report_filter_check(&options->filter, capture, symbols, profile) &&
	       write_export(options, &input);
}

/* With the sums of the stacks alone, which need less memory. */
static bool export_sums(const SptCapture *capture, const SptFilter *filter,
			const struct options *options)
{
	g_autoptr(SptSymbols) symbols = spt_filter_options_symbols(&options->filter, capture);
	g_autoptr(SptProfile) profile = NULL;

	if (!symbols)
		return false;
	profile = spt_profile_new(capture, symbols, options->filter.metric, filter);
	spt_shape_options_apply(&options->filter.shape, &profile);
	return spt_report_filter_check(&options->filter, capture, symbols, profile) &&
	       write_export(options, &(SptExportInput){ .profile = profile });
}

/* With the stacks as they were recorded. */
static bool export_stacks(const SptCapture *capture, const SptFilter *filter,
			  const struct options *options)
{
	g_autoptr(SptSymbols) symbols = spt_filter_options_symbols(&options->filter, capture);
	g_autoptr(SptProfile) profile = NULL;

	if (!symbols)
		return false;
	if (!spt_shape_is_plain(&options->filter.shape.shape)) {
		spt_cli_complain(
			"--format %s writes stacks as they were recorded: --hide, --merge, --root-at and --fold-recursion do not go with it",
			options->format->name);
		return false;
	}
	profile = spt_profile_new(capture, symbols, options->filter.metric, filter);
	return spt_report_filter_check(&options->filter, capture, symbols, profile) &&
	       write_export(options, &(SptExportInput){ .profile = profile,
							 .capture = capture,
							 .symbols = symbols,
							 .filter = filter });
}

static int export_profile(const SptCapture *capture, const SptSummary *summary,
			  const SptFilter *filter, const void *data)
{
	const struct options *options = data;
	g_autofree char *scope = spt_report_scope(capture, filter);
	bool ok = false;

	/* Few formats have a place for it. */
	if (scope && !options->filter.only_command)
		fprintf(stderr, "Exported: %s alone; --all exports everything.\n", scope);
	switch (options->format->needs) {
	case SPT_EXPORT_NEEDS_PROFILE:
		ok = export_sums(capture, filter, options);
		break;
	case SPT_EXPORT_NEEDS_SAMPLES:
		ok = export_samples(capture, summary, filter, options);
		break;
	case SPT_EXPORT_NEEDS_STACKS:
		ok = export_stacks(capture, filter, options);
		break;
	case SPT_EXPORT_NEEDS_LANES:
		ok = export_lanes(capture, summary, filter, options);
		break;
	}
	return ok ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

static int run_export(int argc, char **argv)
{
	g_autofree char *name = NULL;
	g_autofree char *help = help_of_formats();
	struct options options = { 0 };
	gboolean explains = FALSE;
	const GOptionEntry entries[] = {
		SPT_CLI_INPUT(options.filter.input),
		{ "format", 'f', 0, G_OPTION_ARG_STRING, &name, help, "FORMAT" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.out,
		  "Write here instead of to the standard output (-)", "OUT" },
		{ "explain", 0, 0, G_OPTION_ARG_NONE, &explains,
		  "Print what the format carries of a recording and what not; without --format, of all",
		  NULL },
	};
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));
	const char *path;
	int status = SPT_EXIT_USAGE;

	g_array_append_vals(all, entries, G_N_ELEMENTS(entries));
	spt_filter_options_add(&options.filter, all);
	if (!spt_cli_parse(&cmd_export, (const GOptionEntry *)all->data, &argc, &argv))
		status = SPT_EXIT_USAGE;
	else if (explains)
		status = explain_formats(name);
	else if (spt_filter_options_guess_metric(&options.filter, argc, argv) &&
		 spt_shape_options_parse(&options.filter.shape) &&
		 (path = spt_cli_recording(&cmd_export, options.filter.input, argc, argv)) &&
		 (options.format = find_format(name))) {
		options.filter.has_lead = options.format->needs != SPT_EXPORT_NEEDS_LANES;
		status = spt_report_filtered(path, &options.filter, export_profile, &options);
	}
	spt_filter_options_clear(&options.filter);
	g_free(options.out);
	return status;
}

const struct spt_command cmd_export = {
	.name = "export",
	.usage = "[FILE]",
	.help = "Write a recording in another format",
	.run = run_export,
};
