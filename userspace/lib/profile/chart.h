/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one thread did, in the order of time: its stacks side by side, as far as they are alike as
 * one box.
 */
#ifndef SPT_CHART_H
#define SPT_CHART_H

#include "profile/boxes.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * Of the thread with this @tid from @begin_ns to @end_ns; @base: of spt_profile_new_base() or
 * spt_profile_arrange().  Each sample represents the periods before it, one of another
 * metric the time that it has; where there is none, the thread did not run, or samples were
 * lost.  Places are in ns from @begin_ns, nodes those of the
 * tree of @base.  Neighbours that are narrower than @least_ns become one box, of the function that
 * has at least half of it, if one has.  Elements are SptFlameBox.
 */
GArray *spt_chart_new(const SptProfile *base, uint32_t tid, uint64_t begin_ns, uint64_t end_ns,
		      uint64_t least_ns);

/*
 * Where there is none of @boxes, which are of spt_chart_new() for @length_ns: of CPU time, when the
 * thread did not run.  Those of @least_ns or more; elements are SptFlameBox, in the outermost row
 * and of no node.
 */
GArray *spt_chart_gaps(const GArray *boxes, uint64_t length_ns, uint64_t least_ns);

G_END_DECLS

#endif
