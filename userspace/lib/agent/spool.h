/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests that wait to be sent: a directory with a file for each, oldest first.  It is bounded,
 * and the oldest are dropped.  A file appears whole or not at all; what a crash of the machine left
 * half written is known by its checksum.  Any thread may use it.
 */
#ifndef SPT_AGENT_SPOOL_H
#define SPT_AGENT_SPOOL_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptSpool SptSpool;

typedef struct {
	uint64_t requests, bytes;	/* that wait */
	uint64_t dropped;		/* for lack of room, since it was opened */
	uint64_t damaged;		/* files that were not what was put */
	uint64_t failed;		/* could not be written: a full disk */
} SptSpoolStatus;

/* Makes the directory.  NULL: with a sentence. */
SptSpool *spt_spool_new(const char *directory, uint64_t most_bytes, GError **error);
void spt_spool_free(SptSpool *spool);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSpool, spt_spool_free)

/* Drops the oldest until there is room.  A request that cannot be written is counted. */
void spt_spool_put(SptSpool *spool, const void *bytes, size_t n);
/* The oldest request, the caller's, and its number; NULL: none waits. */
char *spt_spool_oldest(SptSpool *spool, size_t *ret_bytes, uint64_t *ret_number);
/* It was taken, or will never be. */
void spt_spool_done(SptSpool *spool, uint64_t number);
void spt_spool_status(SptSpool *spool, SptSpoolStatus *ret);

G_END_DECLS

#endif
