/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Function, file and line of a place, with inlined functions, from the DWARF of one object.  A unit
 * is read once, when its first place is looked up; after that a look-up is three binary searches.
 * Not for two threads at a time.
 */
#ifndef SPT_DEBUG_INFO_H
#define SPT_DEBUG_INFO_H

#include <elfutils/libdw.h>

#include "object/object.h"

G_BEGIN_DECLS

/* Deeper inlining is cut in the middle: the last one is always the function itself. */
#define SPT_INLINES_MAX 64

typedef struct {
	/* The linker's name, else the source's; NULL: not known. */
	const char *function;
	const char *file;		/* NULL: not known */
	/* The compiler's directory, to which a relative file is relative; may be NULL. */
	const char *directory;
	uint32_t line;			/* 0: not known */
} SptPlace;

typedef struct SptDebugInfo SptDebugInfo;

/*
 * Reads @image, which it takes over, or its separate debug file (as in symtab.h).  NULL: there is
 * no debug information.  Without @lines, places have functions only, which is cheaper.
 */
SptDebugInfo *spt_debug_info_new(SptObject *image, const char *const *debug_dirs, bool lines);
/* Reads DWARF that was opened elsewhere and must outlive it; places are found by address. */
SptDebugInfo *spt_debug_info_new_dwarf(Dwarf *dwarf);
void spt_debug_info_free(SptDebugInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDebugInfo, spt_debug_info_free)
/*
 * The functions at a file offset, innermost first: inlined ones, then the function that contains
 * them, each with the place in it.  Returns their number; 0: nothing is known.  Strings are valid
 * as long as @info.
 */
unsigned spt_debug_info_find(SptDebugInfo *info, uint64_t file_offset,
			     SptPlace ret[SPT_INLINES_MAX]);
/* The same, by an address of the debug information. */
unsigned spt_debug_info_find_address(SptDebugInfo *info, uint64_t address,
				     SptPlace ret[SPT_INLINES_MAX]);

G_END_DECLS

#endif
