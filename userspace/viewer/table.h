/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with a heading, of some thousand rows at most.  Rows stay and are filled anew: cheaper
 * than another list.
 */
#ifndef SPT_TABLE_H
#define SPT_TABLE_H

#include <stdbool.h>

#include <gtk/gtk.h>

#define SPT_TYPE_TABLE (spt_table_get_type())
G_DECLARE_FINAL_TYPE(SptTable, spt_table, SPT, TABLE, GtkBox)

typedef enum {
	/* The number, in per cent, with a bar; nothing if it is below 0 */
	SPT_CELL_SHARE,
	SPT_CELL_TEXT,
	SPT_CELL_DIM,			/* text of less importance */
	/* Text of a program; with a number that is not 0 a heading over the rows that follow */
	SPT_CELL_CODE,
	SPT_CELL_NUMBER,		/* the text, to the right; sorted by the number */
} SptCellKind;

typedef struct {
	const char *title;
	SptCellKind kind;
	int width;			/* 0: takes what is left */
} SptTableColumn;

typedef struct {
	const char *text;		/* any bytes; NULL: none */
	double number;
} SptTableCell;

#define SPT_TABLE_COLUMNS_MAX 10

/*
 * @columns live as long as the program.  @sorts: a click on a title does, else the order is that of
 * the rows.
 */
GtkWidget *spt_table_new(const char *heading, const SptTableColumn *columns, unsigned n_columns,
			 bool sorts);
/* What to show instead of no rows. */
void spt_table_set_empty_text(SptTable *table, const char *text);
/* @cells: as many as there are columns.  @row: one there is, or the one behind the last. */
void spt_table_set_row(SptTable *table, unsigned row, const SptTableCell *cells);
/* Those behind go. */
void spt_table_set_end(SptTable *table, unsigned n_rows);
/*
 * One row is selected from now on; @func gets its index (G_MAXUINT: there is none) when it becomes
 * another.
 */
typedef void (*SptTableFunc)(unsigned row, gpointer data);
void spt_table_set_selects(SptTable *table, SptTableFunc func, gpointer data);
unsigned spt_table_selected(SptTable *table);
/* Scrolls to a row. */
void spt_table_show_row(SptTable *table, unsigned row);

#endif
