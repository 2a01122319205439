/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where probes can be put into a file: functions by name, lines of sources, and the marks that
 * programs have for that (SDT).  Runs in the helper; its answer is text, a place in a line.
 */
#ifndef SPT_PLACES_H
#define SPT_PLACES_H

#include "object/object.h"

G_BEGIN_DECLS

/* Most places of an answer, and bytes of it. */
#define SPT_PLACES_FOUND_MAX 256u
#define SPT_PLACES_ANSWER_MAX_BYTES (1u << 20)

/*
 * @query is "function NAME", "function NAME(ARGUMENT,...)", "line FILE:NUMBER" or
 * "mark PROVIDER:NAME"; NAME may have * and ?.  The answer has lines of
 * "OFFSET SEMAPHORE NAME ARGUMENTS": file offsets in hex, of the counter that switches a mark on,
 * or 0; of a mark its arguments as its note has them; and of a function those that were asked for
 * (place-arguments.h).  Empty: nothing was found.
 */
GByteArray *spt_places_answer(const SptObject *image, const char *const *debug_dirs,
			      const char *query);

G_END_DECLS

#endif
