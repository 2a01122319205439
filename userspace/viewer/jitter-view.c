/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bars are drawn from counts; a far outlier has a bar of least height and a button. */
#include "jitter-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "profile/lanes.h"
#include "text.h"

#define N_BARS	    80
#define BARS_HEIGHT 44
#define AXIS_HEIGHT 16
#define N_OUTLIERS  3
#define N_MARKS	    4

struct _SptJitterView {
	GtkBox parent_instance;
	GtkWidget *title, *bars, *outliers;
};

G_DEFINE_FINAL_TYPE(SptJitterView, spt_jitter_view, GTK_TYPE_BOX)

/* Only the bars. */
#define SPT_TYPE_JITTER_BARS (spt_jitter_bars_get_type())
G_DECLARE_FINAL_TYPE(SptJitterBars, spt_jitter_bars, SPT, JITTER_BARS, GtkWidget)

struct _SptJitterBars {
	GtkWidget parent_instance;
	uint32_t counts[N_BARS];
	uint64_t from_ns, to_ns;
};

G_DEFINE_FINAL_TYPE(SptJitterBars, spt_jitter_bars, GTK_TYPE_WIDGET)

static void jitter_view_draw_mark(GtkWidget *widget, GtkSnapshot *snapshot, uint64_t ns, double x,
				  double right)
{
	g_autofree char *text = spt_text_duration(ns);
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
	GdkRGBA color;
	int width;

	gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
	pango_layout_get_pixel_size(layout, &width, NULL);
	gtk_snapshot_append_color(snapshot, &color,
				  &GRAPHENE_RECT_INIT((float)floor(x), BARS_HEIGHT, 1, 4));
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)floor(CLAMP(x - width / 2.0, 0,
										 right - width)),
							      BARS_HEIGHT + 3));
	gtk_snapshot_append_layout(snapshot, layout, &color);
	gtk_snapshot_restore(snapshot);
}

static void snapshot_bars(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptJitterBars *self = SPT_JITTER_BARS(widget);
	double width = gtk_widget_get_width(widget), step = width / N_BARS;
	uint32_t rgb = spt_lane_color(SPT_LANE_RUNNABLE), most = 1;
	const GdkRGBA color = { (float)(rgb >> 16) / 255, (float)(rgb >> 8 & 0xff) / 255,
				(float)(rgb & 0xff) / 255, 1 };
	GdkRGBA line;

	if (!self->to_ns)
		return;
	gtk_style_context_get_color(gtk_widget_get_style_context(widget), &line);
	for (unsigned i = 0; i < N_BARS; i++)
		most = MAX(most, self->counts[i]);
	for (unsigned i = 0; i < N_BARS; i++) {
		double height = (double)self->counts[i] / most * BARS_HEIGHT;

		if (self->counts[i])
			gtk_snapshot_append_color(snapshot, &color,
						  &GRAPHENE_RECT_INIT((float)(i * step),
								      (float)(BARS_HEIGHT -
									      MAX(height, 2)),
								      (float)MAX(step - 1, 1),
								      (float)MAX(height, 2)));
	}
	gtk_snapshot_append_color(snapshot, &line,
				  &GRAPHENE_RECT_INIT(0, BARS_HEIGHT, (float)width, 1));
	for (unsigned i = 0; i <= N_MARKS; i++)
		jitter_view_draw_mark(widget, snapshot,
				      self->from_ns + (self->to_ns - self->from_ns) * i / N_MARKS,
				      (width - 1) * i / N_MARKS, width);
}

static void measure_bars(G_GNUC_UNUSED GtkWidget *widget, GtkOrientation orientation,
			 G_GNUC_UNUSED int for_size, int *minimum, int *natural,
			 G_GNUC_UNUSED int *minimum_baseline, G_GNUC_UNUSED int *natural_baseline)
{
	*minimum = *natural =
		orientation == GTK_ORIENTATION_HORIZONTAL ? 160 : BARS_HEIGHT + AXIS_HEIGHT + 4;
}

