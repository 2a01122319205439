/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answered outside of the main thread. */
#include "look-query.h"

struct question {
	SptLook look;
	uint32_t function;
	bool with_surroundings;
};

gpointer spt_look_question_new(const SptLook *look, uint32_t function, bool with_surroundings)
{
	struct question *question = g_new(struct question, 1);

	*question = (struct question){ *look, function, with_surroundings };
	spt_restrictions_ref(question->look.restrictions);
	return question;
}

void spt_look_question_free(gpointer data)
{
	struct question *question = data;

	spt_restrictions_unref(question->look.restrictions);
	g_free(question);
}

gpointer spt_look_answer(SptDocument *whole, gconstpointer data)
{
	const struct question *question = data;
	SptLookAnswer *answer = g_new0(SptLookAnswer, 1);

	answer->document = spt_document_look(whole, &question->look);
	if (question->with_surroundings)
		answer->surroundings =
			spt_document_surround(answer->document,
					      spt_document_translate(answer->document, whole,
								     question->function));
	return answer;
}

void spt_look_answer_free(gpointer data)
{
	SptLookAnswer *answer = data;

	spt_document_unref(answer->document);
	g_clear_pointer(&answer->surroundings, spt_surroundings_free);
	g_free(answer);
}
