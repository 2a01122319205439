/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording says, in sentences: the first answer that people want.
 *
 * All numbers that are said in words are computed here, for the viewer, the terminal and JSON
 * alike.  Each sentence is a row of one table: the conditions under which it is true, and its text.
 * Where something was not recorded, there is a sentence that says so, or none.
 */
#ifndef SPT_SENTENCES_H
#define SPT_SENTENCES_H

#include "profile/profile.h"
#include "profile/wall.h"

G_BEGIN_DECLS

/* Of so few samples of CPU time, or fewer, no share is said. */
#define SPT_SENTENCES_FEW 10

/* What a profile is of. */
typedef enum {
	SPT_SENTENCES_OF_PART,		/* some of the samples: times of a command do not apply */
	SPT_SENTENCES_OF_ALL,		/* all that was recorded */
	SPT_SENTENCES_OF_COMMAND,	/* all of the command, with what it started */
} SptSentencesOf;

/* What a profile with @filter is of; @filter's processes are those of the command. */
SptSentencesOf spt_sentences_find_part(const SptFilter *filter);

typedef struct {
	const char *name;		/* for JSON: "ran", "kernel", ...; never translated */
	char *text;			/* a whole sentence, in the user's language */
	bool is_repeated;		/* one before it says the same: it is not in the line */
} SptSentence;

/*
 * The sentences of @profile, in their order; elements are SptSentence.  Numbers have a no-break
 * space before their unit.  Names in the texts are cut, and may not be UTF-8.  @symbols: for what a
 * program that hardly ran waited for; NULL: that is not said.
 */
GArray *spt_sentences_new(const SptProfile *profile, const SptCapture *capture,
			  SptSymbols *symbols, SptSentencesOf of);
/* As spt_idle_rest(), where sentences are about that; NULL: they are about @profile itself. */
SptProfile *spt_sentences_rest(const SptProfile *profile, const SptCapture *capture,
			       SptSentencesOf of);
/*
 * By function of @profile, what counts first in lists: its own weight in spt_sentences_rest().
 * NULL: there is no such rest.  The caller frees it.
 */
uint64_t *spt_sentences_lead(const SptProfile *profile, const SptCapture *capture,
			     SptSentencesOf of);
/* All sentences in one line, two blanks between them.  The caller frees it. */
char *spt_sentences_line(const SptProfile *profile, const SptCapture *capture,
			 SptSymbols *symbols, SptSentencesOf of);
/*
 * "ran 28 %, was off the CPUs 72 % of 2.40 s": the sentence of @wall alone, as a clause with plain
 * blanks.  The caller frees it.
 */
char *spt_sentences_wall(const SptWall *wall);
/* "3 of all 9 events were lost", of those that @metric is made of; NULL: none.  To be freed. */
char *spt_sentences_lost(const SptMetric *metric, const SptCapture *capture);
/* The one of this name in what spt_sentences_new() found; NULL: it is not said. */
const SptSentence *spt_sentences_find(const GArray *said, const char *name);
/* "3.8 %", "48 %", "all": a part of @total as sentences say it, 99 % at most if it is not all. */
char *spt_sentences_share(uint64_t weight, uint64_t total);
/* A sentence with plain blanks, and without its full stop.  The caller frees it. */
char *spt_sentence_plain(const char *sentence);
/* What was not recorded: "The kernel was not recorded."; NULL: nothing is known to be missing. */
char *spt_sentences_missing(const SptCapture *capture);

/* For tests: the @i-th row of the table, NULL behind the last one. */
const char *spt_sentences_name(unsigned i);

/*
 * Facts of a recording that say what was recorded (spt_capture_host()), and their values.  A
 * recording without them is of before they were noted.
 */
#define SPT_RECORDED_SIDES "sides" /* "user", "kernel" or "both" */
#define SPT_RECORDED_WHOSE "whose" /* "own": processes of the user; "all" */

G_END_DECLS

#endif
