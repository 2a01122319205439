/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row keeps the recording of its names alive: views release rows late. */
#include "row-list.h"

struct _SptRow {
	GObject parent_instance;
	SptCallTree *calls;
	SptRowList *list;		/* NULL when the list was freed */
	uint32_t position;
	SptRowValues values;
};

struct _SptRowList {
	GObject parent_instance;
	SptCallTree *calls;
	uint32_t n;
	SptRowFill fill;
	gpointer data;
	GDestroyNotify destroy;
	GHashTable *rows;		/* existing rows */
};

/* GTK reads each row that is added. */
#define MAX_MORE 5000

static unsigned changed;

G_DEFINE_FINAL_TYPE(SptRow, spt_row, G_TYPE_OBJECT)

static void row_finalize(GObject *object)
{
	SptRow *row = SPT_ROW(object);

	if (row->list)
		g_hash_table_remove(row->list->rows, row);
	spt_call_tree_unref(row->calls);
	G_OBJECT_CLASS(spt_row_parent_class)->finalize(object);
}

static void spt_row_class_init(SptRowClass *class)
{
	G_OBJECT_CLASS(class)->finalize = row_finalize;
	changed = g_signal_new("changed", SPT_TYPE_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
			       G_TYPE_NONE, 0);
}

static void spt_row_init(G_GNUC_UNUSED SptRow *row)
{
}

const SptRowValues *spt_row_values(const SptRow *row)
{
	return &row->values;
}

const SptFunction *spt_row_function(const SptRow *row)
{
	return &row->calls->functions[row->values.function];
}

const SptDiffRow *spt_row_difference(const SptRow *row)
{
	const SptDiffTree *differences = row->calls->differences;

	return differences ? &g_array_index(differences->rows, SptDiffRow, row->values.function) :
			     NULL;
}

bool spt_row_may_be_chance(const SptRow *row)
{
	return spt_diff_may_be_chance(spt_row_difference(row), false, row->calls->n_samples);
}

char *spt_row_amount(const SptRow *row, unsigned side)
{
	const SptCallTree *calls = row->calls;
	double amount = spt_row_difference(row)->self[side] * calls->amounts[side];

	return spt_call_tree_amount(calls, (uint64_t)(amount + 0.5));
}

double spt_row_percent(const SptRow *row, uint64_t weight)
{
	return row->calls->total ? 100.0 * (double)weight / (double)row->calls->total : 0;
}

static GType list_item_type(G_GNUC_UNUSED GListModel *model)
{
	return SPT_TYPE_ROW;
}

static unsigned list_n_items(GListModel *model)
{
	return SPT_ROW_LIST(model)->n;
}

static gpointer list_item(GListModel *model, unsigned position)
{
	SptRowList *list = SPT_ROW_LIST(model);
	SptRow *row;

	if (position >= list->n)
		return NULL;
	row = g_object_new(SPT_TYPE_ROW, NULL);
	row->calls = spt_call_tree_ref(list->calls);
	row->list = list;
	row->position = position;
	g_hash_table_add(list->rows, row);
	list->fill(list->calls, list->data, position, &row->values);
	return row;
}

static void list_model_init(GListModelInterface *interface)
{
	interface->get_item_type = list_item_type;
	interface->get_n_items = list_n_items;
	interface->get_item = list_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(SptRowList, spt_row_list, G_TYPE_OBJECT,
			      G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_model_init))

static void list_finalize(GObject *object)
{
	SptRowList *list = SPT_ROW_LIST(object);
	GHashTableIter iter;
	gpointer row;

	g_hash_table_iter_init(&iter, list->rows);
	while (g_hash_table_iter_next(&iter, &row, NULL))
		SPT_ROW(row)->list = NULL;
	g_hash_table_unref(list->rows);
	if (list->destroy)
		list->destroy(list->data);
	spt_call_tree_unref(list->calls);
	G_OBJECT_CLASS(spt_row_list_parent_class)->finalize(object);
}

static void spt_row_list_class_init(SptRowListClass *class)
{
	G_OBJECT_CLASS(class)->finalize = list_finalize;
}

static void spt_row_list_init(SptRowList *list)
{
	list->rows = g_hash_table_new(NULL, NULL);
}

SptRowList *spt_row_list_new(SptCallTree *calls, uint32_t n, SptRowFill fill, gpointer data,
			     GDestroyNotify destroy)
{
	SptRowList *list = g_object_new(SPT_TYPE_ROW_LIST, NULL);

	list->calls = spt_call_tree_ref(calls);
	list->n = n;
	list->fill = fill;
	list->data = data;
	list->destroy = destroy;
	return list;
}

bool spt_row_list_is_near(SptRowList *list, uint32_t n)
{
	return n <= list->n + MAX_MORE && list->n <= n + MAX_MORE;
}

static void refill_row(SptRow *row, SptCallTree *calls)
{
	spt_call_tree_replace(&row->calls, calls);
	row->list->fill(calls, row->list->data, row->position, &row->values);
	g_signal_emit(row, changed, 0);
}

void spt_row_list_refill(SptRowList *list, SptCallTree *calls, uint32_t n, gpointer data,
			 GDestroyNotify destroy)
{
	g_autoptr(GList) rows = g_hash_table_get_keys(list->rows);
	uint32_t before = list->n, same = MIN(before, n);

	spt_call_tree_replace(&list->calls, calls);
	if (list->destroy)
		list->destroy(list->data);
	list->data = data;
	list->destroy = destroy;
	list->n = n;
	for (GList *at = rows; at; at = at->next) {
		if (SPT_ROW(at->data)->position < same)
			refill_row(at->data, calls);
	}
	if (n != before)
		g_list_model_items_changed(G_LIST_MODEL(list), same, before - same, n - same);
}

void spt_row_renew(SptRow *row)
{
	SptRowList *list = row->list;

	row->list = NULL;
	g_hash_table_remove(list->rows, row);
	g_list_model_items_changed(G_LIST_MODEL(list), row->position, 1, 1);
}

gconstpointer spt_row_list_data(SptRowList *list)
{
	return list->data;
}

gconstpointer spt_row_data(const SptRow *row)
{
	return row->list && row->position < row->list->n ? row->list->data : NULL;
}
