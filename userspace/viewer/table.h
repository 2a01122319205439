/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with a heading, of at most some thousand rows.  Rows are reused, which is cheaper than
 * another list.
 */
#ifndef SPT_TABLE_H
#define SPT_TABLE_H

#include <stdbool.h>

#include <gtk/gtk.h>

#define SPT_TYPE_TABLE (spt_table_get_type())
G_DECLARE_FINAL_TYPE(SptTable, spt_table, SPT, TABLE, GtkBox)

typedef enum {
	/* The number in per cent, with a bar; empty if it is below 0. */
	SPT_CELL_SHARE,
	SPT_CELL_TEXT,
	SPT_CELL_DIM,			/* text of less importance */
	/* Source or instructions; with a number that is not 0, a heading of the rows below it. */
	SPT_CELL_CODE,
	SPT_CELL_NUMBER,		/* the text, aligned right; sorted by the number */
} SptCellKind;

typedef struct {
	const char *title;
	SptCellKind kind;
	/* 0: takes the remaining width; below 0: that much, and not in a narrow window */
	int width;
} SptTableColumn;

typedef struct {
	const char *text;		/* any bytes; NULL: none */
	double number;
} SptTableCell;

#define SPT_TABLE_COLUMNS_MAX 10

/*
 * @columns are valid as long as the program.  @sorts: a click on a title sorts; otherwise the order
 * is that of the rows.
 */
GtkWidget *spt_table_new(const char *heading, const SptTableColumn *columns, unsigned n_columns,
			 bool sorts);
/* Where the name of the page says the same; screen readers still read it. */
void spt_table_hide_heading(SptTable *table);
/* The text for a table without rows. */
void spt_table_set_empty_text(SptTable *table, const char *text);
/* Another one, in a table that has one. */
void spt_table_say_empty(SptTable *self, const char *text);
/* Sets @row, an existing row or the one after the last.  @cells: one for each column. */
void spt_table_set_row(SptTable *table, unsigned row, const SptTableCell *cells);
/* Removes the rows from @n_rows on. */
void spt_table_set_end(SptTable *table, unsigned n_rows);
/*
 * From now on rows can be selected; @func gets the index (G_MAXUINT: none) when the selection
 * changes.
 */
typedef void (*SptTableFunc)(unsigned row, gpointer data);
void spt_table_set_selects(SptTable *table, SptTableFunc func, gpointer data);
/* From now on @func gets the index of a row that is clicked, or on which Enter is pressed. */
void spt_table_set_activates(SptTable *table, SptTableFunc func, gpointer data);
unsigned spt_table_selected(SptTable *table);
/* Shows or hides @n columns from @first on: those that no row has anything for. */
void spt_table_show_columns(SptTable *table, unsigned first, unsigned n, bool is_shown);
/* Scrolls to a row. */
void spt_table_show_row(SptTable *table, unsigned row);

#endif
