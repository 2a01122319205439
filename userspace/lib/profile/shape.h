/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How stacks are shown: without some functions, with several counted as one, or from a function on.
 * No weight is added or lost by it.
 */
#ifndef SPT_SHAPE_H
#define SPT_SHAPE_H

#include "profile/pattern.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/* Zero it to begin; patterns are borrowed. */
typedef struct {
	/* These functions are removed, and their own time counts for their callers; NULL: none. */
	const SptPattern *hidden;
	/*
	 * For each, the functions it matches count as one, which has its text as a name; where one
	 * calls another, it is one call.
	 */
	const SptPattern *const *merged;
	uint32_t n_merged;
	/* Stacks begin at the outermost of these functions; SptFilter's root leaves out others. */
	const SptPattern *root;
	/* What a function calls, itself among it, is put where it is first on the stack. */
	bool folds_recursion;
} SptShape;

bool spt_shape_is_plain(const SptShape *shape);

/*
 * The samples of @profile, whose stacks have this shape.  It has no rows: it cannot be refiltered.
 * Functions keep their numbers, merged ones come after them.  @profile is not needed any more.
 */
SptProfile *spt_profile_reshape(const SptProfile *profile, const SptShape *shape);

G_END_DECLS

#endif
