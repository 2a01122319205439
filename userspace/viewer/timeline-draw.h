/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws the timeline: tracks of frames, lanes of load, tracks of other streams, the ruler and the
 * selection.
 */
#ifndef SPT_TIMELINE_DRAW_H
#define SPT_TIMELINE_DRAW_H

#include <gtk/gtk.h>

#include "profile/timeline.h"
#include "profile/tracks.h"
#include "time-axis.h"

#define SPT_TIMELINE_RULER_HEIGHT SPT_TIME_AXIS_HEIGHT

typedef struct {
	GtkWidget *widget;
	/* Data of about the time in view; newer data is being computed. */
	const SptTimeline *timeline;
	const GPtrArray *tracks;		/* SptTrack */
	const SptTimeAxis *axis;
	uint64_t begin_ns, until_ns;		/* in view */
	/* Place of the time; names are on the left of it. */
	double left, width;
	int lane_height, track_height;		/* of a track with one row */
	int ruler_top;				/* below all, or over what is out of sight */
} SptTimelineDrawing;

double spt_timeline_x(const SptTimelineDrawing *drawing, uint64_t time);
uint64_t spt_timeline_time(const SptTimelineDrawing *drawing, double x);
int spt_timeline_height(const SptTimelineDrawing *drawing);
/* The lane at @y; UINT32_MAX: there is none. */
uint32_t spt_timeline_lane_at(const SptTimelineDrawing *drawing, double y);
/* Likewise, a track, and its row; NULL: there is none. */
const SptTrack *spt_timeline_track_at(const SptTimelineDrawing *drawing, int y, unsigned *ret_row);
/* "CPU 1", "make (1234)", "worker (1235)", "others"; to be freed. */
char *spt_timeline_lane_name(const SptTimeline *timeline, uint32_t lane);
/* Draws everything but the selection. */
void spt_timeline_draw(const SptTimelineDrawing *drawing, GtkSnapshot *snapshot);
void spt_timeline_draw_selection(const SptTimelineDrawing *drawing, GtkSnapshot *snapshot);

#endif