static void spt_jitter_bars_class_init(SptJitterBarsClass *class)
{
	GTK_WIDGET_CLASS(class)->snapshot = snapshot_bars;
	GTK_WIDGET_CLASS(class)->measure = measure_bars;
	/* The font of pictures with time. */
	gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "timeline");
	gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class), GTK_ACCESSIBLE_ROLE_IMG);
}

static void spt_jitter_bars_init(SptJitterBars *self)
{
	gtk_widget_set_hexpand(GTK_WIDGET(self), TRUE);
}

static void spt_jitter_view_class_init(G_GNUC_UNUSED SptJitterViewClass *class)
{
}

static void spt_jitter_view_init(SptJitterView *self)
{
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	gtk_box_set_spacing(GTK_BOX(self), 4);
	self->title = gtk_label_new("");
	gtk_label_set_xalign(GTK_LABEL(self->title), 0);
	gtk_label_set_wrap(GTK_LABEL(self->title), TRUE);
	self->bars = g_object_new(SPT_TYPE_JITTER_BARS, NULL);
	self->outliers = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
	gtk_box_append(GTK_BOX(self), self->title);
	gtk_box_append(GTK_BOX(self), self->bars);
	gtk_box_append(GTK_BOX(self), self->outliers);
}

GtkWidget *spt_jitter_view_new(void)
{
	return g_object_new(SPT_TYPE_JITTER_VIEW, NULL);
}

static void list_outliers(SptJitterView *self, const SptJitter *jitter, uint32_t thread,
			  uint64_t start_ns)
{
	GtkWidget *child;

	while ((child = gtk_widget_get_first_child(self->outliers)))
		gtk_box_remove(GTK_BOX(self->outliers), child);
	if (!jitter || !jitter->n)
		return;
	gtk_box_append(GTK_BOX(self->outliers), gtk_label_new(_("Longest:")));
	for (uint32_t i = 0; i < MIN(jitter->n, N_OUTLIERS); i++) {
		const SptJitterValue *value = &jitter->values[jitter->n - 1 - i];
		g_autofree char *duration = spt_text_duration(value->ns);
		g_autofree char *text =
			g_strdup_printf(_("%s at %.3f s"), duration,
					(double)(value->time - MIN(start_ns, value->time)) / 1e9);
		GtkWidget *button = gtk_button_new_with_label(text);

		/* Both sides have room in a window of 1280 pixels. */
		gtk_label_set_ellipsize(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(button))),
					PANGO_ELLIPSIZE_END);
		gtk_widget_set_tooltip_text(button, text);
		gtk_widget_add_css_class(button, "flat");
		gtk_widget_add_css_class(button, "outlier");
		gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "(ut)", thread,
						 value->time);
		gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "views.go-to-moment");
		gtk_box_append(GTK_BOX(self->outliers), button);
	}
}

void spt_jitter_view_show(SptJitterView *self, const char *title, const SptJitter *jitter,
			  uint32_t thread, uint64_t start_ns, uint64_t from_ns, uint64_t to_ns)
{
	SptJitterBars *bars = SPT_JITTER_BARS(self->bars);
	g_autofree char *low = NULL, *median = NULL, *high = NULL, *text = NULL;

	bars->from_ns = from_ns;
	bars->to_ns = jitter && jitter->n ? to_ns : 0;
	if (bars->to_ns) {
		spt_jitter_count(jitter, from_ns, to_ns, N_BARS, bars->counts);
		low = spt_text_duration(jitter->low_ns);
		median = spt_text_duration(jitter->median_ns);
		high = spt_text_duration(jitter->high_ns);
		text = g_strdup_printf(_("%s: median %s, 98 %% from %s to %s"), title, median, low,
				       high);
	} else {
		text = g_strdup_printf(_("%s: none"), title);
	}
	gtk_label_set_text(GTK_LABEL(self->title), text);
	gtk_accessible_update_property(GTK_ACCESSIBLE(bars), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
				       -1);
	list_outliers(self, jitter, thread, start_ns);
	gtk_widget_queue_draw(self->bars);
}
