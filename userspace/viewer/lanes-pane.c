/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of lanes below a line that explains them. */
#include "lanes-pane.h"

#include <glib/gi18n.h>

#include "capture/stream-rows.h"
#include "lanes-draw.h"
#include "profile/events.h"
#include "view-keys.h"

#define LANES_HEIGHT  160
#define SAMPLE_PIXELS 10

struct _SptLanesPane {
	GtkBox parent_instance;
	SptLanesView *view;
	SptDocument *document; /* the recording */
	/* Boxes of the legend for what only recordings of interrupts have */
	GtkWidget *irqs, *offs;
};

G_DEFINE_FINAL_TYPE(SptLanesPane, spt_lanes_pane, GTK_TYPE_BOX)

/* A box of the colour of a kind. */
#define SPT_TYPE_LANE_SAMPLE (spt_lane_sample_get_type())
G_DECLARE_FINAL_TYPE(SptLaneSample, spt_lane_sample, SPT, LANE_SAMPLE, GtkWidget)

struct _SptLaneSample {
	GtkWidget parent_instance;
	SptLaneKind kind;
};

G_DEFINE_FINAL_TYPE(SptLaneSample, spt_lane_sample, GTK_TYPE_WIDGET)

static void snapshot_sample(GtkWidget *widget, GtkSnapshot *snapshot)
{
	spt_lanes_draw_sample(SPT_LANE_SAMPLE(widget)->kind, snapshot, 0, 0, SAMPLE_PIXELS);
}

static void spt_lane_sample_class_init(SptLaneSampleClass *class)
{
	GTK_WIDGET_CLASS(class)->snapshot = snapshot_sample;
	gtk_widget_class_set_accessible_role(GTK_WIDGET_CLASS(class),
					     GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void spt_lane_sample_init(SptLaneSample *self)
{
	gtk_widget_set_size_request(GTK_WIDGET(self), SAMPLE_PIXELS, SAMPLE_PIXELS);
	gtk_widget_set_valign(GTK_WIDGET(self), GTK_ALIGN_CENTER);
}

static GtkWidget *explain(GtkWidget *legend, SptLaneKind kind, const char *name)
{
	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 5);
	SptLaneSample *sample = g_object_new(SPT_TYPE_LANE_SAMPLE, NULL);

	sample->kind = kind;
	gtk_box_append(GTK_BOX(box), GTK_WIDGET(sample));
	gtk_box_append(GTK_BOX(box), gtk_label_new(name));
	gtk_box_append(GTK_BOX(legend), box);
	return box;
}

/* One line, which scrolls sideways in a narrow window. */
static GtkWidget *make_legend(SptLanesPane *self)
{
	GtkWidget *legend = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 21);
	GtkLabel *arrows = GTK_LABEL(gtk_label_new(NULL));

	gtk_widget_add_css_class(legend, "legend");
	for (unsigned kind = 0; kind < SPT_LANE_KINDS; kind++) {
		GtkWidget *box = explain(legend, kind, _(spt_lane_kind_name(kind)));

		if (kind == SPT_LANE_IRQ)
			self->irqs = box;
	}
	self->offs = explain(legend, SPT_LANE_KINDS, _("interrupts off"));
	gtk_box_append(GTK_BOX(legend), GTK_WIDGET(arrows));
	spt_lanes_view_set_count(self->view, arrows);
	return g_object_new(GTK_TYPE_SCROLLED_WINDOW, "child", legend, "hscrollbar-policy",
			    GTK_POLICY_EXTERNAL, "vscrollbar-policy", GTK_POLICY_NEVER,
			    "propagate-natural-height", TRUE, NULL);
}

static void lanes_pane_on_range(SptLanesPane *self, guint64 begin, guint64 end, gboolean is_final)
{
	g_signal_emit_by_name(self, "range", begin, end, is_final);
}

static void lanes_pane_on_only(SptLanesPane *self, gpointer restriction)
{
	g_signal_emit_by_name(self, "only", restriction);
}

static void lanes_pane_dispose(GObject *object)
{
	g_clear_pointer(&SPT_LANES_PANE(object)->document, spt_document_unref);
	G_OBJECT_CLASS(spt_lanes_pane_parent_class)->dispose(object);
}

static void spt_lanes_pane_class_init(SptLanesPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = lanes_pane_dispose;
	g_signal_new("range", SPT_TYPE_LANES_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
		     G_TYPE_NONE, 3, G_TYPE_UINT64, G_TYPE_UINT64, G_TYPE_BOOLEAN);
	g_signal_new("only", SPT_TYPE_LANES_PANE, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
		     G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void spt_lanes_pane_init(SptLanesPane *self)
{
	GtkWidget *scrolled = gtk_scrolled_window_new();

	self->view = g_object_new(SPT_TYPE_LANES_VIEW, NULL);
	g_signal_connect_object(self->view, "range", G_CALLBACK(lanes_pane_on_range), self,
				G_CONNECT_SWAPPED);
	g_signal_connect_object(self->view, "only", G_CALLBACK(lanes_pane_on_only), self,
				G_CONNECT_SWAPPED);
	gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), GTK_WIDGET(self->view));
	spt_view_stay(scrolled);
	g_object_set(scrolled, "hscrollbar-policy", GTK_POLICY_NEVER, "max-content-height",
		     LANES_HEIGHT, "propagate-natural-height", TRUE, "vexpand", TRUE, NULL);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	gtk_box_append(GTK_BOX(self), make_legend(self));
	gtk_box_append(GTK_BOX(self), scrolled);
}

void spt_lanes_pane_set_document(SptLanesPane *self, SptDocument *document)
{
	const SptCapture *capture = document->recording->capture;

	if (!self->document || !spt_document_is_same(self->document, document)) {
		gtk_widget_set_visible(GTK_WIDGET(self),
				       spt_capture_has_stream(capture, SPT_ROW_WAIT) ||
					       spt_capture_has_stream(capture, SPT_ROW_LANE));
		gtk_widget_set_visible(self->irqs, spt_events_are_in(capture, &spt_event_irq));
		gtk_widget_set_visible(self->offs,
				       spt_events_are_in(capture, &spt_event_irqs_off));
	}
	spt_document_replace(&self->document, document);
	spt_lanes_view_set_document(self->view, document);
}

SptLanesView *spt_lanes_pane_view(SptLanesPane *self)
{
	return self->view;
}
