/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each arrow is a line from the middle of one lane to that of another, with a head at its end. */
#include "lanes-arrows.h"

#include <glib/gi18n.h>
#include <math.h>

#include "profile/lane-arrows.h"
#include "text.h"

#define HEAD	    5
#define NEAR_PIXELS 4

struct ends {
	double x0, y0, x1, y1;
};

/* The line of the view that a row of the picture is; UINT_MAX: it is not there. */
static unsigned line_of_row(const SptLanesDrawing *drawing, uint32_t row)
{
	const SptLaneWanted *wanted = &drawing->picture->rows[row];

	for (unsigned i = 0; i < drawing->lines->len; i++) {
		const SptLaneLine *line = &g_array_index(drawing->lines, SptLaneLine, i);

		if (!line->is_head && line->wanted.of == wanted->of &&
		    line->wanted.number == wanted->number)
			return i;
	}
	return UINT_MAX;
}

static bool place_arrow(const SptLanesDrawing *drawing, const SptLaneArrow *arrow, struct ends *ret)
{
	int width = gtk_widget_get_width(drawing->widget);
	unsigned from = line_of_row(drawing, arrow->from_row),
		 to = line_of_row(drawing, arrow->to_row);

	*ret = (struct ends){ spt_time_axis_x(drawing->axis, width, arrow->begin),
			      (from + 0.45) * SPT_LANE_HEIGHT,
			      spt_time_axis_x(drawing->axis, width, arrow->end),
			      (to + 0.45) * SPT_LANE_HEIGHT };
	return from != UINT_MAX && to != UINT_MAX;
}

static void draw_arrow(cairo_t *cairo, const struct ends *ends)
{
	double angle = atan2(ends->y1 - ends->y0, ends->x1 - ends->x0);

	cairo_move_to(cairo, ends->x0, ends->y0);
	cairo_line_to(cairo, ends->x1, ends->y1);
	cairo_stroke(cairo);
	cairo_move_to(cairo, ends->x1, ends->y1);
	cairo_line_to(cairo, ends->x1 - HEAD * cos(angle - 0.5),
		      ends->y1 - HEAD * sin(angle - 0.5));
	cairo_line_to(cairo, ends->x1 - HEAD * cos(angle + 0.5),
		      ends->y1 - HEAD * sin(angle + 0.5));
	cairo_close_path(cairo);
	cairo_fill(cairo);
}

/* With a pale edge, they are seen on every colour of lanes. */
void spt_lanes_arrows_draw(const SptLanesDrawing *drawing, GtkSnapshot *snapshot)
{
	const GArray *arrows = drawing->picture->arrows;
	struct ends ends;
	cairo_t *cairo;

	if (!arrows->len)
		return;
	cairo = gtk_snapshot_append_cairo(
		snapshot,
		&GRAPHENE_RECT_INIT((float)drawing->axis->left,
				    (float)(drawing->first * SPT_LANE_HEIGHT),
				    (float)gtk_widget_get_width(drawing->widget),
				    (float)((drawing->last - drawing->first) * SPT_LANE_HEIGHT)));
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < arrows->len; i++) {
			const SptLaneArrow *arrow = &g_array_index(arrows, SptLaneArrow, i);

			if (pass == 0)
				cairo_set_source_rgba(cairo, 1, 1, 1, 0.7);
			else if (arrow->name)
				cairo_set_source_rgb(cairo, 0.11, 0.44, 0.85);
			else
				cairo_set_source_rgb(cairo, 0.14, 0.12, 0.19);
			cairo_set_line_width(cairo, pass == 0 ? 3 : 1.2);
			if (place_arrow(drawing, arrow, &ends))
				draw_arrow(cairo, &ends);
		}
	cairo_destroy(cairo);
}

static double distance_of(const struct ends *ends, double x, double y)
{
	double dx = ends->x1 - ends->x0, dy = ends->y1 - ends->y0,
	       length = MAX(dx * dx + dy * dy, 1e-9),
	       at = CLAMP(((x - ends->x0) * dx + (y - ends->y0) * dy) / length, 0, 1);

	return hypot(x - ends->x0 - at * dx, y - ends->y0 - at * dy);
}

static char *name_of_end(const SptLanesDrawing *drawing, uint32_t thread)
{
	return spt_lane_line_name(drawing->lanes,
				  &(SptLaneLine){ .wanted = { SPT_LANE_OF_THREAD,
							      drawing->lanes->lane_of[thread] } });
}

char *spt_lanes_arrows_describe(const SptLanesDrawing *drawing, double x, double y)
{
	const GArray *arrows = drawing->picture ? drawing->picture->arrows : NULL;
	const SptLaneArrow *nearest = NULL;
	double best = NEAR_PIXELS;
	struct ends ends;

	for (unsigned i = 0; arrows && i < arrows->len; i++) {
		const SptLaneArrow *arrow = &g_array_index(arrows, SptLaneArrow, i);

		if (place_arrow(drawing, arrow, &ends) && distance_of(&ends, x, y) < best) {
			best = distance_of(&ends, x, y);
			nearest = arrow;
		}
	}
	if (!nearest)
		return NULL;

	g_autofree char *from = name_of_end(drawing, nearest->from),
			*to = name_of_end(drawing, nearest->to), *made = NULL,
			*time = spt_text_duration(nearest->end - nearest->begin);
	double begin =
		(double)(nearest->begin - MIN(drawing->axis->start_ns, nearest->begin)) / 1e9;

	if (nearest->name)
		return g_strdup_printf(_("%s: from %s at %.6f s to %s, %s later"),
				       spt_text_name(nearest->name, &made), from, begin, to, time);
	return g_strdup_printf(_("%s woke %s at %.6f s, which ran %s later"), from, to, begin,
			       time);
}

char *spt_lanes_arrows_count(const SptLanesPicture *picture)
{
	g_autofree char *n = spt_text_count(picture->n_arrows);

	if (!picture->n_arrows)
		return g_strdup("");
	if (picture->n_arrows > SPT_LANE_ARROWS_MOST)
		return g_strdup_printf(_("%s wakings and flows: zoom in to see them as arrows"), n);
	return g_strdup_printf(ngettext("%s waking or flow as an arrow",
					"%s wakings and flows as arrows", picture->n_arrows),
			       n);
}
