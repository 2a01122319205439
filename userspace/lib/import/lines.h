/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of a text file that is not trusted, one at a time, each within a bound. */
#ifndef SPT_IMPORT_LINES_H
#define SPT_IMPORT_LINES_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

G_BEGIN_DECLS

typedef struct SptImportLines SptImportLines;

/* Where a text begins in its first @bytes: behind the mark of UTF-8 that some editors put first. */
size_t spt_import_text_begin(const char *begin, size_t bytes);

/* From the beginning of @fd, which is borrowed. */
SptImportLines *spt_import_lines_new(int fd);
void spt_import_lines_free(SptImportLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptImportLines, spt_import_lines_free)

/*
 * The next line, of *@ret_bytes without its end, also that of Windows, and with a nul behind it; it
 * may be changed, and is valid until the next call.  NULL: there is none, or *@ret_wrong says what
 * is wrong with it, an end of the sentence "line 3 ...".
 */
char *spt_import_lines_next(SptImportLines *lines, size_t *ret_bytes, const char **ret_wrong);
/* Sets the error of the line that next() returned last, or refused. */
void spt_import_lines_refuse(const SptImportLines *lines, const char *wrong, GError **error);

G_END_DECLS

#endif
