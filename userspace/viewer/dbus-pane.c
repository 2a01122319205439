/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls on D-Bus in what is selected, by time: from whom, to whom, and until the reply.
 * Selecting one restricts all views to its time, and the others stay listed for the moment.  Found
 * only while the page is visible.
 */
#include <glib/gi18n.h>

#include "empty.h"
#include "pages.h"
#include "profile/bus-calls.h"
#include "profile/selection.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define NUMBER_WIDTH 90
#define NAME_WIDTH   135
#define RECEIVER_WIDTH 180
#define BUS_WIDTH    70
/* Nobody reads more; a shorter time shows the others. */
#define MAX_ROWS 5000

#define SPT_TYPE_DBUS_PANE (spt_dbus_pane_get_type())
G_DECLARE_FINAL_TYPE(SptDbusPane, spt_dbus_pane, SPT, DBUS_PANE, GtkBox)

struct _SptDbusPane {
	GtkBox parent_instance;
	SptTable *table;
	GtkWidget *more;		/* how many calls are not shown */
	SptDocument *document;
	SptQuery *query;
	GArray *calls;			/* SptBusCall of the rows; or NULL */
	/* The time that a row has just selected, until the document that has it comes; 0: none. */
	uint64_t begin_ns, end_ns;
};

G_DEFINE_FINAL_TYPE(SptDbusPane, spt_dbus_pane, GTK_TYPE_BOX)

struct dbus_found {
	SptDocument *document;
	GArray *calls;			/* SptBusCall */
	uint64_t n_more;
};

static void dbus_found_free(gpointer data)
{
	struct dbus_found *found = data;

	g_clear_pointer(&found->calls, g_array_unref);
	spt_document_unref(found->document);
	g_free(found);
}

static gpointer dbus_find(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	const SptFilter *filter = spt_restrictions_filter(document->look.restrictions);
	struct dbus_found *found = g_new0(struct dbus_found, 1);

	found->document = spt_document_ref(document);
	found->calls = spt_bus_call_list(document->recording->capture, filter, MAX_ROWS,
					 &found->n_more);
	return found;
}

/* "gnome-shell (712)", and before that is known, the name of its connection. */
static char *name_of_client(const SptCapture *capture, const SptBusCall *call)
{
	const SptProcessRow *process = spt_process_of_thread(capture, call->thread);

	return process ? g_strdup_printf("%s (%u)", process->name, process->pid) :
			 g_strdup(call->client);
}

static char *name_of_server(const SptBusCall *call)
{
	return call->server_pid ? g_strdup_printf("%s (%u)", call->server, call->server_pid) :
				  g_strdup(call->server);
}

static void dbus_set_row(SptDbusPane *self, unsigned row, const SptBusCall *call)
{
	const SptRecording *recording = self->document->recording;
	uint64_t all = call->bytes + call->reply_bytes;
	g_autofree char *moment = spt_text_moment(call->time, recording->summary.start_ns),
			*duration = spt_text_took(call->duration_ns),
			*client = name_of_client(recording->capture, call),
			*server = name_of_server(call), *bytes = spt_text_count(all);

	spt_table_set_row(self->table, row,
			  (const SptTableCell[]){ { moment, (double)call->time },
						  { duration, (double)call->duration_ns },
						  { .text = call->name },
						  { .text = client },
						  { .text = server },
						  { bytes, (double)all },
						  { .text = call->error },
						  { .text = call->bus } });
}

static void dbus_show(gpointer owner, gpointer answer)
{
	SptDbusPane *self = owner;
	struct dbus_found *found = answer;
	g_autofree char *n = spt_text_count(found->n_more),
			*text = g_strdup_printf(ngettext("%s later call is not shown",
							 "%s later calls are not shown",
							 (unsigned long)found->n_more),
						n);

	g_clear_pointer(&self->calls, g_array_unref);
	self->calls = g_steal_pointer(&found->calls);
	for (unsigned i = 0; i < self->calls->len; i++)
		dbus_set_row(self, i, &g_array_index(self->calls, SptBusCall, i));
	spt_empty_say(self->table, self->document, _("No calls on D-Bus here"));
	spt_table_set_end(self->table, self->calls->len);
	gtk_label_set_text(GTK_LABEL(self->more), text);
	gtk_widget_set_visible(self->more, found->n_more > 0);
	dbus_found_free(found);
}

