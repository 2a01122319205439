/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row keeps the recording alive that its names belong to: views let go of rows late. */
#include "row-list.h"

struct _SptRow {
	GObject parent_instance;
	SptDocument *document;
	SptRowValues values;
};

G_DEFINE_FINAL_TYPE(SptRow, spt_row, G_TYPE_OBJECT)

static void row_finalize(GObject *object)
{
	spt_document_unref(SPT_ROW(object)->document);
	G_OBJECT_CLASS(spt_row_parent_class)->finalize(object);
}

static void spt_row_class_init(SptRowClass *class)
{
	G_OBJECT_CLASS(class)->finalize = row_finalize;
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
	return &row->document->functions[row->values.function];
}

double spt_row_percent(const SptRow *row, uint64_t weight)
{
	return row->document->total ? 100.0 * (double)weight / (double)row->document->total : 0;
}

struct _SptRowList {
	GObject parent_instance;
	SptDocument *document;
	uint32_t n;
	SptRowFill fill;
	gpointer data;
	GDestroyNotify destroy;
};

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
	row->document = spt_document_ref(list->document);
	list->fill(list->document, list->data, position, &row->values);
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

	if (list->destroy)
		list->destroy(list->data);
	spt_document_unref(list->document);
	G_OBJECT_CLASS(spt_row_list_parent_class)->finalize(object);
}

static void spt_row_list_class_init(SptRowListClass *class)
{
	G_OBJECT_CLASS(class)->finalize = list_finalize;
}

static void spt_row_list_init(G_GNUC_UNUSED SptRowList *list)
{
}

SptRowList *spt_row_list_new(SptDocument *document, uint32_t n, SptRowFill fill, gpointer data, GDestroyNotify destroy)
{
	SptRowList *list = g_object_new(SPT_TYPE_ROW_LIST, NULL);

	list->document = spt_document_ref(document);
	list->n = n;
	list->fill = fill;
	list->data = data;
	list->destroy = destroy;
	return list;
}
