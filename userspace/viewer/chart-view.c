/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boxes narrower than a pixel or two share one.  They are computed anew, in a thread, for each
 * width and range of time.
 */
#include "chart-view.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "capture/stream-rows.h"
#include "flame-draw.h"
#include "profile/waits.h"
#include "query.h"
#include "text.h"

#define LEAST_PIXELS 2
#define DIM 0.55f
#define LEAST_TEXT 40
#define NAME_MARGIN 6

/* For one thread. */
struct section {
	uint32_t tid;
	uint32_t row, n_rows;
};

struct charts {
	uint64_t begin_ns, length_ns;
	GArray *boxes;			/* SptFlameBox */
	/*
	 * SptFlameBox: between boxes, where a thread did not run; the node is the state it was in,
	 * from 1, or 0: not known
	 */
	GArray *gaps;
	struct section sections[SPT_CHART_MAX_THREADS];
	unsigned n;
};

struct _SptChartView {
	GtkWidget parent_instance;
	SptDocument *document;
	SptTimeAxis *axis;
	uint32_t tids[SPT_CHART_MAX_THREADS];
	unsigned n_tids;
	struct charts *charts;		/* NULL: none yet */
	SptDocument *charted;		/* document of the charts */
	bool *matches;
	int row_height, width;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptChartView, spt_chart_view, GTK_TYPE_WIDGET)

static unsigned function_activated;

static SptFlameDrawing chart_view_drawing_of(SptChartView *self)
{
	GtkWidget *scrolled = gtk_widget_get_ancestor(GTK_WIDGET(self), GTK_TYPE_SCROLLED_WINDOW);
	GtkAdjustment *adjustment =
		gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
	double top = gtk_adjustment_get_value(adjustment);
	const SptProfile *base = self->charted->whole->profile;
	uint32_t n;

	return (SptFlameDrawing){
		.widget = GTK_WIDGET(self),
		.functions = self->charted->calls.functions,
		.nodes = spt_profile_tree(base, &n),
		.boxes = self->charts->boxes,
		.weight = self->charts->length_ns,
		.left = self->axis->left,
		.down = SPT_TIME_AXIS_HEIGHT,
		.selected = UINT32_MAX,
		.hovered = UINT32_MAX,
		.matches = self->charted == self->document ? self->matches : NULL,
		.categories = spt_flame_categories(&self->charted->calls),
		.top = top + SPT_TIME_AXIS_HEIGHT,
		.bottom = top + gtk_adjustment_get_page_size(adjustment),
		.row_height = self->row_height,
	};
}

/* Computing. */

struct input {
	uint64_t begin_ns, end_ns, least_ns;
	uint32_t tids[SPT_CHART_MAX_THREADS];
	unsigned n;
};

/* The state of a thread with @tid at a time; false: that is not known. */
static bool find_moment(const SptLanes *lanes, uint32_t tid, uint64_t time, uint64_t near_ns,
			SptLaneMoment *ret)
{
	for (uint32_t i = 0; i < lanes->n_threads; i++)
		if (lanes->capture->threads[lanes->threads[i].thread].tid == tid &&
		    spt_lanes_at(lanes, i, time, near_ns, ret))
			return true;
	return false;
}

static void explain_gaps(SptDocument *document, GArray *gaps, uint32_t tid, uint64_t begin_ns)
{
	const SptLanes *lanes;

	if (!spt_capture_has_stream(document->recording->capture, SPT_ROW_WAIT))
		return;
	lanes = spt_recording_lanes(document->recording);
	for (unsigned i = 0; i < gaps->len; i++) {
		SptFlameBox *gap = &g_array_index(gaps, SptFlameBox, i);
		SptLaneMoment moment;

		if (find_moment(lanes, tid, begin_ns + gap->begin + gap->weight / 2,
				gap->weight / 2, &moment) &&
		    spt_lane_kind_of_state(moment.state) != SPT_LANE_KINDS)
			gap->node = moment.state + 1u;
	}
}

