/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli bundle: a recording for other machines or other people. */
#include <inttypes.h>
#include <stdio.h>

#include "bundle.h"
#include "cmd.h"
#include "report-filter.h"
#include "rewrite/bundle.h"
#include "rewrite/merge.h"
#include "rewrite/anonymize.h"

static void tell_bundled(const SptCapture *capture, const char *out)
{
	g_autofree bool *has = g_new0(bool, MAX(capture->n_objects, 1));
	g_autofree char *shown = spt_format_cut(out, 0);
	uint64_t places = 0, objects = 0;

	for (uint64_t i = 0; i < capture->n_bundled; i++) {
		const SptBundledRow *row = &capture->bundled[i];

		places += row->level == 0;
		objects += !has[row->object];
		has[row->object] = true;
	}
	fprintf(stderr, "%s: bundled the names of %" PRIu64 " addresses in %" PRIu64 " objects\n", shown,
		places, objects);
}

bool spt_cli_bundle(SptCapture *capture, SptSymbols *symbols, enum spt_sharing sharing,
		    const char *out)
{
	const SptCapture *const captures[] = { capture };
	g_autoptr(GError) error = NULL;

	spt_bundle(capture, symbols);
	if (sharing == SPT_SHARE_ANONYMOUS)
		spt_anonymize(capture);
	else if (sharing == SPT_SHARE_NO_PATHS)
		spt_strip_paths(capture);
	if (!spt_merge_captures(captures, 1, out, &error)) {
		spt_cli_complain("%s", error->message);
		return false;
	}
	tell_bundled(capture, out);
	return true;
}

static int cmd_bundle_bundle(const char *path, const struct spt_filter_options *options,
			     enum spt_sharing sharing, bool no_files, const char *out)
{
	g_autoptr(SptCapture) capture = spt_cli_open(path);
	g_autoptr(SptSymbols) symbols = NULL;

	if (!capture)
		return SPT_EXIT_FAILURE;
	if (capture->damage && !out) {
		spt_cli_complain(
			"%s is damaged and is not replaced: name another file for what can be read (-o OUT)",
			path);
		return SPT_EXIT_FAILURE;
	}
	if (no_files)
		spt_drop_files(capture);
	symbols = spt_filter_options_symbols(options, capture);
	return symbols && spt_cli_bundle(capture, symbols, sharing, out ? out : path) ?
		       SPT_EXIT_OK :
		       SPT_EXIT_FAILURE;
}

static int run_bundle(int argc, char **argv)
{
	struct spt_filter_options filter = { 0 };
	gboolean strip_paths = FALSE, anonymize = FALSE, no_files = FALSE;
	g_autofree char *out = NULL;
	const GOptionEntry entries[] = {
		SPT_CLI_INPUT(filter.input),
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &out,
		  "Write here instead of replacing FILE", "OUT" },
		{ "no-files", 0, 0, G_OPTION_ARG_NONE, &no_files,
		  "Remove embedded files, such as the list of mounts", NULL },
		{ "strip-paths", 0, 0, G_OPTION_ARG_NONE, &strip_paths,
		  "Remove directories of files, objects and sources, and embedded files", NULL },
		{ "anonymize", 0, 0, G_OPTION_ARG_NONE, &anonymize,
		  "For sharing: replace names of processes, files and functions by numbers; remove host and command",
		  NULL },
	};
	g_autoptr(GArray) all = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));
	const char *path;
	int status = SPT_EXIT_USAGE;

	g_array_append_vals(all, entries, G_N_ELEMENTS(entries));
	spt_filter_options_add_files(&filter, all);
	if (spt_cli_parse(&cmd_bundle, (const GOptionEntry *)all->data, &argc, &argv) &&
	    spt_cli_check_output(out) &&
	    (path = spt_cli_operand(&cmd_bundle, filter.input, argc, argv)))
		status = cmd_bundle_bundle(path, &filter,
					   anonymize   ? SPT_SHARE_ANONYMOUS :
					   strip_paths ? SPT_SHARE_NO_PATHS :
							 SPT_SHARE_ALL,
					   no_files, out);
	spt_filter_options_clear(&filter);
	return status;
}

const struct spt_command cmd_bundle = {
	.name = "bundle",
	.usage = "FILE",
	.help = "Put names and lines into a recording, for other machines and people",
	.run = run_bundle,
};
