/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One ELF file's functions. */
#ifndef SPT_SYMTAB_H
#define SPT_SYMTAB_H

#include "object/object.h"

G_BEGIN_DECLS

/* Sources of names, best first. */
typedef enum {
	SPT_SOURCE_NONE = 0,		/* no name */
	/* Symbols of files that were put into the capture (rewrite/bundle.h). */
	SPT_SOURCE_BUNDLE,
	SPT_SOURCE_CAPTURE,		/* the recording itself */
	SPT_SOURCE_SYMTAB,		/* the file's symbol table */
	SPT_SOURCE_DEBUG_FILE,		/* the symbol table of its separate debug file */
	SPT_SOURCE_MINI,		/* MiniDebugInfo, packed into the file */
	SPT_SOURCE_DEBUG_INFO,		/* DWARF, for inlined functions and functions in no table */
	/* exported symbols; other functions get the name of a neighbour, or none */
	SPT_SOURCE_DYNAMIC,
	SPT_SOURCE_PLT,			/* a stub, named "name@plt" after its target */
} SptSource;
#define SPT_SOURCES (SPT_SOURCE_PLT + 1)

typedef struct {
	/*
	 * The linker's name, valid as long as the symtab.  NULL: a function without a name
	 * (symbols/unnamed.h).
	 */
	const char *name;
	uint64_t distance;		/* of the place from the symbol's start */
	uint64_t bytes;			/* size of the symbol */
	/*
	 * How many bytes right before the place, and from it on, have the same symbol; 0: that is
	 * not known.
	 */
	uint64_t before, behind;
	uint32_t index;			/* in its table, below spt_symtab_n_symbols() */
	SptSource source;
	/* An exported symbol without a size: its end is not known. */
	bool is_open;
} SptSymbol;

typedef struct SptSymtab SptSymtab;

/*
 * The functions of @object: those of .symtab, else of its separate debug file, else of its
 * MiniDebugInfo; .dynsym; and the stubs through which it calls other objects.  The debug file is
 * found by build-id directories and by .gnu_debuglink, whose CRC is checked, below each of
 * @debug_dirs (NULL-terminated; one of them may also be a debug file).  NULL means the directories
 * of $SYSPROF_DEBUG_DIRS, separated by colons, and /usr/lib/debug.  A file without functions gives
 * an empty table, never NULL.
 */
SptSymtab *spt_symtab_new(const SptObject *object, const char *const *debug_dirs);
void spt_symtab_free(SptSymtab *symtab);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSymtab, spt_symtab_free)
/*
 * Finds a symbol by file offset.  A place outside [start, start + size) of every function has no
 * symbol.  A symbol of size 0 (assembly) reaches to the next one in its section, and gives way to
 * one that has a size.  If a place has several names, functions precede labels, global precede weak
 * and weak precede local ones; then the one with the fewest leading underscores is taken, then the
 * first of the alphabet.  If functions overlap, the one that begins last is taken.
 */
bool spt_symtab_find(const SptSymtab *symtab, uint64_t file_offset, SptSymbol *ret);
/*
 * The gap around a place without a symbol: from the end of the symbol before to the start of the
 * next.
 */
void spt_symtab_gap(const SptSymtab *symtab, uint64_t file_offset, uint64_t *ret_start,
		    uint64_t *ret_end);
uint32_t spt_symtab_n_symbols(const SptSymtab *symtab);
/* Whether there is no function at all. */
bool spt_symtab_is_empty(const SptSymtab *symtab);

G_END_DECLS

#endif
