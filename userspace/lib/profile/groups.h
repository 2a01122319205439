/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of a metric by process, thread, CPU, object and more. */
#ifndef SPT_GROUPS_H
#define SPT_GROUPS_H

#include <stdbool.h>

#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * A grouping is a row of the table in groups.c, and its number there; behind them are those of the
 * kinds of events (SptEventSubject).  These are the ones that code refers to.
 */
typedef enum {
	/* by pid and name: a process that execs is in several groups */
	SPT_GROUP_PROCESS,
	SPT_GROUP_THREAD,		/* by pid, tid and name */
	SPT_GROUP_CPU,
	SPT_GROUP_OBJECT,		/* of the innermost function; "[no stack]" */
} SptGroupKind;

typedef struct {
	/*
	 * Name of the process, thread or object; "" for a CPU.  Valid as long as capture and
	 * symbols.
	 */
	const char *name;
	uint32_t pid, tid, cpu;		/* if the kind has them, else 0 */
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
	const char *note;		/* follows the name in --help; NULL: nothing */
	/* Item in the viewer's menu, marked for translation; NULL: the viewer has no use for it. */
	const char *menu;
	const char *root; /* shown as the object of a group in a tree, marked; "": none */
	unsigned parts;			/* SptGroupParts */
	unsigned needs;			/* SptMetricParts, of the rows of a metric */
	const SptEventGrouping *of;	/* only for metrics that have it; NULL: for any */
	/* The option of "record" that @capture has nothing of; NULL: it is there.  NULL: none. */
	const char *(*lacks)(const SptCapture *capture);
	/* Samples with the same key are in the same group; @row: a row of @base. */
	uint32_t (*key)(const SptProfile *base, uint64_t row);
	/* The group with this key, without its sums. */
	SptGroupRow (*group)(const SptProfile *base, uint32_t key);
} SptGrouping;

/* Row @kind of the table; NULL behind the last one. */
const SptGrouping *spt_grouping(unsigned kind);
/* False: no grouping has that name. */
bool spt_grouping_find(const char *name, SptGroupKind *ret_kind);
/* Whether rows of @metric have what the grouping needs. */
bool spt_grouping_fits(const SptGrouping *grouping, const SptMetric *metric);
/* The option of "record" without which @capture has no such groups; NULL: it has them. */
const char *spt_grouping_lacks(const SptGrouping *grouping, const SptCapture *capture);

/*
 * The groups of the samples that @filter selects, heaviest first.  @base is from
 * spt_profile_new_base().  Elements are SptGroupRow.
 */
GArray *spt_groups_new(const SptProfile *base, const SptFilter *filter, SptGroupKind kind);
/*
 * The same for each of @kinds, by one pass over the rows of a metric, without folding them.  The
 * filter is not about stacks, and neither are the kinds.
 */
void spt_groups_of_rows(const SptCapture *capture, const SptMetric *metric, const SptFilter *filter,
			const SptGroupKind *kinds, unsigned n_kinds, GArray **ret);
/*
 * A group's text: "git (pid 12)", "worker (pid 12, tid 13)", "CPU 3", "libc.so.6"; @is_short: "git
 * (12)", "worker (13)".  The caller frees it.
 */
char *spt_group_describe(const SptGroupRow *group, SptGroupKind kind, bool is_short);
/* Appends a name with # for its numbers, in which threads of a pool differ: "worker-#". */
void spt_group_append_pattern(GString *to, const char *name);

G_END_DECLS

#endif
