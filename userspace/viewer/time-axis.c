/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline and the pictures below move it. */
#include "time-axis.h"

#include <math.h>

#include "profile/timeline.h"

#define KEY_PARTS    20
#define ZOOM_STEP    1.25
#define SHORTEST_NS  1000.0
#define MARK_PIXELS  110
#define LEAST_PIXELS 4
#define VEIL	     0.45f

G_DEFINE_FINAL_TYPE(SptTimeAxis, spt_time_axis, G_TYPE_OBJECT)

static unsigned changed;

static void spt_time_axis_class_init(SptTimeAxisClass *class)
{
	(void)class;
	changed = g_signal_new("changed", SPT_TYPE_TIME_AXIS, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
			       NULL, G_TYPE_NONE, 0);
}

static void spt_time_axis_init(SptTimeAxis *self)
{
	self->end_ns = self->until_ns = 1;
}

SptTimeAxis *spt_time_axis_new(void)
{
	return g_object_new(SPT_TYPE_TIME_AXIS, NULL);
}

void spt_time_axis_set_recording(SptTimeAxis *self, uint64_t start_ns, uint64_t end_ns)
{
	self->begin_ns = self->start_ns = start_ns;
	self->until_ns = self->end_ns = MAX(end_ns, start_ns + 1);
	self->selected_begin = self->selected_end = 0;
	g_signal_emit(self, changed, 0);
}

void spt_time_axis_select(SptTimeAxis *self, uint64_t begin_ns, uint64_t end_ns)
{
	if (begin_ns == self->selected_begin && end_ns == self->selected_end)
		return;
	self->selected_begin = begin_ns;
	self->selected_end = end_ns;
	g_signal_emit(self, changed, 0);
}

void spt_time_axis_set_left(SptTimeAxis *self, double left)
{
	if (left == self->left)
		return;
	self->left = left;
	g_signal_emit(self, changed, 0);
}

void spt_time_axis_look_at(SptTimeAxis *self, double begin, double length)
{
	double start = (double)self->start_ns, end = (double)self->end_ns;

	length = CLAMP(length, MIN(SHORTEST_NS, end - start), end - start);
	begin = CLAMP(begin, start, end - length);
	self->begin_ns = MAX((uint64_t)begin, self->start_ns);
	self->until_ns = CLAMP((uint64_t)(begin + length), self->begin_ns + 1, self->end_ns);
	g_signal_emit(self, changed, 0);
}

void spt_time_axis_zoom(SptTimeAxis *self, double at, double steps)
{
	double begin = (double)self->begin_ns, length = (double)self->until_ns - begin,
	       factor = pow(ZOOM_STEP, steps);

	spt_time_axis_look_at(self, at - (at - begin) / factor, length / factor);
}

void spt_time_axis_pan(SptTimeAxis *self, double parts)
{
	double length = (double)(self->until_ns - self->begin_ns);

	spt_time_axis_look_at(self, (double)self->begin_ns + parts * length, length);
}

void spt_time_axis_scroll(SptTimeAxis *self, GtkEventController *scroll, double dx, double dy,
			  double x, int width)
{
	GdkModifierType state = gtk_event_controller_get_current_event_state(scroll);

	if (dx != 0 || (state & GDK_SHIFT_MASK))
		spt_time_axis_pan(self, (dx + dy) / KEY_PARTS);
	else
		spt_time_axis_zoom(self, (double)spt_time_axis_time(self, width, x), -dy);
}

double spt_time_axis_x(const SptTimeAxis *self, int width, uint64_t time)
{
	double length = (double)(self->until_ns - self->begin_ns);

	return self->left +
	       MAX(width - self->left, 1) * ((double)time - (double)self->begin_ns) / length;
}

uint64_t spt_time_axis_time(const SptTimeAxis *self, int width, double x)
{
	double share = CLAMP((x - self->left) / MAX(width - self->left, 1), 0, 1);

	return self->begin_ns + (uint64_t)(share * (double)(self->until_ns - self->begin_ns));
}

static void append_rect(GtkSnapshot *snapshot, const GdkRGBA *color, double x, double y,
			double width, double height)
{
	if (width > 0 && height > 0)
		gtk_snapshot_append_color(snapshot, color,
					  &GRAPHENE_RECT_INIT((float)x, (float)y, (float)width,
							      (float)height));
}

