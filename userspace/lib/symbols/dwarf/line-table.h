/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a unit.  Its line program is run once for where its rows lie; a look-up runs a few
 * rows of it again, so that the millions of them that nobody asks for are never stored.  Each step
 * goes forward, whatever the bytes are.
 */
#ifndef SPT_LINE_TABLE_H
#define SPT_LINE_TABLE_H

#include <elfutils/libdw.h>
#include <glib.h>

#include "base/bytes.h"

G_BEGIN_DECLS

/* Where line programs and the names in them are in a file. */
struct spt_line_sections {
	Dwarf *dwarf;
	struct spt_bytes lines, names;
};

/* What it does not have is empty. */
struct spt_line_sections spt_line_sections_of(Dwarf *dwarf);

struct spt_line_table;

/*
 * NULL: the unit @cu has no lines, or none that can be read.  @directory is the compiler's, and
 * outlives it, as do the sections.
 */
struct spt_line_table *spt_line_table_new(const struct spt_line_sections *sections, Dwarf_Die *cu,
					  const char *directory);
void spt_line_table_free(struct spt_line_table *table);
/* The line of @address, and in @ret_file the file's number.  False: none is known. */
bool spt_line_table_find(const struct spt_line_table *table, uint64_t address, uint64_t *ret_file,
			 uint32_t *ret_line);
/* The path of a file, always the same string; NULL: it has none of that number. */
const char *spt_line_table_file(struct spt_line_table *table, uint64_t number);

G_END_DECLS

#endif
