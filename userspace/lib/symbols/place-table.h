/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one object's file says of a list of places: their symbols and, as far as was asked for,
 * functions with what is inlined and lines.  Flat, so that the process that reads files can hand it
 * to the one that trusts none: whatever the bytes are, a look-up stays within them.
 */
#ifndef SPT_PLACE_TABLE_H
#define SPT_PLACE_TABLE_H

#include "symbols/dwarf/debug-info.h"
#include "symbols/dwarf/symtab.h"
#include "unwind/functions.h"

G_BEGIN_DECLS

/* Of a file in the place of its functions: more could not be handed over. */
#define SPT_PLACES_MAX (1u << 26)

typedef struct SptPlaceTable SptPlaceTable;

/*
 * How much of a file is read, each more than the one before: symbols; functions by debug
 * information, those that are inlined, too; and where in the source they are.
 */
typedef enum { SPT_READ_SYMBOLS, SPT_READ_FUNCTIONS, SPT_READ_LINES } SptReadDepth;

/* The size of a table's bytes, from its first ones; 0 if they cannot be such. */
#define SPT_PLACE_TABLE_HEAD_BYTES 32
uint64_t spt_place_table_bytes(const uint8_t head[SPT_PLACE_TABLE_HEAD_BYTES]);

/*
 * The bytes of a table: what @image, which it takes, says of @offsets, @n of them.  @debug_dirs as
 * in dwarf/symtab.h.
 */
GByteArray *spt_place_table_write(SptObject *image, const char *const *debug_dirs,
				  const uint64_t *offsets, uint32_t n, SptReadDepth depth);
/* The same of a file's symbols and functions alone, as in unnamed.h. */
GByteArray *spt_place_table_write_symbols(const SptSymtab *symtab, SptFunctions *functions,
					  const SptObject *image, const uint64_t *offsets,
					  uint32_t n);
/* The same of places alone, which @find knows as spt_debug_info_find() does. */
typedef unsigned (*SptPlaceFinder)(void *data, uint64_t offset, SptPlace ret[SPT_INLINES_MAX]);
GByteArray *spt_place_table_write_places(SptPlaceFinder find, void *data, const uint64_t *offsets,
					 uint32_t n);
/*
 * The bytes of one that says nothing but why; @problem is a part of a sentence, as of
 * spt_symbols_problem().
 */
GByteArray *spt_place_table_write_problem(const char *problem, uint32_t n);

/*
 * A table of its @bytes, which it takes, for @offsets: copied, ascending.  NULL if the bytes are no
 * table of them.
 */
SptPlaceTable *spt_place_table_new(GByteArray *bytes, const uint64_t *offsets, uint32_t n);
void spt_place_table_free(SptPlaceTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPlaceTable, spt_place_table_free)

/* NULL, or why it says nothing. */
const char *spt_place_table_problem(const SptPlaceTable *table);
/* Which of the offsets @offset is; UINT32_MAX if it is none of them. */
uint32_t spt_place_table_find(SptPlaceTable *table, uint64_t offset);
/*
 * What is in row @row of it; strings live as long as the table.  As spt_unnamed_find() and
 * spt_debug_info_find(); the symbol has no index.
 */
bool spt_place_table_symbol(const SptPlaceTable *table, uint32_t row, SptSymbol *ret);
unsigned spt_place_table_places(const SptPlaceTable *table, uint32_t row,
				SptPlace ret[SPT_INLINES_MAX]);

G_END_DECLS

#endif
