/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Found only while the page is visible.  All marks stay listed when one of them is selected. */
#include "marks-pane.h"

#include <glib/gi18n.h>

#include "profile/marks.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define NUMBER_WIDTH 90
/* Nobody reads more. */
#define MAX_ROWS 2000

struct _SptMarksPane {
	GtkBox parent_instance;
	SptTable *table;
	SptDocument *document;
	SptQuery *query;
	GArray *shown;			/* SptMarkSums, or NULL */
};

G_DEFINE_FINAL_TYPE(SptMarksPane, spt_marks_pane, GTK_TYPE_BOX)

static gpointer find(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	const SptFilter *filter = spt_restrictions_filter(document->look.restrictions);
	SptFilter others = { 0 };
	const SptMarkQuery query = { .filter = &others };

	if (filter)
		others = *filter;
	others.moments = NULL;
	return spt_marks_sums(document->recording->capture, &query);
}

static void set_row(SptMarksPane *self, unsigned row, const SptMarkSums *sums)
{
	g_autofree char *n = spt_text_count(sums->n), *sum = spt_text_duration(sums->sum_ns),
			*mean = spt_text_duration(sums->sum_ns / sums->n),
			*median = spt_text_duration(sums->median_ns),
			*p99 = spt_text_duration(sums->p99_ns),
			*most = spt_text_duration(sums->most_ns);

	spt_table_set_row(self->table, row,
			  (const SptTableCell[]){ { n, (double)sums->n },
						  { sum, (double)sums->sum_ns },
						  { mean, 0 },
						  { median, (double)sums->median_ns },
						  { p99, (double)sums->p99_ns },
						  { most, (double)sums->most_ns },
						  { .text = sums->name },
						  { .text = sums->category } });
}

static void show(gpointer owner, gpointer answer)
{
	SptMarksPane *self = owner;
	unsigned n;

	g_clear_pointer(&self->shown, g_array_unref);
	self->shown = answer;
	n = MIN(self->shown->len, MAX_ROWS);
	for (unsigned i = 0; i < n; i++)
		set_row(self, i, &g_array_index(self->shown, SptMarkSums, i));
	spt_table_set_end(self->table, n);
}

static const SptQueryKind marks_query = {
	.answer = find,
	.show = show,
	.free_answer = (GDestroyNotify)g_array_unref,
	.needs_map = true,
};

static void on_selected(unsigned row, gpointer data)
{
	SptMarksPane *self = data;
	const SptRestriction *now = self->document ?
		spt_restrictions_find(self->document->look.restrictions, SPT_RESTRICT_MARK) : NULL;
	const char *name;

	if (!self->shown || row >= self->shown->len)
		return;
	name = g_array_index(self->shown, SptMarkSums, row).name;
	if (!now || g_strcmp0(now->text, name) != 0)
		gtk_widget_activate_action(GTK_WIDGET(self), "views.only-mark", "s", name);
}

static void dispose(GObject *object)
{
	SptMarksPane *self = SPT_MARKS_PANE(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->document, spt_document_unref);
	g_clear_pointer(&self->shown, g_array_unref);
	G_OBJECT_CLASS(spt_marks_pane_parent_class)->dispose(object);
}

static void spt_marks_pane_class_init(SptMarksPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = dispose;
}

static void spt_marks_pane_init(SptMarksPane *self)
{
	static const SptTableColumn columns[] = {
		{ N_("Count"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Sum"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Mean"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Median"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("99 %"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Longest"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Mark"), SPT_CELL_TEXT, 0 },
		{ N_("Category"), SPT_CELL_DIM, 0 },
	};

	self->query = spt_query_new(GTK_WIDGET(self), &marks_query);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	self->table = SPT_TABLE(spt_table_new(_("Marks"), columns, G_N_ELEMENTS(columns), false));
	spt_table_hide_heading(self->table);
	spt_table_set_empty_text(self->table, _("No marks here"));
	spt_table_set_selects(self->table, on_selected, self);
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->table));
}

GtkWidget *spt_marks_pane_new(void)
{
	return g_object_new(SPT_TYPE_MARKS_PANE, NULL);
}

void spt_marks_pane_show(GtkWidget *pane, SptDocument *document, G_GNUC_UNUSED uint32_t function,
			 G_GNUC_UNUSED GArray *path)
{
	SptMarksPane *self = SPT_MARKS_PANE(pane);

	/* For any selected function. */
	if (document == self->document || !spt_marks_pane_is_for(document))
		return;
	spt_document_replace(&self->document, document);
	spt_query_ask(self->query, document, NULL, NULL);
}

bool spt_marks_pane_is_for(const SptDocument *document)
{
	return spt_marks_are_in(document->recording->capture);
}
