/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame of a pane; functions.c, callers.c and descendants.c fill it. */
#include "pane.h"

#include <string.h>

#include "columns.h"

typedef struct {
	GtkWidget *header, *title, *empty;
	GtkColumnView *view;
} SptPanePrivate;

G_DEFINE_TYPE_WITH_PRIVATE(SptPane, spt_pane, GTK_TYPE_BOX)

static unsigned function_activated;

static SptPanePrivate *pane_get(SptPane *pane)
{
	return spt_pane_get_instance_private(pane);
}

static void on_activate(GtkColumnView *view, unsigned position, SptPane *pane)
{
	g_autoptr(GObject) item =
		g_list_model_get_item(G_LIST_MODEL(gtk_column_view_get_model(view)), position);
	g_autoptr(SptRow) row = item ? spt_columns_row(item) : NULL;

	if (row)
		g_signal_emit(pane, function_activated, 0, spt_row_values(row)->function);
}

static void pane_dispose(GObject *object)
{
	SptPane *pane = SPT_PANE(object);

	/* Disconnects while everything that a last change of the model may call still exists. */
	if (pane_get(pane)->view)
		gtk_column_view_set_model(pane_get(pane)->view, NULL);
	G_OBJECT_CLASS(spt_pane_parent_class)->dispose(object);
}

static void spt_pane_class_init(SptPaneClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = pane_dispose;
	gtk_widget_class_set_template_from_resource(widget_class,
						    "/io/github/sysprof_trace/Sysprof/pane.ui");
	gtk_widget_class_bind_template_child_private(widget_class, SptPane, header);
	gtk_widget_class_bind_template_child_private(widget_class, SptPane, title);
	gtk_widget_class_bind_template_child_private(widget_class, SptPane, empty);
	gtk_widget_class_bind_template_child_private(widget_class, SptPane, view);
	gtk_widget_class_bind_template_callback(widget_class, on_activate);
	function_activated = g_signal_new("function-activated", SPT_TYPE_PANE, G_SIGNAL_RUN_LAST, 0,
					  NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void spt_pane_init(SptPane *pane)
{
	gtk_widget_init_template(GTK_WIDGET(pane));
}

GtkColumnView *spt_pane_view(SptPane *pane)
{
	return pane_get(pane)->view;
}

GtkWidget *spt_pane_header(SptPane *pane)
{
	return pane_get(pane)->header;
}

void spt_pane_add_header(SptPane *pane, GtkWidget *widget)
{
	gtk_box_append(GTK_BOX(pane_get(pane)->header), widget);
}

void spt_pane_set_title(SptPane *pane, const char *text)
{
	if (strcmp(gtk_label_get_text(GTK_LABEL(pane_get(pane)->title)), text) == 0)
		return;
	gtk_label_set_text(GTK_LABEL(pane_get(pane)->title), text);
	gtk_widget_set_tooltip_text(pane_get(pane)->title, text);
	gtk_accessible_update_property(GTK_ACCESSIBLE(pane_get(pane)->view),
				       GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

void spt_pane_explain(SptPane *pane, const char *text)
{
	GtkWidget *title = pane_get(pane)->title;

	gtk_widget_set_tooltip_text(title, text ? text : gtk_label_get_text(GTK_LABEL(title)));
}

void spt_pane_set_empty_text(SptPane *pane, const char *text)
{
	gtk_label_set_text(GTK_LABEL(pane_get(pane)->empty), text);
}

void spt_pane_show_empty(SptPane *pane, gboolean is_empty)
{
	gtk_widget_set_visible(pane_get(pane)->empty, is_empty);
}

void spt_pane_set_model(SptPane *pane, GtkSelectionModel *model)
{
	SptPanePrivate *self = pane_get(pane);
	GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(pane));
	GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
	bool had_focus =
		focus &&
		gtk_widget_is_ancestor(focus, gtk_widget_get_last_child(GTK_WIDGET(self->view)));

	gtk_column_view_set_model(self->view, model);
	spt_pane_show_empty(pane, model && g_list_model_get_n_items(G_LIST_MODEL(model)) == 0);
	/* The row with the focus was removed; the keyboard stays in this pane. */
	if (had_focus)
		gtk_widget_grab_focus(GTK_WIDGET(self->view));
}

void spt_pane_start_anew(SptPane *pane, bool from_top)
{
	GtkColumnView *view = pane_get(pane)->view;

	gtk_single_selection_set_selected(GTK_SINGLE_SELECTION(gtk_column_view_get_model(view)),
					  GTK_INVALID_LIST_POSITION);
	if (from_top)
		gtk_adjustment_set_value(gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(view)), 0);
}
