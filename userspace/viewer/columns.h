/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns that the tables share. */
#ifndef SPT_COLUMNS_H
#define SPT_COLUMNS_H

#include <gtk/gtk.h>

#include "row-list.h"

typedef enum {
	SPT_COLUMN_SELF,
	SPT_COLUMN_TOTAL,
	SPT_COLUMN_FUNCTION,
	SPT_COLUMN_OBJECT,
	/* The function, with its expander; for models of GtkTreeListRow. */
	SPT_COLUMN_TREE,
	/* Only in comparisons. */
	SPT_COLUMN_BEFORE,
	SPT_COLUMN_AFTER,
	SPT_COLUMN_CHANGE,
	SPT_COLUMN_AMOUNTS,		/* before and after, in the metric's unit */
} SptColumnKind;

/* Appends a column, for models of SptRow or of GtkTreeListRow over it. */
GtkColumnViewColumn *spt_columns_append(GtkColumnView *view, SptColumnKind kind);

/* The row behind an item of either kind of model; to be unreferenced. */
SptRow *spt_columns_row(gpointer item);

#endif
