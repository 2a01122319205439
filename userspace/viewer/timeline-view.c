/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Always shows the whole recording.  Buckets are at least two pixels wide, and so few that all CPUs together are a picture of a
 * few thousand boxes.
 */
#include "timeline-view.h"

#include <math.h>

#include "profile/timeline.h"

#define GUTTER 56
#define RULER_HEIGHT 18
#define TRACKS_HEIGHT 56
#define TRACK_MIN_HEIGHT 3
#define TRACK_MAX_HEIGHT 24
#define LABEL_MIN_HEIGHT 13
#define MAX_BOXES 5000
#define BUCKET_PIXELS 2
#define MARK_PIXELS 110
#define CLICK_PIXELS 4
#define KEY_PARTS 20

struct _SptTimelineView {
	GtkWidget parent_instance;
	SptDocument *document;
	SptTimeline *timeline;		/* NULL: to be computed for the present width */
	unsigned n_cpus;
	uint64_t start_ns, end_ns;
	uint64_t selected_begin, selected_end;	/* end 0: everything */
	double drag_from;
	bool is_dragging;
};

G_DEFINE_FINAL_TYPE(SptTimelineView, spt_timeline_view, GTK_TYPE_WIDGET)

static unsigned range, cpu_chosen;

static double tracks_width(SptTimelineView *self)
{
	return MAX(gtk_widget_get_width(GTK_WIDGET(self)) - GUTTER, 1);
}

static int track_height(SptTimelineView *self)
{
	return CLAMP(TRACKS_HEIGHT / (int)MAX(self->n_cpus, 1), TRACK_MIN_HEIGHT, TRACK_MAX_HEIGHT);
}

static double x_of(SptTimelineView *self, uint64_t time)
{
	double length = (double)(self->end_ns - self->start_ns);

	return GUTTER + tracks_width(self) * (double)(CLAMP(time, self->start_ns, self->end_ns) - self->start_ns) / length;
}

static uint64_t time_at(SptTimelineView *self, double x)
{
	double share = CLAMP((x - GUTTER) / tracks_width(self), 0, 1);

	return self->start_ns + (uint64_t)(share * (double)(self->end_ns - self->start_ns));
}

static void compute(SptTimelineView *self)
{
	uint32_t n_buckets = (uint32_t)MIN(tracks_width(self) / BUCKET_PIXELS, MAX(MAX_BOXES / MAX(self->n_cpus, 1), 64));
	const SptDocument *whole = self->document->whole ? self->document->whole : self->document;

	if (!self->timeline)
		self->timeline = spt_timeline_new(whole->profile, self->start_ns, self->end_ns, MAX(n_buckets, 1));
}

/* Drawing. */

static void append_rect(GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y, double width, double height)
{
	gtk_snapshot_append_color(snapshot, color, &GRAPHENE_RECT_INIT((float)x, (float)y, (float)width, (float)height));
}

static GdkRGBA named_color(SptTimelineView *self, const char *name, const char *fallback)
{
	GdkRGBA color;

	if (!gtk_style_context_lookup_color(gtk_widget_get_style_context(GTK_WIDGET(self)), name, &color))
		gdk_rgba_parse(&color, fallback);
	return color;
}

/* The theme's own for what is selected, on the way to that of text, from which it must not be far on a dark background. */
static GdkRGBA busy_color(SptTimelineView *self)
{
	GdkRGBA color = named_color(self, "theme_selected_bg_color", "#3584e4"), text;
	float part;

	gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(self)), &text);
	part = text.green > 0.5f ? 0.4f : 0;
	color.red += (text.red - color.red) * part;
	color.green += (text.green - color.green) * part;
	color.blue += (text.blue - color.blue) * part;
	return color;
}

