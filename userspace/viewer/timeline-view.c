/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wheel zooms into the recording, around the pointer.  Until the visible part is computed, the
 * last result is drawn, stretched.
 */
#include "timeline-view.h"

#include <glib/gi18n.h>
#include <math.h>

#include "query.h"
#include "text.h"
#include "timeline-draw.h"

#define GUTTER 56
#define TRACKS_GUTTER 84
#define WIDE_GUTTER 156
/* Characters that TRACKS_GUTTER has room for. */
#define SHORT_NAME 10
#define ROOMY 640
#define LANES_HEIGHT 56
#define LANE_MIN_HEIGHT 3
#define LANE_MAX_HEIGHT 24
#define TRACK_HEIGHT 15
#define MAX_BOXES 5000
#define BUCKET_PIXELS 2
#define CLICK_PIXELS 4
#define KEY_PARTS 20

struct _SptTimelineView {
	GtkWidget parent_instance;
	SptDocument *document;
	/* The last result; NULL: none for this recording */
	SptTimeline *timeline;
	GskRenderNode *picture;		/* everything but the selection; NULL: to be drawn as */
	SptTimelineDrawing drawn;
	SptGroupKind lanes;
	uint32_t function;		/* lit up */
	SptQuery *query;
	SptTimeAxis *axis;
	GtkAdjustment *room;		/* NULL: the view is seen whole */
	int gutter;			 /* least room for names */
	uint64_t asked_begin, asked_end; /* the visible part when it was requested last */
	double drag_from, pointer;
	bool is_dragging;
};

G_DEFINE_FINAL_TYPE(SptTimelineView, spt_timeline_view, GTK_TYPE_WIDGET)

static unsigned range, only;

/* Of tracks, and in a window that has room for them. */
static bool has_long_names(SptTimelineView *self)
{
	const GPtrArray *tracks = self->document->recording->tracks;

	if (gtk_widget_get_width(GTK_WIDGET(self)) < ROOMY)
		return false;
	for (unsigned i = 0; i < tracks->len; i++)
		if (g_utf8_strlen(((SptTrack *)tracks->pdata[i])->name, -1) > SHORT_NAME)
			return true;
	return false;
}

/* At the end of what can be seen of @height. */
static int timeline_view_ruler_top(SptTimelineView *self, int height)
{
	double end = self->room ? gtk_adjustment_get_value(self->room) +
					  gtk_adjustment_get_page_size(self->room) :
				  0;

	/* Without room for more than the ruler there is none. */
	if (end >= 2 * SPT_TIMELINE_RULER_HEIGHT)
		height = MIN(height, (int)end);
	return height - SPT_TIMELINE_RULER_HEIGHT;
}

static SptTimelineDrawing timeline_view_drawing_of(SptTimelineView *self)
{
	SptTimelineDrawing drawing;
	bool is_wide = self->timeline->lanes != SPT_GROUP_CPU;
	int lanes = LANES_HEIGHT / (int)MAX(self->timeline->n_lanes, 1),
	    left = is_wide || has_long_names(self)	  ? WIDE_GUTTER :
		   self->document->recording->tracks->len ? TRACKS_GUTTER :
							    GUTTER;

	left = MAX(left, self->gutter);
	drawing = (SptTimelineDrawing){
		.widget = GTK_WIDGET(self),
		.timeline = self->timeline,
		.tracks = self->document->recording->tracks,
		.axis = self->axis,
		.begin_ns = self->axis->begin_ns,
		.until_ns = self->axis->until_ns,
		.left = left,
		.width = MAX(gtk_widget_get_width(GTK_WIDGET(self)) - left, 1),
		.lane_height =
			is_wide ? TRACK_HEIGHT : CLAMP(lanes, LANE_MIN_HEIGHT, LANE_MAX_HEIGHT),
		.track_height = TRACK_HEIGHT,
	};
	drawing.ruler_top = timeline_view_ruler_top(self, spt_timeline_height(&drawing));
	return drawing;
}

/* Computing. */

