/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli merge: several recordings as one. */
#include <stdio.h>

#include "cmd.h"
#include "rewrite/merge.h"

static int cmd_merge_merge(char **paths, unsigned n, const char *out)
{
	g_autoptr(GPtrArray) captures =
		g_ptr_array_new_with_free_func((GDestroyNotify)spt_capture_free);
	g_autoptr(GError) error = NULL;
	uint64_t samples = 0;

	for (unsigned i = 0; i < n; i++) {
		SptCapture *capture = spt_cli_open(paths[i]);

		if (!capture)
			return SPT_EXIT_FAILURE;
		g_ptr_array_add(captures, capture);
		samples += capture->n_samples;
	}
	if (!spt_merge_captures((const SptCapture *const *)captures->pdata, n, out, &error)) {
		spt_cli_complain("%s", error->message);
		return SPT_EXIT_FAILURE;
	}

	g_autofree char *count = spt_format_count(samples);
	g_autofree char *shown = spt_format_cut(out, 0);

	printf("%s samples of %u recordings in %s\n", count, n, shown);
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

static int run_merge(int argc, char **argv)
{
	g_autofree char *out = NULL;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &out, "The recording to write", "OUT" },
		{ 0 },
	};
	int first;

	if (!spt_cli_parse(&cmd_merge, entries, &argc, &argv) || !spt_cli_check_output(out))
		return SPT_EXIT_USAGE;
	first = spt_cli_first_operand(argc, argv);
	if (!out || argc < first + 2) {
		spt_cli_complain(
			"merge takes two recordings or more, and where to put them together: "
			"%s merge %s",
			spt_cli_called(), cmd_merge.usage);
		return SPT_EXIT_USAGE;
	}
	return cmd_merge_merge(argv + first, argc - first, out);
}

const struct spt_command cmd_merge = {
	.name = "merge",
	.usage = "A B ... -o OUT",
	.help = "Put several recordings into one",
	.run = run_merge,
};
