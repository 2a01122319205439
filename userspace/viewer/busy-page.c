/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "busy-page.h"

#include <glib/gi18n.h>

#include "opening.h"

struct _SptBusyPage {
	GtkBox parent_instance;
	GtkWidget *title, *bar, *skip, *cancel;
	GCancellable *cancellable;
	char *text;			/* the title while nothing is fetched */
};

G_DEFINE_FINAL_TYPE(SptBusyPage, spt_busy_page, GTK_TYPE_BOX)

static void busy_page_on_skip(SptBusyPage *self)
{
	spt_opening_skip_downloads(self->cancellable);
	gtk_widget_grab_focus(self->cancel);
}

static gboolean busy_page_grab_focus(GtkWidget *widget)
{
	return gtk_widget_grab_focus(SPT_BUSY_PAGE(widget)->cancel);
}

static void busy_page_dispose(GObject *object)
{
	g_clear_object(&SPT_BUSY_PAGE(object)->cancellable);
	g_clear_pointer(&SPT_BUSY_PAGE(object)->text, g_free);
	G_OBJECT_CLASS(spt_busy_page_parent_class)->dispose(object);
}

static void spt_busy_page_class_init(SptBusyPageClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = busy_page_dispose;
	widget_class->grab_focus = busy_page_grab_focus;
	gtk_widget_class_set_template_from_resource(
		widget_class, "/io/github/sysprof_trace/Sysprof/busy-page.ui");
	gtk_widget_class_bind_template_child(widget_class, SptBusyPage, title);
	gtk_widget_class_bind_template_child(widget_class, SptBusyPage, bar);
	gtk_widget_class_bind_template_child(widget_class, SptBusyPage, skip);
	gtk_widget_class_bind_template_child(widget_class, SptBusyPage, cancel);
	gtk_widget_class_bind_template_callback(widget_class, busy_page_on_skip);
}

static void spt_busy_page_init(SptBusyPage *self)
{
	gtk_widget_init_template(GTK_WIDGET(self));
}

void spt_busy_page_begin(SptBusyPage *self, GCancellable *cancellable, const char *title)
{
	g_set_object(&self->cancellable, cancellable);
	g_free(self->text);
	self->text = g_strdup(title);
	spt_busy_page_update(self);
}

void spt_busy_page_update(SptBusyPage *self)
{
	g_autofree char *doing = spt_opening_doing(self->cancellable);

	gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->bar),
				      spt_opening_done(self->cancellable));
	gtk_label_set_text(GTK_LABEL(self->title), doing ? doing : self->text);
	gtk_widget_set_visible(self->skip, doing != NULL);
}
