/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a recording that is in view, for all pictures with time from left to right: they show
 * the same time at the same places.
 */
#ifndef SPT_TIME_AXIS_H
#define SPT_TIME_AXIS_H

#include <gtk/gtk.h>
#include <stdbool.h>

#define SPT_TYPE_TIME_AXIS (spt_time_axis_get_type())
G_DECLARE_FINAL_TYPE(SptTimeAxis, spt_time_axis, SPT, TIME_AXIS, GObject)

/* Signal "changed": a member has changed. */
struct _SptTimeAxis {
	GObject parent_instance;
	uint64_t start_ns, end_ns;	       /* of the recording; end > start */
	uint64_t begin_ns, until_ns;	       /* in view; until > begin */
	uint64_t selected_begin, selected_end; /* end 0: everything */
	/* Where time begins in the pictures; names are on the left of that. */
	double left;
};

SptTimeAxis *spt_time_axis_new(void);
/* Sets another recording, all of which is in view. */
void spt_time_axis_set_recording(SptTimeAxis *axis, uint64_t start_ns, uint64_t end_ns);
void spt_time_axis_select(SptTimeAxis *axis, uint64_t begin_ns, uint64_t end_ns);
void spt_time_axis_set_left(SptTimeAxis *axis, double left);

/* Sets the part in view, as far as it is in the recording. */
void spt_time_axis_look_at(SptTimeAxis *axis, double begin_ns, double length_ns);
/* Zooms by @steps of the wheel; @at_ns keeps its place. */
void spt_time_axis_zoom(SptTimeAxis *axis, double at_ns, double steps);
/* Moves by @parts of the part in view. */
void spt_time_axis_pan(SptTimeAxis *axis, double parts);
/* Handles the wheel over a picture of @width; @x: of the pointer. */
void spt_time_axis_scroll(SptTimeAxis *axis, GtkEventController *scroll, double dx, double dy,
			  double x, int width);

/* The place of a time in a picture of @width, and the time of a place. */
double spt_time_axis_x(const SptTimeAxis *axis, int width, uint64_t time);
uint64_t spt_time_axis_time(const SptTimeAxis *axis, int width, double x);
/* Draws marks, and their times below @top; and which part is in view. */
void spt_time_axis_draw(const SptTimeAxis *axis, GtkWidget *widget, GtkSnapshot *snapshot,
			double top, double line_top);
/* Draws an outline around the selection, and a veil over the rest. */
void spt_time_axis_draw_selection(const SptTimeAxis *axis, GtkWidget *widget, GtkSnapshot *snapshot,
				  double top, double height);
#define SPT_TIME_AXIS_HEIGHT 18

#endif