static void draw_track(SptTimelineView *self, GtkSnapshot *snapshot, uint32_t cpu, double top, double height)
{
	const GdkRGBA busy = busy_color(self), lost = named_color(self, "error_color", "#c01c28");
	double step = tracks_width(self) / self->timeline->n_buckets;

	for (uint32_t i = 0; i < self->timeline->n_buckets; i++) {
		double load = spt_timeline_load(self->timeline, cpu, i) * height, gone = spt_timeline_lost(self->timeline, cpu, i) * height;
		double x = GUTTER + i * step;

		if (load > 0)
			append_rect(snapshot, &busy, x, top + height - load, step, load);
		/* However little was lost, it is to be seen. */
		if (gone > 0)
			append_rect(snapshot, &lost, x, top, step, MAX(gone, MIN(height / 3, 4)));
	}
}

static void draw_text(SptTimelineView *self, GtkSnapshot *snapshot, const char *text, double x, double y, double width, bool is_right)
{
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(GTK_WIDGET(self), text);
	GdkRGBA color;
	int text_width, text_height;

	gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(self)), &color);
	pango_layout_get_pixel_size(layout, &text_width, &text_height);
	if (text_width > width)
		return;
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)floor(is_right ? x + width - text_width : x),
							      (float)floor(y - text_height / 2.0)));
	gtk_snapshot_append_layout(snapshot, layout, &color);
	gtk_snapshot_restore(snapshot);
}

static char *ruler_text(uint64_t at_ns, uint64_t step_ns)
{
	unsigned digits = 0;

	for (uint64_t unit = 1000000000; unit > step_ns && digits < 9; unit /= 10)
		digits++;
	return g_strdup_printf("%.*f s", (int)digits, (double)at_ns / 1e9);
}

static void draw_ruler(SptTimelineView *self, GtkSnapshot *snapshot, double top)
{
	uint64_t length = self->end_ns - self->start_ns;
	uint64_t step = spt_timeline_step(length, (uint32_t)(tracks_width(self) / MARK_PIXELS) + 1);
	GdkRGBA color;

	gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(self)), &color);
	color.alpha *= 0.25f;
	for (uint64_t at = 0; at <= length; at += step) {
		double x = x_of(self, self->start_ns + at);
		g_autofree char *text = ruler_text(at, step);

		append_rect(snapshot, &color, floor(x), 0, 1, top + 5);
		draw_text(self, snapshot, text, x + 4, top + RULER_HEIGHT / 2.0, gtk_widget_get_width(GTK_WIDGET(self)) - x - 4, false);
	}
}

static void draw_selection(SptTimelineView *self, GtkSnapshot *snapshot, double height)
{
	GdkRGBA veil = named_color(self, "theme_bg_color", "white"), edge;
	double begin = x_of(self, self->selected_begin), end = x_of(self, self->selected_end);
	double right = GUTTER + tracks_width(self);

	if (!self->selected_end)
		return;
	gtk_style_context_get_color(gtk_widget_get_style_context(GTK_WIDGET(self)), &edge);
	veil.alpha = 0.75f;
	append_rect(snapshot, &veil, GUTTER, 0, begin - GUTTER, height);
	append_rect(snapshot, &veil, end, 0, right - end, height);
	append_rect(snapshot, &edge, begin - 1, 0, 2, height);
	append_rect(snapshot, &edge, end - 1, 0, 2, height);
}

static void snapshot_view(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);
	int height;

	if (!self->document)
		return;
	compute(self);
	height = track_height(self);
	for (uint32_t cpu = 0; cpu < self->n_cpus; cpu++) {
		g_autofree char *label = g_strdup_printf("CPU %u", cpu);
		double top = (double)cpu * height;

		draw_track(self, snapshot, cpu, top + 1, height - 1);
		if (height >= LABEL_MIN_HEIGHT)
			draw_text(self, snapshot, label, 0, top + height / 2.0, GUTTER - 6, true);
	}
	draw_ruler(self, snapshot, (double)self->n_cpus * height);
	draw_selection(self, snapshot, (double)self->n_cpus * height);
}

static void measure(GtkWidget *widget, GtkOrientation orientation, G_GNUC_UNUSED int for_size, int *minimum, int *natural,
		    G_GNUC_UNUSED int *minimum_baseline, G_GNUC_UNUSED int *natural_baseline)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);

	*minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? GUTTER + 100 :
			      (int)self->n_cpus * track_height(self) + RULER_HEIGHT;
}