static SptTimelineRequest request_of(SptTimelineView *self)
{
	int width = MAX(gtk_widget_get_width(GTK_WIDGET(self)) - GUTTER, BUCKET_PIXELS);
	uint32_t n_lanes = self->timeline ? self->timeline->n_lanes : 1;

	return (SptTimelineRequest){
		.begin_ns = self->axis->begin_ns,
		.end_ns = self->axis->until_ns,
		.lanes = self->lanes,
		.function = self->function,
		.n_buckets = (uint32_t)MIN(width / BUCKET_PIXELS,
					   MAX(MAX_BOXES / (int)MAX(n_lanes, 1), 64)),
	};
}

static void draw_anew(SptTimelineView *self)
{
	if (self->timeline)
		spt_time_axis_set_left(self->axis, timeline_view_drawing_of(self).left);
	g_clear_pointer(&self->picture, gsk_render_node_unref);
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static gpointer timeline_view_compute(SptDocument *document, gconstpointer request)
{
	return spt_document_timeline(document, request);
}

static void timeline_view_show(gpointer owner, gpointer answer)
{
	SptTimelineView *self = owner;
	SptTimeline *timeline = answer;
	uint32_t n_lanes = self->timeline ? self->timeline->n_lanes : 0;

	if (timeline->lanes != self->lanes) {
		spt_timeline_free(timeline);
		return;
	}
	spt_timeline_free(self->timeline);
	self->timeline = timeline;
	if (timeline->n_lanes != n_lanes)
		gtk_widget_queue_resize(GTK_WIDGET(self));
	draw_anew(self);
}

static const SptQueryKind timeline_query = {
	.answer = timeline_view_compute,
	.show = timeline_view_show,
	.free_answer = (GDestroyNotify)spt_timeline_free,
	.shows_progress = true,
};

static void timeline_view_ask(SptTimelineView *self)
{
	const SptTimelineRequest request = request_of(self);

	self->asked_begin = request.begin_ns;
	self->asked_end = request.end_ns;
	spt_query_ask(self->query, self->document, g_memdup2(&request, sizeof(request)), g_free);
}

static bool is_drawn_alike(const SptTimelineDrawing *a, const SptTimelineDrawing *b)
{
	return a->begin_ns == b->begin_ns && a->until_ns == b->until_ns && a->left == b->left &&
	       a->width == b->width && a->lane_height == b->lane_height &&
	       a->ruler_top == b->ruler_top;
}

/* While a range is dragged only the veil over the picture changes. */
static void timeline_view_snapshot_view(GtkWidget *widget, GtkSnapshot *snapshot)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);
	SptTimelineDrawing drawing;

	if (!self->timeline)
		return;
	drawing = timeline_view_drawing_of(self);
	if (!self->picture || !is_drawn_alike(&self->drawn, &drawing)) {
		GtkSnapshot *picture = gtk_snapshot_new();

		g_clear_pointer(&self->picture, gsk_render_node_unref);
		spt_timeline_draw(&drawing, picture);
		self->picture = gtk_snapshot_free_to_node(picture);
		self->drawn = drawing;
	}
	gtk_snapshot_append_node(snapshot, self->picture);
	spt_timeline_draw_selection(&drawing, snapshot);
}

/* Colours and fonts may have changed. */
static void timeline_view_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
	GTK_WIDGET_CLASS(spt_timeline_view_parent_class)->css_changed(widget, change);
	draw_anew(SPT_TIMELINE_VIEW(widget));
}

static void timeline_view_measure(GtkWidget *widget, GtkOrientation orientation,
				  G_GNUC_UNUSED int for_size, int *minimum, int *natural,
				  G_GNUC_UNUSED int *minimum_baseline,
				  G_GNUC_UNUSED int *natural_baseline)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);
	const SptTimelineDrawing drawing =
		self->timeline ? timeline_view_drawing_of(self) : (SptTimelineDrawing){ 0 };

	*minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? WIDE_GUTTER + 100 :
			      self->timeline ? spt_timeline_height(&drawing) :
					       SPT_TIMELINE_RULER_HEIGHT;
}

static void timeline_view_size_allocate(GtkWidget *widget, G_GNUC_UNUSED int width,
					G_GNUC_UNUSED int height, G_GNUC_UNUSED int baseline)
{
	if (!SPT_TIMELINE_VIEW(widget)->document)
		return;
	draw_anew(SPT_TIMELINE_VIEW(widget));
		timeline_view_ask(SPT_TIMELINE_VIEW(widget));
}

