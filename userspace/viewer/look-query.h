/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the views ask for in the background: a document by a look, and the panes of a function. */
#ifndef SPT_LOOK_QUERY_H
#define SPT_LOOK_QUERY_H

#include "document.h"

typedef struct {
	SptDocument *document;
	SptSurroundings *surroundings;	/* or NULL */
} SptLookAnswer;

/*
 * @function: the one that is selected in the whole document; @with_surroundings: those of it are
 * wanted, too.
 */
gpointer spt_look_question_new(const SptLook *look, uint32_t function, bool with_surroundings);
void spt_look_question_free(gpointer question);
/* SptLookAnswer to a question; as SptQueryKind.answer. */
gpointer spt_look_answer(SptDocument *whole, gconstpointer question);
void spt_look_answer_free(gpointer answer);

#endif
