/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made anew each time; there are few. */
#include "crumbs.h"

#include <glib/gi18n.h>

#include "text.h"

struct _SptCrumbs {
	GtkBox parent_instance;
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

static void append_label(SptCrumbs *self, const char *text, bool is_last)
{
	GtkWidget *label = g_object_new(GTK_TYPE_LABEL, "label", text, "hexpand", is_last, "halign", is_last ? GTK_ALIGN_END :
					GTK_ALIGN_START, NULL);

	gtk_widget_add_css_class(label, "dim-label");
	gtk_widget_add_css_class(label, "numeric");
	gtk_box_append(GTK_BOX(self), label);
}

static void append_crumb(SptCrumbs *self, unsigned index, const char *text)
{
	GtkWidget *button = gtk_button_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
	GtkWidget *label = g_object_new(GTK_TYPE_LABEL, "label", text, "ellipsize", PANGO_ELLIPSIZE_MIDDLE, "max-width-chars", 40, NULL);
	g_autofree char *tooltip = g_strdup_printf(_("Take away: %s"), text);

	gtk_box_append(GTK_BOX(box), label);
	gtk_box_append(GTK_BOX(box), gtk_image_new_from_icon_name("window-close-symbolic"));
	gtk_button_set_child(GTK_BUTTON(button), box);
	gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "views.remove");
	gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "u", index);
	gtk_widget_set_tooltip_text(button, tooltip);
	gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip, -1);
	gtk_box_append(GTK_BOX(self), button);
}

void spt_crumbs_show(SptCrumbs *self, const SptDocument *document)
{
	unsigned n = spt_restrictions_n(document->look.restrictions);
	g_autofree char *part = spt_text_count(spt_profile_n_samples(document->profile));
	g_autofree char *all = spt_text_count(document->summary.samples);
	g_autofree char *count = g_strdup_printf(_("%s of %s samples"), part, all);
	GtkWidget *child;

	while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
		gtk_box_remove(GTK_BOX(self), child);
	append_label(self, _("Only"), false);
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *text = spt_restriction_describe(spt_restrictions_get(document->look.restrictions, i),
								 document->summary.start_ns);
		g_autofree char *made = NULL;

		append_crumb(self, i, spt_text_name(text, &made));
	}
	append_label(self, count, true);
	gtk_widget_set_visible(GTK_WIDGET(self), n > 0);
}
