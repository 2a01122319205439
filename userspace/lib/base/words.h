/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts in another language than the library's own. */
#ifndef SPT_BASE_WORDS_H
#define SPT_BASE_WORDS_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/*
 * A program that shows the library's texts calls this before anything else, with gettext() or the
 * like.  Otherwise they stay English.
 */
typedef const char *(*SptTranslate)(const char *text);
void spt_words_set_translation(SptTranslate translate);
const char *spt_words(const char *text) G_GNUC_FORMAT(1);
/* Marks a text that spt_words() gets later. */
#define SPT_WORDS(text) text
/*
 * g_set_error() in that language: the library's error messages.  @format is extracted for
 * translation where it is written.
 */
void spt_set_error(GError **error, GQuark domain, int code, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

/* Whether one of @lines, each with a line's end behind it, is @line. */
bool spt_lines_have(const char *lines, const char *line);

/* Whether @text is one word of a line: not empty, without blanks and control characters. */
bool spt_is_word(const char *text);

/*
 * @text as one line of valid UTF-8 without terminal control characters, the caller's to free.  Line
 * ends and tabs become spaces, other invisible characters '?', and invalid bytes U+FFFD.
 */
char *spt_one_line(const char *text);
/* Appends the same to @line. */
void spt_append_one_line(GString *line, const char *text);

G_END_DECLS

#endif
