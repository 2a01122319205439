/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boxes narrower than a pixel or two share one; computed anew, in a thread, for each width and
 * stretch of time.
 */
#include "chart-view.h"

#include <glib/gi18n.h>

#include "flame-draw.h"
#include "query.h"
#include "text.h"

#define LEAST_PIXELS 2

struct _SptChartView {
	GtkWidget parent_instance;
	SptDocument *document;
	uint32_t tid;
	GArray *boxes;			/* SptFlameBox; of */
	SptDocument *charted;		/* this */
	uint64_t charted_ns;		/* and so much time */
	bool *matches;
	int row_height, width;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptChartView, spt_chart_view, GTK_TYPE_WIDGET)

static unsigned function_activated;

static void get_time(const SptDocument *document, uint64_t *ret_begin, uint64_t *ret_end)
{
	const SptRestriction *time =
		spt_restrictions_find(document->look.restrictions, SPT_RESTRICT_TIME);

	*ret_begin = time ? time->begin_ns : document->summary.start_ns;
	*ret_end = MAX(time ? time->end_ns : document->summary.end_ns, *ret_begin + 1);
}

static SptFlameDrawing drawing_of(SptChartView *self)
{
	GtkWidget *scrolled = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);
	GtkAdjustment *adjustment =
		gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
	double top = gtk_adjustment_get_value(adjustment);
	const SptProfile *base =
		self->charted->whole ? self->charted->whole->profile : self->charted->profile;
	uint32_t n;

	return (SptFlameDrawing){
		.widget = GTK_WIDGET(self),
		.functions = self->charted->functions,
		.nodes = spt_profile_tree(base, &n),
		.boxes = self->boxes,
		.weight = self->charted_ns,
		.selected = UINT32_MAX,
		.hovered = UINT32_MAX,
		.matches = self->charted == self->document ? self->matches : NULL,
		.top = top,
		.bottom = top + gtk_adjustment_get_page_size(adjustment),
		.row_height = self->row_height,
	};
}

/* Computing. */

static gpointer compute(SptDocument *document, gconstpointer wish)
{
	return spt_document_chart(document, wish);
}

static void show(gpointer owner, gpointer boxes)
{
	SptChartView *self = owner;
	uint64_t begin, end;

	g_clear_pointer(&self->charted, spt_document_unref);
	g_clear_pointer(&self->boxes, g_array_unref);
	self->charted = spt_document_ref(spt_query_document(self->query));
	self->boxes = boxes;
	get_time(self->charted, &begin, &end);
	self->charted_ns = end - begin;
	gtk_widget_queue_resize(GTK_WIDGET(self));
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static const SptQueryKind boxes_query = {
	.answer = compute,
	.show = show,
	.free_answer = (GDestroyNotify)g_array_unref,
	.shows_progress = true,
	.needs_map = true,
};

static void ask(SptChartView *self)
{
	SptChartWish wish = { .tid = self->tid };

	if (!self->document)
		return;
	get_time(self->document, &wish.begin_ns, &wish.end_ns);
	wish.least_ns = (wish.end_ns - wish.begin_ns) * LEAST_PIXELS /
			(uint64_t)MAX(gtk_widget_get_width(GTK_WIDGET(self)), 1);
	spt_query_ask(self->query, self->document, g_memdup2(&wish, sizeof(wish)), g_free);
}

static void measure(GtkWidget *widget, GtkOrientation orientation, G_GNUC_UNUSED int for_size,
		    int *minimum, int *natural, G_GNUC_UNUSED int *minimum_baseline,
		    G_GNUC_UNUSED int *natural_baseline)
{
	SptChartView *self = SPT_CHART_VIEW(widget);
	unsigned rows =
		self->boxes && self->boxes->len ?
			g_array_index(self->boxes, SptFlameBox, self->boxes->len - 1).depth + 1 :
			0;

	*minimum = *natural =
		orientation == GTK_ORIENTATION_HORIZONTAL ? 100 : (int)rows * self->row_height;
}

static void size_allocate(GtkWidget *widget, int width, G_GNUC_UNUSED int height,
			  G_GNUC_UNUSED int baseline)
{
	SptChartView *self = SPT_CHART_VIEW(widget);

	if (width != self->width)
		ask(self);
	self->width = width;
}

static void snapshot_view(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptChartView *self = SPT_CHART_VIEW(widget);
	SptFlameDrawing drawing;

	if (!self->boxes)
		return;
	drawing = drawing_of(self);
	spt_flame_draw(&drawing, snapshot);
}

static void css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
	GTK_WIDGET_CLASS(spt_chart_view_parent_class)->css_changed(widget, change);
	SPT_CHART_VIEW(widget)->row_height = spt_flame_row_height(widget);
	gtk_widget_queue_resize(widget);
}

