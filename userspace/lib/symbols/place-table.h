/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The information of one object's file about a list of places: symbols and, on request, functions
 * with inlined ones, and lines.  The table is flat, so that the process that reads files can give
 * it to one that trusts no file: whatever the bytes are, a look-up stays within them.
 */
#ifndef SPT_PLACE_TABLE_H
#define SPT_PLACE_TABLE_H

#include "symbols/dwarf/debug-info.h"
#include "symbols/dwarf/symtab.h"
#include "unwind/functions.h"

G_BEGIN_DECLS

/* Most functions in the places of a file; more could not be handed over. */
#define SPT_PLACES_MAX (1u << 26)

typedef struct SptPlaceTable SptPlaceTable;

/*
 * How much of a file is read, each more than the one before: symbols; functions by debug
 * information, with inlined ones; and their lines.
 */
typedef enum { SPT_READ_SYMBOLS, SPT_READ_FUNCTIONS, SPT_READ_LINES } SptReadDepth;

/* The size of a table, from its first bytes; 0: they are impossible. */
#define SPT_PLACE_TABLE_HEAD_BYTES 32
uint64_t spt_place_table_bytes(const uint8_t head[SPT_PLACE_TABLE_HEAD_BYTES]);

/*
 * The bytes of a table with the information of @image, which it takes over, about @n @offsets.
 * @debug_dirs as in dwarf/symtab.h.
 */
GByteArray *spt_place_table_write(SptObject *image, const char *const *debug_dirs,
				  const uint64_t *offsets, uint32_t n, SptReadDepth depth);
/* The same with a file's symbols and functions only, as in unnamed.h. */
GByteArray *spt_place_table_write_symbols(const SptSymtab *symtab, SptFunctions *functions,
					  const SptObject *image, const uint64_t *offsets,
					  uint32_t n);
/* The same with places only, which @find returns as spt_debug_info_find() does. */
typedef unsigned (*SptPlaceFinder)(void *data, uint64_t offset, SptPlace ret[SPT_INLINES_MAX]);
GByteArray *spt_place_table_write_places(SptPlaceFinder find, void *data, const uint64_t *offsets,
					 uint32_t n);
/* The bytes of a table with only a problem, a part of a sentence, as in spt_symbols_problem(). */
GByteArray *spt_place_table_write_problem(const char *problem, uint32_t n);

/*
 * A table from its @bytes, which it takes over, for @offsets, which it copies; they are ascending.
 * NULL: the bytes are not a table of them.
 */
SptPlaceTable *spt_place_table_new(GByteArray *bytes, const uint64_t *offsets, uint32_t n);
void spt_place_table_free(SptPlaceTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPlaceTable, spt_place_table_free)

/* NULL, or why it has no information. */
const char *spt_place_table_problem(const SptPlaceTable *table);
/* The row of @offset; UINT32_MAX: it has none. */
uint32_t spt_place_table_find(SptPlaceTable *table, uint64_t offset);
/*
 * The contents of @row, as from spt_unnamed_find() and spt_debug_info_find(); the symbol has no
 * index.  Strings are valid as long as the table.
 */
bool spt_place_table_symbol(const SptPlaceTable *table, uint32_t row, SptSymbol *ret);
unsigned spt_place_table_places(const SptPlaceTable *table, uint32_t row,
				SptPlace ret[SPT_INLINES_MAX]);

G_END_DECLS

#endif
