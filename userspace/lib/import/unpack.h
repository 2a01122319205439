/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file in memory, uncompressed if it was packed by gzip. */
#ifndef SPT_IMPORT_UNPACK_H
#define SPT_IMPORT_UNPACK_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

/* Whether a file that begins with these bytes is packed by gzip. */
bool spt_is_gzip(const char *begin, size_t bytes);
/*
 * Reads @fd from where it is.  NULL: with a clause about the file, for instance that it has more
 * than @most bytes unpacked.  The caller frees it.
 */
GByteArray *spt_import_unpack(int fd, size_t most, GError **error);

G_END_DECLS

#endif
