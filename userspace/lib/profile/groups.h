/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A metric by who or where: processes, threads, CPUs, objects. */
#ifndef SPT_GROUPS_H
#define SPT_GROUPS_H

#include <stdbool.h>

#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * A grouping is a row of the table in groups.c, and its number there.  These are the ones that code
 * names; the table may have more.
 */
typedef enum {
	SPT_GROUP_PROCESS,		/* by pid and name: a process that execs is several */
	SPT_GROUP_THREAD,		/* by pid, tid and name */
	SPT_GROUP_CPU,
	SPT_GROUP_OBJECT,		/* in which the innermost function lies; "[no stack]" */
} SptGroupKind;

typedef struct {
	/* Of the process, thread or object; "" of a CPU.  Lives as long as capture and symbols */
	const char *name;
	uint32_t pid, tid, cpu;		/* as far as the kind has them, else 0 */
	uint64_t samples, weight;
} SptGroupRow;

/* What identifies a group: members of SptGroupRow. */
typedef enum {
	SPT_GROUP_HAS_NAME = 1 << 0,
	SPT_GROUP_HAS_PID = 1 << 1,
	SPT_GROUP_HAS_TID = 1 << 2,
	SPT_GROUP_HAS_CPU = 1 << 3,
} SptGroupParts;

typedef struct {
	const char *name;		/* for --by, and in reports */
	const char *note;		/* follows the name in --help; NULL: nothing does */
	const char *menu;		/* item in the viewer's menu, marked for translation */
	const char *root; /* shown as the object of a group in a tree, marked; "": none */
	unsigned parts;			/* SptGroupParts */
	unsigned needs;			/* SptMetricParts, of the rows of a metric */
	/* Samples with the same key are in the same group; @row: a row of @base. */
	uint32_t (*key)(const SptProfile *base, uint64_t row);
	/* The group with this key, without its sums. */
	SptGroupRow (*group)(const SptProfile *base, uint32_t key);
} SptGrouping;

/* Row @kind of the table; NULL behind the last one. */
const SptGrouping *spt_grouping(unsigned kind);
/* False: there is none of that name. */
bool spt_grouping_find(const char *name, SptGroupKind *ret_kind);
/* Whether rows of @metric have what it asks. */
bool spt_grouping_fits(const SptGrouping *grouping, const SptMetric *metric);

/*
 * Of the samples that @filter selects, heaviest first; @base: of spt_profile_new_base().  Elements
 * are SptGroupRow.
 */
GArray *spt_groups_new(const SptProfile *base, const SptFilter *filter, SptGroupKind kind);
/*
 * "git (pid 12)", "worker (pid 12, tid 13)", "CPU 3", "libc.so.6"; @is_short: "git (12)",
 * "worker (13)".  To be freed.
 */
char *spt_group_describe(const SptGroupRow *group, SptGroupKind kind, bool is_short);

G_END_DECLS

#endif
