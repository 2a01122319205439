/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hooks that a recording needs, as far as this kernel has them. */
#ifndef SPT_PERF_KERNEL_POINTS_H
#define SPT_PERF_KERNEL_POINTS_H

#include "trace/perf/kernel-hooks.h"

G_BEGIN_DECLS

/* A hook, or the part of it for blocks of some size. */
struct spt_kernel_point {
	const struct spt_kernel_hook *hook;
	SptPoint *point;		/* its filter is that of the size */
	const SptPointField *fields[SPT_HOOK_FIELDS];
	/* One hit in @period is passed on; up to @changed it was one in @period_before. */
	uint64_t period, period_before, changed;
	uint64_t taken;			/* hits since the limit was looked at */
	uint64_t stopped;		/* from then on they are only counted; 0: never */
};

/*
 * Struct spt_kernel_point *, with a free function; NULL: something is missing that has to be there.
 * @is_of_threads: without trace points, for users who may watch their own threads alone.  What is
 * missing and may be is in *@ret_left_out, NULL: nothing is.
 */
GPtrArray *spt_kernel_points_of(const SptTraceConfig *config, bool is_of_threads,
				char **ret_left_out, GError **error);

G_END_DECLS

#endif
