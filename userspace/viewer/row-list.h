/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model behind each table: rows are made when they come into view and go when they leave it, so
 * a list of a million functions costs an array of indices.  What a list holds can be replaced: rows
 * that are in view then have another content, which they report by their signal "changed", so no
 * widget has to be made.
 */
#ifndef SPT_ROW_LIST_H
#define SPT_ROW_LIST_H

#include <gio/gio.h>

#include "call-tree.h"

#define SPT_TYPE_ROW (spt_row_get_type())
G_DECLARE_FINAL_TYPE(SptRow, spt_row, SPT, ROW, GObject)

#define SPT_TYPE_ROW_LIST (spt_row_list_get_type())
G_DECLARE_FINAL_TYPE(SptRowList, spt_row_list, SPT, ROW_LIST, GObject)

typedef struct {
	uint32_t function;
	uint32_t node;			/* of a tree; 0 in a list */
	uint64_t self, total;
} SptRowValues;

/* Says what is at @position. */
typedef void (*SptRowFill)(const SptCallTree *calls, gconstpointer data, uint32_t position,
			   SptRowValues *ret);

/* Takes over @data, which @destroy frees. */
SptRowList *spt_row_list_new(SptCallTree *calls, uint32_t n, SptRowFill fill, gpointer data,
			     GDestroyNotify destroy);

/*
 * Replaces all it holds.  Not for many more or fewer rows than before: see spt_row_list_is_near().
 */
void spt_row_list_refill(SptRowList *list, SptCallTree *calls, uint32_t n, gpointer data,
			 GDestroyNotify destroy);
/* Lets views make another row of it: one that can have children, or no longer can. */
void spt_row_renew(SptRow *row);
/* What it was last filled from. */
gconstpointer spt_row_list_data(SptRowList *list);
/* The same of @row's list; NULL: it was freed, or has another row there. */
gconstpointer spt_row_data(const SptRow *row);
/* Whether going over to @n rows is cheaper than another list. */
bool spt_row_list_is_near(SptRowList *list, uint32_t n);

const SptRowValues *spt_row_values(const SptRow *row);
const SptFunction *spt_row_function(const SptRow *row);
/* Of a comparison: before and after, or NULL. */
const SptDiffRow *spt_row_difference(const SptRow *row);
/* In a comparison: whether the change of self may be chance. */
bool spt_row_may_be_chance(const SptRow *row);
/* In a comparison: self of @side in the metric's unit; to be freed. */
char *spt_row_amount(const SptRow *row, unsigned side);
/* "percent" of all samples, 0 to 100 */
double spt_row_percent(const SptRow *row, uint64_t weight);

#endif
