/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Windows that stay on this machine, in a directory of bounded size: the oldest make room. */
#ifndef SPT_AGENT_KEEP_H
#define SPT_AGENT_KEEP_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptKeep SptKeep;

typedef struct {
	uint64_t kept;
	uint64_t failed;		/* found no room: a full disk, or larger than the bound */
} SptKeepStatus;

/*
 * At most @most_bytes and @most_files (0: any number) are kept; @option, which named the directory,
 * is for messages.  NULL: with a sentence.
 */
SptKeep *spt_keep_new(const char *directory, uint64_t most_bytes, unsigned most_files,
		      const char *option, GError **error);
void spt_keep_free(SptKeep *keep);
/*
 * Copies a capture there, as HOST-20261231T235959.123456Z.capture, or HOST+@why-... (NULL: none).
 * The new path, the caller's; NULL: it found no room, which is counted.  For one thread at a time.
 */
char *spt_keep_window(SptKeep *keep, const char *path, const char *why);
/* From any thread. */
void spt_keep_status(SptKeep *keep, SptKeepStatus *ret);

G_END_DECLS

#endif
