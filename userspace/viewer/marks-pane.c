/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs have marked, the longest first, with how often and how long.  Selecting a row
 * restricts all views to what ran within these marks, and a bar of their histogram to those that
 * took so long.  Found only while the page is visible.  All marks stay listed when one of them is
 * selected.
 */
#include <glib/gi18n.h>
#include <string.h>

#include "empty.h"
#include "mark-histogram.h"
#include "pages.h"
#include "profile/marks.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define NUMBER_WIDTH 90
#define CATEGORY_WIDTH 150
/* Nobody reads more. */
#define MAX_ROWS 2000

#define SPT_TYPE_MARKS_PANE (spt_marks_pane_get_type())
G_DECLARE_FINAL_TYPE(SptMarksPane, spt_marks_pane, SPT, MARKS_PANE, GtkBox)

struct _SptMarksPane {
	GtkBox parent_instance;
	SptTable *table;
	SptDocument *document;
	SptQuery *query;
	GtkWidget *categories; /* choices; hidden if marks have none */
	SptMarkHistogram *histogram;
	GArray *found, *shown; /* SptMarkSums: all, and of the category; or NULL */
};

G_DEFINE_FINAL_TYPE(SptMarksPane, spt_marks_pane, GTK_TYPE_BOX)

struct marks_found {
	GArray *sums;			/* SptMarkSums */
	SptMarkTimes times;		/* of the mark that is selected, if there is one */
};

static void marks_found_free(gpointer data)
{
	struct marks_found *found = data;

	g_clear_pointer(&found->sums, g_array_unref);
	g_free(found);
}

static const SptRestriction *selected_mark(const SptDocument *document)
{
	return spt_restrictions_find(document->look.restrictions, SPT_RESTRICT_MARK);
}

static gpointer find(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	const SptRestriction *selected = selected_mark(document);
	struct marks_found *found = g_new0(struct marks_found, 1);
	const SptFilter *filter = spt_restrictions_filter(document->look.restrictions);
	SptFilter others = { 0 };
	SptMarkQuery query = { .filter = &others };

	if (filter)
		others = *filter;
	others.moments = NULL;
	found->sums = spt_marks_sums(document->recording->capture, &query,
				     SPT_MARKS_BY_NAME);
	if (selected) {
		query.exact_name = selected->text;
		query.category = selected->category;
		spt_mark_times(document->recording->capture, &query, &found->times);
	}
	return found;
}

static void set_row(SptMarksPane *self, unsigned row, const SptMarkSums *sums)
{
	g_autofree char *n = spt_text_count(sums->n), *sum = spt_text_took(sums->sum_ns),
			*mean = spt_text_took(sums->sum_ns / sums->n),
			*median = spt_text_took(sums->median_ns),
			*p99 = spt_text_took(sums->p99_ns),
			*most = spt_text_took(sums->most_ns);

	spt_table_set_row(self->table, row,
			  (const SptTableCell[]){ { .text = sums->name },
						  { n, (double)sums->n },
						  { sum, (double)sums->sum_ns },
						  { mean, 0 },
						  { median, (double)sums->median_ns },
						  { p99, (double)sums->p99_ns },
						  { most, (double)sums->most_ns },
						  { .text = sums->category } });
}

/* NULL: all. */
static const char *chosen_category(SptMarksPane *self)
{
	GtkDropDown *choice = GTK_DROP_DOWN(self->categories);
	GtkStringObject *item = gtk_drop_down_get_selected_item(choice);

	return item && gtk_drop_down_get_selected(choice) > 0 ? gtk_string_object_get_string(item) :
								NULL;
}

static void show_category(SptMarksPane *self)
{
	const char *category = chosen_category(self);
	unsigned n;

	if (!self->found)
		return;
	g_clear_pointer(&self->shown, g_array_unref);
	self->shown = g_array_new(FALSE, FALSE, sizeof(SptMarkSums));
	for (unsigned i = 0; i < self->found->len; i++) {
		const SptMarkSums *sums = &g_array_index(self->found, SptMarkSums, i);
		g_autofree char *made = NULL;

		if (!category || strcmp(spt_text_name(sums->category, &made), category) == 0)
			g_array_append_vals(self->shown, sums, 1);
	}
	n = MIN(self->shown->len, MAX_ROWS);
	for (unsigned i = 0; i < n; i++)
		set_row(self, i, &g_array_index(self->shown, SptMarkSums, i));
	spt_empty_say(self->table, self->document, _("No marks here"));
	spt_table_set_end(self->table, n);
}

static int by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* All categories there are, by name, below the one that is all of them. */
static GtkStringList *name_categories(const GArray *found)
{
	GtkStringList *names = gtk_string_list_new((const char *[]){ _("All categories"), NULL });
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	const char *last = "";

	for (unsigned i = 0; i < found->len; i++)
		g_ptr_array_add(all, (char *)g_array_index(found, SptMarkSums, i).category);
	g_ptr_array_sort(all, by_text);
	for (unsigned i = 0; i < all->len; i++) {
		g_autofree char *made = NULL;

		if (strcmp(all->pdata[i], last) != 0)
			gtk_string_list_append(names, spt_text_name(all->pdata[i], &made));
		last = all->pdata[i];
	}
	return names;
}