/* Pointing. */

static const SptFlameBox *box_near(SptChartView *self, double x, double y)
{
	SptFlameDrawing drawing;

	if (!self->boxes)
		return NULL;
	drawing = drawing_of(self);
	return spt_flame_box_near(&drawing, x, y);
}

static gboolean query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard,
			      GtkTooltip *tooltip)
{
	SptChartView *self = SPT_CHART_VIEW(widget);
	const SptFlameBox *box = by_keyboard ? NULL : box_near(self, x, y);
	g_autofree char *text = NULL, *made = NULL, *duration = NULL;
	const SptFunction *function;
	uint64_t begin, end;

	if (!box)
		return FALSE;
	get_time(self->charted, &begin, &end);
	duration = spt_text_duration(box->weight);
	function = &self->charted->functions[drawing_of(self).nodes[box->node].function];
	text = box->n_more ?
		       g_strdup_printf(_("%u too short to be seen from here: select less time"),
				       box->n_more) :
		       g_strdup_printf(_("%s: %s from %.6f s on"),
				       spt_text_name(function->name, &made), duration,
				       (double)(begin + box->begin -
						self->charted->summary.start_ns) /
					       1e9);
	gtk_tooltip_set_text(tooltip, text);
	return TRUE;
}

static void on_pressed(G_GNUC_UNUSED GtkGestureClick *click, int n, double x, double y,
		       SptChartView *self)
{
	const SptFlameBox *box = box_near(self, x, y);

	if (box && !box->n_more && n == 2)
		g_signal_emit(self, function_activated, 0,
			      drawing_of(self).nodes[box->node].function);
}

/* Life. */

static void dispose(GObject *object)
{
	SptChartView *self = SPT_CHART_VIEW(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->boxes, g_array_unref);
	g_clear_pointer(&self->matches, g_free);
	g_clear_pointer(&self->charted, spt_document_unref);
	g_clear_pointer(&self->document, spt_document_unref);
	G_OBJECT_CLASS(spt_chart_view_parent_class)->dispose(object);
}

static void spt_chart_view_class_init(SptChartViewClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = dispose;
	widget_class->measure = measure;
	widget_class->size_allocate = size_allocate;
	widget_class->snapshot = snapshot_view;
	widget_class->css_changed = css_changed;
	widget_class->query_tooltip = query_tooltip;
	gtk_widget_class_set_css_name(widget_class, "flame");
	gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
	function_activated =
		g_signal_new("function-activated", SPT_TYPE_CHART_VIEW, G_SIGNAL_RUN_LAST, 0, NULL,
			     NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void spt_chart_view_init(SptChartView *self)
{
	GtkGesture *click = gtk_gesture_click_new();

	self->query = spt_query_new(GTK_WIDGET(self), &boxes_query);
	self->row_height = 20;
	gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
	gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
	g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), self);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
}

void spt_chart_view_show(SptChartView *self, SptDocument *document, uint32_t tid)
{
	g_autofree char *text = g_strdup_printf(_("Flame chart of thread %u"), tid);

	/* What is lit up is of functions that may be others now. */
	g_clear_pointer(&self->matches, g_free);
	spt_document_ref(document);
	g_clear_pointer(&self->document, spt_document_unref);
	self->document = document;
	self->tid = tid;
	if (tid != UINT32_MAX)
		gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
					       text, -1);
	ask(self);
}

void spt_chart_view_light(SptChartView *self, bool *matches)
{
	g_free(self->matches);
	self->matches = matches;
	gtk_widget_queue_draw(GTK_WIDGET(self));
}
