/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * If a program has overwritten its arguments, the result is usually one text, and stays as it is.
 */
#include "record/command-line.h"

#include <string.h>

#include "capture/capture.h"

#define CGROUP_BYTES 4096
#define PLAIN G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_@%+=:,./-"

static void append_argument(GString *text, const char *argument)
{
	g_autofree char *quoted = *argument && strspn(argument, PLAIN) == strlen(argument) ?
					  g_strdup(argument) :
					  g_shell_quote(argument);

	g_string_append(text, text->len ? " " : "");
	g_string_append(text, quoted);
}

char *spt_command_line_read(SptProcFiles *files, uint32_t pid)
{
	size_t bytes;
	g_autofree char *raw =
		spt_proc_files_read(files, pid, "cmdline", SPT_COMMAND_LINE_BYTES, &bytes);
	GString *text;

	if (!raw)
		return NULL;
	if (strlen(raw) + 1 >= bytes)
		return g_steal_pointer(&raw);
	text = g_string_new(NULL);
	for (const char *at = raw; at < raw + bytes; at += strlen(at) + 1)
		append_argument(text, at);
	if (bytes == SPT_COMMAND_LINE_BYTES && raw[bytes - 1])
		g_string_append(text, " ...");
	return g_string_free(text, FALSE);
}

/* The path in the line of @raw with this name of a hierarchy; NULL: none, or the root. */
static char *path_in_hierarchy(const char *raw, const char *name)
{
	for (const char *line = raw; line; line = strchr(line, '\n')) {
		const char *of, *path;

		line += *line == '\n';
		of = strchr(line, ':');
		path = of ? strchr(of + 1, ':') : NULL;
		if (path && (size_t)(path - of) == strlen(name) + 1 &&
		    strncmp(of + 1, name, strlen(name)) == 0 && path[1] == '/' && path[2] != '\n')
			return g_strndup(path + 1, strcspn(path + 1, "\n"));
	}
	return NULL;
}

char *spt_cgroup_of_text(const char *raw)
{
	char *path = path_in_hierarchy(raw, "");

	/* Machines with version 1 have their units there. */
	return path ? path : path_in_hierarchy(raw, "name=systemd");
}

char *spt_cgroup_read(SptProcFiles *files, uint32_t pid)
{
	size_t bytes;
	g_autofree char *raw = spt_proc_files_read(files, pid, "cgroup", CGROUP_BYTES, &bytes);

	return raw ? spt_cgroup_of_text(raw) : NULL;
}
