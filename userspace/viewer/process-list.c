/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of /proc, which may change while it is read: processes that exited by then are missing. */
#include "process-list.h"

#include <string.h>

#include "text.h"

static int compare(gconstpointer a, gconstpointer b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

static char *read_file(uint32_t pid, const char *name)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/%s", pid, name);
	char *text = NULL;

	g_file_get_contents(path, &text, NULL, NULL);
	return text;
}

/* A thread of the kernel has no command line. */
static char *describe(uint32_t pid)
{
	g_autofree char *line = read_file(pid, "cmdline"), *name = read_file(pid, "comm"),
			*made = NULL;

	if (!line || !*line || !name)
		return NULL;
	return g_strdup_printf("%s (%u)", spt_text_name(g_strchomp(name), &made), pid);
}

GArray *spt_process_list(GtkStringList *names)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GArray *listed = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		uint32_t pid = (uint32_t)g_ascii_strtoull(entry, NULL, 10);

		if (pid)
			g_array_append_val(all, pid);
	}
	g_array_sort(all, compare);
	for (unsigned i = 0; i < all->len; i++) {
		uint32_t pid = g_array_index(all, uint32_t, i);
		g_autofree char *text = describe(pid);

		if (!text)
			continue;
		gtk_string_list_append(names, text);
		g_array_append_val(listed, pid);
	}
	return listed;
}
