/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GTK before 4.14 adds shortcuts to such a window by nothing but the text of which it is built. */
#include "shortcuts.h"

#include <glib/gi18n.h>

#include "pages.h"

#define OVERLAY "/io/github/sysprof_trace/Sysprof/help-overlay.ui"
#define MARK	"<!-- pages -->"

static char *text_of_pages(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const SptPage *page;

	for (unsigned i = 0; (page = spt_page(i)); i++) {
		const char *shown = page->help ? page->help : page->title;
		g_autofree char *title = g_markup_escape_text(_(shown), -1);

		if (!page->key)
			continue;
		g_string_append_printf(text,
				       "<child><object class=\"GtkShortcutsShortcut\">"
				       "<property name=\"title\">%s</property>"
				       "<property name=\"action-name\">win.show-view::%s</property>"
				       "</object></child>",
				       title, page->name);
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

void spt_shortcuts_set(GtkApplicationWindow *window)
{
	g_autoptr(GBytes) bytes =
		g_resources_lookup_data(OVERLAY, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
	g_auto(GStrv) around = g_strsplit(g_bytes_get_data(bytes, NULL), MARK, 2);
	g_autofree char *pages = text_of_pages(), *all = g_strjoinv(pages, around);
	g_autoptr(GtkBuilder) builder = gtk_builder_new_from_string(all, -1);

	gtk_application_window_set_help_overlay(
		window, GTK_SHORTCUTS_WINDOW(gtk_builder_get_object(builder, "help_overlay")));
}
