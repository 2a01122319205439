/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes, and texts only where they fit. */
#include "timeline-draw.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "lanes-draw.h"
#include "text.h"

#define LABEL_MIN_HEIGHT 13
#define LABEL_CUT 2			/* pixels, which have no part of a name */
#define LABEL_MARGIN 6
#define LEAST_PIXELS 4
/* Of a track that has several, with a gap. */
#define ROW_HEIGHT   8
/* Of the time of some pixels: spans with less are paler. */
#define MUCH_OF_TIME 0.5

double spt_timeline_x(const SptTimelineDrawing *drawing, uint64_t time)
{
	double length = (double)(drawing->until_ns - drawing->begin_ns);

	return drawing->left + drawing->width * ((double)time - (double)drawing->begin_ns) / length;
}

uint64_t spt_timeline_time(const SptTimelineDrawing *drawing, double x)
{
	double share = CLAMP((x - drawing->left) / drawing->width, 0, 1);

	return drawing->begin_ns +
	       (uint64_t)(share * (double)(drawing->until_ns - drawing->begin_ns));
}

static int lanes_height(const SptTimelineDrawing *drawing)
{
	return (int)drawing->timeline->n_lanes * drawing->lane_height;
}

static int height_of_track(const SptTimelineDrawing *drawing, const SptTrack *track)
{
	return track->n_rows > 1 ? MAX((int)track->n_rows * ROW_HEIGHT + 1, drawing->track_height) :
				   drawing->track_height;
}

/* Frames are above the lanes: what delayed one is below it. */
static bool is_above(const SptTrack *track)
{
	return track->late_ns > 0;
}

/* Of the first @n tracks, those above the lanes or those below. */
static int tracks_height(const SptTimelineDrawing *drawing, unsigned n, bool are_above)
{
	int height = 0;

	for (unsigned i = 0; i < n; i++)
		if (is_above(drawing->tracks->pdata[i]) == are_above)
			height += height_of_track(drawing, drawing->tracks->pdata[i]);
	return height;
}

static int lanes_top(const SptTimelineDrawing *drawing)
{
	return tracks_height(drawing, drawing->tracks->len, true);
}

static int lane_top(const SptTimelineDrawing *drawing, uint32_t lane)
{
	return lanes_top(drawing) + (int)lane * drawing->lane_height;
}

static int track_top(const SptTimelineDrawing *drawing, unsigned track)
{
	bool above = is_above(drawing->tracks->pdata[track]);
	int top = above ? 0 : lanes_top(drawing) + lanes_height(drawing);

	return top + tracks_height(drawing, track, above);
}

int spt_timeline_height(const SptTimelineDrawing *drawing)
{
	unsigned n = drawing->tracks->len;

	return lanes_top(drawing) + lanes_height(drawing) + tracks_height(drawing, n, false) +
	       SPT_TIMELINE_RULER_HEIGHT;
}

uint32_t spt_timeline_lane_at(const SptTimelineDrawing *drawing, double y)
{
	double lane = floor((y - lanes_top(drawing)) / drawing->lane_height);

	return lane >= 0 && lane < drawing->timeline->n_lanes ? (uint32_t)lane : UINT32_MAX;
}

const SptTrack *spt_timeline_track_at(const SptTimelineDrawing *drawing, int y, unsigned *ret_row)
{
	for (unsigned i = 0; i < drawing->tracks->len; i++) {
		const SptTrack *track = drawing->tracks->pdata[i];
		int below = y - track_top(drawing, i);

		if (below < 0 || below >= height_of_track(drawing, track))
			continue;
		*ret_row = (unsigned)MAX(below - 1, 0) / ROW_HEIGHT;
		*ret_row = MIN(*ret_row, track->n_rows - 1);
		return track;
	}
	return NULL;
}

