/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ELF file's functions. */
#ifndef SPT_SYMTAB_H
#define SPT_SYMTAB_H

#include "object/object.h"

G_BEGIN_DECLS

/* Where a name came from, best first. */
typedef enum {
	SPT_SOURCE_NONE = 0,		/* there is none */
	/* Files' symbols that were put into the capture (rewrite/bundle.h) */
	SPT_SOURCE_BUNDLE,
	SPT_SOURCE_CAPTURE,		/* the recording itself */
	SPT_SOURCE_SYMTAB,		/* the file's symbol table */
	SPT_SOURCE_DEBUG_FILE,		/* the symbol table of its separate debug file */
	SPT_SOURCE_MINI,		/* MiniDebugInfo, packed into the file */
	SPT_SOURCE_DEBUG_INFO,		/* DWARF: of what is inlined, and of what no table has */
	/*
	 * what the file exports: a function that is not is called after its neighbour, or nothing
	 */
	SPT_SOURCE_DYNAMIC,
	SPT_SOURCE_PLT,			/* a stub, called "name@plt" after what it leads to */
} SptSource;
#define SPT_SOURCES (SPT_SOURCE_PLT + 1)

typedef struct {
	/*
	 * As the linker knows it; lives as long as the symtab.  NULL: a function without a name
	 * (symbols/unnamed.h)
	 */
	const char *name;
	uint64_t distance;		/* of what was asked from the symbol's start */
	uint64_t bytes;			/* size of the symbol */
	uint32_t index;			/* in its table, below spt_symtab_n_symbols() */
	SptSource source;
	/* An exported one without a size: its end is not known */
	bool is_open;
} SptSymbol;

typedef struct SptSymtab SptSymtab;

/*
 * The functions of @object: .symtab of itself, else of its separate debug file (build-id
 * directories, .gnu_debuglink with its CRC checked, below each of @debug_dirs, NULL-terminated,
 * NULL for those of $SYSPROF_DEBUG_DIRS, separated by colons, and /usr/lib/debug; one of them may
 * also be a debug file itself), else of its MiniDebugInfo; .dynsym; and the stubs through which it
 * calls other objects.  A file without any gives an empty table, never NULL.
 */
SptSymtab *spt_symtab_new(const SptObject *object, const char *const *debug_dirs);
void spt_symtab_free(SptSymtab *symtab);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSymtab, spt_symtab_free)
/*
 * By file offset.  A place outside [start, start + size) of every function has no symbol; a symbol
 * of size 0 (assembly) reaches to the next one in its section, and gives way to one that has a
 * size.  Of several names at one place: functions before labels, global before weak before local,
 * then the shortest run of leading underscores, then the alphabet.  Where functions overlap, the
 * one that begins last is meant.
 */
bool spt_symtab_find(const SptSymtab *symtab, uint64_t file_offset, SptSymbol *ret);
/* Of a place without a symbol: from the end of the one before to the start of the next. */
void spt_symtab_gap(const SptSymtab *symtab, uint64_t file_offset, uint64_t *ret_start,
		    uint64_t *ret_end);
uint32_t spt_symtab_n_symbols(const SptSymtab *symtab);
/* No function at all. */
bool spt_symtab_is_empty(const SptSymtab *symtab);

G_END_DECLS

#endif
