/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slices of time of threads.  A slice may have others within it: those that are open at a time are
 * the stack, and the innermost one has that time for itself.
 */
#ifndef SPT_IMPORT_SLICES_H
#define SPT_IMPORT_SLICES_H

#include "import/values.h"

G_BEGIN_DECLS

typedef enum {
	SPT_SLICE_WHOLE,		/* has a begin and an end */
	SPT_SLICE_BEGIN,		/* goes on until its end comes */
	SPT_SLICE_END,			/* of the last one that began */
} SptSliceKind;

typedef struct {
	SptFrame frame;
	uint32_t thread;		/* an id of the capture */
	SptSliceKind kind;
	uint64_t begin_ns, end_ns;	/* end_ns: of whole ones */
} SptImportSlice;

/*
 * Puts the time of all @slices (SptImportSlice), which it sorts.  Of those without an end that
 * begin at one time the outer ones come first.  What does not end has the time until @end_ns.  A
 * slice that ends behind the one around it ends with it.  NULL, or what is wrong with them.
 */
const char *spt_import_slices_put(GArray *slices, SptImportValues *values, SptImportStacks *stacks,
				  uint64_t begin_ns, uint64_t end_ns, GError **error);

G_END_DECLS

#endif
