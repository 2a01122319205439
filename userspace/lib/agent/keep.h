/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows that stay on this machine, in a directory of bounded size: the oldest make room. */
#ifndef SPT_AGENT_KEEP_H
#define SPT_AGENT_KEEP_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptKeep SptKeep;

/* NULL: with a sentence. */
SptKeep *spt_keep_new(const char *directory, uint64_t most_bytes, GError **error);
void spt_keep_free(SptKeep *keep);
/*
 * Copies a capture there, as HOST-20261231T235959.123456Z.capture.  A window that finds no room is
 * lost.
 */
void spt_keep_window(SptKeep *keep, const char *path);

G_END_DECLS

#endif
