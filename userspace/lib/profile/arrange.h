/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same samples under other roots: by a grouping (process, thread, ...) instead of by program,
 * or under none; and without the frames of system libraries, whose time then is their callers'.
 */
#ifndef SPT_ARRANGE_H
#define SPT_ARRANGE_H

#include "profile/groups.h"

G_BEGIN_DECLS

typedef enum {
	SPT_ROOTS_PROGRAM,		/* a process' name: as a profile is folded */
	SPT_ROOTS_NONE,			/* the outermost functions are the roots */
	SPT_ROOTS_GROUPS,		/* this and more: SPT_ROOTS_BY() */
} SptRoots;
#define SPT_ROOTS_BY(kind) ((SptRoots)(SPT_ROOTS_GROUPS + (kind)))

typedef struct {
	SptRoots roots;
	bool hides_system;		/* shared objects below /lib and /usr/lib */
} SptArrangement;

/* "program", "none" or a grouping's name; SPT_ROOTS_PROGRAM if it is neither. */
SptRoots spt_roots_named(const char *name);
const char *spt_roots_name(SptRoots roots);

/*
 * A base as of spt_profile_new_base(), to be refiltered like it.  Functions of @base have their
 * numbers here too; roots, which bear is_process, come behind them: "make (1234)", "CPU 2", with
 * "(thread)", "(CPU)" or "(object)" for an object.  @base, and what it was made from, must outlive
 * it.
 */
SptProfile *spt_profile_arrange(const SptProfile *base, const SptArrangement *arrangement);
/*
 * What a root that spt_profile_arrange() made represents, of @profile or of what it was refiltered
 * from; NULL for other functions.
 */
const SptGroupRow *spt_profile_root(const SptProfile *profile, uint32_t function,
				    SptRoots *ret_roots);

/*
 * The tree the other way round: below @function who called it (its innermost occurrence on each
 * stack), and who called those, out to the roots.  A total is the weight of the stacks that go that
 * way.  UINT32_MAX: below every innermost function, with its self.  Elements are SptTreeNode;
 * element 0 is @function.  What would become larger than memory can bear ends earlier.
 */
GArray *spt_profile_bottom_up(const SptProfile *profile, uint32_t function);

G_END_DECLS

#endif