/* Selecting. */

static double timeline_view_seconds(SptTimelineView *self, uint64_t time)
{
	return (double)(time - self->axis->start_ns) / 1e9;
}

/* What red says in its tracks; "" without frames. */
static char *describe_frames(SptTimelineView *self)
{
	const GPtrArray *tracks = self->document->recording->tracks;
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < tracks->len; i++) {
		const SptTrack *track = tracks->pdata[i];
		g_autofree char *made = NULL;

		if (track->late_ns)
			g_string_append_printf(text, _("; %s: %u of %u late, longer than %.1f ms"),
					       spt_text_name(track->name, &made), track->n_late,
					       track->events->len, (double)track->late_ns / 1e6);
	}
	return g_string_free(text, FALSE);
}

static void timeline_view_tell(SptTimelineView *self)
{
	g_autofree char *what =
		self->axis->selected_end ?
			g_strdup_printf(_("%.3f s to %.3f s are selected"),
					timeline_view_seconds(self, self->axis->selected_begin),
					timeline_view_seconds(self, self->axis->selected_end)) :
			g_strdup(_("nothing is selected"));
	g_autofree char *view =
		self->axis->begin_ns > self->axis->start_ns ||
				self->axis->until_ns < self->axis->end_ns ?
			g_strdup_printf(_(", %.3f s to %.3f s are in view"),
					timeline_view_seconds(self, self->axis->begin_ns),
					timeline_view_seconds(self, self->axis->until_ns)) :
			g_strdup("");
	g_autofree char *text =
		g_strdup_printf(_("Timeline of %.3f s on %u CPUs, %s%s"),
				timeline_view_seconds(self, self->axis->end_ns),
				MAX(self->document->recording->summary.n_cpus, 1), what, view);
	g_autofree char *late = describe_frames(self), *all = g_strconcat(text, late, NULL);

	gtk_accessible_update_property(GTK_ACCESSIBLE(self), GTK_ACCESSIBLE_PROPERTY_LABEL, all,
				       -1);
	gtk_widget_queue_draw(GTK_WIDGET(self));
}

static void timeline_view_select_range(SptTimelineView *self, uint64_t begin, uint64_t end,
				       bool is_final)
{
	/* The last sample belongs to it. */
	if (end >= self->axis->end_ns)
		end = self->axis->end_ns + 1;
	spt_time_axis_select(self->axis, begin, end);
	g_signal_emit(self, range, 0, begin, end, is_final);
}

static void timeline_view_on_drag_begin(G_GNUC_UNUSED GtkGestureDrag *drag, double x,
					G_GNUC_UNUSED double y, SptTimelineView *self)
{
	self->drag_from = x;
	self->is_dragging = true;
	gtk_widget_grab_focus(GTK_WIDGET(self));
}

static void select_dragged(SptTimelineView *self, double offset, bool is_final)
{
	const SptTimelineDrawing drawing = timeline_view_drawing_of(self);
	uint64_t from = spt_timeline_time(&drawing, self->drag_from),
		 to = spt_timeline_time(&drawing, self->drag_from + offset);

	timeline_view_select_range(self, MIN(from, to), MAX(MAX(from, to), MIN(from, to) + 1),
				   is_final);
}

static bool is_in_gutter(SptTimelineView *self, double x)
{
	return x < timeline_view_drawing_of(self).left;
}

static void timeline_view_on_drag_update(G_GNUC_UNUSED GtkGestureDrag *drag, double x,
					 G_GNUC_UNUSED double y, SptTimelineView *self)
{
	if (self->timeline && !is_in_gutter(self, self->drag_from) && fabs(x) >= CLICK_PIXELS)
		select_dragged(self, x, false);
}

