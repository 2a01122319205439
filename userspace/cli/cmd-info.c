/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli info: the contents of a recording, the account of its periods, and losses. */
#include "capture/format.h"
#include "cmd.h"
#include "info-files.h"
#include "info.h"
#include "profile/finder-counts.h"

static unsigned cmd_info_end_of(const SptSampleRow *row)
{
	return row->user_end & SPT_END_FRAME_POINTERS ? SPT_END_FRAME_POINTERS : row->user_end;
}

static void print_info(struct spt_info *asked, bool json)
{
	const SptCapture *capture = asked->capture;
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(GArray) coverage = spt_coverage_new(capture, symbols);
	g_autoptr(GArray) finders =
		asked->has_maps && !json ? NULL : spt_finder_counts_new(capture, symbols);
	struct spt_info info = *asked;
	const SptSampleRow *rows;
	uint32_t n;

	info.coverage = coverage;
	info.finders = finders;
	spt_summary_init(&info.summary, capture);
	spt_summary_count_cpus(&info.summary, capture);
	info.thread_samples = g_new0(uint64_t, MAX(capture->n_threads, 1));
	info.thread_weight = g_new0(uint64_t, MAX(capture->n_threads, 1));
	while ((rows = spt_samples_next(samples, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			info.thread_samples[rows[i].thread]++;
			info.thread_weight[rows[i].thread] += rows[i].weight;
			info.user_ends[cmd_info_end_of(&rows[i])] += rows[i].weight;
		}
	}
	info.bytes_per_sample =
		capture->n_samples ? (double)capture->file_bytes / capture->n_samples : 0;

	if (!json)
		spt_terminal_page();
	if (json)
		spt_info_print_json(&info);
	else if (info.has_maps)
		spt_info_print_maps(&info);
	else
		spt_info_print_text(&info);
	g_free(info.thread_samples);
	g_free(info.thread_weight);
	spt_summary_clear(&info.summary);
}

static int run_info(int argc, char **argv)
{
	gboolean json = FALSE, maps = FALSE, files = FALSE;
	g_autofree char *process = NULL, *input = NULL, *file = NULL, *out = NULL;
	const GOptionEntry entries[] = {
		SPT_CLI_INPUT(input),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json,
		  "JSON, for scripts: sysprof-json(5) describes it", NULL },
		{ "maps", 0, 0, G_OPTION_ARG_NONE, &maps,
		  "Print executable mappings of processes that have samples instead",
		  NULL },
		{ "process", 0, 0, G_OPTION_ARG_STRING, &process,
		  "With --maps: only of this process, by name or pid", "PROCESS" },
		{ "files", 0, 0, G_OPTION_ARG_NONE, &files,
		  "List the files that are embedded in the recording instead", NULL },
		{ "file", 0, 0, G_OPTION_ARG_FILENAME, &file,
		  "Print an embedded file instead, by its name, or the last part of it", "NAME" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &out,
		  "With --file: write it to OUT", "OUT" },
		{ 0 },
	};
	g_autoptr(SptCapture) capture = NULL;
	const char *path;

	if (!spt_cli_parse(&cmd_info, entries, &argc, &argv) ||
	    !(path = spt_cli_recording(&cmd_info, input, argc, argv)))
		return SPT_EXIT_USAGE;
	if (process && !maps) {
		spt_cli_complain("--process chooses what --maps shows; report has it for samples");
		return SPT_EXIT_USAGE;
	}
	if (out && !file) {
		spt_cli_complain("-o is where --file NAME writes an embedded file: give both");
		return SPT_EXIT_USAGE;
	}
	if (maps + files + (file != NULL) > 1) {
		spt_cli_complain("--maps, --files and --file exclude each other; give one of them");
		return SPT_EXIT_USAGE;
	}
	if (!spt_cli_check_output(out))
		return SPT_EXIT_USAGE;
	capture = spt_cli_open(path);
	if (!capture)
		return SPT_EXIT_FAILURE;
	if (file)
		return spt_info_write_file(capture, file, out) ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
	if (files && !json)
		return spt_info_print_files(capture) ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
	print_info(&(struct spt_info){ .capture = capture, .has_maps = maps, .maps_of = process },
		   json);
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

const struct spt_command cmd_info = {
	.name = "info",
	.usage = "[FILE]",
	.is_read = true,
	.help = "Show what a recording holds, and what it lost",
	.run = run_info,
};
