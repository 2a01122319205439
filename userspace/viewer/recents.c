/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All programs share GTK's list and may show it in their dialogs; ours are known by the program
 * that added them.
 */
#include "recents.h"

#include <gtk/gtk.h>

#define KEPT 6
#define PROGRAM "Sysprof"

void spt_recents_add(const char *path)
{
	g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
	const GtkRecentData data = {
		.mime_type = (char *)"application/x-sysprof-trace-capture",
		.app_name = (char *)PROGRAM,
		.app_exec = (char *)"sysprof %f",
	};

	if (uri)
		gtk_recent_manager_add_full(gtk_recent_manager_get_default(), uri, &data);
}

static int compare_newest(gconstpointer a, gconstpointer b)
{
	GtkRecentInfo *x = *(GtkRecentInfo *const *)a, *y = *(GtkRecentInfo *const *)b;

	return g_date_time_compare(gtk_recent_info_get_modified(y),
				   gtk_recent_info_get_modified(x));
}

char **spt_recents_list(void)
{
	g_autolist(GtkRecentInfo) all =
		gtk_recent_manager_get_items(gtk_recent_manager_get_default());
	g_autoptr(GPtrArray) own = g_ptr_array_new();
	GPtrArray *paths = g_ptr_array_new();

	for (GList *at = all; at; at = at->next) {
		if (gtk_recent_info_has_application(at->data, PROGRAM) &&
		    gtk_recent_info_is_local(at->data))
			g_ptr_array_add(own, at->data);
	}
	g_ptr_array_sort(own, compare_newest);
	for (unsigned i = 0; i < own->len && paths->len < KEPT; i++) {
		g_autofree char *path =
			g_filename_from_uri(gtk_recent_info_get_uri(own->pdata[i]), NULL, NULL);

		if (path && g_file_test(path, G_FILE_TEST_IS_REGULAR))
			g_ptr_array_add(paths, g_steal_pointer(&path));
	}
	g_ptr_array_add(paths, NULL);
	return (char **)g_ptr_array_free(paths, FALSE);
}
