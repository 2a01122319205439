/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All lanes are one picture that is painted pixel by pixel: as many nodes as there are waits would
 * take a second.
 */
#include "lanes-draw.h"

#include <glib/gi18n.h>
#include <math.h>

#include "lanes-arrows.h"
#include "profile/selection.h"
#include "profile/waits.h"
#include "text.h"

#define GAP	     3 /* between lanes */
#define OFF_RGBA     0xff241f31 /* 0xaarrggbb: nearly black, on any lane's colour */
#define MARGIN	     6
#define INDENT	     10
#define EXPANDER     10
#define LABEL_PIXELS 44 /* a thread's name has room on a CPU from here on */
#define HATCH	     4

static const char *thread_name(const SptLanes *lanes, uint32_t thread)
{
	const SptThreadRow *row = &lanes->capture->threads[thread];

	if (row->name && *row->name)
		return row->name;
	return spt_process_label(&lanes->capture->processes[row->process]);
}

char *spt_lane_line_name(const SptLanes *lanes, const SptLaneLine *line)
{
	uint32_t number = line->wanted.number;
	g_autofree char *made = NULL;
	const SptProcessRow *process;
	uint32_t thread;

	if (line->is_head)
		return g_strdup(_("CPUs"));
	if (line->wanted.of == SPT_LANE_OF_CPU)
		return g_strdup_printf("CPU %u", number);
	if (line->wanted.of == SPT_LANE_OF_PROCESS) {
		process = &lanes->capture->processes[lanes->processes[number].process];
		return g_strdup_printf("%s (%u)", spt_text_name(spt_process_label(process), &made),
				       process->pid);
	}
	thread = lanes->threads[number].thread;
	return g_strdup_printf("%s (%u)", spt_text_name(thread_name(lanes, thread), &made),
			       lanes->capture->threads[thread].tid);
}

char *spt_lane_describe_cpu(const SptLanes *lanes, const SptLaneLine *line, uint64_t time,
			    uint64_t start_ns)
{
	const SptLaneRun *run = spt_lanes_on_cpu(lanes, line->wanted.number, time);
	g_autofree char *name = spt_lane_line_name(lanes, line), *thread = NULL, *duration = NULL;
	double begin = ((double)(run ? run->begin : time) - (double)start_ns) / 1e9;
	SptLaneLine owner = { .wanted = { .of = SPT_LANE_OF_THREAD } };

	if (!run)
		return g_strdup_printf(_("%s: idle at %.6f s"), name, begin);
	duration = spt_text_duration(run->end - run->begin);
	if (spt_lane_run_is_lost(run))
		return g_strdup_printf(_("%s: switches were lost, for %s from %.6f s on"), name,
				       duration, begin);
	owner.wanted.number = lanes->lane_of[run->thread];
	thread = spt_lane_line_name(lanes, &owner);
	return g_strdup_printf(_("%s: %s, %s from %.6f s on"), name, thread, duration, begin);
}

char *spt_lane_describe_moment(const SptLanes *lanes, const SptLaneLine *line,
			       const SptLaneMoment *moment, const SptTimeAxis *axis)
{
	g_autofree char *name = spt_lane_line_name(lanes, line),
			*duration = spt_text_duration(MIN(moment->end, axis->end_ns) -
						      MIN(moment->begin, axis->end_ns));
	double begin = (double)(moment->begin - MIN(axis->start_ns, moment->begin)) / 1e9;

	return g_strdup_printf(_("%s: %s, %s from %.6f s on"), name,
			       _(spt_wait_state_name(moment->state)), duration, begin);
}

GdkRGBA spt_lane_rgba(SptLaneKind kind)
{
	uint32_t color = spt_lane_color(kind);

	return (GdkRGBA){ (float)(color >> 16) / 255, (float)(color >> 8 & 0xff) / 255,
			  (float)(color & 0xff) / 255, 1 };
}

static uint32_t pixel_of(SptLaneKind kind, unsigned x, unsigned y)
{
	/* Unlike colours, everybody can see a pattern. */
	if (kind == SPT_LANE_LOST && (x + y) % HATCH >= HATCH / 2)
		return 0;
	return 0xff000000 | spt_lane_color(kind);
}

