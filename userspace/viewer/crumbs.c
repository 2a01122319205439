/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rebuilt when there are more or fewer, and otherwise only relabelled: while a range is dragged
 * that happens in each frame.
 */
#include "crumbs.h"

#include <glib/gi18n.h>

#include "metrics.h"
#include "narrow.h"
#include "text.h"

/* Modes of display, which exclude nothing that is counted. */
static const struct {
	const char *text, *action;
} modes[] = {
	{ N_("System libraries are hidden"), "views.hides-system" },
	{ N_("Bottom-up"), "views.bottom-up" },
};

#define LEAST_CHARS 12 /* of a restriction in sight */

struct _SptCrumbs {
	GtkBox parent_instance;
	GtkWidget *label, *count;
	GtkWidget *crumbs; /* a button for each restriction, then one for each mode */
	GtkWidget *modes[G_N_ELEMENTS(modes)];
	unsigned n; /* restrictions */
};

G_DEFINE_FINAL_TYPE(SptCrumbs, spt_crumbs, GTK_TYPE_BOX)

static void spt_crumbs_class_init(G_GNUC_UNUSED SptCrumbsClass *class)
{
}

static GtkWidget *crumbs_new_label(void)
{
	GtkWidget *label = gtk_label_new(NULL);

	gtk_widget_add_css_class(label, "dim-label");
	gtk_widget_add_css_class(label, "numeric");
	return label;
}

static GtkLabel *label_of(GtkWidget *button)
{
	return GTK_LABEL(gtk_widget_get_first_child(gtk_button_get_child(GTK_BUTTON(button))));
}

/* Set when it is shown: setting it asks the display for the position of the mouse. */
static gboolean crumbs_on_query_tooltip(GtkWidget *button, G_GNUC_UNUSED int x, G_GNUC_UNUSED int y,
					G_GNUC_UNUSED gboolean by_keyboard, GtkTooltip *tooltip,
					G_GNUC_UNUSED gpointer data)
{
	g_autofree char *text =
		g_strdup_printf(_("Remove: %s"), gtk_label_get_text(label_of(button)));

	gtk_tooltip_set_text(tooltip, text);
	return TRUE;
}

/* @target: the action's parameter, or NULL. */
static GtkWidget *append_crumb(SptCrumbs *self, const char *action, GVariant *target)
{
	GtkWidget *button = gtk_button_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
	GtkWidget *label = g_object_new(GTK_TYPE_LABEL, "ellipsize", PANGO_ELLIPSIZE_MIDDLE,
					"max-width-chars", 40, NULL);

	gtk_box_append(GTK_BOX(box), label);
	gtk_box_append(GTK_BOX(box), gtk_image_new_from_icon_name("window-close-symbolic"));
	gtk_button_set_child(GTK_BUTTON(button), box);
	gtk_actionable_set_action_target_value(GTK_ACTIONABLE(button), target);
	gtk_actionable_set_action_name(GTK_ACTIONABLE(button), action);
	gtk_widget_set_has_tooltip(button, TRUE);
	g_signal_connect(button, "query-tooltip", G_CALLBACK(crumbs_on_query_tooltip), NULL);
	gtk_box_append(GTK_BOX(self->crumbs), button);
	return button;
}

static void set_text(GtkWidget *button, const char *text)
{
	g_autofree char *label = g_strdup_printf(_("Remove: %s"), text);

	gtk_label_set_text(label_of(button), text);
	/* In a narrow window they scroll, and can still be read. */
	gtk_label_set_width_chars(label_of(button), (int)MIN(g_utf8_strlen(text, -1), LEAST_CHARS));
	gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
				       -1);
}

static void crumbs_make(SptCrumbs *self, unsigned n)
{
	GtkWidget *child;

	while ((child = gtk_widget_get_first_child(self->crumbs)))
		gtk_box_remove(GTK_BOX(self->crumbs), child);
	for (unsigned i = 0; i < n; i++)
		append_crumb(self, "views.remove", g_variant_new_uint32(i));
	for (unsigned i = 0; i < G_N_ELEMENTS(modes); i++) {
		self->modes[i] = append_crumb(self, modes[i].action, NULL);
		set_text(self->modes[i], _(modes[i].text));
	}
	self->n = n;
}

/* The row is always there: nothing below it moves when a part is chosen. */
static void spt_crumbs_init(SptCrumbs *self)
{
	GtkWidget *scrolled;

	gtk_box_set_spacing(GTK_BOX(self), 6);
	gtk_widget_add_css_class(GTK_WIDGET(self), "crumbs");
	self->label = crumbs_new_label();
	self->count = crumbs_new_label();
	self->crumbs = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
	scrolled =
		g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", self->crumbs, "hscrollbar-policy",
			     GTK_POLICY_EXTERNAL, "vscrollbar-policy", GTK_POLICY_NEVER,
			     "propagate-natural-height", TRUE, "hexpand", TRUE, NULL);
	gtk_box_append(GTK_BOX(self), self->label);
	gtk_box_append(GTK_BOX(self), scrolled);
	/* The cross of the first one has no room beside it, and the status has the whole. */
	spt_narrow_show(self->count, false);
	gtk_box_append(GTK_BOX(self), self->count);
	crumbs_make(self, 0);
}

static bool has_focus(SptCrumbs *self)
{
	GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(self));
	GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;

	return focus && gtk_widget_is_ancestor(focus, GTK_WIDGET(self));
}

void spt_crumbs_show(SptCrumbs *self, SptDocument *document)
{
	const bool is_on[] = { document->look.arrangement.hides_system,
			       document->look.is_bottom_up };
	unsigned n = spt_restrictions_n(document->look.restrictions);
	g_autofree char *count = spt_metrics_part(document);
	bool had_focus = has_focus(self);
	GtkWidget *child;

	if (n != self->n)
		crumbs_make(self, n);
	child = gtk_widget_get_first_child(self->crumbs);
	for (unsigned i = 0; i < n; i++) {
		g_autofree char *text =
			spt_restriction_describe(spt_restrictions_get(document->look.restrictions,
								      i),
						 document->recording->summary.start_ns);
		g_autofree char *made = NULL;

		set_text(child, spt_text_name(text, &made));
		child = gtk_widget_get_next_sibling(child);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(modes); i++)
		gtk_widget_set_visible(self->modes[i], is_on[i]);
	gtk_label_set_text(GTK_LABEL(self->label), n ? _("Only") : _("Everything"));
	gtk_label_set_text(GTK_LABEL(self->count), n ? count : "");
	/* Not for an entry, which would take Ctrl+Z for its own text. */
	if (had_focus && !has_focus(self))
		gtk_widget_activate_action(GTK_WIDGET(self), "views.focus-page", NULL);
}