static void choose_lane(SptTimelineView *self, double y)
{
	const SptTimelineDrawing drawing = timeline_view_drawing_of(self);
	uint32_t lane = spt_timeline_lane_at(&drawing, y);
	const SptGroupRow *group = lane != UINT32_MAX ? &self->timeline->groups[lane] : NULL;
	g_autofree char *number = NULL;
	SptRestriction restriction = { .kind = SPT_RESTRICT_CPU };

	if (!group || !group->name)
		return;
	restriction.number = group->cpu;
	if (self->timeline->lanes != SPT_GROUP_CPU) {
		number = g_strdup_printf("%u", self->timeline->lanes == SPT_GROUP_THREAD ?
						       group->tid :
						       group->pid);
		restriction = (SptRestriction){
			.kind = self->timeline->lanes == SPT_GROUP_THREAD ? SPT_RESTRICT_THREAD :
									    SPT_RESTRICT_PROCESS,
			.text = number,
		};
	}
	g_signal_emit(self, only, 0, &restriction);
}

static void timeline_view_on_drag_end(GtkGestureDrag *drag, double x, G_GNUC_UNUSED double y,
				      SptTimelineView *self)
{
	double start_x, start_y;

	self->is_dragging = false;
	if (!self->timeline)
		return;
	gtk_gesture_drag_get_start_point(drag, &start_x, &start_y);
	if (is_in_gutter(self, self->drag_from))
		choose_lane(self, start_y);
	else if (fabs(x) >= CLICK_PIXELS)
		select_dragged(self, x, true);
	else
		timeline_view_select_range(self, 0, 0, true);
}

/* Left and Right move the selection, or with Shift its end; without one they start at the left. */
static gboolean on_key(GtkWidget *widget, GVariant *arguments, G_GNUC_UNUSED gpointer data)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);
	int64_t step, begin, end, start = (int64_t)self->axis->start_ns,
				  stop = (int64_t)self->axis->end_ns;
	int direction;
	gboolean is_end;

	if (!self->document)
		return FALSE;
	g_variant_get(arguments, "(ib)", &direction, &is_end);
	step = MAX((stop - start) / KEY_PARTS, 1) * direction;
	begin = self->axis->selected_end ? (int64_t)self->axis->selected_begin : start;
	end = self->axis->selected_end ? (int64_t)self->axis->selected_end :
					 start + (stop - start) / KEY_PARTS;
	if (self->axis->selected_end && !is_end)
		step = CLAMP(step, start - begin, stop - end);
	if (self->axis->selected_end) {
		begin += is_end ? 0 : step;
		end = CLAMP(end + step, begin + 1, stop);
	}
	timeline_view_select_range(self, (uint64_t)begin, (uint64_t)end, true);
	return TRUE;
}

static gboolean timeline_view_on_escape(GtkWidget *widget, G_GNUC_UNUSED GVariant *arguments,
					G_GNUC_UNUSED gpointer data)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);

	if (!self->axis->selected_end)
		return FALSE;
	timeline_view_select_range(self, 0, 0, true);
	return TRUE;
}

/* The visible part. */

static void timeline_view_on_axis_changed(SptTimelineView *self)
{
	if (!self->document)
		return;
	timeline_view_tell(self);
	if (self->asked_begin != self->axis->begin_ns || self->asked_end != self->axis->until_ns)
	timeline_view_ask(self);
}

static gboolean timeline_view_on_scroll(GtkEventControllerScroll *scroll, double dx, double dy,
					SptTimelineView *self)
{
	if (!self->timeline)
		return FALSE;
	spt_time_axis_scroll(self->axis, GTK_EVENT_CONTROLLER(scroll), dx, dy, self->pointer,
			     gtk_widget_get_width(GTK_WIDGET(self)));
	return TRUE;
}

static void timeline_view_on_motion(G_GNUC_UNUSED GtkEventControllerMotion *motion, double x,
				    G_GNUC_UNUSED double y, SptTimelineView *self)
{
	self->pointer = x;
}

/* 0: all of it; 2: the selection. */
static gboolean timeline_view_on_zoom_key(GtkWidget *widget, GVariant *arguments,
					  G_GNUC_UNUSED gpointer data)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);
	int direction;

	if (!self->timeline)
		return FALSE;
	g_variant_get(arguments, "(i)", &direction);
	if (direction == 0)
		spt_time_axis_look_at(self->axis, (double)self->axis->start_ns,
				      (double)(self->axis->end_ns - self->axis->start_ns));
	else if (direction == 2 && self->axis->selected_end)
		spt_time_axis_look_at(self->axis, (double)self->axis->selected_begin,
				      (double)(self->axis->selected_end -
					       self->axis->selected_begin));
	else if (direction != 2)
		spt_time_axis_zoom(self->axis,
				   ((double)self->axis->begin_ns + (double)self->axis->until_ns) /
					   2,
				   direction);
	return TRUE;
}

