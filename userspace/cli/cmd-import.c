/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli import: a profile of another program as a recording. */
#include "cmd.h"
#include "capture/capture.h"
#include "import/import.h"

static bool fill_import(int fd, void *path, GError **error)
{
	return spt_import_file(path, fd, error);
}

static int import_profile(const char *path, const char *out)
{
	g_autoptr(GError) error = NULL;

	if (spt_capture_save(out, fill_import, (void *)path, &error))
		return SPT_EXIT_OK;
	spt_cli_complain("%s", error->message);
	return SPT_EXIT_FAILURE;
}

static int run_import(int argc, char **argv)
{
	g_autofree char *input = NULL, *out = NULL;
	const GOptionEntry entries[] = {
		SPT_CLI_INPUT(input),
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &out,
		  "The recording to write (" SPT_CLI_CAPTURE ")", "OUT" },
		{ NULL, 0, 0, 0, NULL, NULL, NULL },
	};
	const char *path;

	if (!spt_cli_parse(&cmd_import, entries, &argc, &argv) || !spt_cli_check_output(out) ||
	    !(path = spt_cli_operand(&cmd_import, input, argc, argv)))
		return SPT_EXIT_USAGE;
	return import_profile(path, out ? out : SPT_CLI_CAPTURE);
}

const struct spt_command cmd_import = {
	.name = "import",
	.usage = "FILE",
	.help = "Make a recording of another program's profile",
	.run = run_import,
};
