/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The flight recorder's memory: the rows of the last seconds, and what they refer to.  It stands
 * where the capture writer stands in an ordinary recording, and fills one when it is asked.
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

/* As those of the writer; names are put when it is all given to one. */
void spt_flight_host(SptFlight *flight, const char *key, const char *value);
void spt_flight_put(SptFlight *flight, SptRowKind kind, const void *row);

/*
 * Forgets what lies before @begin.  A CPU's rows begin with an account: samples a little older than
 * @begin stay.
 */
void spt_flight_forget(SptFlight *flight, uint64_t begin);
/* The stacks of the samples that are left, in a new stash; @old is what their nodes were from. */
SptStash *spt_flight_new_stash(SptFlight *flight, const SptStash *old);
/* From the oldest sample to @now. */
uint64_t spt_flight_span(const SptFlight *flight, uint64_t now);
/*
 * All rows into @writer, accounts counted from the first sample kept.  @period_ns: of the accounts'
 * grid.
 */
void spt_flight_give(const SptFlight *flight, SptCaptureWriter *writer, uint64_t period_ns);

G_END_DECLS

#endif