static void append_at(GArray *to, const GArray *boxes, uint32_t row)
{
	for (unsigned i = 0; i < boxes->len; i++) {
		SptFlameBox box = g_array_index(boxes, SptFlameBox, i);

		box.depth += row;
		g_array_append_val(to, box);
	}
}

static gpointer chart_view_compute(SptDocument *document, gconstpointer data)
{
	const struct input *input = data;
	struct charts *charts = g_new0(struct charts, 1);
	uint32_t row = 0;

	charts->begin_ns = input->begin_ns;
	charts->length_ns = input->end_ns - input->begin_ns;
	charts->boxes = g_array_new(FALSE, FALSE, sizeof(SptFlameBox));
	charts->gaps = g_array_new(FALSE, FALSE, sizeof(SptFlameBox));
	charts->n = input->n;
	for (unsigned i = 0; i < input->n; i++) {
		const SptChartRequest request = { .tid = input->tids[i],
						  .begin_ns = input->begin_ns,
						  .end_ns = input->end_ns,
						  .least_ns = input->least_ns };
		g_autoptr(GArray) boxes = spt_document_chart(document, &request), gaps = NULL;
		/* One row for a thread that did not run at all. */
		uint32_t n_rows =
			boxes->len ?
				g_array_index(boxes, SptFlameBox, boxes->len - 1).depth + 1 :
				1;

		if (document->look.metric->is_cpu) {
			gaps = spt_chart_gaps(boxes, charts->length_ns, input->least_ns);
			explain_gaps(document, gaps, request.tid, request.begin_ns);
			append_at(charts->gaps, gaps, row);
		}
		append_at(charts->boxes, boxes, row);
		charts->sections[i] = (struct section){ request.tid, row, n_rows };
		row += n_rows + 1;
	}
	return charts;
}

static void free_charts(gpointer data)
{
	struct charts *charts = data;

	if (!charts)
		return;
	g_array_unref(charts->boxes);
	g_array_unref(charts->gaps);
	g_free(charts);
}

/* Text for a screen reader. */
static void tell_gaps(SptChartView *self)
{
	uint64_t sum_ns = 0;
	g_autofree char *gone = NULL, *all = spt_text_duration(self->charts->length_ns),
			*text = NULL;

	for (unsigned i = 0; i < self->charts->gaps->len; i++)
		sum_ns += g_array_index(self->charts->gaps, SptFlameBox, i).weight;
	gone = spt_text_duration(sum_ns);
	text = sum_ns ? g_strdup_printf(_("Not running for %s of %s"), gone, all) : g_strdup("");
	gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
				       text, -1);
}

