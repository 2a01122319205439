/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the recording lost, whichever part of it is selected.  Nothing is listed while hidden. */
#include <glib/gi18n.h>
#include <inttypes.h>

#include "pages.h"
#include "table.h"
#include "text.h"

#define NUMBER_WIDTH 90
#define MAX_ROWS 5000			/* more are of no use */

#define SPT_TYPE_LOSSES_PANE (spt_losses_pane_get_type())
G_DECLARE_FINAL_TYPE(SptLossesPane, spt_losses_pane, SPT, LOSSES_PANE, GtkBox)

struct _SptLossesPane {
	GtkBox parent_instance;
	SptTable *table;
	SptDocument *document;		/* not yet shown; or NULL */
};

G_DEFINE_FINAL_TYPE(SptLossesPane, spt_losses_pane, GTK_TYPE_BOX)

static void list_losses(SptLossesPane *self)
{
	const SptRecording *recording = self->document->recording;
	const SptCapture *capture = recording->capture;
	unsigned n = (unsigned)MIN(capture->n_losses, MAX_ROWS);

	for (unsigned i = 0; i < n; i++) {
		const SptLossRow *row = &capture->losses[i];
		g_autofree char *begin = spt_text_moment(row->first_time,
							 recording->summary.start_ns),
				*end = spt_text_moment(row->last_time, recording->summary.start_ns);
		g_autofree char *cpu = g_strdup_printf("%" PRIu32, row->cpu),
				*periods = spt_text_count(row->weight);
		const SptTableCell cells[] = {
			{ begin, (double)row->first_time },
			{ end, (double)row->last_time },
			{ cpu, row->cpu },
			{ periods, (double)row->weight },
			{ .text = _(spt_lost_reason_name(row->reason)) },
		};

		spt_table_set_row(self->table, i, cells);
	}
	spt_table_set_end(self->table, n);
}

static void losses_pane_show(SptLossesPane *self)
{
	if (!self->document || !gtk_widget_get_mapped(GTK_WIDGET(self)))
		return;
	list_losses(self);
	g_clear_pointer(&self->document, spt_document_unref);
}

static void losses_pane_map(GtkWidget *widget)
{
	GTK_WIDGET_CLASS(spt_losses_pane_parent_class)->map(widget);
	losses_pane_show(SPT_LOSSES_PANE(widget));
}

static void losses_pane_dispose(GObject *object)
{
	g_clear_pointer(&SPT_LOSSES_PANE(object)->document, spt_document_unref);
	G_OBJECT_CLASS(spt_losses_pane_parent_class)->dispose(object);
}

static void spt_losses_pane_class_init(SptLossesPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = losses_pane_dispose;
	GTK_WIDGET_CLASS(class)->map = losses_pane_map;
}

static void spt_losses_pane_init(SptLossesPane *self)
{
	static const SptTableColumn columns[] = {
		{ N_("From"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("To"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("CPU"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Periods"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Why"), SPT_CELL_TEXT, 0 },
	};

	self->table = SPT_TABLE(spt_table_new(_("Losses"), columns, G_N_ELEMENTS(columns), true));
	spt_table_hide_heading(self->table);
	spt_table_set_empty_text(self->table, _("Nothing was lost"));
	gtk_widget_set_hexpand(GTK_WIDGET(self->table), TRUE);
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->table));
}

static GtkWidget *losses_pane_new(void)
{
	return g_object_new(SPT_TYPE_LOSSES_PANE, NULL);
}

static void losses_pane_set_document(GtkWidget *pane, SptDocument *document)
{
	SptLossesPane *self = SPT_LOSSES_PANE(pane);

	spt_document_replace(&self->document, document);
	losses_pane_show(self);
}

const SptPage spt_page_losses = {
	.name = "losses",
	.title = N_("Losses"),
	.new = losses_pane_new,
	.show_document = losses_pane_set_document,
};
