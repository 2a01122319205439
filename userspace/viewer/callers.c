/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plain list; the heaviest caller first, as the library sorts them. */
#include "callers.h"

#include <glib/gi18n.h>

#include "columns.h"
#include "symbols/plain-names.h"
#include "text.h"

struct _SptCallers {
	SptPane parent_instance;
	SptRowList *rows;
	uint32_t function;
};

G_DEFINE_FINAL_TYPE(SptCallers, spt_callers, SPT_TYPE_PANE)

static void callers_finalize(GObject *object)
{
	g_clear_object(&SPT_CALLERS(object)->rows);
	G_OBJECT_CLASS(spt_callers_parent_class)->finalize(object);
}

static void spt_callers_class_init(SptCallersClass *class)
{
	G_OBJECT_CLASS(class)->finalize = callers_finalize;
}

static void spt_callers_init(SptCallers *self)
{
	GtkColumnView *view = spt_pane_view(SPT_PANE(self));

	spt_columns_append(view, SPT_COLUMN_TOTAL);
	spt_columns_append(view, SPT_COLUMN_FUNCTION);
	spt_columns_append(view, SPT_COLUMN_OBJECT);
	spt_pane_set_title(SPT_PANE(self), _("Callers"));
}

static void callers_fill(G_GNUC_UNUSED const SptCallTree *calls, gconstpointer data,
			 uint32_t position, SptRowValues *ret)
{
	const SptEdge *edge = &g_array_index((const GArray *)data, SptEdge, position);

	*ret = (SptRowValues){ .function = edge->function, .total = edge->weight };
}

static void set_rows(SptCallers *self, SptDocument *document, uint32_t function, GArray *edges)
{
	GtkSelectionModel *selection;

	if (self->rows && spt_row_list_is_near(self->rows, edges->len)) {
		spt_row_list_refill(self->rows, &document->calls, edges->len, g_array_ref(edges),
				    (GDestroyNotify)g_array_unref);
		if (!document->look.is_passing || function != self->function)
			spt_pane_start_anew(SPT_PANE(self), function != self->function);
		self->function = function;
		return;
	}
	g_clear_object(&self->rows);
	self->rows = spt_row_list_new(&document->calls, edges->len, callers_fill,
				      g_array_ref(edges), (GDestroyNotify)g_array_unref);
	selection = g_object_new(GTK_TYPE_SINGLE_SELECTION, "autoselect", FALSE, "can-unselect",
				 TRUE, "model", self->rows, NULL);
	self->function = function;
	spt_pane_set_model(SPT_PANE(self), selection);
	g_object_unref(selection);
}

void spt_callers_show(SptCallers *self, SptDocument *document, uint32_t function, GArray *edges)
{
	const SptFunction *of =
		function == UINT32_MAX ? NULL : &document->calls.functions[function];

	g_autofree char *made = NULL;
	g_autofree char *fitted = of ? spt_fit_name(of->name, SPT_TEXT_NAME_COLUMNS) : NULL;
	g_autofree char *title =
		of ? g_strdup_printf(_("Callers of %s"), spt_text_name(fitted, &made)) :
		     g_strdup(_("Callers"));

	spt_pane_set_title(SPT_PANE(self), title);
	spt_pane_set_empty_text(SPT_PANE(self), !of	       ? _("No function is selected") :
						of->is_process ? _("A process has no callers") :
								 _("It has no callers"));
	set_rows(self, document, function, edges);
	spt_pane_show_empty(SPT_PANE(self), edges->len == 0);
}