static void chart_view_show(gpointer owner, gpointer charts)
{
	SptChartView *self = owner;

	g_clear_pointer(&self->charted, spt_document_unref);
	g_clear_pointer(&self->charts, free_charts);
	self->charted = spt_document_ref(spt_query_document(self->query));
	self->charts = charts;
	tell_gaps(self);
	gtk_widget_queue_resize(GTK_WIDGET(self));
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static const SptQueryKind boxes_query = {
	.answer = chart_view_compute,
	.show = chart_view_show,
	.free_answer = free_charts,
	.shows_progress = true,
	.needs_map = true,
};

static void chart_view_ask(SptChartView *self)
{
	struct input input = { .begin_ns = self->axis->begin_ns,
			       .end_ns = self->axis->until_ns,
			       .n = self->n_tids };

	if (!self->document)
		return;
	/* The least length of a box by itself. */
	input.least_ns = (input.end_ns - input.begin_ns) * LEAST_PIXELS /
			 (uint64_t)MAX(gtk_widget_get_width(GTK_WIDGET(self)) -
					       (int)self->axis->left, 1);
	memcpy(input.tids, self->tids, sizeof(input.tids));
	spt_query_ask(self->query, self->document, g_memdup2(&input, sizeof(input)), g_free);
}

static void chart_view_measure(GtkWidget *widget, GtkOrientation orientation,
			       G_GNUC_UNUSED int for_size, int *minimum, int *natural,
			       G_GNUC_UNUSED int *minimum_baseline,
			       G_GNUC_UNUSED int *natural_baseline)
{
	SptChartView *self = SPT_CHART_VIEW(widget);
	const struct charts *charts = self->charts;
	unsigned rows = charts && charts->n ? charts->sections[charts->n - 1].row +
						      charts->sections[charts->n - 1].n_rows :
					      1;

	*minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ?
				      100 :
				      (int)rows * self->row_height + SPT_TIME_AXIS_HEIGHT;
}

static void chart_view_size_allocate(GtkWidget *widget, int width, G_GNUC_UNUSED int height,
				     G_GNUC_UNUSED int baseline)
{
	SptChartView *self = SPT_CHART_VIEW(widget);

	if (width != self->width)
		chart_view_ask(self);
	self->width = width;
}

/* "not running", or the reason: "waiting: sleeping". */
static char *reason_of(const SptFlameBox *gap)
{
	if (!gap->node)
		return g_strdup(_("not running"));
	return g_strdup_printf(_("waiting: %s"), _(spt_wait_state_name((uint8_t)(gap->node - 1))));
}

static void chart_view_draw_text(SptChartView *self, GtkSnapshot *snapshot, const char *text,
				 const graphene_rect_t *area, float alpha, bool is_cut)
{
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
	GdkRGBA color;
	int width, height;

	gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(self)), &color);
	color.alpha *= alpha;
	pango_layout_get_pixel_size(layout, &width, &height);
	if (area->size.width < (float)width && !is_cut)
		return;
	if (is_cut) {
		pango_layout_set_width(layout, (int)area->size.width * PANGO_SCALE);
		pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
		spt_text_align(layout, GTK_WIDGET(self), PANGO_ALIGN_LEFT);
		width = (int)area->size.width;
	}
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(
		snapshot,
		&GRAPHENE_POINT_INIT(
			area->origin.x + floorf((area->size.width - (float)width) / 2),
			area->origin.y + floorf((area->size.height - (float)height) / 2)));
	gtk_snapshot_append_layout(snapshot, layout, &color);
	gtk_snapshot_restore(snapshot);
}

/* In the middle of the boxes that have room for it. */
static void draw_gaps(SptChartView *self, const SptFlameDrawing *drawing, GtkSnapshot *snapshot)
{
	for (unsigned i = 0; i < self->charts->gaps->len; i++) {
		const SptFlameBox *gap = &g_array_index(self->charts->gaps, SptFlameBox, i);
		graphene_rect_t area = spt_flame_place(drawing, gap);
		g_autofree char *text =
			area.size.width < LEAST_TEXT ? NULL : reason_of(gap);

		if (text)
			chart_view_draw_text(self, snapshot, text, &area, DIM, false);
	}
}

static void draw_names(SptChartView *self, GtkSnapshot *snapshot)
{
	const SptCapture *capture = self->charted->recording->capture;

	for (unsigned i = 0; i < self->charts->n; i++) {
		const struct section *section = &self->charts->sections[i];
		const graphene_rect_t area = GRAPHENE_RECT_INIT(
			NAME_MARGIN,
			(float)((int)section->row * self->row_height + SPT_TIME_AXIS_HEIGHT),
			(float)MAX(self->axis->left - 2 * NAME_MARGIN, 1),
			(float)self->row_height);
		g_autofree char *made = NULL, *text = NULL;
		const char *name = "";

		for (uint32_t thread = 1; thread < capture->n_threads; thread++)
			if (capture->threads[thread].id &&
			    capture->threads[thread].tid == section->tid)
				name = capture->threads[thread].name;
		text = g_strdup_printf("%s (%u)", spt_text_name(name, &made), section->tid);
		chart_view_draw_text(self, snapshot, text, &area, 1, true);
	}
}

