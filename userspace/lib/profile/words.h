/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A profile in words: the answer one wants first.  And words in another language than the library's own. */
#ifndef SPT_WORDS_H
#define SPT_WORDS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* Before anything else is called, by who shows what parts of this layer say: gettext(), or the like.  Otherwise it stays English. */
typedef const char *(*SptTranslate)(const char *text);
void spt_words_set_translation(SptTranslate translate);
const char *spt_words(const char *text) G_GNUC_FORMAT(1);
/* Marks what is given to spt_words() later. */
#define SPT_WORDS(text) text

/* "54 % of the time went to cc1, 22 % to git.  38 % was spent in the kernel.  Busiest functions: ..."  To be freed; names in it are
 * cut, and not checked for being UTF-8. */
char *spt_words_where(const SptProfile *profile);

G_END_DECLS

#endif
