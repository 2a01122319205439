/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events.h"

#include <glib/gi18n.h>

#include "pages.h"

struct _SptEvents {
	GtkBox parent_instance;
	GtkStack *stack;
};

G_DEFINE_FINAL_TYPE(SptEvents, spt_events, GTK_TYPE_BOX)

static void spt_events_class_init(G_GNUC_UNUSED SptEventsClass *class)
{
}

static void spt_events_init(SptEvents *self)
{
	GtkWidget *stack = gtk_stack_new();

	self->stack = GTK_STACK(stack);
	gtk_stack_set_vhomogeneous(self->stack, FALSE);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	gtk_box_append(GTK_BOX(self), spt_pages_switcher(self->stack));
	gtk_box_append(GTK_BOX(self), stack);
}

GtkStack *spt_events_stack(SptEvents *self)
{
	return self->stack;
}

static GtkWidget *events_new(void)
{
	return g_object_new(SPT_TYPE_EVENTS, NULL);
}

const SptPage spt_page_events = {
	.name = "events",
	.title = N_("Events"),
	.help = N_("Stacks, losses and other events"),
	.key = "<Alt>4",
	.new = events_new,
	.icon = "spt-events-symbolic",
};
