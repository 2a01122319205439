/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A GTask for each question; the query lives until the last one has ended, even without its owner.
 */
#include "query.h"

struct question {
	const SptQueryKind *kind;
	SptDocument *document;
	gpointer input;
	GDestroyNotify free_input;
};

struct SptQuery {
	unsigned n_refs;		/* of the owner, and of the present question */
	const SptQueryKind *kind;
	GtkWidget *owner;		/* NULL: it was disposed */
	gulong map_handler;
	GCancellable *asking;		/* of the present question; NULL: there is none */
	struct question *next;		/* the last one that was put meanwhile, or NULL */
	SptDocument *shown;		/* data of the answer that is shown, or NULL */
};

static void query_free_question(gpointer data)
{
	struct question *question = data;

	if (question->free_input)
		question->free_input(question->input);
	g_clear_pointer(&question->document, spt_document_unref);
	g_free(question);
}

static void query_unref(SptQuery *query)
{
	if (--query->n_refs == 0)
		g_free(query);
}

static void answer_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			     GCancellable *cancellable)
{
	const struct question *question = data;
	const SptQueryKind *kind = question->kind;

	/* It may have waited for a thread. */
	g_task_return_pointer(task,
			      g_cancellable_is_cancelled(cancellable) ?
				      NULL :
				      kind->answer(question->document, question->input),
			      kind->free_answer);
}

/* The next question, if any, is about the same recording. */
static bool is_progress(const SptQuery *query, const struct question *question)
{
	return !query->next ||
	       (query->kind->shows_progress && query->next->document && question->document &&
		spt_document_is_same(query->next->document, question->document));
}

static void start_next(SptQuery *query);

static void on_answer(G_GNUC_UNUSED GObject *source, GAsyncResult *result, gpointer data)
{
	SptQuery *query = data;
	const SptQueryKind *kind = query->kind;
	const struct question *question = g_task_get_task_data(G_TASK(result));
	g_autoptr(GError) error = NULL;
	/* An error: it was cancelled. */
	gpointer answer = g_task_propagate_pointer(G_TASK(result), &error);

	g_clear_object(&query->asking);
	query->shown = question->document;
	if (!error && is_progress(query, question))
		kind->show(query->owner, answer);
	else if (answer)
		kind->free_answer(answer);
	query->shown = NULL;
	start_next(query);
	query_unref(query);
}

static void start_next(SptQuery *query)
{
	g_autoptr(GTask) task = NULL;

	if (query->asking || !query->next ||
	    (query->kind->needs_map && !gtk_widget_get_mapped(query->owner)))
		return;
	query->n_refs++;
	query->asking = g_cancellable_new();
	task = g_task_new(NULL, query->asking, on_answer, query);
	g_task_set_task_data(task, g_steal_pointer(&query->next), query_free_question);
	g_task_run_in_thread(task, answer_in_thread);
}

SptQuery *spt_query_new(GtkWidget *owner, const SptQueryKind *kind)
{
	SptQuery *query = g_new(SptQuery, 1);

	*query = (SptQuery){ .n_refs = 1, .kind = kind, .owner = owner };
	if (kind->needs_map)
		query->map_handler = g_signal_connect_swapped(owner, "map", G_CALLBACK(start_next),
							      query);
	return query;
}

void spt_query_free(SptQuery *query)
{
	spt_query_cancel(query);
	if (query->map_handler)
		g_signal_handler_disconnect(query->owner, query->map_handler);
	query->owner = NULL;
	query_unref(query);
}

void spt_query_ask(SptQuery *query, SptDocument *document, gpointer input,
		   GDestroyNotify free_input)
{
	struct question *question = g_new(struct question, 1);

	*question = (struct question){ .kind = query->kind,
				       .document = document ? spt_document_ref(document) : NULL,
				       .input = input,
				       .free_input = free_input };
	g_clear_pointer(&query->next, query_free_question);
	query->next = question;
	start_next(query);
}

SptDocument *spt_query_document(const SptQuery *query)
{
	return query->shown;
}

void spt_query_cancel(SptQuery *query)
{
	g_clear_pointer(&query->next, query_free_question);
	if (query->asking)
		g_cancellable_cancel(query->asking);
}

bool spt_query_is_asking(const SptQuery *query)
{
	return query->asking != NULL;
}