static gboolean on_pan_key(GtkWidget *widget, GVariant *arguments, G_GNUC_UNUSED gpointer data)
{
	int direction;

	if (!SPT_TIMELINE_VIEW(widget)->timeline)
		return FALSE;
	g_variant_get(arguments, "(i)", &direction);
	spt_time_axis_pan(SPT_TIMELINE_VIEW(widget)->axis, direction / 4.0);
	return TRUE;
}

static char *describe_lane(SptTimelineView *self, uint32_t lane, double x)
{
	const SptTimelineDrawing drawing = timeline_view_drawing_of(self);
	const SptTimeline *timeline = self->timeline;
	g_autofree char *name = spt_timeline_lane_name(timeline, lane);
	uint64_t at = spt_timeline_time(&drawing, x);
	double share = ((double)at - (double)timeline->begin_ns) /
		       (double)(timeline->end_ns - timeline->begin_ns);
	uint32_t bucket = (uint32_t)CLAMP(share * timeline->n_buckets, 0, timeline->n_buckets - 1);
	double lit = spt_timeline_share(timeline, timeline->lit, lane, bucket);
	bool was_lost = spt_timeline_share(timeline, timeline->lost, lane, bucket) > 0;
	uint64_t weight = timeline->weights[(size_t)lane * timeline->n_buckets + bucket];
	g_autofree char *amount = timeline->metric->is_cpu ?
					  spt_timeline_busy(timeline, lane, bucket) :
					  spt_text_weight(timeline->metric, weight);
	GString *text = g_string_new(NULL);

	if (x < drawing.left) {
		g_string_append_printf(text, _("Show only %s"), name);
		return g_string_free(text, FALSE);
	}
	g_string_append_printf(text, _("%s at %.3f s: %s"), name, timeline_view_seconds(self, at),
			       amount);
	if (lit > 0 && timeline->metric->is_cpu)
		g_string_append_printf(text, _(", %.0f %% in the selected function"), 100 * lit);
	if (was_lost && !timeline->metric->is_cpu)
		g_string_append(text, _(", samples were lost"));
	if (spt_timeline_share(timeline, timeline->left_out, lane, bucket) > 0)
		g_string_append(text, _(", sampled less often to keep to the budget"));
	return g_string_free(text, FALSE);
}

static char *describe_track(SptTimelineView *self, const SptTrack *track, unsigned row,
			    double x)
{
	const SptTimelineDrawing drawing = timeline_view_drawing_of(self);
	uint64_t near_ns = (uint64_t)((double)(self->axis->until_ns - self->axis->begin_ns) /
				      drawing.width * CLICK_PIXELS);
	uint64_t at = spt_timeline_time(&drawing, x);
	const SptTrackEvent *event =
		x < drawing.left ? NULL : spt_track_at(track, row, at, near_ns);
	g_autofree char *made_name = NULL, *made_text = NULL, *made_unit = NULL, *duration = NULL,
			*value = NULL;
	const char *name = spt_text_name(track->name, &made_name);

	if (!event && track->late_ns)
		return g_strdup_printf(_("%s: %u of %u late, longer than %.1f ms"), name,
				       track->n_late, track->events->len,
				       (double)track->late_ns / 1e6);
	if (!event)
		return g_strdup(name);
	if (track->kind == SPT_STREAM_COUNTER && g_strcmp0(track->unit, "bytes") == 0) {
		value = g_format_size_full((uint64_t)event->value, G_FORMAT_SIZE_IEC_UNITS);
		return g_strdup_printf(_("%s at %.3f s: %s"), name, timeline_view_seconds(self, at),
				       value);
	}
	value = g_strdup_printf("%.15g", event->value);
	if (track->kind == SPT_STREAM_COUNTER)
		return g_strdup_printf(_("%s at %.3f s: %s %s"), name,
				       timeline_view_seconds(self, at), value,
				       spt_text_name(track->unit, &made_unit));
	duration = spt_text_took(event->duration);
	if (spt_track_is_late(track, event))
		return g_strdup_printf(_("%s at %.6f s: %s, late: it took longer than %.1f ms"),
				       name,
				       timeline_view_seconds(
					       self, MAX(event->time, self->axis->start_ns)),
				       duration, (double)track->late_ns / 1e6);
	return g_strdup_printf(_("%s at %.6f s: %s%s%s"), name,
			       timeline_view_seconds(self, MAX(event->time, self->axis->start_ns)),
			       event->text ? spt_text_name(event->text, &made_text) : "",
			       event->text && *duration ? ", " : "", duration);
}

