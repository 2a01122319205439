/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GtkPaned does not say who moved its handle: it also moves when the window gets smaller, which is
 * no request of the user's.  So it is looked at before and after each press of a button.
 */
#include "split.h"

#include <adwaita.h>

#include "state.h"

#define NONE (-1)			/* the state: nobody has moved it */
/* The part of the height that a start child that fits has at most until the handle is moved. */
#define FIT_MOST 0.3
#define FIT_LARGE 0.4			/* if it has much to show */
#define FIT_LEAST 0.22			/* in a low window, of which the end child has END_HEIGHT */
#define END_HEIGHT 330
#define FIT_FIRST 200			/* before the height is known */

struct split {
	GtkPaned *paned;
	const char *key;
	int before;			/* the position when a button was pressed */
	bool is_moved;			/* by somebody, now or earlier */
	int most;			/* height of the start child while nobody has moved it */
	bool is_large;			/* it has much to show */
	double share;			/* of a start child that has one */
	int least;			/* height of that, as far as there is room */
	unsigned fit_source;
};

static void split_free(gpointer data)
{
	struct split *split = data;

	g_clear_handle_id(&split->fit_source, g_source_remove);
	g_free(split);
}

static void split_save(struct split *split)
{
	gboolean is_set;

	g_object_get(split->paned, "position-set", &is_set, NULL);
	split->is_moved = true;
	spt_state_set(split->key, is_set ? gtk_paned_get_position(split->paned) : NONE);
}

static gboolean split_on_event(G_GNUC_UNUSED GtkEventController *controller, GdkEvent *event,
			       struct split *split)
{
	GdkEventType type = gdk_event_get_event_type(event);
	int position = gtk_paned_get_position(split->paned);

	if (type == GDK_BUTTON_PRESS || type == GDK_TOUCH_BEGIN)
		split->before = position;
	else if ((type == GDK_BUTTON_RELEASE || type == GDK_TOUCH_END) &&
		 position != split->before)
		split_save(split);
	return GDK_EVENT_PROPAGATE;
}

/* After the handle was moved by keys. */
static gboolean split_on_accept(struct split *split)
{
	split_save(split);
	return FALSE;
}

static struct split *split_of(GtkPaned *paned)
{
	return g_object_get_data(G_OBJECT(paned), "split");
}

void spt_split_keep(GtkPaned *paned, const char *key)
{
	GtkEventController *controller = gtk_event_controller_legacy_new();
	struct split *split = g_new0(struct split, 1);
	int position = spt_state_get(key, NONE);

	*split = (struct split){ .paned = paned, .key = key, .is_moved = position >= 0 };
	g_object_set_data_full(G_OBJECT(paned), "split", split, split_free);
	if (position >= 0)
		gtk_paned_set_position(paned, position);
	/* Before the handle takes it. */
	gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE);
	g_signal_connect(controller, "event", G_CALLBACK(split_on_event), split);
	gtk_widget_add_controller(GTK_WIDGET(paned), controller);
	g_signal_connect_data(paned, "accept-position", G_CALLBACK(split_on_accept), split, NULL,
			      G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

/*
 * GtkPaned gives a child the least that it needs until a position is set, and cuts off the top of
 * one that needs more than there is.
 */
static void split_measure(GtkWidget *bin, GtkOrientation orientation, int for_size, int *minimum,
			  int *natural, int *minimum_baseline, int *natural_baseline)
{
	GtkPaned *paned = GTK_PANED(gtk_widget_get_parent(bin));
	gboolean is_set;

	*minimum_baseline = *natural_baseline = -1;
	gtk_widget_measure(adw_bin_get_child(ADW_BIN(bin)), orientation, for_size, minimum, natural,
			   NULL, NULL);
	g_object_get(paned, "position-set", &is_set, NULL);
	if (orientation == GTK_ORIENTATION_VERTICAL && !is_set)
		*minimum = MAX(*minimum, MIN(*natural, split_of(paned)->most));
}

static gboolean split_fit(gpointer data)
{
	struct split *split = data;
	int height = gtk_widget_get_height(GTK_WIDGET(split->paned)), most;
	double share = split->is_large ? FIT_LARGE : FIT_MOST;

	split->fit_source = 0;
	g_object_get(split->paned, "max-position", &most, NULL);
	most = MIN(most, (int)MAX(MIN(height * share, height - END_HEIGHT), height * FIT_LEAST));
	if (most != split->most) {
		split->most = most;
		gtk_widget_queue_resize(gtk_paned_get_start_child(split->paned));
	}
	return G_SOURCE_REMOVE;
}

/* Before the next frame. */
static void split_arrange(struct split *split, GSourceFunc arrange)
{
	if (!split->fit_source)
		split->fit_source = g_idle_add_full(G_PRIORITY_HIGH_IDLE, arrange, split, NULL);
}

/* The height of the paned, or what its end child needs, has changed. */
static void split_on_room(struct split *split)
{
	split_arrange(split, split_fit);
}

static void split_allocate(GtkWidget *bin, int width, int height, int baseline)
{
	gtk_widget_allocate(adw_bin_get_child(ADW_BIN(bin)), width, height, baseline, NULL);
}

void spt_split_fit(GtkPaned *paned, const char *key)
{
	gtk_widget_set_layout_manager(gtk_paned_get_start_child(paned),
				      gtk_custom_layout_new(NULL, split_measure, split_allocate));
	spt_split_keep(paned, key);
	split_of(paned)->most = FIT_FIRST;
	g_signal_connect_data(paned, "notify::max-position", G_CALLBACK(split_on_room),
			      split_of(paned), NULL, G_CONNECT_SWAPPED);
}

void spt_split_give(GtkPaned *paned, bool much)
{
	split_of(paned)->is_large = much;
	split_on_room(split_of(paned));
}

static gboolean split_divide(gpointer data)
{
	struct split *split = data;
	int height = gtk_widget_get_height(GTK_WIDGET(split->paned)), most;

	split->fit_source = 0;
	g_object_get(split->paned, "max-position", &most, NULL);
	if (!split->is_moved)
		gtk_paned_set_position(split->paned,
				       MIN(most, MAX((int)(height * split->share), split->least)));
	return G_SOURCE_REMOVE;
}

static void split_on_height(struct split *split)
{
	split_arrange(split, split_divide);
}

void spt_split_share(GtkPaned *paned, const char *key, double share, int least)
{
	spt_split_keep(paned, key);
	split_of(paned)->share = share;
	split_of(paned)->least = least;
	g_signal_connect_data(paned, "notify::max-position", G_CALLBACK(split_on_height),
			      split_of(paned), NULL, G_CONNECT_SWAPPED);
}

void spt_split_fold(GtkPaned *paned)
{
	gboolean is_set;

	g_object_get(paned, "position-set", &is_set, NULL);
	if (is_set && gtk_paned_get_position(paned) == 0) {
		g_object_set(paned, "position-set", FALSE, NULL);
		gtk_widget_queue_resize(gtk_paned_get_start_child(paned));
	} else {
		gtk_paned_set_position(paned, 0);
	}
	split_save(split_of(paned));
}
