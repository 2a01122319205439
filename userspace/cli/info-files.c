/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was embedded may come from anybody.  A terminal gets its lines without what would control
 * it; a file or a pipe gets the bytes.
 */
#include "info-files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/embedded.h"
#include "cmd.h"

static GArray *info_files(const SptCapture *capture)
{
	g_autoptr(GError) error = NULL;
	GArray *files = spt_embedded_list(capture, &error);

	if (!files)
		spt_cli_complain("%s", error->message);
	return files;
}

void spt_info_add_files(SptJson *json, const SptCapture *capture)
{
	g_autoptr(GArray) files = spt_embedded_list(capture, NULL);

	spt_json_array(json, "files");
	for (unsigned i = 0; files && i < files->len; i++) {
		const SptEmbedded *file = &g_array_index(files, SptEmbedded, i);

		spt_json_object(json, NULL);
		spt_json_text(json, "name", file->name);
		spt_json_count(json, "bytes", file->bytes);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void print_list(const GArray *files)
{
	printf("%s%12s  File%s\n", spt_color(SPT_COLOR_TITLE), "Bytes", spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < files->len; i++) {
		const SptEmbedded *file = &g_array_index(files, SptEmbedded, i);
		g_autofree char *name = spt_format_cut(file->name, 0);

		printf("%12" PRIu64 "  %s\n", file->bytes, name);
	}
}

bool spt_info_print_files(const SptCapture *capture)
{
	g_autoptr(GArray) files = info_files(capture);

	if (!files)
		return false;
	if (files->len == 0) {
		spt_cli_complain("%s has no embedded files: \"" SPT_CLI
				 " record --embed FILE\" embeds them",
				 capture->path);
		return false;
	}
	spt_terminal_page();
	print_list(files);
	return spt_cli_flush();
}

/* For a terminal, line by line. */
static void print_lines_of(const GByteArray *data)
{
	g_autofree char *text = g_strndup((const char *)data->data, data->len);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	spt_terminal_page();
	for (char **line = lines; *line && (line[1] || **line); line++) {
		g_autofree char *shown = spt_format_cut(*line, 0);

		puts(shown);
	}
}

static bool write_data(const GByteArray *data, const char *out)
{
	FILE *file = fopen(out, "we");
	bool ok = file && fwrite(data->data, 1, data->len, file) == data->len;

	ok &= file && fclose(file) == 0;
	if (!ok)
		spt_cli_complain("Cannot write %s: %s", out, g_strerror(errno));
	return ok;
}

bool spt_info_write_file(const SptCapture *capture, const char *name, const char *out)
{
	g_autoptr(GArray) files = info_files(capture);
	const SptEmbedded *file = files ? spt_embedded_find(files, name) : NULL;
	g_autoptr(GByteArray) data = NULL;
	g_autoptr(GError) error = NULL;

	if (!files)
		return false;
	if (!file) {
		spt_cli_complain("%s has no embedded file \"%s\": \"" SPT_CLI
				 " info --files\" lists what it has",
				 capture->path, name);
		return false;
	}
	data = spt_embedded_read(capture, file, &error);
	if (!data) {
		spt_cli_complain("%s", error->message);
		return false;
	}
	if (out)
		return write_data(data, out);
	if (isatty(STDOUT_FILENO))
		print_lines_of(data);
	else
		fwrite(data->data, 1, data->len, stdout);
	return spt_cli_flush();
}
