/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every view shows the same document. */
#include "views.h"

#include <string.h>

#include "flame-pane.h"
#include "panes.h"

struct _SptViews {
	GtkWidget parent_instance;
	GtkStack *stack;
	SptPanes *panes;
	SptFlamePane *flame;
};

G_DEFINE_FINAL_TYPE(SptViews, spt_views, GTK_TYPE_WIDGET)

static void on_function_activated(SptViews *self, unsigned function)
{
	spt_views_show(self, "functions");
	spt_panes_select(self->panes, function);
}

static void dispose(GObject *object)
{
	SptViews *self = SPT_VIEWS(object);
	GtkWidget *child;

	gtk_widget_dispose_template(GTK_WIDGET(self), SPT_TYPE_VIEWS);
	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_widget_unparent(child);
	G_OBJECT_CLASS(spt_views_parent_class)->dispose(object);
}

static void spt_views_class_init(SptViewsClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	g_type_ensure(SPT_TYPE_PANES);
	g_type_ensure(SPT_TYPE_FLAME_PANE);
	G_OBJECT_CLASS(class)->dispose = dispose;
	gtk_widget_class_set_layout_manager_type(widget_class, GTK_TYPE_BIN_LAYOUT);
	gtk_widget_class_set_template_from_resource(widget_class, "/io/github/sysprof_trace/Sysprof/views.ui");
	gtk_widget_class_bind_template_child(widget_class, SptViews, stack);
	gtk_widget_class_bind_template_child(widget_class, SptViews, panes);
	gtk_widget_class_bind_template_child(widget_class, SptViews, flame);
	gtk_widget_class_bind_template_callback(widget_class, on_function_activated);
}

static void spt_views_init(SptViews *self)
{
	gtk_widget_init_template(GTK_WIDGET(self));
}

void spt_views_set_document(SptViews *self, SptDocument *document)
{
	spt_panes_set_document(self->panes, document);
	spt_flame_pane_set_document(self->flame, document);
}

void spt_views_focus_search(SptViews *self)
{
	if (strcmp(gtk_stack_get_visible_child_name(self->stack), "flame") == 0)
		spt_flame_pane_focus_search(self->flame);
	else
		spt_panes_focus_search(self->panes);
}

void spt_views_show(SptViews *self, const char *name)
{
	gtk_stack_set_visible_child_name(self->stack, name);
	gtk_widget_child_focus(gtk_stack_get_visible_child(self->stack), GTK_DIR_TAB_FORWARD);
}

GtkStack *spt_views_stack(SptViews *self)
{
	return self->stack;
}
