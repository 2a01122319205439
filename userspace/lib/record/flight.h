/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flight recorder's memory: the rows of the last seconds, and the rows that they refer to.  It
 * replaces the capture writer of an ordinary recording, and fills one on request.
 */
#ifndef SPT_FLIGHT_H
#define SPT_FLIGHT_H

#include "capture/capture.h"
#include "stash/stash.h"

G_BEGIN_DECLS

typedef struct SptFlight SptFlight;

SptFlight *spt_flight_new(void);
void spt_flight_free(SptFlight *flight);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptFlight, spt_flight_free)

/* As the writer's functions.  Names are put when the whole is given to a writer. */
void spt_flight_host(SptFlight *flight, const char *key, const char *value);
void spt_flight_put(SptFlight *flight, SptRowKind kind, const void *row);

/*
 * Drops rows from before @begin.  A CPU's rows begin with an account, so samples a little older
 * than @begin stay.
 */
void spt_flight_forget(SptFlight *flight, uint64_t begin);
/* Moves the stacks of the remaining samples to a new stash.  @old has their nodes so far. */
SptStash *spt_flight_new_stash(SptFlight *flight, const SptStash *old);
/* Time from the oldest sample to @now. */
uint64_t spt_flight_span(const SptFlight *flight, uint64_t now);
/*
 * Gives all rows to @writer.  Accounts count from the first sample that was kept.  @period_ns:
 * period of the accounts' grid.
 */
void spt_flight_give(const SptFlight *flight, SptCaptureWriter *writer, uint64_t period_ns);

G_END_DECLS

#endif
