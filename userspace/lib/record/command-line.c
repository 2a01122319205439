/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program has written over its arguments is one text, as a rule, and stays as it is. */
#include "record/command-line.h"

#include <fcntl.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/capture.h"

#define PLAIN G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_@%+=:,./-"

static void append_argument(GString *text, const char *argument)
{
	g_autofree char *quoted = *argument && strspn(argument, PLAIN) == strlen(argument) ?
					  g_strdup(argument) :
					  g_shell_quote(argument);

	g_string_append(text, text->len ? " " : "");
	g_string_append(text, quoted);
}

char *spt_command_line_read(uint32_t pid)
{
	char path[32], raw[SPT_COMMAND_LINE_BYTES + 1];
	GString *text;
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	bytes = read(fd, raw, SPT_COMMAND_LINE_BYTES);
	close(fd);
	if (bytes <= 0)
		return NULL;
	raw[bytes] = '\0';
	if (strlen(raw) + 1 >= (size_t)bytes)
		return g_strdup(raw);
	text = g_string_new(NULL);
	for (const char *at = raw; at < raw + bytes; at += strlen(at) + 1)
		append_argument(text, at);
	if (bytes == SPT_COMMAND_LINE_BYTES && raw[bytes - 1])
		g_string_append(text, " ...");
	return g_string_free(text, FALSE);
}
