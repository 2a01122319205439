/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of each event of a declared kind (record -e, events of programs), with its fields.  Read
 * only while the page is visible.  The first fields of a kind have columns, whose titles are made
 * for it; what is behind them shares the last one.
 */
#include <glib/gi18n.h>

#include "capture/declared.h"
#include "events/declared.h"
#include "empty.h"
#include "pages.h"
#include "profile/selection.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define NUMBER_WIDTH 90
#define FIELD_WIDTH 110
/* Nobody reads more. */
#define MAX_ROWS 2000
enum { TIME, DURATION, CPU, THREAD, FIELDS, REST = SPT_TABLE_COLUMNS_MAX - 1 };
#define MAX_FIELDS (REST - FIELDS)

#define SPT_TYPE_HITS_PANE (spt_hits_pane_get_type())
G_DECLARE_FINAL_TYPE(SptHitsPane, spt_hits_pane, SPT, HITS_PANE, GtkBox)

struct _SptHitsPane {
	GtkBox parent_instance;
	GtkWidget *kinds, *count;
	SptTable *table;
	const SptDeclared *kind;	/* of the table */
	SptDocument *document;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptHitsPane, spt_hits_pane, GTK_TYPE_BOX)

struct hit {
	uint64_t time, duration_ns;
	uint32_t cpu, thread;
	char *fields[MAX_FIELDS + 1];	/* the last one: all others */
	double numbers[MAX_FIELDS];
};

struct hits {
	const SptDeclared *kind;
	GArray *shown;			/* struct hit */
	uint64_t n;			/* with those that are not shown */
	bool is_of_all;			/* only some threads were wanted, but these have none */
};

static void hit_clear(gpointer data)
{
	struct hit *hit = data;

	for (unsigned i = 0; i <= MAX_FIELDS; i++)
		g_free(hit->fields[i]);
}

static void hits_free(gpointer data)
{
	struct hits *hits = data;

	g_array_unref(hits->shown);
	g_free(hits);
}

static char *field_text(const SptDeclaredField *field, SptValue value)
{
	if (field->type == SPT_VALUE_NS)
		return spt_text_duration(value.number);
	return spt_value_describe(field, value);
}

static void add_hit(struct hits *hits, const SptDeclaredRow *row)
{
	struct hit hit = { row->time, row->duration_ns, row->cpu, row->thread, { 0 }, { 0 } };
	g_autoptr(GString) rest = g_string_new(NULL);

	for (unsigned i = 0; i < hits->kind->n_fields; i++) {
		const SptDeclaredField *field = &hits->kind->fields[i];
		char *text = field_text(field, row->values[i]);

		if (i < MAX_FIELDS) {
			hit.fields[i] = text;
			hit.numbers[i] = field->type == SPT_VALUE_TEXT ?
						 0 :
						 spt_value_real(field, row->values[i]);
			continue;
		}
		g_string_append_printf(rest, "%s%s=%s", rest->len ? "  " : "", field->name, text);
		g_free(text);
	}
	hit.fields[MAX_FIELDS] = g_string_free(g_steal_pointer(&rest), FALSE);
	g_array_append_val(hits->shown, hit);
}

/* @number: of the kind. */
static gpointer hits_pane_find(SptDocument *document, gconstpointer number)
{
	const SptCapture *capture = document->recording->capture;
	struct hits *hits = g_new0(struct hits, 1);
	g_autoptr(SptDeclaredReader) reader = NULL;
	struct spt_selection selection;
	const SptDeclaredRow *rows;
	uint32_t n;

	hits->kind = spt_declared(capture, GPOINTER_TO_UINT(number));
	hits->shown = g_array_new(FALSE, FALSE, sizeof(struct hit));
	g_array_set_clear_func(hits->shown, hit_clear);
	reader = spt_declared_reader_new(capture, hits->kind);
	spt_selection_init(&selection, capture,
			   spt_restrictions_filter(document->look.restrictions));
	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			/* What is counted of the whole machine is no thread's. */
			bool is_of_all = hits->kind->shape == SPT_DECLARED_COUNTER &&
					 !rows[i].thread && selection.threads;

			if (!spt_selection_has_time(&selection, rows[i].thread, rows[i].time) ||
			    (!is_of_all &&
			     !spt_selection_has_place(&selection, rows[i].thread, rows[i].cpu)))
				continue;
			hits->is_of_all |= is_of_all;
			if (hits->n++ < MAX_ROWS)
				add_hit(hits, &rows[i]);
		}
	spt_selection_clear(&selection);
	return hits;
}