/* Always visible, above the boxes. */
static void chart_view_draw_axis(SptChartView *self, GtkSnapshot *snapshot, double top)
{
	GdkRGBA color;

	if (!gtk_style_context_lookup_color(gtk_widget_get_style_context(GTK_WIDGET(self)),
					    "theme_bg_color", &color))
		gdk_rgba_parse(&color, "white");
	gtk_snapshot_append_color(
		snapshot, &color,
		&GRAPHENE_RECT_INIT(0, (float)top,
				    (float)gtk_widget_get_width(GTK_WIDGET(self)),
				    SPT_TIME_AXIS_HEIGHT));
	spt_time_axis_draw(self->axis, GTK_WIDGET(self), snapshot, top, top);
}

static void chart_view_snapshot_view(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptChartView *self = SPT_CHART_VIEW(widget);
	SptFlameDrawing drawing;

	if (!self->charts)
		return;
	drawing = chart_view_drawing_of(self);
	spt_flame_draw(&drawing, snapshot);
	draw_gaps(self, &drawing, snapshot);
	draw_names(self, snapshot);
	spt_time_axis_draw_selection(self->axis, widget, snapshot, drawing.top,
				     drawing.bottom - drawing.top);
	chart_view_draw_axis(self, snapshot, drawing.top - SPT_TIME_AXIS_HEIGHT);
}

static void chart_view_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
	GTK_WIDGET_CLASS(spt_chart_view_parent_class)->css_changed(widget, change);
	SPT_CHART_VIEW(widget)->row_height = spt_flame_row_height(widget);
	gtk_widget_queue_resize(widget);
}

/* Pointing. */

static const SptFlameBox *chart_view_box_near(SptChartView *self, double x, double y)
{
	SptFlameDrawing drawing;

	if (!self->charts)
		return NULL;
	drawing = chart_view_drawing_of(self);
	return spt_flame_box_near(&drawing, x, y);
}

/* NULL: there is none. */
static const SptFlameBox *gap_at(SptChartView *self, double x, double y)
{
	SptFlameDrawing drawing = chart_view_drawing_of(self);

	for (unsigned i = 0; i < self->charts->gaps->len; i++) {
		const SptFlameBox *gap = &g_array_index(self->charts->gaps, SptFlameBox, i);
		graphene_rect_t area = spt_flame_place(&drawing, gap);

		if (graphene_rect_contains_point(&area,
						 &GRAPHENE_POINT_INIT((float)x, (float)y)))
			return gap;
	}
	return NULL;
}

/* Whether samples were lost in that time, which may have been the thread's. */
static bool has_losses(const SptCapture *capture, uint64_t begin_ns, uint64_t end_ns)
{
	for (uint64_t i = 0; i < capture->n_losses; i++)
		if (capture->losses[i].first_time <= end_ns &&
		    capture->losses[i].last_time >= begin_ns)
			return true;
	return false;
}

static char *describe_gap(SptChartView *self, const SptFlameBox *gap)
{
	const SptDocument *document = self->charted;
	g_autofree char *duration = spt_text_duration(gap->weight);
	uint64_t begin = self->charts->begin_ns + gap->begin;
	g_autofree char *reason = gap->node ? reason_of(gap) : NULL;

	if (reason)
		return g_strdup_printf(_("%s, %s from %.6f s on"), reason, duration,
				       (double)(begin - document->recording->summary.start_ns) /
					       1e9);
	return g_strdup_printf(
		has_losses(document->recording->capture, begin, begin + gap->weight) ?
			_("not running, or samples were lost: %s from %.6f s on") :
			_("not running: %s from %.6f s on"),
		duration, (double)(begin - document->recording->summary.start_ns) / 1e9);
}

