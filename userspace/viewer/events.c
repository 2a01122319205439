/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing is listed while the page is hidden. */
#include "events.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "pages.h"
#include "table.h"
#include "text.h"

#define NUMBER_WIDTH 90
#define MAX_ROWS 5000			/* more are of no use */

struct _SptEvents {
	GtkBox parent_instance;
	GtkStack *stack;
	SptTable *losses;
	SptDocument *document;		/* not yet shown; or NULL */
};

G_DEFINE_FINAL_TYPE(SptEvents, spt_events, GTK_TYPE_BOX)

static void show_losses(SptEvents *self)
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

		spt_table_set_row(self->losses, i, cells);
	}
	spt_table_set_end(self->losses, n);
}

static void events_show(SptEvents *self)
{
	if (!self->document || !gtk_widget_get_mapped(GTK_WIDGET(self)))
		return;
	show_losses(self);
	g_clear_pointer(&self->document, spt_document_unref);
}

static void events_map(GtkWidget *widget)
{
	GTK_WIDGET_CLASS(spt_events_parent_class)->map(widget);
	events_show(SPT_EVENTS(widget));
}

static void events_dispose(GObject *object)
{
	g_clear_pointer(&SPT_EVENTS(object)->document, spt_document_unref);
	G_OBJECT_CLASS(spt_events_parent_class)->dispose(object);
}

static void spt_events_class_init(SptEventsClass *class)
{
	G_OBJECT_CLASS(class)->dispose = events_dispose;
	GTK_WIDGET_CLASS(class)->map = events_map;
}

static void spt_events_init(SptEvents *self)
{
	GtkWidget *stack = gtk_stack_new();

	self->stack = GTK_STACK(stack);
	gtk_stack_set_vhomogeneous(self->stack, FALSE);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	gtk_box_append(GTK_BOX(self), spt_pages_switcher(self->stack));
	gtk_box_append(GTK_BOX(self), stack);
}

void spt_events_complete(SptEvents *self)
{
	static const SptTableColumn columns[] = {
		{ N_("From"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("To"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("CPU"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Periods"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Why"), SPT_CELL_TEXT, 0 },
	};

	self->losses = SPT_TABLE(spt_table_new(_("Losses"), columns, G_N_ELEMENTS(columns), true));
	spt_table_hide_heading(self->losses);
	spt_table_set_empty_text(self->losses, _("Nothing was lost"));
	gtk_stack_add_titled(self->stack, GTK_WIDGET(self->losses), "losses", _("Losses"));
}

void spt_events_set_document(SptEvents *self, SptDocument *document)
{
	spt_document_replace(&self->document, document);
	events_show(self);
}

GtkStack *spt_events_stack(SptEvents *self)
{
	return self->stack;
}