char *spt_timeline_lane_name(const SptTimeline *timeline, uint32_t lane)
{
	const SptGroupRow *group = &timeline->groups[lane];
	g_autofree char *made = NULL;

	if (timeline->lanes == SPT_GROUP_CPU)
		return g_strdup_printf("CPU %u", group->cpu);
	if (!group->name)
		return g_strdup(_("others"));
	return g_strdup_printf("%s (%u)", spt_text_name(group->name, &made),
			       timeline->lanes == SPT_GROUP_THREAD ? group->tid : group->pid);
}

static GdkRGBA timeline_draw_text_color(const SptTimelineDrawing *drawing, float alpha)
{
	GdkRGBA color;

	gtk_style_context_get_color(gtk_widget_get_style_context(drawing->widget), &color);
	color.alpha *= alpha;
	return color;
}

static void timeline_draw_draw_text(const SptTimelineDrawing *drawing, GtkSnapshot *snapshot,
				    const char *text, double x, double y, double width,
				    bool is_label)
{
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(drawing->widget, text);
	const GdkRGBA color = timeline_draw_text_color(drawing, 1);
	int text_width, text_height;

	if (is_label) {
		pango_layout_set_width(layout, (int)width * PANGO_SCALE);
		pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
		spt_text_align(layout, drawing->widget, PANGO_ALIGN_RIGHT);
	}
	pango_layout_get_pixel_size(layout, &text_width, &text_height);
	if (text_width > width)
		return;
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)floor(x),
							      (float)floor(y - text_height / 2.0)));
	gtk_snapshot_append_layout(snapshot, layout, &color);
	gtk_snapshot_restore(snapshot);
}

static void timeline_draw_draw_label(const SptTimelineDrawing *drawing, GtkSnapshot *snapshot,
				     const char *text, double top, int height)
{
	/* Of what the ruler cuts, half a name would be seen. */
	if (height >= LABEL_MIN_HEIGHT && top + height <= drawing->ruler_top + LABEL_CUT)
		timeline_draw_draw_text(drawing, snapshot, text, 0, top + height / 2.0,
					drawing->left - LABEL_MARGIN, true);
}

/*
 * One path for all of one colour: hundreds of boxes cost as much as a few, and there are no seams
 * between them.
 */
static void fill_boxes(cairo_t *cairo, const GdkRGBA *color)
{
	gdk_cairo_set_source_rgba(cairo, color);
	cairo_fill(cairo);
}

/* The part of each bucket that it has; @least: height in pixels of anything above zero. */
static void draw_shares(const SptTimelineDrawing *drawing, cairo_t *cairo, uint32_t lane,
			const uint64_t *shares, bool is_on_top, double least)
{
	const SptTimeline *timeline = drawing->timeline;
	double length = (double)(timeline->end_ns - timeline->begin_ns) / timeline->n_buckets;
	double first = spt_timeline_x(drawing, timeline->begin_ns),
	       top = lane_top(drawing, lane) + 1;
	double step = drawing->width * length / (double)(drawing->until_ns - drawing->begin_ns),
	       height = drawing->lane_height - 1;

	for (uint32_t i = 0; i < timeline->n_buckets; i++) {
		double share = spt_timeline_share(timeline, shares, lane, i) * height,
		       x = first + i * step;

		if (share <= 0 || x + step < drawing->left || x > drawing->left + drawing->width)
			continue;
		share = MAX(share, least);
		cairo_rectangle(cairo, x, is_on_top ? top : top + height - share, step, share);
	}
}

/* For metrics other than CPU time: parts of waits as in the lanes of threads. */
static SptLaneKind timeline_draw_kind_of(const SptMetric *metric)
{
	if (strcmp(metric->name, "runnable") == 0)
		return SPT_LANE_RUNNABLE;
	return metric->parts & SPT_METRIC_HAS_STATE ? SPT_LANE_BLOCKED : SPT_LANE_KERNEL;
}

