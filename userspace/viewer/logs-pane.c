/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines that programs and the kernel wrote in what is selected, by time.  Found only while the
 * page is visible.
 */
#include <glib/gi18n.h>

#include "empty.h"
#include "pages.h"
#include "profile/log-lines.h"
#include "profile/selection.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define NUMBER_WIDTH 100
#define NAME_WIDTH   150
/* Nobody reads more; a shorter time shows the others. */
#define MAX_ROWS 5000

#define SPT_TYPE_LOGS_PANE (spt_logs_pane_get_type())
G_DECLARE_FINAL_TYPE(SptLogsPane, spt_logs_pane, SPT, LOGS_PANE, GtkBox)

struct _SptLogsPane {
	GtkBox parent_instance;
	SptTable *table;
	SptDocument *document;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptLogsPane, spt_logs_pane, GTK_TYPE_BOX)

struct found {
	SptDocument *document;
	GArray *lines;			/* SptLogLine */
};

static void found_free(gpointer data)
{
	struct found *found = data;

	g_array_unref(found->lines);
	spt_document_unref(found->document);
	g_free(found);
}

static gpointer logs_find(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	const SptFilter *filter = spt_restrictions_filter(document->look.restrictions);
	SptFilter all = { 0 };
	const SptLogQuery query = { .filter = filter ? filter : &all, .most = MAX_ROWS };
	struct found *found = g_new0(struct found, 1);
	uint64_t n_more;

	found->document = spt_document_ref(document);
	found->lines = spt_log_lines(document->recording->capture, &query, &n_more);
	return found;
}

static const char *name_of_severity(uint64_t severity)
{
	static const char *const names[] = { N_("Emergency"), N_("Alert"),  N_("Critical"),
					     N_("Error"),     N_("Warning"), N_("Notice"),
					     N_("Info"),      N_("Debug") };

	return severity < G_N_ELEMENTS(names) ? _(names[severity]) : "";
}

static void logs_show(gpointer owner, gpointer answer)
{
	SptLogsPane *self = owner;
	struct found *found = answer;
	const SptCapture *capture = found->document->recording->capture;

	for (unsigned i = 0; i < found->lines->len; i++) {
		const SptLogLine *line = &g_array_index(found->lines, SptLogLine, i);
		const SptProcessRow *process = spt_process_of_thread(capture, line->thread);
		g_autofree char *moment =
			spt_text_moment(line->time, found->document->recording->summary.start_ns);

		spt_table_set_row(self->table, i,
				  (const SptTableCell[]){
					  { moment, (double)line->time },
					  { .text = name_of_severity(line->severity) },
					  { .text = process ? process->name : NULL },
					  { .text = line->source },
					  { .text = line->text } });
	}
	spt_empty_say(self->table, found->document, _("No lines of logs here"));
	spt_table_set_end(self->table, found->lines->len);
	found_free(found);
}

static const SptQueryKind logs_query = {
	.answer = logs_find,
	.show = logs_show,
	.free_answer = found_free,
	.needs_map = true,
};

static void logs_pane_dispose(GObject *object)
{
	SptLogsPane *self = SPT_LOGS_PANE(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->document, spt_document_unref);
	G_OBJECT_CLASS(spt_logs_pane_parent_class)->dispose(object);
}

static void spt_logs_pane_class_init(SptLogsPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = logs_pane_dispose;
}

static void spt_logs_pane_init(SptLogsPane *self)
{
	static const SptTableColumn columns[] = {
		{ N_("Time"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Severity"), SPT_CELL_TEXT, NUMBER_WIDTH },
		{ N_("Process"), SPT_CELL_TEXT, -NAME_WIDTH },
		{ N_("Origin"), SPT_CELL_DIM, -NAME_WIDTH },
		{ N_("Line"), SPT_CELL_TEXT, 0 },
	};

	self->query = spt_query_new(GTK_WIDGET(self), &logs_query);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	self->table = SPT_TABLE(spt_table_new(_("Logs"), columns, G_N_ELEMENTS(columns), false));
	spt_table_hide_heading(self->table);
	spt_table_set_empty_text(self->table, _("No lines of logs here"));
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->table));
}

static GtkWidget *logs_pane_new(void)
{
	return g_object_new(SPT_TYPE_LOGS_PANE, NULL);
}

static bool logs_pane_is_for(const SptDocument *document)
{
	return spt_log_lines_are_in(document->recording->capture);
}

static void logs_pane_set_function(GtkWidget *pane, SptDocument *document,
				   G_GNUC_UNUSED uint32_t function, G_GNUC_UNUSED GArray *path)
{
	SptLogsPane *self = SPT_LOGS_PANE(pane);

	/* For any selected function. */
	if (document == self->document || !logs_pane_is_for(document))
		return;
	spt_document_replace(&self->document, document);
	spt_query_ask(self->query, document, NULL, NULL);
}

const SptPage spt_page_logs = {
	.name = "logs",
	.title = N_("Logs"),
	.help = N_("Lines of logs"),
	.key = "<Ctrl><Alt>l",
	.new = logs_pane_new,
	.show = logs_pane_set_function,
	.is_for = logs_pane_is_for,
};
