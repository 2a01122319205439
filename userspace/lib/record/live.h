/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording while it goes on, function by function.  The thread that records puts in what comes;
 * another one takes that, whenever it likes, names it and adds it up.  A sample costs one walk
 * along its stack, however long the recording is.  Inlined functions are counted with the one they
 * are part of: debug information takes time to read.
 */
#ifndef SPT_LIVE_H
#define SPT_LIVE_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* Shared by both threads. */
typedef struct SptLive SptLive;

SptLive *spt_live_new(void);
SptLive *spt_live_ref(SptLive *live);
void spt_live_unref(SptLive *live);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptLive, spt_live_unref)

/*
 * For the thread that records: rows as for the capture writer, but nodes of samples are those of
 * the stash.  Kinds that nothing is shown of are passed over.
 */
void spt_live_put(SptLive *live, SptRowKind kind, const void *row);
/*
 * Hands over what was put in, and the new nodes of @stash.  To be called before @stash gives way to
 * another one, too; @number distinguishes them.
 */
void spt_live_publish(SptLive *live, const SptStash *stash, unsigned number);

/*
 * For the reader: all that follows is called in one thread at a time.  Takes in what was published;
 * false: there is nothing new.
 */
bool spt_live_update(SptLive *live);

typedef struct {
	const char *name, *object;	/* live as long as @live; object of a process: NULL */
	uint64_t self, total;		/* periods, as in SptFunction */
} SptLiveRow;

/* Weight of all samples. */
uint64_t spt_live_total(const SptLive *live);
/* The heaviest functions by self, or the heaviest processes by total, at most @n; how many. */
unsigned spt_live_functions(const SptLive *live, SptLiveRow *ret, unsigned n);
unsigned spt_live_processes(const SptLive *live, SptLiveRow *ret, unsigned n);

G_END_DECLS

#endif
