/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of a unit.  Its line program runs once, to note places in it.  A look-up runs a few
 * rows of it again, so that millions of unused rows are never stored.  Each step moves forward,
 * whatever the bytes are.
 */
#ifndef SPT_LINE_TABLE_H
#define SPT_LINE_TABLE_H

#include <elfutils/libdw.h>
#include <glib.h>

#include "base/bytes.h"

G_BEGIN_DECLS

/* The line programs of a file, and the names in them. */
struct spt_line_sections {
	Dwarf *dwarf;
	struct spt_bytes lines, names;
};

/* Sections that are missing are empty. */
struct spt_line_sections spt_line_sections_of(Dwarf *dwarf);

struct spt_line_table;

/*
 * The lines of the unit @cu; NULL: it has none that can be read.  @directory is the compiler's, and
 * outlives it, as the sections do.
 */
struct spt_line_table *spt_line_table_new(const struct spt_line_sections *sections, Dwarf_Die *cu,
					  const char *directory);
void spt_line_table_free(struct spt_line_table *table);
/* The line of @address, and in @ret_file the file's number.  False: not known. */
bool spt_line_table_find(const struct spt_line_table *table, uint64_t address, uint64_t *ret_file,
			 uint32_t *ret_line);
/* The path of a file, always the same string; NULL: there is no file of that number. */
const char *spt_line_table_file(struct spt_line_table *table, uint64_t number);

G_END_DECLS

#endif
