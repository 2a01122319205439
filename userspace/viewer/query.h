/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A widget's question about a document, answered in a thread.  At most one question is being
 * answered.  Of the questions that are asked meanwhile, only the last one follows, so a dragged
 * range or a held key does not pile up work.  A late answer is never shown.
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
	 * Also show an answer if another question about the same recording was asked meanwhile, so
	 * that the user sees progress while dragging.
	 */
	bool shows_progress;
	/* Ask only while the owner is mapped; earlier questions are asked then. */
	bool needs_map;
} SptQueryKind;

typedef struct SptQuery SptQuery;

/* @owner frees it in its dispose, which cancels a running question. */
SptQuery *spt_query_new(GtkWidget *owner, const SptQueryKind *kind);
void spt_query_free(SptQuery *query);

/*
 * @document or @input may be NULL.  Takes over @input, which @free_input frees, unless that is
 * NULL.
 */
void spt_query_ask(SptQuery *query, SptDocument *document, gpointer input,
		   GDestroyNotify free_input);
/* The document of the answer that is being shown; borrowed. */
SptDocument *spt_query_document(const SptQuery *query);
/* Drops all questions so far. */
void spt_query_cancel(SptQuery *query);
bool spt_query_is_asking(const SptQuery *query);

#endif