static void size_allocate(GtkWidget *widget, G_GNUC_UNUSED int width, G_GNUC_UNUSED int height, G_GNUC_UNUSED int baseline)
{
	g_clear_pointer(&SPT_TIMELINE_VIEW(widget)->timeline, spt_timeline_free);
}

/* Selecting. */

static void tell(SptTimelineView *self)
{
	g_autofree char *what = self->selected_end ?
				g_strdup_printf("%.3f s to %.3f s are selected", (double)(self->selected_begin - self->start_ns) / 1e9,
						(double)(self->selected_end - self->start_ns) / 1e9) :
				g_strdup("nothing is selected");
	g_autofree char *text = g_strdup_printf("Timeline of %.3f s on %u CPUs, %s", (double)(self->end_ns - self->start_ns) / 1e9,
						self->n_cpus, what);

	gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void select_range(SptTimelineView *self, uint64_t begin, uint64_t end, bool is_final)
{
	/* The last sample belongs to it. */
	if (end >= self->end_ns)
		end = self->end_ns + 1;
	self->selected_begin = begin;
	self->selected_end = end;
	tell(self);
	g_signal_emit(self, range, 0, begin, end, is_final);
}

static void on_drag_begin(G_GNUC_UNUSED GtkGestureDrag *drag, double x, G_GNUC_UNUSED double y, SptTimelineView *self)
{
	self->drag_from = x;
	self->is_dragging = true;
	gtk_widget_grab_focus(GTK_WIDGET(self));
}

static void select_dragged(SptTimelineView *self, double offset, bool is_final)
{
	uint64_t from = time_at(self, self->drag_from), to = time_at(self, self->drag_from + offset);

	select_range(self, MIN(from, to), MAX(MAX(from, to), MIN(from, to) + 1), is_final);
}

static void on_drag_update(G_GNUC_UNUSED GtkGestureDrag *drag, double x, G_GNUC_UNUSED double y, SptTimelineView *self)
{
	if (self->document && self->drag_from >= GUTTER && fabs(x) >= CLICK_PIXELS)
		select_dragged(self, x, false);
}

static void on_drag_end(GtkGestureDrag *drag, double x, G_GNUC_UNUSED double y, SptTimelineView *self)
{
	double start_x, start_y;

	self->is_dragging = false;
	if (!self->document)
		return;
	gtk_gesture_drag_get_start_point(drag, &start_x, &start_y);
	if (self->drag_from < GUTTER) {
		if ((unsigned)(start_y / track_height(self)) < self->n_cpus)
			g_signal_emit(self, cpu_chosen, 0, (unsigned)(start_y / track_height(self)));
	} else if (fabs(x) >= CLICK_PIXELS) {
		select_dragged(self, x, true);
	} else {
		select_range(self, 0, 0, true);
	}
}

/* Left and Right move what is selected, or with Shift its end; with nothing selected they begin at the left. */
static gboolean on_key(GtkWidget *widget, GVariant *arguments, G_GNUC_UNUSED gpointer data)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);
	int64_t step, begin, end, start = (int64_t)self->start_ns, stop = (int64_t)self->end_ns;
	int direction;
	gboolean is_end;

	if (!self->document)
		return FALSE;
	g_variant_get(arguments, "(ib)", &direction, &is_end);
	step = MAX((stop - start) / KEY_PARTS, 1) * direction;
	begin = self->selected_end ? (int64_t)self->selected_begin : start;
	end = self->selected_end ? (int64_t)self->selected_end : start + (stop - start) / KEY_PARTS;
	if (self->selected_end && !is_end)
		step = CLAMP(step, start - begin, stop - end);
	if (self->selected_end) {
		begin += is_end ? 0 : step;
		end = CLAMP(end + step, begin + 1, stop);
	}
	select_range(self, (uint64_t)begin, (uint64_t)end, true);
	return TRUE;
}

