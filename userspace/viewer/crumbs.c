/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made anew when there are more or fewer, and else only written anew: while a range is dragged that
 * is for each frame.
 */
#include "crumbs.h"

#include <glib/gi18n.h>

#include "text.h"

struct _SptCrumbs {
	GtkBox parent_instance;
	unsigned n;
};

G_DEFINE_FINAL_TYPE(SptCrumbs, spt_crumbs, GTK_TYPE_BOX)

static void spt_crumbs_class_init(G_GNUC_UNUSED SptCrumbsClass *class)
{
}

static void spt_crumbs_init(SptCrumbs *self)
{
	gtk_box_set_spacing(GTK_BOX(self), 6);
	gtk_widget_add_css_class(GTK_WIDGET(self), "crumbs");
	gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

static void append_label(SptCrumbs *self, bool is_last)
{
	GtkWidget *label = g_object_new(GTK_TYPE_LABEL, "hexpand", is_last, "halign",
					is_last ? GTK_ALIGN_END : GTK_ALIGN_START, NULL);

	gtk_widget_add_css_class(label, "dim-label");
	gtk_widget_add_css_class(label, "numeric");
	gtk_box_append(GTK_BOX(self), label);
}

static GtkLabel *label_of(GtkWidget *button)
{
	return GTK_LABEL(gtk_widget_get_first_child(gtk_button_get_child(GTK_BUTTON(button))));
}

/* Asked for when it is to be seen: to set it asks the display where the mouse is. */
static gboolean on_query_tooltip(GtkWidget *button, G_GNUC_UNUSED int x, G_GNUC_UNUSED int y,
				 G_GNUC_UNUSED gboolean by_keyboard, GtkTooltip *tooltip,
				 G_GNUC_UNUSED gpointer data)
{
	g_autofree char *text =
		g_strdup_printf(_("Take away: %s"), gtk_label_get_text(label_of(button)));

	gtk_tooltip_set_text(tooltip, text);
	return TRUE;
}

static void append_crumb(SptCrumbs *self, unsigned index)
{
	GtkWidget *button = gtk_button_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
	GtkWidget *label = g_object_new(GTK_TYPE_LABEL, "ellipsize", PANGO_ELLIPSIZE_MIDDLE,
					"max-width-chars", 40, NULL);

	gtk_box_append(GTK_BOX(box), label);
	gtk_box_append(GTK_BOX(box), gtk_image_new_from_icon_name("window-close-symbolic"));
	gtk_button_set_child(GTK_BUTTON(button), box);
	gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "views.remove");
	gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "u", index);
	gtk_widget_set_has_tooltip(button, TRUE);
	g_signal_connect(button, "query-tooltip", G_CALLBACK(on_query_tooltip), NULL);
	gtk_box_append(GTK_BOX(self), button);
}

static void set_text(GtkWidget *button, const char *text)
{
	g_autofree char *label = g_strdup_printf(_("Take away: %s"), text);

	gtk_label_set_text(label_of(button), text);
	gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
				       -1);
}

/* "Only", a button for each of @n, and how much that is. */
static void make(SptCrumbs *self, unsigned n)
{
	GtkWidget *child;

	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_box_remove(GTK_BOX(self), child);
	append_label(self, false);
	for (unsigned i = 0; i < n; i++)
		append_crumb(self, i);
	append_label(self, true);
	gtk_label_set_text(GTK_LABEL(gtk_widget_get_first_child(GTK_WIDGET(self))), _("Only"));
	gtk_widget_set_visible(GTK_WIDGET(self), n > 0);
	self->n = n;
}

void spt_crumbs_show(SptCrumbs *self, const SptDocument *document)
{
	unsigned n = spt_restrictions_n(document->look.restrictions);
	g_autofree char *part = spt_text_count(spt_profile_n_samples(document->profile));
	g_autofree char *all = spt_text_count(document->summary.samples);
	g_autofree char *count = g_strdup_printf(_("%s of %s samples"), part, all);
	GtkWidget *child;

	if (n != self->n || !gtk_widget_get_first_child(GTK_WIDGET(self)))
		make(self, n);
	child = gtk_widget_get_first_child(GTK_WIDGET(self));
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *text =
			spt_restriction_describe(spt_restrictions_get(document->look.restrictions,
								      i),
						 document->summary.start_ns);
		g_autofree char *made = NULL;

		child = gtk_widget_get_next_sibling(child);
		set_text(child, spt_text_name(text, &made));
	}
	gtk_label_set_text(GTK_LABEL(gtk_widget_get_last_child(GTK_WIDGET(self))), count);
}
