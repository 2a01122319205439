/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the functions of an object are that may have no names: what .eh_frame says of each, and
 * in the gaps between those, for assembly, what is called there.  Places are offsets in the file.
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
 * The function around @offset of @object, which is the same object each time.  A stub of a PLT is
 * one by itself; a part that the compiler moved away from its function (".cold") has an entry of
 * its own in .eh_frame and cannot be distinguished from a function.  False: it is not known.
 */
bool spt_functions_find(SptFunctions *functions, const SptObject *object, uint64_t offset,
			SptRange *ret);

G_END_DECLS

#endif
