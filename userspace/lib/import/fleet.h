/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up the captures of many hosts into one, which a report can be made of.  Memory and the size
 * of the result depend on how many different stacks and threads there are, and not on the number
 * of captures, of which only one is open at a time.
 */
#ifndef SPT_FLEET_H
#define SPT_FLEET_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* Facts of the result: the numbers of samples, captures and hosts that were added up. */
#define SPT_FLEET_SAMPLES  "summed_samples"
#define SPT_FLEET_CAPTURES "summed_captures"
#define SPT_FLEET_HOSTS	   "summed_hosts"

/* The number of samples of any capture, those of a result as they were before. */
uint64_t spt_fleet_samples(const SptCapture *capture);

typedef struct SptFleet SptFleet;

/* @period_ns: of the result; 0: that of the first capture.  NULL: with a sentence. */
SptFleet *spt_fleet_new(const char *path, uint64_t period_ns, GError **error);
void spt_fleet_free(SptFleet *fleet);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptFleet, spt_fleet_free)

/* The period that divides that of the result and that of @capture; 0: it does not know its own. */
uint64_t spt_fleet_common_period(const SptFleet *fleet, const SptCapture *capture);
uint64_t spt_fleet_period(const SptFleet *fleet);
/*
 * Adds CPU time, waits, waits for locks, and memory that the kernel allocated, each by host,
 * program, name of thread (with # for numbers) and stack.  Files are the same by their build-id;
 * what has none, such as a kernel, by names.  @capture, whose period is a multiple of the result's,
 * is not needed afterwards.  False: it cannot be written.
 */
bool spt_fleet_add(SptFleet *fleet, const SptCapture *capture, GError **error);
bool spt_fleet_finish(SptFleet *fleet, GError **error);

G_END_DECLS

#endif
