/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The popover belongs to the pane and not to the cell: a choice in it may change the table, and so
 * the cells, before the popover is closed.
 */
#include "row-menu.h"

#include <glib/gi18n.h>

#include "columns.h"
#include "pane.h"
#include "text.h"

#define NAME_MAX_CHARS 40

/* Popovers that are not closed yet. */
static unsigned n_open;

static gboolean unparent(gpointer popover)
{
	if (gtk_widget_get_parent(popover))
		gtk_widget_unparent(popover);
	return G_SOURCE_REMOVE;
}

/* The choice took effect after the popover was closed. */
static void on_closed(GtkWidget *popover)
{
	n_open--;
	g_idle_add_full(G_PRIORITY_LOW, unparent, g_object_ref(popover), g_object_unref);
}

/* In a menu; an underscore would be a mnemonic there. */
static char *row_menu_short_name(const char *name)
{
	g_autofree char *made = NULL, *cut = NULL;
	g_auto(GStrv) parts = NULL;
	const char *shown = spt_text_name(name, &made);

	if (g_utf8_strlen(shown, -1) > NAME_MAX_CHARS)
		cut = g_strdup_printf(
			"%.*s\xe2\x80\xa6",
			(int)(g_utf8_offset_to_pointer(shown, NAME_MAX_CHARS) - shown), shown);
	parts = g_strsplit(cut ? cut : shown, "_", -1);
	return g_strjoinv("__", parts);
}

static void row_menu_add_place(GMenu *menu, const char *label, const char *view, uint32_t function)
{
	g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);

	g_menu_item_set_action_and_target(item, "views.show-function", "(su)", view, function);
	g_menu_append_item(menu, item);
}

static void row_menu_add_shape(GMenu *menu, const char *label, const char *action,
			       uint32_t function)
{
	g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);

	g_menu_item_set_action_and_target(item, action, "u", function);
	g_menu_append_item(menu, item);
}

/* Functions of a comparison have numbers of their own, which no other page knows. */
static GMenuModel *new_model_of_comparison(const SptFunction *function)
{
	g_autofree char *made = NULL;
	g_autoptr(GMenuItem) copy = g_menu_item_new(_("_Copy Name"), NULL);
	GMenu *menu = g_menu_new();

	g_menu_item_set_action_and_target(copy, "views.copy", "s",
					  spt_text_name(function->name, &made));
	g_menu_append_item(menu, copy);
	return G_MENU_MODEL(menu);
}

static GMenuModel *new_model(const SptRow *row)
{
	const SptFunction *function = spt_row_function(row);
	g_autofree char *made = NULL;
	g_autofree char *name = row_menu_short_name(function->name);
	g_autofree char *keep =
		g_strdup_printf(function->is_process ? _("_Keep only process %s") :
						       _("_Keep only stacks with %s"),
				name);
	g_autoptr(GMenuItem) only = g_menu_item_new(keep, NULL);
	g_autoptr(GMenuItem) copy = g_menu_item_new(_("_Copy Name"), NULL);
	GMenu *menu = g_menu_new();

	g_menu_item_set_action_and_target(only, "views.only", "u", spt_row_values(row)->function);
	g_menu_item_set_action_and_target(copy, "views.copy", "s",
					  spt_text_name(function->name, &made));
	if (!function->is_process) {
		row_menu_add_place(menu, _("Show _Source"), "source",
				   spt_row_values(row)->function);
		row_menu_add_place(menu, _("Show in _Flame Graph"), "flame",
				   spt_row_values(row)->function);
		row_menu_add_place(menu, _("Show S_tacks"), "stacks",
				   spt_row_values(row)->function);
	}
	g_menu_append_item(menu, only);
	if (!function->is_process) {
		row_menu_add_shape(menu, _("_Begin Stacks at It"), "views.begin-at",
				   spt_row_values(row)->function);
		row_menu_add_shape(menu, _("_Hide It"), "views.hide",
				   spt_row_values(row)->function);
	}
	g_menu_append_item(menu, copy);
	return G_MENU_MODEL(menu);
}

bool spt_row_menu_is_open(void)
{
	return n_open > 0;
}

static void row_menu_on_pressed(GtkGestureClick *click, G_GNUC_UNUSED int n, double x, double y,
				GtkListItem *item)
{
	GtkWidget *cell = gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(click));
	GtkWidget *pane = gtk_widget_get_ancestor(cell, SPT_TYPE_PANE), *popover;
	gpointer model_item = gtk_list_item_get_item(item);
	g_autoptr(SptRow) row = model_item ? spt_columns_row(model_item) : NULL;
	g_autoptr(GMenuModel) model = NULL;

	if (!row || !pane)
		return;
	model = spt_row_difference(row) ? new_model_of_comparison(spt_row_function(row)) :
					  new_model(row);
	popover = gtk_popover_menu_new_from_model(model);
	gtk_widget_translate_coordinates(cell, pane, x, y, &x, &y);
	gtk_widget_set_parent(popover, pane);
	gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
	gtk_popover_set_pointing_to(GTK_POPOVER(popover), &(GdkRectangle){ (int)x, (int)y, 1, 1 });
	g_signal_connect(popover, "closed", G_CALLBACK(on_closed), NULL);
	n_open++;
	gtk_popover_popup(GTK_POPOVER(popover));
}

void spt_row_menu_attach(GtkWidget *cell, GtkListItem *item)
{
	GtkGesture *click = gtk_gesture_click_new();

	gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
	g_signal_connect(click, "pressed", G_CALLBACK(row_menu_on_pressed), item);
	gtk_widget_add_controller(cell, GTK_EVENT_CONTROLLER(click));
}