static gboolean on_escape(GtkWidget *widget, G_GNUC_UNUSED GVariant *arguments, G_GNUC_UNUSED gpointer data)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);

	if (!self->selected_end)
		return FALSE;
	select_range(self, 0, 0, true);
	return TRUE;
}

static gboolean query_tooltip(GtkWidget *widget, int x, int y, G_GNUC_UNUSED gboolean by_keyboard, GtkTooltip *tooltip)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);
	unsigned cpu = (unsigned)(MAX(y, 0) / track_height(self));
	uint32_t bucket;
	g_autofree char *text = NULL;

	if (!self->timeline || cpu >= self->n_cpus)
		return FALSE;
	bucket = (uint32_t)CLAMP((x - GUTTER) / tracks_width(self) * self->timeline->n_buckets, 0, self->timeline->n_buckets - 1);
	if (x < GUTTER)
		text = g_strdup_printf("Show only CPU %u", cpu);
	else
		text = g_strdup_printf("CPU %u at %.3f s: %.0f %% busy%s", cpu, (double)(time_at(self, x) - self->start_ns) / 1e9,
				       100 * spt_timeline_load(self->timeline, cpu, bucket),
				       spt_timeline_lost(self->timeline, cpu, bucket) > 0 ? ", samples were lost" : "");
	gtk_tooltip_set_text(tooltip, text);
	return TRUE;
}

/* Life. */

static void dispose(GObject *object)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(object);

	g_clear_pointer(&self->timeline, spt_timeline_free);
	g_clear_pointer(&self->document, spt_document_unref);
	G_OBJECT_CLASS(spt_timeline_view_parent_class)->dispose(object);
}

static void spt_timeline_view_class_init(SptTimelineViewClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = dispose;
	widget_class->measure = measure;
	widget_class->size_allocate = size_allocate;
	widget_class->snapshot = snapshot_view;
	widget_class->query_tooltip = query_tooltip;
	gtk_widget_class_set_css_name(widget_class, "timeline");
	gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
	for (int direction = -1; direction <= 1; direction += 2) {
		guint key = direction < 0 ? GDK_KEY_Left : GDK_KEY_Right;

		gtk_widget_class_add_binding(widget_class, key, 0, on_key, "(ib)", direction, FALSE);
		gtk_widget_class_add_binding(widget_class, key, GDK_SHIFT_MASK, on_key, "(ib)", direction, TRUE);
	}
	gtk_widget_class_add_binding(widget_class, GDK_KEY_Escape, 0, on_escape, NULL);
	range = g_signal_new("range", SPT_TYPE_TIMELINE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3, G_TYPE_UINT64,
			     G_TYPE_UINT64, G_TYPE_BOOLEAN);
	cpu_chosen = g_signal_new("cpu", SPT_TYPE_TIMELINE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void spt_timeline_view_init(SptTimelineView *self)
{
	GtkGesture *drag = gtk_gesture_drag_new();

	gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
	gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
	gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
	g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), self);
	g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), self);
	g_signal_connect(drag, "drag-end", G_CALLBACK(on_drag_end), self);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drag));
}

void spt_timeline_view_set_document(SptTimelineView *self, SptDocument *document)
{
	const SptRestriction *time = spt_restrictions_find(document->restrictions, SPT_RESTRICT_TIME);
	bool is_known = self->document && spt_document_is_same(self->document, document);

	spt_document_ref(document);
	g_clear_pointer(&self->document, spt_document_unref);
	self->document = document;
	if (!is_known) {
		g_clear_pointer(&self->timeline, spt_timeline_free);
		self->start_ns = document->summary.start_ns;
		self->end_ns = MAX(document->summary.end_ns, self->start_ns + 1);
		compute(self);
		self->n_cpus = self->timeline->n_cpus;
		g_clear_pointer(&self->timeline, spt_timeline_free);
		gtk_widget_queue_resize(GTK_WIDGET(self));
	}
	/* Answers lag behind the mouse. */
	if (self->is_dragging && is_known)
		return;
	self->selected_begin = time ? time->begin_ns : 0;
	self->selected_end = time ? time->end_ns : 0;
	tell(self);
}
