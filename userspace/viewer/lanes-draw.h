/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws lanes of threads, processes and CPUs, by what happened in the time of each pixel. */
#ifndef SPT_LANES_DRAW_H
#define SPT_LANES_DRAW_H

#include <gtk/gtk.h>

#include "profile/lanes.h"
#include "time-axis.h"

#define SPT_LANE_HEIGHT 16

/* A line of the view: a lane, or a heading. */
typedef struct {
	SptLaneWanted wanted;
	bool is_head;		/* heading: nothing is drawn */
	bool has_more, is_open; /* there are lines below it, and they are shown */
	unsigned depth;
} SptLaneLine;

typedef struct {
	GtkWidget *widget;
	const SptTimeAxis *axis;
	const SptLanes *lanes;
	const GArray *lines; /* SptLaneLine */
	/* A picture of about this time and some of these lines; NULL: none yet. */
	const SptLanesPicture *picture;
	unsigned first, last;		       /* lines in view: last is behind them */
	unsigned selected;		       /* UINT_MAX: none */
	uint64_t selected_begin, selected_end; /* of that lane; end 0: nothing */
} SptLanesDrawing;

/* "make (1234)", "worker (1235)", "CPU 1"; to be freed. */
char *spt_lane_line_name(const SptLanes *lanes, const SptLaneLine *line);
/* What the CPU of a line did; @start_ns: begin of the recording. */
char *spt_lane_describe_cpu(const SptLanes *lanes, const SptLaneLine *line, uint64_t time,
			    uint64_t start_ns);
/* What the thread of a line did. */
char *spt_lane_describe_moment(const SptLanes *lanes, const SptLaneLine *line,
			       const SptLaneMoment *moment, const SptTimeAxis *axis);
GdkRGBA spt_lane_rgba(SptLaneKind kind);
void spt_lanes_draw(const SptLanesDrawing *drawing, GtkSnapshot *snapshot);
/* Draws a box for the legend; SPT_LANE_KINDS: of a CPU that takes no interrupts. */
void spt_lanes_draw_sample(SptLaneKind kind, GtkSnapshot *snapshot, double x, double y,
			   double size);

#endif