/* A table for the fields of a kind; its titles live as long as it does. */
static void set_kind(SptHitsPane *self, const SptDeclared *kind)
{
	SptTableColumn *columns = g_new0(SptTableColumn, SPT_TABLE_COLUMNS_MAX);
	bool has_duration = kind->shape == SPT_DECLARED_INTERVAL;

	if (self->kind == kind) {
		g_free(columns);
		return;
	}
	self->kind = kind;
	if (self->table)
		gtk_box_remove(GTK_BOX(self), GTK_WIDGET(self->table));
	columns[TIME] = (SptTableColumn){ N_("Time"), SPT_CELL_NUMBER, NUMBER_WIDTH };
	columns[DURATION] = (SptTableColumn){ N_("Duration"), SPT_CELL_NUMBER, NUMBER_WIDTH };
	columns[CPU] = (SptTableColumn){ N_("CPU"), SPT_CELL_NUMBER, NUMBER_WIDTH / 2 };
	columns[THREAD] = (SptTableColumn){ N_("Thread"), SPT_CELL_TEXT, 0 };
	for (unsigned i = 0; i < MAX_FIELDS; i++) {
		bool is_text = i < kind->n_fields && kind->fields[i].type == SPT_VALUE_TEXT;

		/* Texts share the room that is left. */
		columns[FIELDS + i] = (SptTableColumn){
			i < kind->n_fields ? kind->fields[i].name : "-",
			is_text ? SPT_CELL_TEXT : SPT_CELL_NUMBER,
			is_text ? 0 : FIELD_WIDTH,
		};
	}
	columns[REST] = (SptTableColumn){ N_("Other fields"), SPT_CELL_DIM, 0 };
	self->table = SPT_TABLE(spt_table_new(_("Hits"), columns, SPT_TABLE_COLUMNS_MAX, false));
	g_object_set_data_full(G_OBJECT(self->table), "columns", columns, g_free);
	spt_table_hide_heading(self->table);
	spt_table_set_empty_text(self->table, _("None here"));
	spt_table_show_columns(self->table, DURATION, 1, has_duration);
	spt_table_show_columns(self->table, FIELDS + MIN(kind->n_fields, MAX_FIELDS),
			       MAX_FIELDS - MIN(kind->n_fields, MAX_FIELDS), false);
	spt_table_show_columns(self->table, REST, 1, kind->n_fields > MAX_FIELDS);
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->table));
}

static char *thread_text(const SptCapture *capture, uint32_t thread)
{
	const SptThreadRow *row = &capture->threads[thread];

	return thread ? g_strdup_printf("%s (%u)", row->name ? row->name : "", row->tid) :
			g_strdup("");
}

static void set_row(SptHitsPane *self, unsigned number, const struct hit *hit)
{
	const SptRecording *recording = self->document->recording;
	g_autofree char *time = spt_text_moment(hit->time, recording->summary.start_ns),
			*duration = spt_text_took(hit->duration_ns),
			*cpu = g_strdup_printf("%u", hit->cpu),
			*thread = thread_text(recording->capture, hit->thread);
	SptTableCell cells[SPT_TABLE_COLUMNS_MAX] = {
		[TIME] = { time, (double)hit->time },
		[DURATION] = { duration, (double)hit->duration_ns },
		[CPU] = { cpu, hit->cpu },
		[THREAD] = { .text = thread },
		[REST] = { .text = hit->fields[MAX_FIELDS] },
	};

	for (unsigned i = 0; i < MAX_FIELDS; i++)
		cells[FIELDS + i] = (SptTableCell){ hit->fields[i], hit->numbers[i] };
	spt_table_set_row(self->table, number, cells);
}

