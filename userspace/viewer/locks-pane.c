/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that waited for a lock, side by side with those of its holders, longest waits first.
 * Found only while the page is visible.
 */
#include <glib/gi18n.h>

#include "events/facts.h"
#include "pages.h"
#include "profile/events.h"
#include "profile/lock-waits.h"
#include "query.h"
#include "table.h"
#include "text.h"

#define SHARE_WIDTH 90
#define WAITS_WIDTH 70
/* Nobody reads more. */
#define MAX_ROWS 2000
#define NOTHING	 (-1.0) /* as a percentage: none is shown */

#define SPT_TYPE_LOCKS_PANE (spt_locks_pane_get_type())
G_DECLARE_FINAL_TYPE(SptLocksPane, spt_locks_pane, SPT, LOCKS_PANE, GtkBox)

struct _SptLocksPane {
	GtkBox parent_instance;
	SptTable *table;
	SptDocument *document;
	SptQuery *query;
};

G_DEFINE_FINAL_TYPE(SptLocksPane, spt_locks_pane, GTK_TYPE_BOX)

static void locks_pane_add_wait(SptLocksPane *self, unsigned *row, const SptLockWait *wait,
				uint64_t sum)
{
	g_autofree char *waits = spt_text_count(wait->waits);
	double share = sum ? 100 * (double)wait->ns / (double)sum : 0;

	spt_table_set_row(self->table, (*row)++,
			  (const SptTableCell[]){ { .number = share },
						  { waits, (double)wait->waits },
						  { .text = spt_lock_wait_lock(wait)->function },
						  { .text = "" } });
	for (unsigned i = 0; i < spt_lock_wait_lines(wait) && *row < MAX_ROWS; i++) {
		g_autofree char *waiter = spt_lock_side_line(&wait->waiter, i, false),
				*holder = spt_lock_side_line(&wait->holder, i, true),
				*left = g_strconcat("    ", waiter, NULL);

		spt_table_set_row(self->table, (*row)++,
				  (const SptTableCell[]){ { .number = NOTHING },
							  { .text = "" },
							  { .text = left },
							  { .text = holder } });
	}
}

static gpointer locks_pane_find(SptDocument *document, G_GNUC_UNUSED gconstpointer input)
{
	return spt_document_lock_waits(document);
}

static void locks_pane_show(gpointer owner, gpointer answer)
{
	SptLocksPane *self = owner;
	g_autoptr(GPtrArray) waits = answer;
	uint64_t sum = spt_lock_waits_sum(waits);
	unsigned row = 0;

	for (unsigned i = 0; i < waits->len && row < MAX_ROWS; i++)
		locks_pane_add_wait(self, &row, waits->pdata[i], sum);
	spt_table_set_end(self->table, row);
}

static const SptQueryKind locks_query = {
	.answer = locks_pane_find,
	.show = locks_pane_show,
	.free_answer = (GDestroyNotify)g_ptr_array_unref,
	.needs_map = true,
};

static void locks_pane_dispose(GObject *object)
{
	g_clear_pointer(&SPT_LOCKS_PANE(object)->query, spt_query_free);
	g_clear_pointer(&SPT_LOCKS_PANE(object)->document, spt_document_unref);
	G_OBJECT_CLASS(spt_locks_pane_parent_class)->dispose(object);
}

static void spt_locks_pane_class_init(SptLocksPaneClass *class)
{
	G_OBJECT_CLASS(class)->dispose = locks_pane_dispose;
}

static void spt_locks_pane_init(SptLocksPane *self)
{
	static const SptTableColumn columns[] = {
		{ N_("Time"), SPT_CELL_SHARE, SHARE_WIDTH },
		{ N_("Waits"), SPT_CELL_NUMBER, WAITS_WIDTH },
		{ N_("Who waited"), SPT_CELL_TEXT, 0 },
		{ N_("Who held it meanwhile"), SPT_CELL_TEXT, 0 },
	};

	self->query = spt_query_new(GTK_WIDGET(self), &locks_query);
	gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
	self->table =
		SPT_TABLE(spt_table_new(_("Waits for locks"), columns, G_N_ELEMENTS(columns), false));
	spt_table_hide_heading(self->table);
	spt_table_set_empty_text(self->table, _("Nobody waited for a lock here"));
	gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->table));
}

static GtkWidget *locks_pane_new(void)
{
	return g_object_new(SPT_TYPE_LOCKS_PANE, NULL);
}

static bool locks_pane_is_for(const SptDocument *document)
{
	return spt_events_are_in(document->recording->capture, &spt_event_locks);
}

static void locks_pane_set_function(GtkWidget *pane, SptDocument *document,
				    G_GNUC_UNUSED uint32_t function, G_GNUC_UNUSED GArray *path)
{
	SptLocksPane *self = SPT_LOCKS_PANE(pane);

	/* For any selected function. */
	if (document == self->document || !locks_pane_is_for(document))
		return;
	spt_document_replace(&self->document, document);
	spt_query_ask(self->query, document, NULL, NULL);
}

const SptPage spt_page_locks = {
	.name = "locks",
	.title = N_("Locks"),
	.help = N_("Waits for locks, and who held them"),
	.key = "<Alt>0",
	.new = locks_pane_new,
	.show = locks_pane_set_function,
	.is_for = locks_pane_is_for,
};
