/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bridge from the library, which blocks, to the widgets, which must not. */
#include "document.h"

#include "profile/words.h"

static void clear_document(gpointer data)
{
	SptDocument *document = data;

	g_free(document->words);
	g_clear_pointer(&document->tree, g_array_unref);
	spt_order_free(document->order);
	spt_profile_free(document->profile);
	g_clear_pointer(&document->restrictions, spt_restrictions_unref);
	if (document->whole) {
		spt_document_unref(document->whole);
		return;
	}
	spt_symbols_free(document->symbols);
	spt_summary_clear(&document->summary);
	spt_capture_free(document->capture);
}

SptDocument *spt_document_ref(SptDocument *document)
{
	return g_atomic_rc_box_acquire(document);
}

void spt_document_unref(SptDocument *document)
{
	g_atomic_rc_box_release_full(document, clear_document);
}

bool spt_document_is_same(const SptDocument *a, const SptDocument *b)
{
	return (a->whole ? a->whole : a) == (b->whole ? b->whole : b);
}

/* Fills in what follows from its profile. */
static void complete(SptDocument *document)
{
	document->functions = spt_profile_functions(document->profile, &document->n_functions);
	document->total = spt_profile_total(document->profile);
	document->tree = spt_profile_descendants(document->profile, UINT32_MAX);
	document->words = spt_words_where(document->profile);
}

static void open_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer path, G_GNUC_UNUSED GCancellable *cancellable)
{
	SptDocument *document;
	GError *error = NULL;
	SptCapture *capture = spt_capture_open(path, &error);

	if (!capture) {
		g_task_return_error(task, error);
		return;
	}
	document = g_atomic_rc_box_new0(SptDocument);
	document->capture = capture;
	document->symbols = spt_symbols_new(capture, NULL);
	document->profile = spt_profile_new_base(capture, document->symbols);
	document->order = spt_order_new(document->profile);
	spt_summary_init(&document->summary, capture);
	document->restrictions = spt_restrictions_new();
	complete(document);
	g_task_return_pointer(task, document, (GDestroyNotify)spt_document_unref);
}

void spt_document_open_async(const char *path, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
	g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, data);

	g_task_set_task_data(task, g_strdup(path), g_free);
	g_task_run_in_thread(task, open_in_thread);
}

SptDocument *spt_document_open_finish(GAsyncResult *result, GError **error)
{
	return g_task_propagate_pointer(G_TASK(result), error);
}

struct wish {
	SptDocument *whole;
	SptRestrictions *restrictions;
};

static void free_wish(gpointer data)
{
	struct wish *wish = data;

	spt_document_unref(wish->whole);
	spt_restrictions_unref(wish->restrictions);
	g_free(wish);
}

static void restrict_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data, G_GNUC_UNUSED GCancellable *cancellable)
{
	struct wish *wish = data;
	const SptFilter *filter = spt_restrictions_filter(wish->restrictions);
	SptDocument *part;

	if (!filter) {
		g_task_return_pointer(task, spt_document_ref(wish->whole), (GDestroyNotify)spt_document_unref);
		return;
	}
	part = g_atomic_rc_box_dup(sizeof(*part), wish->whole);
	part->whole = spt_document_ref(wish->whole);
	part->restrictions = spt_restrictions_ref(wish->restrictions);
	part->profile = spt_profile_refilter(wish->whole->profile, filter, NULL);
	part->order = spt_order_new_like(wish->whole->order, part->profile);
	complete(part);
	g_task_return_pointer(task, part, (GDestroyNotify)spt_document_unref);
}

void spt_document_restrict_async(SptDocument *whole, SptRestrictions *restrictions, GAsyncReadyCallback callback, gpointer data)
{
	g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, data);
	struct wish *wish = g_new(struct wish, 1);

	*wish = (struct wish){ spt_document_ref(whole), spt_restrictions_ref(restrictions) };
	g_task_set_task_data(task, wish, free_wish);
	g_task_run_in_thread(task, restrict_in_thread);
}

SptDocument *spt_document_restrict_finish(GAsyncResult *result)
{
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

void spt_surroundings_free(SptSurroundings *surroundings)
{
	g_array_unref(surroundings->callers);
	g_array_unref(surroundings->descendants);
	g_free(surroundings);
}

struct question {
	SptDocument *document;
	uint32_t function;
};

static void free_question(gpointer data)
{
	struct question *question = data;

	spt_document_unref(question->document);
	g_free(question);
}

static void surround_in_thread(GTask *task, G_GNUC_UNUSED gpointer source, gpointer data,
			       G_GNUC_UNUSED GCancellable *cancellable)
{
	struct question *question = data;
	const SptProfile *profile = question->document->profile;
	SptSurroundings *answer = g_new0(SptSurroundings, 1);

	if (question->function == UINT32_MAX) {
		answer->callers = g_array_new(FALSE, FALSE, sizeof(SptEdge));
		answer->descendants = g_array_ref(question->document->tree);
	} else {
		answer->callers = spt_profile_callers(profile, question->function);
		answer->descendants = spt_profile_descendants(profile, question->function);
	}
	g_task_return_pointer(task, answer, (GDestroyNotify)spt_surroundings_free);
}

void spt_document_surround_async(SptDocument *document, uint32_t function, GAsyncReadyCallback callback, gpointer data)
{
	g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, data);
	struct question *question = g_new(struct question, 1);

	*question = (struct question){ spt_document_ref(document), function };
	g_task_set_task_data(task, question, free_question);
	g_task_run_in_thread(task, surround_in_thread);
}

SptSurroundings *spt_document_surround_finish(GAsyncResult *result)
{
	return g_task_propagate_pointer(G_TASK(result), NULL);
}

uint32_t spt_document_first_function(const SptDocument *document)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < document->n_functions; i++) {
		if (!document->functions[i].is_process &&
		    (best == UINT32_MAX || document->functions[i].total > document->functions[best].total))
			best = i;
	}
	return best;
}