static gboolean timeline_view_query_tooltip(GtkWidget *widget, int x, int y, gboolean by_keyboard,
					    GtkTooltip *tooltip)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(widget);
	g_autofree char *text = NULL;
	SptTimelineDrawing drawing;
	const SptTrack *track;
	uint32_t lane;
	unsigned row;

	/* A tooltip window that moves along costs more than the views that follow. */
	if (!self->timeline || by_keyboard || y < 0 || self->is_dragging)
		return FALSE;
	drawing = timeline_view_drawing_of(self);
	lane = spt_timeline_lane_at(&drawing, y);
	if (lane != UINT32_MAX)
		text = describe_lane(self, lane, x);
	else if ((track = spt_timeline_track_at(&drawing, y, &row)))
		text = describe_track(self, track, row, x);
	gtk_tooltip_set_text(tooltip, text);
	return text != NULL;
}

/* Life. */

static void timeline_view_dispose(GObject *object)
{
	SptTimelineView *self = SPT_TIMELINE_VIEW(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->picture, gsk_render_node_unref);
	g_clear_pointer(&self->timeline, spt_timeline_free);
	g_clear_pointer(&self->document, spt_document_unref);
	g_clear_object(&self->axis);
	g_clear_object(&self->room);
	G_OBJECT_CLASS(spt_timeline_view_parent_class)->dispose(object);
}

static void add_zoom_keys(GtkWidgetClass *class)
{
	static const struct {
		guint key;
		int direction;
	} zooms[] = { { GDK_KEY_plus, 1 },	   { GDK_KEY_KP_Add, 1 },  { GDK_KEY_minus, -1 },
		      { GDK_KEY_KP_Subtract, -1 }, { GDK_KEY_0, 0 },	   { GDK_KEY_Home, 0 },
		      { GDK_KEY_Return, 2 },	   { GDK_KEY_KP_Enter, 2 } };

	for (unsigned i = 0; i < G_N_ELEMENTS(zooms); i++)
		gtk_widget_class_add_binding(class, zooms[i].key, 0, timeline_view_on_zoom_key,
					     "(i)", zooms[i].direction);
	gtk_widget_class_add_binding(class, GDK_KEY_Left, GDK_CONTROL_MASK, on_pan_key, "(i)", -1);
	gtk_widget_class_add_binding(class, GDK_KEY_Right, GDK_CONTROL_MASK, on_pan_key, "(i)", 1);
}