/* Kinds are stacked, each as high as its fraction; every kind that occurs has at least a pixel. */
static void paint_bucket(uint32_t *pixels, unsigned stride, unsigned height, unsigned x,
			 const float *shares)
{
	double sum = 0;
	unsigned from = 0;

	for (unsigned kind = 0; kind < SPT_LANE_KINDS; kind++) {
		unsigned to;

		if (shares[kind] <= 0)
			continue;
		sum += (double)shares[kind];
		to = (unsigned)CLAMP(lround(sum * height), 0, height);
		if (to == from && from < height)
			to = from + 1;
		for (; from < to; from++)
			pixels[(size_t)(height - 1 - from) * stride + x] =
				pixel_of(kind, x, height - 1 - from);
	}
}

/* Where a CPU took no interrupts its lane is hatched: at least a line, however short that was. */
static void paint_off(uint32_t *pixels, unsigned stride, unsigned height, unsigned x, float share)
{
	for (unsigned y = 0; share > 0 && y < height; y++)
		if ((x + y) % HATCH < HATCH / 2)
			pixels[(size_t)y * stride + x] = OFF_RGBA;
}

/* The row of a line in the picture; UINT32_MAX: it has none. */
static uint32_t lanes_draw_row_of(const SptLanesPicture *picture, const SptLaneLine *line)
{
	for (uint32_t i = 0; i < picture->n_rows && !line->is_head; i++)
		if (picture->rows[i].of == line->wanted.of &&
		    picture->rows[i].number == line->wanted.number)
			return i;
	return UINT32_MAX;
}

static void draw_lanes(const SptLanesDrawing *drawing, GtkSnapshot *snapshot)
{
	const SptLanesPicture *picture = drawing->picture;
	unsigned n = drawing->last - drawing->first, width = picture->n_buckets,
		 height = SPT_LANE_HEIGHT - GAP;
	int full = gtk_widget_get_width(drawing->widget);
	double left = spt_time_axis_x(drawing->axis, full, picture->begin_ns),
	       right = spt_time_axis_x(drawing->axis, full, picture->end_ns);
	size_t stride = width * sizeof(uint32_t), bytes = stride * n * SPT_LANE_HEIGHT;
	g_autofree uint32_t *pixels = g_malloc0(MAX(bytes, 1));
	g_autoptr(GBytes) data = NULL;
	g_autoptr(GdkTexture) texture = NULL;

	for (unsigned i = 0; i < n; i++) {
		const SptLaneLine *line =
			&g_array_index(drawing->lines, SptLaneLine, drawing->first + i);
		uint32_t row = lanes_draw_row_of(picture, line);

		for (unsigned x = 0; row != UINT32_MAX && x < width; x++)
			paint_bucket(pixels + (size_t)i * SPT_LANE_HEIGHT * width, width, height, x,
				     picture->shares + ((size_t)row * width + x) * SPT_LANE_KINDS);
		for (unsigned x = 0; row != UINT32_MAX && x < width; x++)
			paint_off(pixels + (size_t)i * SPT_LANE_HEIGHT * width, width, height, x,
				  picture->offs[(size_t)row * width + x]);
	}
	data = g_bytes_new_take(g_steal_pointer(&pixels), bytes);
	/* A word of 0xaarrggbb, in the machine's order. */
	texture = gdk_memory_texture_new((int)width, (int)(n * SPT_LANE_HEIGHT), GDK_MEMORY_DEFAULT,
					 data, stride);
	gtk_snapshot_append_texture(
		snapshot, texture,
		&GRAPHENE_RECT_INIT((float)left, (float)(drawing->first * SPT_LANE_HEIGHT),
				    (float)(right - left), (float)(n * SPT_LANE_HEIGHT)));
}

