/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A surface has its size before its window is laid out in it, so that happens once. */
#include "narrow.h"

#include "compat-gtk.h"

/* Of a window: what is not for the content of a limited height, a page with some rows included. */
#define REST	    400
#define REST_NARROW 490
#define LEAST_HEIGHT 150

static void on_size(GtkWindow *window)
{
	GdkSurface *surface = gtk_native_get_surface(GTK_NATIVE(window));
	double margin_x, margin_y;

	/* The shadow is part of the surface. */
	gtk_native_get_surface_transform(GTK_NATIVE(window), &margin_x, &margin_y);
	g_object_set(window, "narrow",
		     gdk_surface_get_width(surface) - 2 * margin_x < SPT_NARROW_BELOW, NULL);
}

static void on_realize(GtkWindow *window)
{
	g_signal_connect_object(gtk_native_get_surface(GTK_NATIVE(window)), "notify::width",
				G_CALLBACK(on_size), window, G_CONNECT_SWAPPED);
}

void spt_narrow_watch(GtkWindow *window)
{
	int width, height;

	/* A widget in the wide form keeps the window wider than necessary at first. */
	gtk_window_get_default_size(window, &width, &height);
	g_object_set(window, "narrow", width < SPT_NARROW_BELOW, NULL);
	g_signal_connect(window, "realize", G_CALLBACK(on_realize), NULL);
}

static bool narrow_knows(GtkRoot *root)
{
	return root && g_object_class_find_property(G_OBJECT_GET_CLASS(root), "narrow");
}

static gboolean to_orientation(G_GNUC_UNUSED GBinding *binding, const GValue *narrow,
			       GValue *orientation, G_GNUC_UNUSED gpointer data)
{
	g_value_set_enum(orientation, g_value_get_boolean(narrow) ? GTK_ORIENTATION_VERTICAL :
								    GTK_ORIENTATION_HORIZONTAL);
	return TRUE;
}

static void bind_orientation(GtkWidget *widget)
{
	GtkRoot *root = gtk_widget_get_root(widget);

	if (narrow_knows(root))
		g_object_bind_property_full(root, "narrow", widget, "orientation",
					    G_BINDING_SYNC_CREATE, to_orientation, NULL, NULL,
					    NULL);
}

void spt_narrow_stack(GtkWidget *orientable)
{
	g_signal_connect(orientable, "notify::root", G_CALLBACK(bind_orientation), NULL);
	bind_orientation(orientable);
}

static void bind_visible(GtkWidget *widget, G_GNUC_UNUSED GParamSpec *spec, gpointer is_narrow)
{
	GtkRoot *root = gtk_widget_get_root(widget);

	if (narrow_knows(root))
		g_object_bind_property(root, "narrow", widget, "visible",
				       is_narrow ?
					       G_BINDING_SYNC_CREATE :
					       G_BINDING_SYNC_CREATE | G_BINDING_INVERT_BOOLEAN);
}

void spt_narrow_show(GtkWidget *widget, bool is_narrow)
{
	g_signal_connect(widget, "notify::root", G_CALLBACK(bind_visible),
			 GINT_TO_POINTER(is_narrow));
	bind_visible(widget, NULL, GINT_TO_POINTER(is_narrow));
}

static void limit_height(GtkScrolledWindow *scrolled)
{
	GtkWidget *root = GTK_WIDGET(gtk_widget_get_root(GTK_WIDGET(scrolled)));
	int height = gdk_surface_get_height(gtk_native_get_surface(GTK_NATIVE(root)));
	gboolean is_narrow;

	g_object_get(root, "narrow", &is_narrow, NULL);
	height -= is_narrow ? REST_NARROW : REST;
	gtk_scrolled_window_set_max_content_height(scrolled, MAX(height, LEAST_HEIGHT));
}

static void watch_height(GtkWidget *scrolled)
{
	GtkRoot *root = gtk_widget_get_root(scrolled);

	g_signal_connect_object(gtk_native_get_surface(GTK_NATIVE(root)), "notify::height",
				G_CALLBACK(limit_height), scrolled, G_CONNECT_SWAPPED);
	g_signal_connect_object(root, "notify::narrow", G_CALLBACK(limit_height), scrolled,
				G_CONNECT_SWAPPED);
	limit_height(GTK_SCROLLED_WINDOW(scrolled));
}

void spt_narrow_limit_height(GtkScrolledWindow *scrolled)
{
	g_signal_connect(scrolled, "realize", G_CALLBACK(watch_height), NULL);
}

/* GTK 4.8 would keep the space of a hidden column. */
static void narrow_follow(GtkColumnViewColumn *column)
{
	GtkColumnView *view = g_object_get_data(G_OBJECT(column), "view");
	GtkRoot *root = gtk_widget_get_root(GTK_WIDGET(view));
	gboolean is_narrow = FALSE;

	if (!narrow_knows(root))
		return;
	g_object_get(root, "narrow", &is_narrow, NULL);
	if (is_narrow && gtk_column_view_column_get_column_view(column))
		gtk_column_view_remove_column(view, column);
	else if (!is_narrow && !gtk_column_view_column_get_column_view(column))
		gtk_column_view_insert_column(
			view, GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(column), "position")),
			column);
}

static void bind_column(GtkWidget *view, G_GNUC_UNUSED GParamSpec *spec,
			GtkColumnViewColumn *column)
{
	GtkRoot *root = gtk_widget_get_root(view);

	if (!narrow_knows(root))
		return;
	g_signal_connect_object(root, "notify::narrow", G_CALLBACK(narrow_follow), column,
				G_CONNECT_SWAPPED);
	narrow_follow(column);
}

void spt_narrow_hide_column(GtkColumnView *view, GtkColumnViewColumn *column)
{
	unsigned position = g_list_model_get_n_items(gtk_column_view_get_columns(view));
	g_autofree char *key = g_strdup_printf("narrow-column-%u", position);

	g_object_set_data(G_OBJECT(column), "view", view);
	g_object_set_data(G_OBJECT(column), "position", GUINT_TO_POINTER(position));
	g_object_set_data_full(G_OBJECT(view), key, g_object_ref(column), g_object_unref);
	g_signal_connect_object(view, "notify::root", G_CALLBACK(bind_column), column, 0);
	bind_column(GTK_WIDGET(view), NULL, column);
}