static void spt_timeline_view_class_init(SptTimelineViewClass *class)
{
	GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

	G_OBJECT_CLASS(class)->dispose = timeline_view_dispose;
	widget_class->measure = timeline_view_measure;
	widget_class->size_allocate = timeline_view_size_allocate;
	widget_class->snapshot = timeline_view_snapshot_view;
	widget_class->css_changed = timeline_view_css_changed;
	widget_class->query_tooltip = timeline_view_query_tooltip;
	gtk_widget_class_set_css_name(widget_class, "timeline");
	gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
	for (int direction = -1; direction <= 1; direction += 2) {
		guint key = direction < 0 ? GDK_KEY_Left : GDK_KEY_Right;

		gtk_widget_class_add_binding(widget_class, key, 0, on_key, "(ib)", direction,
					     FALSE);
		gtk_widget_class_add_binding(widget_class, key, GDK_SHIFT_MASK, on_key, "(ib)",
					     direction, TRUE);
	}
	gtk_widget_class_add_binding(widget_class, GDK_KEY_Escape, 0, timeline_view_on_escape,
				     NULL);
	add_zoom_keys(widget_class);
	range = g_signal_new("range", SPT_TYPE_TIMELINE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
			     NULL, G_TYPE_NONE, 3, G_TYPE_UINT64, G_TYPE_UINT64, G_TYPE_BOOLEAN);
	only = g_signal_new("only", SPT_TYPE_TIMELINE_VIEW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
			    G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void spt_timeline_view_init(SptTimelineView *self)
{
	GtkGesture *drag = gtk_gesture_drag_new();
	GtkEventController *scroll =
		gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES);
	GtkEventController *motion = gtk_event_controller_motion_new();

	self->query = spt_query_new(GTK_WIDGET(self), &timeline_query);
	self->axis = spt_time_axis_new();
	g_signal_connect_object(self->axis, "changed", G_CALLBACK(timeline_view_on_axis_changed),
				self, G_CONNECT_SWAPPED);
	self->lanes = SPT_GROUP_CPU;
	self->function = UINT32_MAX;
	gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
	gtk_widget_set_has_tooltip(GTK_WIDGET(self), TRUE);
	gtk_widget_set_overflow(GTK_WIDGET(self), GTK_OVERFLOW_HIDDEN);
	g_signal_connect(drag, "drag-begin", G_CALLBACK(timeline_view_on_drag_begin), self);
	g_signal_connect(drag, "drag-update", G_CALLBACK(timeline_view_on_drag_update), self);
	g_signal_connect(drag, "drag-end", G_CALLBACK(timeline_view_on_drag_end), self);
	gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(drag));
	g_signal_connect(scroll, "scroll", G_CALLBACK(timeline_view_on_scroll), self);
	g_signal_connect(motion, "motion", G_CALLBACK(timeline_view_on_motion), self);
	gtk_widget_add_controller(GTK_WIDGET(self), scroll);
	gtk_widget_add_controller(GTK_WIDGET(self), motion);
}

void spt_timeline_view_set_room(SptTimelineView *self, GtkAdjustment *room)
{
	self->room = g_object_ref(room);
	g_signal_connect_object(room, "value-changed", G_CALLBACK(gtk_widget_queue_draw), self,
				G_CONNECT_SWAPPED);
	g_signal_connect_object(room, "changed", G_CALLBACK(gtk_widget_queue_draw), self,
				G_CONNECT_SWAPPED);
}

void spt_timeline_view_set_document(SptTimelineView *self, SptDocument *document)
{
	const SptRestriction *time =
		spt_restrictions_find(document->look.restrictions, SPT_RESTRICT_TIME);
	bool is_known = self->document && spt_document_is_same(self->document, document);

	bool is_arranged_anew =
		is_known &&
		self->function != spt_document_translate(document, self->document, self->function);
	bool has_other_metric =
		is_known && self->document->look.metric != document->look.metric;

	spt_document_replace(&self->document, document);
	if (is_arranged_anew)
		spt_timeline_view_light(self, UINT32_MAX);
	if (has_other_metric)
		timeline_view_ask(self);
	if (!is_known) {
		SptTimelineRequest request;

		g_clear_pointer(&self->timeline, spt_timeline_free);
		self->function = UINT32_MAX;
		spt_time_axis_set_recording(self->axis, document->recording->summary.start_ns,
					    document->recording->summary.end_ns);
		/* In the first picture. */
		request = request_of(self);
		self->timeline = spt_document_timeline(document, &request);
		spt_query_cancel(self->query);
		draw_anew(self);
		gtk_widget_queue_resize(GTK_WIDGET(self));
	}
	/* Answers are later than the mouse. */
	if (self->is_dragging && is_known)
		return;
	spt_time_axis_select(self->axis, time ? time->begin_ns : 0, time ? time->end_ns : 0);
	timeline_view_tell(self);
}

SptTimeAxis *spt_timeline_view_axis(SptTimelineView *self)
{
	return self->axis;
}

void spt_timeline_view_set_gutter(SptTimelineView *self, int pixels)
{
	self->gutter = pixels;
	draw_anew(self);
}

void spt_timeline_view_set_lanes(SptTimelineView *self, SptGroupKind lanes)
{
	self->lanes = lanes;
	if (self->document)
		timeline_view_ask(self);
}

void spt_timeline_view_light(SptTimelineView *self, uint32_t function)
{
	if (function == self->function)
		return;
	self->function = function;
	if (self->document)
		timeline_view_ask(self);
}
