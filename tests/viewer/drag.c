// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * drag FILE...: a window from which these files can be dragged, as from a file manager.
 */
#include <gtk/gtk.h>

int main(int argc, char **argv)
{
	g_autoptr(GString) list = g_string_new(NULL);
	g_autoptr(GBytes) bytes = NULL;
	GdkContentProvider *content;
	GtkDragSource *source;
	GtkWidget *window;

	for (int i = 1; i < argc; i++) {
		g_autoptr(GFile) file = g_file_new_for_commandline_arg(argv[i]);
		g_autofree char *uri = g_file_get_uri(file);

		g_string_append_printf(list, "%s\r\n", uri);
	}
	gtk_init();
	window = gtk_window_new();
	gtk_window_set_title(GTK_WINDOW(window), "Files to Drag");
	gtk_window_set_decorated(GTK_WINDOW(window), FALSE);
	gtk_window_set_default_size(GTK_WINDOW(window), 120, 120);
	bytes = g_bytes_new(list->str, list->len);
	content = gdk_content_provider_new_for_bytes("text/uri-list", bytes);
	source = gtk_drag_source_new();
	gtk_drag_source_set_content(source, content);
	g_object_unref(content);
	gtk_widget_add_controller(window, GTK_EVENT_CONTROLLER(source));
	gtk_window_present(GTK_WINDOW(window));
	for (;;)
		g_main_context_iteration(NULL, TRUE);
}
