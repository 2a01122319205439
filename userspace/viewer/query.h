/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a widget wants to know of a document, computed in a thread.  At most one question is under
 * way; of those that are asked meanwhile only the last one follows, so a dragged range or a held
 * arrow key does not pile up work.  An answer that came too late is never shown.
 */
#ifndef SPT_QUERY_H
#define SPT_QUERY_H

#include <gtk/gtk.h>

#include "document.h"

typedef struct {
	/* In the thread.  Neither @document nor @input changes meanwhile. */
	gpointer (*answer)(SptDocument *document, gconstpointer input);
	/* In the main thread; takes over @answer.  @owner is the widget. */
	void (*show)(gpointer owner, gpointer answer);
	void (*free_answer)(gpointer answer);
	/*
	 * Also show an answer when another question about the same recording has been asked
	 * meanwhile: the user sees progress while dragging.
	 */
	bool shows_progress;
	/* Ask only while the owner is mapped; what was asked before that is asked then. */
	bool needs_map;
} SptQueryKind;

typedef struct SptQuery SptQuery;

/* @owner frees it in its dispose; then what is under way is cancelled. */
SptQuery *spt_query_new(GtkWidget *owner, const SptQueryKind *kind);
void spt_query_free(SptQuery *query);

/*
 * Either of @document and @input may be NULL if the other one says all.  Takes over @input, which
 * @free_input frees if it is not NULL.
 */
void spt_query_ask(SptQuery *query, SptDocument *document, gpointer input,
		   GDestroyNotify free_input);
/* While an answer is shown: the document that it is about; borrowed. */
SptDocument *spt_query_document(const SptQuery *query);
/* Shows no answer to anything asked so far. */
void spt_query_cancel(SptQuery *query);
bool spt_query_is_asking(const SptQuery *query);

#endif
