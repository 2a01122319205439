/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one thread did in the order of time: its stacks side by side, where equal parts of
 * neighbours are one box.
 */
#ifndef SPT_CHART_H
#define SPT_CHART_H

#include "picture/boxes.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * The chart of the thread with this @tid from @begin_ns to @end_ns.  @base is from
 * spt_profile_new_base() or spt_profile_arrange().  Each sample represents the periods before it;
 * with another metric, its duration.  Where there is no box, the thread did not run, or samples
 * were lost.  Places are in ns from @begin_ns; nodes are those of @base's tree.  Neighbours
 * narrower than @least_ns become one box, of the function that has at least half of it, if there is
 * one.  Elements are SptFlameBox.
 */
GArray *spt_chart_new(const SptProfile *base, uint32_t tid, uint64_t begin_ns, uint64_t end_ns,
		      uint64_t least_ns);

/* Whether anything of @base lasts, so that there is a chart of it: bytes, for instance, do not. */
bool spt_chart_has_lengths(const SptProfile *base);

/*
 * The gaps between @boxes, which are from spt_chart_new() for @length_ns: for CPU time, when the
 * thread did not run.  Only gaps of @least_ns or more.  Elements are SptFlameBox, in the outermost
 * row and without a node.
 */
GArray *spt_chart_gaps(const GArray *boxes, uint64_t length_ns, uint64_t least_ns);

G_END_DECLS

#endif
