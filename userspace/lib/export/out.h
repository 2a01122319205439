/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an export goes: a file, a descriptor, or memory.  A file appears whole or not at all.  Of
 * files and descriptors no more than a buffer is in memory, however much is written.
 */
#ifndef SPT_EXPORT_OUT_H
#define SPT_EXPORT_OUT_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef struct SptOut SptOut;

/*
 * A file that exists and is no regular one (a pipe, /dev/null) is written in place.  NULL: with a
 * clause, the reason alone.
 */
SptOut *spt_out_new_file(const char *path, GError **error);
/* @fd stays open. */
SptOut *spt_out_new_fd(int fd);
/* Appends to @text, which the caller keeps. */
SptOut *spt_out_new_memory(GString *text);
/* A file that was not finished does not appear. */
void spt_out_free(SptOut *out);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptOut, spt_out_free)

/*
 * The buffer, to append to it.  Writes first what is in it, if that is much: so each call is for
 * the next piece.  Failures are remembered.
 */
GString *spt_out_text(SptOut *out);
/* Writes the rest, and the file appears.  False: a write failed; the reason alone. */
bool spt_out_finish(SptOut *out, GError **error);

G_END_DECLS

#endif
