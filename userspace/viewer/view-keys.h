/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of the views, their scrolling, and names of their actions' states. */
#ifndef SPT_VIEW_KEYS_H
#define SPT_VIEW_KEYS_H

#include <gtk/gtk.h>

/* Keys that work wherever the keyboard focus is in the window. */
GtkEventController *spt_view_keys_new(void);
/*
 * Keeps a scrolled window from scrolling to a child that has the focus: a large one would scroll to
 * another end whenever its size changes.
 */
void spt_view_stay(GtkWidget *scrolled);
/* The index in @names (@n of them) of the text of @value; the last one if it is none of them. */
unsigned spt_view_number_of(const GValue *value, const char *const *names, unsigned n);

/* Copies a text: "views.copy", as in gtk_widget_class_install_action(). */
void spt_view_copy(GtkWidget *widget, const char *action, GVariant *text);

#endif
