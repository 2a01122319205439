/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording in progress, function by function.  The recording thread has it as a sink; another
 * thread takes, names and sums the rows whenever it likes.  A sample costs one walk along its
 * stack, however long the recording is.  Inlined functions count for the function that contains
 * them, because reading debug information takes time.
 */
#ifndef SPT_LIVE_H
#define SPT_LIVE_H

#include "capture/sink.h"

G_BEGIN_DECLS

/* Shared by both threads. */
typedef struct SptLive SptLive;

SptLive *spt_live_new(void);
SptLive *spt_live_ref(SptLive *live);
void spt_live_unref(SptLive *live);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptLive, spt_live_unref)

/*
 * For the recording thread: a sink, which holds a reference.  Kinds of rows that are not shown are
 * ignored.  Rows are shown once they are published.
 */
SptSink *spt_live_sink(SptLive *live);

/*
 * For the reader: one thread at a time calls this and the functions below.  Takes what was
 * published; false: there is nothing new.
 */
bool spt_live_update(SptLive *live);

typedef struct {
	const char *name, *object;	/* valid as long as @live; object of a process: NULL */
	uint64_t self, total;		/* periods, as in SptFunction */
} SptLiveRow;

/* Weight of all samples. */
uint64_t spt_live_total(const SptLive *live);
/* The heaviest functions by self, or processes by total, at most @n; returns their number. */
unsigned spt_live_functions(const SptLive *live, SptLiveRow *ret, unsigned n);
unsigned spt_live_processes(const SptLive *live, SptLiveRow *ret, unsigned n);

G_END_DECLS

#endif
