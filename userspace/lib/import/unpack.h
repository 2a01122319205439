/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file, uncompressed if gzip or zstd packed it: some of it at a time, or all in memory. */
#ifndef SPT_IMPORT_UNPACK_H
#define SPT_IMPORT_UNPACK_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef struct SptImportUnpacker SptImportUnpacker;

/* Reads @fd, which is borrowed, from its start.  NULL: it cannot be read. */
SptImportUnpacker *spt_import_unpacker_new(int fd, GError **error);
void spt_import_unpacker_free(SptImportUnpacker *unpacker);
/* The next bytes into @to, at most @most; their number, 0 at the end.  -1: an error. */
gssize spt_import_unpacker_next(SptImportUnpacker *unpacker, void *to, size_t most, GError **error);

/*
 * Reads @fd from its start.  NULL: with a clause about the file, for instance that it has more than
 * @most bytes unpacked.  The caller frees it.
 */
GByteArray *spt_import_unpack(int fd, size_t most, GError **error);
/*
 * The first @most bytes of @fd, unpacked, or as many as there are before its end or what is damaged
 * in it.
 */
size_t spt_import_unpack_begin(int fd, char *to, size_t most, bool *ret_is_packed);

G_END_DECLS

#endif
