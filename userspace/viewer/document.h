/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that was opened, or a part of it: everything the views show, computed in a thread of its own and never changed after
 * that.  Widgets and worker threads share it by reference.
 */
#ifndef SPT_DOCUMENT_H
#define SPT_DOCUMENT_H

#include <gio/gio.h>

#include "profile/order.h"
#include "profile/restrictions.h"
#include "profile/summary.h"

typedef struct SptDocument SptDocument;

struct SptDocument {
	SptDocument *whole;		/* what it is a part of, which owns capture, symbols and summary; NULL: it is the whole */
	SptRestrictions *restrictions;	/* to which part */
	SptCapture *capture;
	SptSymbols *symbols;
	SptProfile *profile;
	SptOrder *order;
	SptSummary summary;
	const SptFunction *functions;
	uint32_t n_functions;
	uint64_t total;			/* what 100 % is */
	GArray *tree;			/* SptTreeNode: of everything, heaviest first */
	char *words;			/* spt_words_where() */
};

SptDocument *spt_document_ref(SptDocument *document);
void spt_document_unref(SptDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDocument, spt_document_unref)
/* Of one recording: functions have the same numbers in both. */
bool spt_document_is_same(const SptDocument *a, const SptDocument *b);

void spt_document_open_async(const char *path, GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
SptDocument *spt_document_open_finish(GAsyncResult *result, GError **error);

/* The part of @whole that @restrictions leave; @whole itself if there are none. */
void spt_document_restrict_async(SptDocument *whole, SptRestrictions *restrictions, GAsyncReadyCallback callback, gpointer data);
SptDocument *spt_document_restrict_finish(GAsyncResult *result);

/* What lies around a function, for the two panes beside the list. */
typedef struct {
	GArray *callers;		/* SptEdge */
	GArray *descendants;		/* SptTreeNode */
} SptSurroundings;

void spt_surroundings_free(SptSurroundings *surroundings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSurroundings, spt_surroundings_free)

/* @function UINT32_MAX: of everything; then there are no callers, and the tree's root is no function. */
void spt_document_surround_async(SptDocument *document, uint32_t function, GAsyncReadyCallback callback, gpointer data);
SptSurroundings *spt_document_surround_finish(GAsyncResult *result);

/* The heaviest function that is not a process: what to look at first.  UINT32_MAX if there is none. */
uint32_t spt_document_first_function(const SptDocument *document);

#endif