static const SptQueryKind dbus_query = {
	.answer = dbus_find,
	.show = dbus_show,
	.free_answer = dbus_found_free,
	.needs_map = true,
};

static void dbus_pane_on_activated(unsigned row, gpointer data)
{
	SptDbusPane *self = data;
	const SptBusCall *call;

	if (!self->calls || row >= self->calls->len)
		return;
	call = &g_array_index(self->calls, SptBusCall, row);
	self->begin_ns = call->time;
	self->end_ns = call->time + MAX(call->duration_ns, 1);
	gtk_widget_activate_action(GTK_WIDGET(self), "views.only-time", "(tt)",
				   (guint64)self->begin_ns, (guint64)self->end_ns);
}

static void dbus_pane_dispose(GObject *object)
{
	SptDbusPane *self = SPT_DBUS_PANE(object);

	g_clear_pointer(&self->query, spt_query_free);
	g_clear_pointer(&self->document, spt_document_unref);
	g_clear_pointer(&self->calls, g_array_unref);
	G_OBJECT_CLASS(spt_dbus_pane_parent_class)->dispose(object);
}

static void spt_dbus_pane_class_init(SptDbusPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = dbus_pane_dispose;
}

static void spt_dbus_pane_init(SptDbusPane *self)
{
	static const SptTableColumn columns[] = {
		{ N_("Time"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Duration"), SPT_CELL_NUMBER, NUMBER_WIDTH },
		{ N_("Call"), SPT_CELL_TEXT, 0 },
		{ N_("Sender"), SPT_CELL_TEXT, -NAME_WIDTH },
		{ N_("Receiver"), SPT_CELL_TEXT, -RECEIVER_WIDTH },
		{ N_("Bytes"), SPT_CELL_NUMBER, -NUMBER_WIDTH },
		{ N_("Error"), SPT_CELL_DIM, -NAME_WIDTH },
		{ N_("Bus"), SPT_CELL_DIM, -BUS_WIDTH },
	};

	self->query = spt_query_new(GTK_WIDGET(self), &dbus_query);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	self->table = SPT_TABLE(spt_table_new(_("D-Bus"), columns, G_N_ELEMENTS(columns), false));
	spt_table_hide_heading(self->table);
	spt_table_set_empty_text(self->table, _("No calls on D-Bus here"));
	spt_table_set_activates(self->table, dbus_pane_on_activated, self);
	gtk_widget_set_vexpand(GTK_WIDGET(self->table), TRUE);
	self->more = gtk_label_new(NULL);
	gtk_widget_add_css_class(self->more, "dim-label");
	gtk_widget_set_visible(self->more, FALSE);
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->table));
	gtk_box_append(GTK_BOX(self), self->more);
}

static GtkWidget *dbus_pane_new(void)
{
	return g_object_new(SPT_TYPE_DBUS_PANE, NULL);
}

static bool dbus_pane_is_for(const SptDocument *document)
{
	return spt_bus_calls_are_in(document->recording->capture);
}

static bool is_own_choice(const SptDbusPane *self, const SptDocument *document)
{
	const SptRestriction *time =
		spt_restrictions_find(document->look.restrictions, SPT_RESTRICT_TIME);

	return self->end_ns && time && time->begin_ns == self->begin_ns &&
	       time->end_ns == self->end_ns;
}

static void dbus_pane_set_function(GtkWidget *pane, SptDocument *document,
				   G_GNUC_UNUSED uint32_t function, G_GNUC_UNUSED GArray *path)
{
	SptDbusPane *self = SPT_DBUS_PANE(pane);

	/* For any selected function. */
	if (document == self->document || !dbus_pane_is_for(document))
		return;
	if (!is_own_choice(self, document))
		spt_query_ask(self->query, document, NULL, NULL);
	self->begin_ns = self->end_ns = 0;
	spt_document_replace(&self->document, document);
}

const SptPage spt_page_dbus = {
	.name = "dbus",
	.title = N_("D-Bus"),
	.help = N_("Calls on D-Bus"),
	.key = "<Ctrl><Alt>d",
	.new = dbus_pane_new,
	.show = dbus_pane_set_function,
	.is_for = dbus_pane_is_for,
};