static gboolean chart_view_query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard,
					 GtkTooltip *tooltip)
{
	SptChartView *self = SPT_CHART_VIEW(widget);
	const SptFlameBox *box = by_keyboard ? NULL : chart_view_box_near(self, x, y), *gap = NULL;
	g_autofree char *text = NULL, *made = NULL, *duration = NULL;
	const SptFunction *function;

	if (!box && !by_keyboard && self->charts)
		gap = gap_at(self, x, y);
	if (gap) {
		text = describe_gap(self, gap);
		gtk_tooltip_set_text(tooltip, text);
	}
	if (!box)
		return gap != NULL;
	duration = spt_text_duration(box->weight);
	function = &self->charted->calls
			    .functions[chart_view_drawing_of(self).nodes[box->node].function];
	text = box->n_more ? g_strdup_printf(_("%u too short to be seen: select less time"),
					     box->n_more) :
			     g_strdup_printf(_("%s: %s from %.6f s on"),
					     spt_text_name(function->name, &made), duration,
					     (double)(self->charts->begin_ns + box->begin -
						      self->charted->recording->summary.start_ns) /
						     1e9);
	gtk_tooltip_set_text(tooltip, text);
	return TRUE;
}

static void chart_view_on_pressed(G_GNUC_UNUSED GtkGestureClick *click, int n, double x, double y,
				  SptChartView *self)
{
	const SptFlameBox *box = chart_view_box_near(self, x, y);

	if (box && !box->n_more && n == 2)
		g_signal_emit(self, function_activated, 0,
			      chart_view_drawing_of(self).nodes[box->node].function);
}

/* Life. */

static void chart_view_dispose(GObject *object)
{
	SptChartView *self = SPT_CHART_VIEW(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->charts, free_charts);
	g_clear_object(&self->axis);
	g_clear_pointer(&self->matches, g_free);
	g_clear_pointer(&self->charted, spt_document_unref);
	g_clear_pointer(&self->document, spt_document_unref);
	G_OBJECT_CLASS(spt_chart_view_parent_class)->dispose(object);
}

static void spt_chart_view_class_init(SptChartViewClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = chart_view_dispose;
	widget_class->measure = chart_view_measure;
	widget_class->size_allocate = chart_view_size_allocate;
	widget_class->snapshot = chart_view_snapshot_view;
	widget_class->css_changed = chart_view_css_changed;
	widget_class->query_tooltip = chart_view_query_tooltip;
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
	g_signal_connect(click, "pressed", G_CALLBACK(chart_view_on_pressed), self);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
}

static void chart_view_on_axis_changed(SptChartView *self)
{
	if (!self->document)
		return;
	chart_view_ask(self);
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

void spt_chart_view_set_axis(SptChartView *self, SptTimeAxis *axis)
{
	self->axis = g_object_ref(axis);
	g_signal_connect_object(axis, "changed", G_CALLBACK(chart_view_on_axis_changed), self,
				G_CONNECT_SWAPPED);
}

void spt_chart_view_show(SptChartView *self, SptDocument *document, const uint32_t *tids,
			 unsigned n)
{
	g_autofree char *text = NULL;

	/* The highlighted functions may be others now. */
	g_clear_pointer(&self->matches, g_free);
	spt_document_replace(&self->document, document);
	self->n_tids = MIN(n, SPT_CHART_MAX_THREADS);
	for (unsigned i = 0; i < self->n_tids; i++)
		self->tids[i] = tids[i];
	if (n == 1)
		text = g_strdup_printf(_("Flame chart of thread %u"), tids[0]);
	else
		text = g_strdup_printf(_("Flame chart of %u threads"), self->n_tids);
	if (n)
		gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL,
					       text, -1);
	chart_view_ask(self);
}

void spt_chart_view_light(SptChartView *self, bool *matches)
{
	g_free(self->matches);
	self->matches = matches;
	gtk_widget_queue_draw(GTK_WIDGET(self));
}
