/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same samples with other roots: those of a grouping (process, thread, ...) instead of
 * programs, or none.  It can also hide the frames of system libraries; their time then counts for
 * their callers.  Filters of the result still mean whole stacks.
 */
#ifndef SPT_ARRANGE_H
#define SPT_ARRANGE_H

#include "profile/groups.h"
#include "profile/shape.h"

G_BEGIN_DECLS

typedef enum {
	SPT_ROOTS_PROGRAM,		/* a process's name, as in a profile that was folded */
	SPT_ROOTS_NONE,			/* the outermost functions are the roots */
	SPT_ROOTS_CATEGORY,		/* kinds of work, by the arrangement's rules */
	SPT_ROOTS_GROUPS,		/* from here on groups: SPT_ROOTS_BY() */
} SptRoots;
#define SPT_ROOTS_BY(kind) ((SptRoots)(SPT_ROOTS_GROUPS + (kind)))

typedef struct {
	SptRoots roots;
	bool hides_system;		/* shared objects below /lib and /usr/lib */
	SptShape shape;
	/* Of whole stacks; NULL: all is one category.  Has to outlive the arranging. */
	const SptCategories *categories;
} SptArrangement;

/* "program", "none", "category" or a grouping's name; SPT_ROOTS_PROGRAM if it is neither. */
SptRoots spt_roots_named(const char *name);
const char *spt_roots_name(SptRoots roots);

/*
 * A base like that of spt_profile_new_base(), which can be refiltered in the same way.  Functions
 * have the same numbers as in @base.  Roots come after them and have is_process set: "make (1234)",
 * "CPU 2", "compression", with "(thread)", "(CPU)", "(object)" or "(category)" as object.  @base,
 * and what it was made from, must outlive it.
 */
SptProfile *spt_profile_arrange(const SptProfile *base, const SptArrangement *arrangement);
/*
 * The group that a root of spt_profile_arrange() represents.  @profile may be refiltered.  NULL:
 * @function is not such a root.
 */
const SptGroupRow *spt_profile_root(const SptProfile *profile, uint32_t function,
				    SptRoots *ret_roots);

/*
 * The tree upside down: below @function its callers (of its innermost occurrence on each stack),
 * and their callers, out to the roots.  A total is the weight of the stacks that have that path.
 * UINT32_MAX: below every innermost function, with its self.  Elements are SptTreeNode; element 0
 * is @function.  A tree that would need too much memory ends earlier.
 */
GArray *spt_profile_bottom_up(const SptProfile *profile, uint32_t function);

G_END_DECLS

#endif