/* Keeps the choice as long as it is there. */
static void list_categories(SptMarksPane *self)
{
	GtkDropDown *choice = GTK_DROP_DOWN(self->categories);
	g_autofree char *before = g_strdup(chosen_category(self));
	g_autoptr(GtkStringList) names = name_categories(self->found);
	unsigned n = g_list_model_get_n_items(G_LIST_MODEL(names));

	g_signal_handlers_block_by_func(choice, show_category, self);
	gtk_drop_down_set_model(choice, G_LIST_MODEL(names));
	for (unsigned i = 1; before && i < n; i++)
		if (strcmp(gtk_string_list_get_string(names, i), before) == 0)
			gtk_drop_down_set_selected(choice, i);
	g_signal_handlers_unblock_by_func(choice, show_category, self);
	gtk_widget_set_visible(self->categories, n > 1);
}

static void show(gpointer owner, gpointer answer)
{
	SptMarksPane *self = owner;

	struct marks_found *found = answer;

	g_clear_pointer(&self->found, g_array_unref);
	self->found = g_steal_pointer(&found->sums);
	list_categories(self);
	show_category(self);
	spt_mark_histogram_show(self->histogram, &found->times, selected_mark(self->document));
	marks_found_free(found);
}

static const SptQueryKind marks_query = {
	.answer = find,
	.show = show,
	.free_answer = marks_found_free,
	.needs_map = true,
};

static void marks_pane_on_activated(unsigned row, gpointer data)
{
	SptMarksPane *self = data;
	const SptRestriction *now = self->document ? selected_mark(self->document) : NULL;
	const SptMarkSums *sums;

	if (!self->shown || row >= self->shown->len)
		return;
	sums = &g_array_index(self->shown, SptMarkSums, row);
	if (!now || g_strcmp0(now->text, sums->name) != 0 ||
	    g_strcmp0(now->category, sums->category) != 0 || now->begin_ns || now->end_ns)
		gtk_widget_activate_action(GTK_WIDGET(self), "views.only-mark", "(sstt)",
					   sums->name, sums->category, (guint64)0, (guint64)0);
}

static void dispose(GObject *object)
{
	SptMarksPane *self = SPT_MARKS_PANE(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->document, spt_document_unref);
	g_clear_pointer(&self->found, g_array_unref);
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
		{ N_("Mark"), SPT_CELL_TEXT, 0 },
		{ N_("Count"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Sum"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Mean"), SPT_CELL_NUMBER, -NUMBER_WIDTH },
		{ N_("Median"), SPT_CELL_NUMBER, -NUMBER_WIDTH },
		{ N_("99 %"), SPT_CELL_NUMBER, -NUMBER_WIDTH },
		{ N_("Longest"), SPT_CELL_NUMBER, -NUMBER_WIDTH },
		{ N_("Category"), SPT_CELL_DIM, -CATEGORY_WIDTH },
	};

	self->query = spt_query_new(GTK_WIDGET(self), &marks_query);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	self->table = SPT_TABLE(spt_table_new(_("Marks"), columns, G_N_ELEMENTS(columns), false));
	spt_table_hide_heading(self->table);
	spt_table_set_empty_text(self->table, _("No marks here"));
	spt_table_set_activates(self->table, marks_pane_on_activated, self);
	self->categories = gtk_drop_down_new(NULL, NULL);
	gtk_widget_set_visible(self->categories, FALSE);
	gtk_widget_set_halign(self->categories, GTK_ALIGN_START);
	gtk_widget_set_margin_start(self->categories, 9);
	gtk_widget_set_margin_bottom(self->categories, 6);
	gtk_accessible_update_property(GTK_ACCESSIBLE(self->categories),
				       GTK_ACCESSIBLE_PROPERTY_LABEL, _("Category"), -1);
	g_signal_connect_object(self->categories, "notify::selected", G_CALLBACK(show_category),
				self, G_CONNECT_SWAPPED);
	gtk_box_append(GTK_BOX(self), self->categories);
	gtk_widget_set_vexpand(GTK_WIDGET(self->table), TRUE);
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->table));
	self->histogram = SPT_MARK_HISTOGRAM(spt_mark_histogram_new());
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->histogram));
}

static GtkWidget *marks_pane_new(void)
{
	return g_object_new(SPT_TYPE_MARKS_PANE, NULL);
}

static bool marks_pane_is_for(const SptDocument *document)
{
	return spt_marks_are_in(document->recording->capture);
}

static void marks_pane_set_function(GtkWidget *pane, SptDocument *document,
				    G_GNUC_UNUSED uint32_t function, G_GNUC_UNUSED GArray *path)
{
	SptMarksPane *self = SPT_MARKS_PANE(pane);

	/* For any selected function. */
	if (document == self->document || !marks_pane_is_for(document))
		return;
	spt_document_replace(&self->document, document);
	spt_query_ask(self->query, document, NULL, NULL);
}

const SptPage spt_page_marks = {
	.name = "marks",
	.title = N_("Marks"),
	.help = N_("What programs have marked"),
	.key = "<Ctrl><Alt>m",
	.new = marks_pane_new,
	.show = marks_pane_set_function,
	.is_for = marks_pane_is_for,
};