static GdkRGBA time_axis_text_color(GtkWidget *widget, float alpha)
{
	GdkRGBA color;

	gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color);
	color.alpha *= alpha;
	return color;
}

static char *ruler_text(uint64_t at_ns, uint64_t step_ns)
{
	unsigned digits = 0;

	for (uint64_t unit = 1000000000; unit > step_ns && digits < 9; unit /= 10)
		digits++;
	return g_strdup_printf("%.*f s", (int)digits, (double)at_ns / 1e9);
}

static void time_axis_draw_mark(GtkWidget *widget, GtkSnapshot *snapshot, const char *text,
				double x, double top, double right)
{
	g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(widget, text);
	const GdkRGBA color = time_axis_text_color(widget, 1);
	int width, height;

	pango_layout_get_pixel_size(layout, &width, &height);
	if (x + width > right)
		return;
	gtk_snapshot_save(snapshot);
	gtk_snapshot_translate(
		snapshot,
		&GRAPHENE_POINT_INIT((float)floor(x),
				     (float)floor(top + (SPT_TIME_AXIS_HEIGHT - height) / 2.0)));
	gtk_snapshot_append_layout(snapshot, layout, &color);
	gtk_snapshot_restore(snapshot);
}

void spt_time_axis_draw(const SptTimeAxis *self, GtkWidget *widget, GtkSnapshot *snapshot,
			double top, double line_top)
{
	int width = gtk_widget_get_width(widget);
	double room = MAX(width - self->left, 1), whole = (double)(self->end_ns - self->start_ns);
	uint64_t step = spt_timeline_step(self->until_ns - self->begin_ns,
					  (uint32_t)(room / MARK_PIXELS) + 1);
	uint64_t first = (self->begin_ns - self->start_ns + step - 1) / step * step;
	const GdkRGBA color = time_axis_text_color(widget, 0.25f),
		      strong = time_axis_text_color(widget, 0.6f);

	for (uint64_t at = first; self->start_ns + at <= self->until_ns; at += step) {
		double x = spt_time_axis_x(self, width, self->start_ns + at);
		g_autofree char *text = ruler_text(at, step);

		append_rect(snapshot, &color, floor(x), line_top, 1, top + 5 - line_top);
		time_axis_draw_mark(widget, snapshot, text, x + 4, top, width);
	}
	/* The visible part of the recording. */
	if (self->begin_ns > self->start_ns || self->until_ns < self->end_ns)
		append_rect(snapshot, &strong,
			    self->left + room * (double)(self->begin_ns - self->start_ns) / whole,
			    top + SPT_TIME_AXIS_HEIGHT - 2,
			    MAX(room * (double)(self->until_ns - self->begin_ns) / whole,
				LEAST_PIXELS),
			    2);
}

void spt_time_axis_draw_selection(const SptTimeAxis *self, GtkWidget *widget, GtkSnapshot *snapshot,
				  double top, double height)
{
	int width = gtk_widget_get_width(widget);
	const GdkRGBA edge = time_axis_text_color(widget, 1);
	double begin, end;
	GdkRGBA veil;

	if (!self->selected_end)
		return;
	if (!gtk_style_context_lookup_color(gtk_widget_get_style_context(widget), "theme_bg_color",
					    &veil))
		gdk_rgba_parse(&veil, "white");
	veil.alpha = VEIL;
	begin = CLAMP(spt_time_axis_x(self, width, self->selected_begin), self->left, width);
	end = CLAMP(spt_time_axis_x(self, width, MIN(self->selected_end, self->end_ns)), self->left,
		    width);
	append_rect(snapshot, &veil, self->left, top, begin - self->left, height);
	append_rect(snapshot, &veil, end, top, width - end, height);
	append_rect(snapshot, &edge, begin - 1, top, 2, height);
	append_rect(snapshot, &edge, end - 1, top, 2, height);
	append_rect(snapshot, &edge, begin, top, end - begin, 1);
	append_rect(snapshot, &edge, begin, top + height - 1, end - begin, 1);
}
