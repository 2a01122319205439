/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function, file and line of a place, and what was inlined there, from the DWARF of one object.
 * Units are read when the first place in them is asked for, once; then a look-up is three binary
 * searches.  Not for two threads at a time.
 */
#ifndef SPT_DEBUG_INFO_H
#define SPT_DEBUG_INFO_H

#include <elfutils/libdw.h>

#include "object/object.h"

G_BEGIN_DECLS

/* Deeper inlining is cut off in the middle: the function itself stays the last. */
#define SPT_INLINES_MAX 64

typedef struct {
	/* As the linker knows it, else as the source does; NULL: not known */
	const char *function;
	const char *file;		/* NULL: not known */
	/* The compiler's, which a relative file is relative to; may be NULL */
	const char *directory;
	uint32_t line;			/* 0: not known */
} SptPlace;

typedef struct SptDebugInfo SptDebugInfo;

/*
 * Of @image, which it keeps as its own, or of the separate debug file (as in symtab.h); NULL if
 * there is none.  Without @lines places have functions only, for less.
 */
SptDebugInfo *spt_debug_info_new(SptObject *image, const char *const *debug_dirs, bool lines);
/* Of DWARF that was opened elsewhere and has to outlive it; its places are known by address. */
SptDebugInfo *spt_debug_info_new_dwarf(Dwarf *dwarf);
void spt_debug_info_free(SptDebugInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDebugInfo, spt_debug_info_free)
/*
 * The functions at a file offset, innermost first: what is inlined there, then the function they
 * were inlined into; each with the place in it.  How many; 0 if nothing is known.  Strings live as
 * long as @info.
 */
unsigned spt_debug_info_find(SptDebugInfo *info, uint64_t file_offset,
			     SptPlace ret[SPT_INLINES_MAX]);
/* The same, by the address that the debug information has. */
unsigned spt_debug_info_find_address(SptDebugInfo *info, uint64_t address,
				     SptPlace ret[SPT_INLINES_MAX]);

G_END_DECLS

#endif
