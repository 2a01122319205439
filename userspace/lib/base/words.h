/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words in another language than the library's own. */
#ifndef SPT_BASE_WORDS_H
#define SPT_BASE_WORDS_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * Before anything else is called, by who shows what the library says: gettext(), or the like.
 * Otherwise it stays English.
 */
typedef const char *(*SptTranslate)(const char *text);
void spt_words_set_translation(SptTranslate translate);
const char *spt_words(const char *text) G_GNUC_FORMAT(1);
/* Marks what is given to spt_words() later. */
#define SPT_WORDS(text) text
/*
 * g_set_error() in that language: what the library says when something fails.  @format is taken for
 * translation where it stands.
 */
void spt_set_error(GError **error, GQuark domain, int code, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

/*
 * @text as one line of valid UTF-8 that no terminal obeys, to be freed: line ends and tabs become
 * spaces, what else is no character to be seen becomes '?', and what is no text U+FFFD.
 */
char *spt_one_line(const char *text);
/* The same, behind @line. */
void spt_append_one_line(GString *line, const char *text);

G_END_DECLS

#endif
