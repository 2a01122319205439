/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a change has made something faster: two profiles in absolute numbers, in sentences.
 * Percentages alone say nothing of that: a program that is 600 times faster may have the same.
 */
#ifndef SPT_FASTER_H
#define SPT_FASTER_H

#include "profile/diff.h"

G_BEGIN_DECLS

/* Of each side: whose profile, and of which recording.  @is_command: of all of a command. */
typedef struct {
	const SptProfile *profiles[SPT_SIDES];
	const SptCapture *captures[SPT_SIDES];
	bool is_command;
} SptFasterInput;

/*
 * Sentences (char *, which the array frees): the metric before and after, elapsed time and resident
 * memory of a command where both sides have them, and what makes them doubtful: few samples,
 * recordings in the other order of time.
 */
GPtrArray *spt_faster_new(const SptFasterInput *input);

G_END_DECLS

#endif