static void lanes_draw_draw_text(const SptLanesDrawing *drawing, GtkSnapshot *snapshot,
				 const char *text, const GdkRGBA *color, double x, double top,
				 double width)
{
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(drawing->widget, text);
	int text_height;

	pango_layout_set_width(layout, (int)width * PANGO_SCALE);
	pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
	pango_layout_set_single_paragraph_mode(layout, TRUE);
	spt_text_align(layout, drawing->widget, PANGO_ALIGN_LEFT);
	pango_layout_get_pixel_size(layout, NULL, &text_height);
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(
		snapshot, &GRAPHENE_POINT_INIT(
				  (float)floor(x),
				  (float)floor(top + (SPT_LANE_HEIGHT - GAP - text_height) / 2.0)));
	gtk_snapshot_append_layout(snapshot, layout, color);
	gtk_snapshot_restore(snapshot);
}

static GdkRGBA lanes_draw_text_color(const SptLanesDrawing *drawing)
{
	GdkRGBA color;

	gtk_style_context_get_color(gtk_widget_get_style_context(drawing->widget), &color);
	return color;
}

/* The thread that ran there, where one has room for its name. */
static void draw_owners(const SptLanesDrawing *drawing, GtkSnapshot *snapshot, uint32_t row,
			double top)
{
	const SptLanesPicture *picture = drawing->picture;
	const uint32_t *owners = picture->owners + (size_t)row * picture->n_buckets;
	const GdkRGBA black = { 0, 0, 0, 1 };
	int full = gtk_widget_get_width(drawing->widget);
	double step = (double)(picture->end_ns - picture->begin_ns) / picture->n_buckets;

	for (uint32_t from = 0, to; from < picture->n_buckets; from = to) {
		double left = spt_time_axis_x(drawing->axis, full,
					      picture->begin_ns + (uint64_t)(from * step)),
		       right;

		for (to = from + 1; to < picture->n_buckets && owners[to] == owners[from]; to++)
			;
		right = spt_time_axis_x(drawing->axis, full,
					picture->begin_ns + (uint64_t)(to * step));
		if (owners[from] && right - left >= LABEL_PIXELS) {
			g_autofree char *made = NULL;

			lanes_draw_draw_text(
				drawing, snapshot,
				spt_text_name(thread_name(drawing->lanes, owners[from]), &made),
				&black, MAX(left, drawing->axis->left) + 3, top,
				right - MAX(left, drawing->axis->left) - 6);
		}
	}
}

/* A triangle, to the right or downwards. */
static void draw_expander(const SptLanesDrawing *drawing, GtkSnapshot *snapshot, double x,
			  double top, bool is_open)
{
	const GdkRGBA color = lanes_draw_text_color(drawing);
	double middle = top + (SPT_LANE_HEIGHT - GAP) / 2.0;
	cairo_t *cairo =
		gtk_snapshot_append_cairo(snapshot, &GRAPHENE_RECT_INIT((float)x, (float)top,
									EXPANDER, SPT_LANE_HEIGHT));

	gdk_cairo_set_source_rgba(cairo, &color);
	if (is_open) {
		cairo_move_to(cairo, x + 1, middle - 2);
		cairo_line_to(cairo, x + 9, middle - 2);
		cairo_line_to(cairo, x + 5, middle + 3);
	} else {
		cairo_move_to(cairo, x + 3, middle - 4);
		cairo_line_to(cairo, x + 8, middle);
		cairo_line_to(cairo, x + 3, middle + 4);
	}
	cairo_close_path(cairo);
	cairo_fill(cairo);
	cairo_destroy(cairo);
}

static void lanes_draw_draw_label(const SptLanesDrawing *drawing, GtkSnapshot *snapshot,
				  const SptLaneLine *line, double top)
{
	const GdkRGBA color = lanes_draw_text_color(drawing);
	double x = MARGIN + line->depth * INDENT;
	g_autofree char *name = spt_lane_line_name(drawing->lanes, line);

	if (line->has_more)
		draw_expander(drawing, snapshot, x, top, line->is_open);
	x += EXPANDER + 2;
	lanes_draw_draw_text(drawing, snapshot, name, &color, x, top,
			     MAX(drawing->axis->left - x - 4, 1));
}