static void hits_pane_show(gpointer owner, gpointer answer)
{
	SptHitsPane *self = owner;
	struct hits *hits = answer;
	g_autofree char *n = spt_text_count(hits->n), *shown = spt_text_count(hits->shown->len),
			*text = NULL;

	set_kind(self, hits->kind);
	for (unsigned i = 0; i < hits->shown->len; i++)
		set_row(self, i, &g_array_index(hits->shown, struct hit, i));
	spt_empty_say(self->table, self->document, _("None here"));
	spt_table_set_end(self->table, hits->shown->len);
	text = hits->n > hits->shown->len ?
		       g_strdup_printf(_("The first %s of %s"), shown, n) :
	       hits->is_of_all ?
		       g_strdup_printf(ngettext("%s value, of everything that ran",
						"%s values, of everything that ran",
						(gulong)hits->n), n) :
		       g_strdup_printf(ngettext("%s event", "%s events", (gulong)hits->n), n);
	gtk_label_set_text(GTK_LABEL(self->count), text);
	hits_free(hits);
}

static const SptQueryKind hits_query = {
	.answer = hits_pane_find,
	.show = hits_pane_show,
	.free_answer = hits_free,
	.needs_map = true,
};

static void hits_pane_ask(SptHitsPane *self)
{
	unsigned kind = gtk_drop_down_get_selected(GTK_DROP_DOWN(self->kinds));

	if (self->document && kind != GTK_INVALID_LIST_POSITION)
		spt_query_ask(self->query, self->document, GUINT_TO_POINTER(kind), NULL);
}

/* The kinds of another recording. */
static void list_kinds(SptHitsPane *self, const SptCapture *capture)
{
	g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
	const SptDeclared *kind;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		gtk_string_list_append(names, kind->name);
	self->kind = NULL;
	g_signal_handlers_block_by_func(self->kinds, hits_pane_ask, self);
	gtk_drop_down_set_model(GTK_DROP_DOWN(self->kinds), G_LIST_MODEL(names));
	g_signal_handlers_unblock_by_func(self->kinds, hits_pane_ask, self);
}

static void hits_pane_dispose(GObject *object)
{
	g_clear_pointer(&SPT_HITS_PANE(object)->query, spt_query_free);
	g_clear_pointer(&SPT_HITS_PANE(object)->document, spt_document_unref);
	G_OBJECT_CLASS(spt_hits_pane_parent_class)->dispose(object);
}

static void spt_hits_pane_class_init(SptHitsPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = hits_pane_dispose;
}

static void spt_hits_pane_init(SptHitsPane *self)
{
	GtkWidget *head = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 9);

	self->query = spt_query_new(GTK_WIDGET(self), &hits_query);
	self->kinds = gtk_drop_down_new(NULL, NULL);
	gtk_accessible_update_property(GTK_ACCESSIBLE(self->kinds), GTK_ACCESSIBLE_PROPERTY_LABEL,
				       _("Event"), -1);
	g_signal_connect_object(self->kinds, "notify::selected", G_CALLBACK(hits_pane_ask), self,
				G_CONNECT_SWAPPED);
	self->count = gtk_label_new(NULL);
	gtk_widget_add_css_class(self->count, "dim-label");
	gtk_widget_add_css_class(head, "pane-header");
	gtk_box_append(GTK_BOX(head), self->kinds);
	gtk_box_append(GTK_BOX(head), self->count);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	gtk_box_append(GTK_BOX(self), head);
}

static GtkWidget *hits_pane_new(void)
{
	return g_object_new(SPT_TYPE_HITS_PANE, NULL);
}

static bool hits_pane_is_for(const SptDocument *document)
{
	return spt_declared(document->recording->capture, 0) != NULL;
}

static void hits_pane_set_function(GtkWidget *pane, SptDocument *document,
				   G_GNUC_UNUSED uint32_t function, G_GNUC_UNUSED GArray *path)
{
	SptHitsPane *self = SPT_HITS_PANE(pane);
	bool is_known = self->document && spt_document_is_same(self->document, document);

	/* For any selected function. */
	if (document == self->document || !hits_pane_is_for(document))
		return;
	spt_document_replace(&self->document, document);
	if (!is_known)
		list_kinds(self, document->recording->capture);
	hits_pane_ask(self);
}

const SptPage spt_page_hits = {
	.name = "hits",
	.title = N_("Hits"),
	.key = "<Ctrl><Alt>e",
	.new = hits_pane_new,
	.show = hits_pane_set_function,
	.is_for = hits_pane_is_for,
};
