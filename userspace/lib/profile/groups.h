/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time by who or where: processes, threads, CPUs, objects. */
#ifndef SPT_GROUPS_H
#define SPT_GROUPS_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef enum {
	SPT_GROUP_PROCESS,		/* by pid and name: a process that execs is several */
	SPT_GROUP_THREAD,		/* by pid, tid and name */
	SPT_GROUP_CPU,
	SPT_GROUP_OBJECT,		/* in which the innermost function lies; "[no stack]" */
	SPT_GROUP_KINDS,
} SptGroupKind;

typedef struct {
	const char *
		name; /* of the process, thread or object; "" of a CPU.  Lives as long as capture and symbols */
	uint32_t pid, tid, cpu;		/* as far as the kind has them, else 0 */
	uint64_t samples, weight;
} SptGroupRow;

/*
 * Of the samples that @filter selects, heaviest first; @base: of spt_profile_new_base().  Elements
 * are SptGroupRow.
 */
GArray *spt_groups_new(const SptProfile *base, const SptFilter *filter, SptGroupKind kind);

G_END_DECLS

#endif