/* Stripes, which are visible in any colours. */
static void fill_stripes(const SptTimelineDrawing *drawing, cairo_t *cairo, const GdkRGBA *color,
			 double top, double height)
{
	cairo_save(cairo);
	cairo_clip(cairo);
	gdk_cairo_set_source_rgba(cairo, color);
	cairo_set_line_width(cairo, 1.5);
	for (double x = drawing->left - height; x < drawing->left + drawing->width; x += 4) {
		cairo_move_to(cairo, x, top + height);
		cairo_line_to(cairo, x + height, top);
	}
	cairo_stroke(cairo);
	cairo_restore(cairo);
}

static void draw_lane(const SptTimelineDrawing *drawing, cairo_t *cairo, uint32_t lane)
{
	const SptTimeline *timeline = drawing->timeline;
	SptLaneKind kind = timeline_draw_kind_of(timeline->metric);
	const GdkRGBA weight = spt_lane_rgba(kind), user = spt_lane_rgba(SPT_LANE_USER),
		      lost = spt_lane_rgba(SPT_LANE_LOST),
		      lit = timeline_draw_text_color(drawing, 0.45f),
		      left_out = timeline_draw_text_color(drawing, 0.3f);
	double top = lane_top(drawing, lane) + 1;

	draw_shares(drawing, cairo, lane, timeline->weights, false, 0);
	fill_boxes(cairo, &weight);
	if (kind == SPT_LANE_KERNEL) {
		draw_shares(drawing, cairo, lane, timeline->user, false, 0);
		fill_boxes(cairo, &user);
	}
	draw_shares(drawing, cairo, lane, timeline->lit, false, 1);
	fill_boxes(cairo, &lit);
	draw_shares(drawing, cairo, lane, timeline->left_out, true, 1);
	fill_boxes(cairo, &left_out);
	/* Even the smallest loss must be visible. */
	draw_shares(drawing, cairo, lane, timeline->lost, true,
		    MIN((drawing->lane_height - 1) / 3.0, LEAST_PIXELS));
	fill_stripes(drawing, cairo, &lost, top, drawing->lane_height - 1);
}

/* Frames that are late, over the others; @levels: room for a number each two pixels. */
static void draw_late(const SptTimelineDrawing *drawing, cairo_t *cairo, const SptTrack *track,
		      double *levels, double top, double height)
{
	static const GdkRGBA red = { 0.88f, 0.11f, 0.14f, 1 };
	uint32_t n = (uint32_t)MAX(drawing->width / 2, 1);
	double step = drawing->width / n;

	spt_track_late_levels(track, drawing->begin_ns, drawing->until_ns, n, levels);
	for (uint32_t i = 0; i < n; i++)
		if (levels[i] > 0)
			cairo_rectangle(cairo, drawing->left + i * step, top, step, height);
	fill_boxes(cairo, &red);
}

/* Spans of several rows, those within others below them; @levels: of spt_track_levels(). */
static void draw_rows(const SptTimelineDrawing *drawing, cairo_t *cairo, const SptTrack *track,
		      const double *levels, uint32_t n, double top)
{
	static const GdkRGBA colors[] = { { 0.55f, 0.35f, 0.75f, 0.5f },
					  { 0.55f, 0.35f, 0.75f, 1 } };
	double step = drawing->width / n;

	for (unsigned is_much = 0; is_much < G_N_ELEMENTS(colors); is_much++) {
		for (uint32_t i = 0; i < n * track->n_rows; i++)
			if (levels[i] > 0 && (levels[i] >= MUCH_OF_TIME) == is_much)
				cairo_rectangle(cairo, drawing->left + i % n * step,
						top + i / n * ROW_HEIGHT, step, ROW_HEIGHT - 1);
		fill_boxes(cairo, &colors[is_much]);
	}
}

