/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile in words: the first answer that people want. */
#ifndef SPT_WORDS_H
#define SPT_WORDS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * "Ran 28 %, waited 72 % of 2.40 s.  54 % of the time went to cc1, 22 % to git.  38 % was spent in
 * the kernel.  Busiest functions: ..." The first sentence needs a base, and is there only if the
 * times are known.  Names in it are cut, and may not be UTF-8.  The caller frees it.
 */
char *spt_words_where(const SptProfile *profile);
/*
 * "mt: 9.8 % of all that ran.  mt failed with status 1.  Ran 28 %, waited 72 % of 2.40 s.  ", for
 * the command that was recorded, whose CPU time is @weight.  The caller frees it.
 */
char *spt_words_command(const SptCapture *capture, uint64_t weight);

G_END_DECLS

#endif