static void draw_outline(const SptLanesDrawing *drawing, GtkSnapshot *snapshot)
{
	const GdkRGBA color = lanes_draw_text_color(drawing);
	int full = gtk_widget_get_width(drawing->widget);
	double top = drawing->selected * SPT_LANE_HEIGHT - 1.0,
	       left = spt_time_axis_x(drawing->axis, full, drawing->selected_begin),
	       right = spt_time_axis_x(drawing->axis, full, drawing->selected_end);
	float width;

	left = MAX(left, drawing->axis->left - 4);
	right = MIN(right, full + 4);
	if (right < left)
		return;
	width = (float)MAX(right - left, 5);
	gtk_snapshot_append_border(
		snapshot,
		&GSK_ROUNDED_RECT_INIT((float)left, (float)top, width, SPT_LANE_HEIGHT - GAP + 2),
		(float[4]){ 2, 2, 2, 2 }, (GdkRGBA[4]){ color, color, color, color });
}

static void draw_selected_line(const SptLanesDrawing *drawing, GtkSnapshot *snapshot)
{
	GdkRGBA color = lanes_draw_text_color(drawing);

	color.alpha *= 0.12f;
	gtk_snapshot_append_color(snapshot, &color,
				  &GRAPHENE_RECT_INIT(0,
						      (float)(drawing->selected * SPT_LANE_HEIGHT),
						      (float)gtk_widget_get_width(drawing->widget),
						      SPT_LANE_HEIGHT - GAP));
}

void spt_lanes_draw(const SptLanesDrawing *drawing, GtkSnapshot *snapshot)
{
	float height = (float)(drawing->last * SPT_LANE_HEIGHT);
	const graphene_rect_t area = GRAPHENE_RECT_INIT(
		(float)drawing->axis->left, 0,
		(float)MAX(gtk_widget_get_width(drawing->widget) - drawing->axis->left, 1), height);

	if (drawing->selected != UINT_MAX)
		draw_selected_line(drawing, snapshot);
	for (unsigned i = drawing->first; i < drawing->last; i++)
		lanes_draw_draw_label(drawing, snapshot,
				      &g_array_index(drawing->lines, SptLaneLine, i),
				      i * SPT_LANE_HEIGHT);
	if (!drawing->picture)
		return;
	gtk_snapshot_push_clip(snapshot, &area);
	draw_lanes(drawing, snapshot);
	for (unsigned i = drawing->first; i < drawing->last; i++) {
		const SptLaneLine *line = &g_array_index(drawing->lines, SptLaneLine, i);
		uint32_t row = lanes_draw_row_of(drawing->picture, line);

		if (line->wanted.of == SPT_LANE_OF_CPU && row != UINT32_MAX)
			draw_owners(drawing, snapshot, row, i * SPT_LANE_HEIGHT);
	}
	spt_lanes_arrows_draw(drawing, snapshot);
	spt_time_axis_draw_selection(drawing->axis, drawing->widget, snapshot, 0, height);
	if (drawing->selected != UINT_MAX && drawing->selected_end)
		draw_outline(drawing, snapshot);
	gtk_snapshot_pop(snapshot);
}

void spt_lanes_draw_sample(SptLaneKind kind, GtkSnapshot *snapshot, double x, double y, double size)
{
	unsigned n = (unsigned)size;
	size_t bytes = (size_t)n * n * sizeof(uint32_t);
	uint32_t *pixels = g_malloc(MAX(bytes, 1));
	g_autoptr(GBytes) data = g_bytes_new_take(pixels, bytes);
	g_autoptr(GdkTexture) texture = NULL;

	for (unsigned i = 0; i < n * n; i++)
		pixels[i] = pixel_of(kind == SPT_LANE_KINDS ? SPT_LANE_USER : kind, i % n, i / n);
	for (unsigned column = 0; kind == SPT_LANE_KINDS && column < n; column++)
		paint_off(pixels, n, n, column, 1);
	texture = gdk_memory_texture_new((int)n, (int)n, GDK_MEMORY_DEFAULT, data,
					 n * sizeof(uint32_t));
	gtk_snapshot_append_texture(snapshot, texture,
				    &GRAPHENE_RECT_INIT((float)x, (float)y, (float)n, (float)n));
}