static void draw_track(const SptTimelineDrawing *drawing, cairo_t *cairo, const SptTrack *track,
		       double top, double height)
{
	uint32_t n = (uint32_t)MAX(drawing->width / 2, 1);
	g_autofree double *levels = g_new(double, (size_t)n * track->n_rows);
	const GdkRGBA color = track->kind == SPT_STREAM_COUNTER ?
				      timeline_draw_text_color(drawing, 0.45f) :
				      (GdkRGBA){ 0.55f, 0.35f, 0.75f, 1 };
	double step = drawing->width / n;

	spt_track_levels(track, drawing->begin_ns, drawing->until_ns, n, levels);
	if (track->n_rows > 1) {
		draw_rows(drawing, cairo, track, levels, n, top);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		/* A counter at its minimum is visible, too. */
		double level = track->kind == SPT_STREAM_COUNTER ? MAX(levels[i] * height, 1) :
								   levels[i] * height;

		if (level > 0)
			cairo_rectangle(cairo, drawing->left + i * step, top + height - level, step,
					level);
	}
	fill_boxes(cairo, &color);
	if (track->n_late)
		draw_late(drawing, cairo, track, levels, top, height);
}

/* The ruler covers what it is over. */
static void draw_below(const SptTimelineDrawing *drawing, GtkSnapshot *snapshot, int top)
{
	GtkStyleContext *style = gtk_widget_get_style_context(drawing->widget);
	const graphene_rect_t area =
		GRAPHENE_RECT_INIT(0, (float)top, (float)(drawing->left + drawing->width),
				   (float)(spt_timeline_height(drawing) - top));
	GdkRGBA color;

	if (top < spt_timeline_height(drawing) - SPT_TIMELINE_RULER_HEIGHT &&
	    gtk_style_context_lookup_color(style, "window_bg_color", &color))
		gtk_snapshot_append_color(snapshot, &color, &area);
}

void spt_timeline_draw(const SptTimelineDrawing *drawing, GtkSnapshot *snapshot)
{
	int ruler = drawing->ruler_top;
	const graphene_rect_t area =
		GRAPHENE_RECT_INIT((float)drawing->left, 0, (float)drawing->width,
				   (float)spt_timeline_height(drawing));
	cairo_t *cairo;

	for (uint32_t lane = 0; lane < drawing->timeline->n_lanes; lane++) {
		g_autofree char *name = spt_timeline_lane_name(drawing->timeline, lane);

		timeline_draw_draw_label(drawing, snapshot, name, lane_top(drawing, lane),
					 drawing->lane_height);
	}
	for (unsigned i = 0; i < drawing->tracks->len; i++) {
		const SptTrack *track = drawing->tracks->pdata[i];
		g_autofree char *made = NULL;

		timeline_draw_draw_label(drawing, snapshot, spt_text_name(track->name, &made),
					 track_top(drawing, i),
					 height_of_track(drawing, track));
	}
	gtk_snapshot_push_clip(snapshot, &area);
	cairo = gtk_snapshot_append_cairo(snapshot, &area);
	/* Whole pixels are filled several times as fast, and this is filled again in each frame. */
	cairo_set_antialias(cairo, CAIRO_ANTIALIAS_NONE);
	for (uint32_t lane = 0; lane < drawing->timeline->n_lanes; lane++)
		draw_lane(drawing, cairo, lane);
	for (unsigned i = 0; i < drawing->tracks->len; i++)
		draw_track(drawing, cairo, drawing->tracks->pdata[i],
			   track_top(drawing, i) + 1,
			   height_of_track(drawing, drawing->tracks->pdata[i]) - 1);
	cairo_destroy(cairo);
	gtk_snapshot_pop(snapshot);
	draw_below(drawing, snapshot, ruler);
	gtk_snapshot_push_clip(snapshot, &area);
	spt_time_axis_draw(drawing->axis, drawing->widget, snapshot, ruler, 0);
	gtk_snapshot_pop(snapshot);
}

void spt_timeline_draw_selection(const SptTimelineDrawing *drawing, GtkSnapshot *snapshot)
{
	spt_time_axis_draw_selection(drawing->axis, drawing->widget, snapshot, 0,
				     drawing->ruler_top);
}
