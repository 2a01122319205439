/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The viewer needs GTK 4.8.  Only this file calls functions of later versions. */
#ifndef SPT_COMPAT_GTK_H
#define SPT_COMPAT_GTK_H

#include <gtk/gtk.h>
#include <stdbool.h>

static inline void spt_compat_align(GtkWidget *inscription)
{
	float xalign = (float)GPOINTER_TO_INT(g_object_get_data(G_OBJECT(inscription), "at-end"));

	gtk_inscription_set_xalign(GTK_INSCRIPTION(inscription),
				   gtk_widget_get_direction(inscription) == GTK_TEXT_DIR_RTL ?
					   1 - xalign :
					   xalign);
}

/*
 * Aligns it with the beginning or the end of the line, which differ from right to left.  Unlike
 * labels, inscriptions do not do that by themselves.
 */
static inline GtkWidget *spt_compat_aligned(GtkWidget *inscription, bool at_end)
{
	g_object_set_data(G_OBJECT(inscription), "at-end", GINT_TO_POINTER(at_end));
	g_signal_connect(inscription, "direction-changed", G_CALLBACK(spt_compat_align), NULL);
	spt_compat_align(inscription);
	return inscription;
}

/* Makes the row at @position visible. */
static inline void spt_compat_scroll_to(GtkColumnView *view, guint position)
{
#if GTK_CHECK_VERSION(4, 12, 0)
	G_GNUC_BEGIN_IGNORE_DEPRECATIONS
	gtk_column_view_scroll_to(view, position, NULL, GTK_LIST_SCROLL_NONE, NULL);
	G_GNUC_END_IGNORE_DEPRECATIONS
#else
	/* The list inside the view has the action; it is the view's last child. */
	gtk_widget_activate_action(gtk_widget_get_last_child(GTK_WIDGET(view)),
				   "list.scroll-to-item", "u", position);
#endif
}

#endif
