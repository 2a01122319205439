/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread of the capture had a tid at a time, by what the source has reported. */
#ifndef SPT_THREAD_IDS_H
#define SPT_THREAD_IDS_H

#include <glib.h>
#include <stdint.h>

#include "process/tasks.h"
#include "record/stage.h"

G_BEGIN_DECLS

typedef struct SptThreadIds SptThreadIds;

SptThreadIds *spt_thread_ids_new(void);
void spt_thread_ids_free(SptThreadIds *ids);
/* The source's records up to @time_ns were taken. */
void spt_thread_ids_pass(SptThreadIds *ids, uint64_t time_ns);
/* The time up to which threads are known, and their images. */
uint64_t spt_thread_ids_passed(const SptThreadIds *ids);
/*
 * Whether it is certain at @now_ns which thread a tid was at @time_ns, and which program that ran:
 * the source has reported what was until then, or has kept silent for long.  A busy one may be
 * behind by seconds.
 */
bool spt_thread_ids_are_ripe(const SptThreadIds *ids, uint64_t time_ns, uint64_t now_ns);
/* The latest thread with @tid that had begun at @time_ns; 0: none is known. */
uint32_t spt_thread_ids_find(const SptThreadIds *ids, uint32_t tid, uint64_t time_ns);
/*
 * The same of a thread that is one of the process which had @pid at @seen_ns, and of no earlier one
 * with that number.
 */
uint32_t spt_thread_ids_find_in(const SptThreadIds *ids, uint32_t pid, uint64_t seen_ns,
				uint32_t tid, uint64_t time_ns);

extern const SptStage spt_thread_ids_stage;

G_END_DECLS

#endif
