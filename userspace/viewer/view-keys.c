/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each key activates an action that views.c installs. */
#include "view-keys.h"

static const struct {
	guint key;
	GdkModifierType modifiers;
	const char *action;
} keys[] = {
	{ GDK_KEY_z, GDK_CONTROL_MASK, "views.undo" },
	{ GDK_KEY_z, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "views.redo" },
	{ GDK_KEY_e, GDK_CONTROL_MASK, "views.only-selected" },
	{ GDK_KEY_e, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "views.everything" },
	{ GDK_KEY_b, GDK_CONTROL_MASK, "views.bottom-up" },
	{ GDK_KEY_l, GDK_CONTROL_MASK, "views.hides-system" },
	{ GDK_KEY_m, GDK_CONTROL_MASK, "views.heat-map" },
	{ GDK_KEY_t, GDK_CONTROL_MASK, "views.fold" },
};

GtkEventController *spt_view_keys_new(void)
{
	GtkEventController *controller = gtk_shortcut_controller_new();

	gtk_shortcut_controller_set_scope(GTK_SHORTCUT_CONTROLLER(controller),
					  GTK_SHORTCUT_SCOPE_GLOBAL);
	for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++)
		gtk_shortcut_controller_add_shortcut(
			GTK_SHORTCUT_CONTROLLER(controller),
			gtk_shortcut_new(gtk_keyval_trigger_new(keys[i].key, keys[i].modifiers),
					 gtk_named_action_new(keys[i].action)));
	return controller;
}

void spt_view_copy(GtkWidget *widget, G_GNUC_UNUSED const char *action, GVariant *text)
{
	gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), g_variant_get_string(text, NULL));
}

void spt_view_stay(GtkWidget *scrolled)
{
	gtk_viewport_set_scroll_to_focus(
		GTK_VIEWPORT(gtk_scrolled_window_get_child(GTK_SCROLLED_WINDOW(scrolled))), FALSE);
}

unsigned spt_view_number_of(const GValue *value, const char *const *names, unsigned n)
{
	unsigned i = 0;

	while (i + 1 < n && g_strcmp0(g_value_get_string(value), names[i]) != 0)
		i++;
	return i;
}
