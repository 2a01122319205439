/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the functions of an object that may have no names.  .eh_frame says where most are.  In the
 * gaps, for assembly, call targets are used.  Places are offsets in the file.
 */
#ifndef SPT_UNWIND_FUNCTIONS_H
#define SPT_UNWIND_FUNCTIONS_H

#include "base/intervals.h"
#include "object/object.h"

G_BEGIN_DECLS

typedef struct SptFunctions SptFunctions;

/* Reads nothing yet. */
SptFunctions *spt_functions_new(void);
void spt_functions_free(SptFunctions *functions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptFunctions, spt_functions_free)
/*
 * The function around @offset of @object, which is the same object in each call.  A stub of a PLT
 * is a function by itself.  A part that the compiler moved away from its function (".cold") has an
 * entry of its own in .eh_frame, and counts as a function, too.  False: it is not known.
 */
bool spt_functions_find(SptFunctions *functions, const SptObject *object, uint64_t offset,
			SptRange *ret);
/*
 * The part around @offset, which was searched with spt_functions_find(), that belongs to the same
 * function, or to none: [*ret_start, *ret_end).
 */
void spt_functions_around(const SptFunctions *functions, uint64_t offset, uint64_t *ret_start,
			  uint64_t *ret_end);
/*
 * The longest part between functions that .eh_frame describes, if it has @least bytes: code that an
 * interpreter's own compiler made, for instance.  False: there is none.
 */
bool spt_functions_gap(SptFunctions *functions, const SptObject *object, uint64_t least,
		       SptRange *ret);

G_END_DECLS

#endif
