/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of sources other than the clock: waits with their wakers, sums of threads, lanes of CPUs,
 * and the sources' accounts.
 */
#ifndef SPT_RECORD_WAITS_H
#define SPT_RECORD_WAITS_H

#include "process/tasks.h"
#include "record/recorder.h"
#include "record/stage.h"

G_BEGIN_DECLS

typedef struct SptWaits SptWaits;

SptWaits *spt_waits_new(unsigned n_cpus);
void spt_waits_free(SptWaits *waits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptWaits, spt_waits_free)

/* The latest thread of @tid; 0: not known.  @ret_is_wanted: it passes the filter. */
uint32_t spt_waits_thread_of(SptRecorder *recorder, uint32_t tid, bool *ret_is_wanted);
/* Called before the last sums, which are of the recording's end. */
void spt_waits_end(SptWaits *waits);
/*
 * Stack and thread of the HOLD with @key, as far as they are known.  False: there is none.
 */
bool spt_waits_hold(SptRecorder *recorder, uint64_t key, uint32_t *ret_node, uint32_t *ret_thread);
/* Take an event of such a kind, for the table of events.c. */
void spt_waits_take_wake(SptRecorder *recorder, const struct sysprof_event *event);
void spt_waits_take_wait(SptRecorder *recorder, const struct sysprof_event *event);
/* Takes a record of sysprof-event.h that is no event.  False: it is another one. */
bool spt_waits_take(SptRecorder *recorder, const struct sysprof_record *record);

extern const SptStage spt_waits_stage;

G_END_DECLS

#endif
