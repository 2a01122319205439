/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics of a recording with waits.  Every wait has a blocked part, which may be empty, and a
 * runnable one; each is a row.
 */
#ifndef SPT_PROFILE_WAITS_H
#define SPT_PROFILE_WAITS_H

#include "capture/stream-rows.h"
#include "profile/weights.h"

G_BEGIN_DECLS

extern const SptWeightSource spt_weights_wall, spt_weights_off_cpu, spt_weights_blocked,
	spt_weights_runnable;

/*
 * SptWeightRow.detail of these sources: the thread's state (SPT_STATE_*) during the time,
 * and the waker that ended a blocked part.
 */
uint32_t spt_wait_detail(const SptWaitRow *wait);	/* detail of its blocked part */
uint8_t spt_wait_detail_state(uint32_t detail);
bool spt_wait_detail_is_disk(uint32_t detail);	/* by its state: for that, or the kernel itself */
uint8_t spt_wait_detail_context(uint32_t detail);	/* SPT_IN_* of the waker */
uint32_t spt_wait_detail_waker(uint32_t detail);	/* thread; 0: none, or not known */
/* The waker's name, if it was not a thread: "[interrupt]", "[not known]". */
const char *spt_wait_waker_name(uint32_t detail);
/* "running", "runnable (preempted)", "sleeping", ...: marked for translation. */
const char *spt_wait_state_name(uint8_t state);

/* The part of a wait's weight that belongs to its blocked part. */
uint64_t spt_wait_blocked_weight(const SptWaitRow *wait);

/* Exact sums of a thread, and the row that they are from. */
typedef struct {
	const SptThreadTimeRow *row;
	uint64_t running_ns, runnable_ns, blocked_ns, unknown_ns;
} SptThreadTime;

/*
 * The last sums of each thread (SptThreadTime), those with the most running and runnable time
 * first.  *@ret_rows is memory that they point to; free it after them.
 */
GArray *spt_thread_times(const SptCapture *capture, SptThreadTimeRow **ret_rows);

G_END_DECLS

#endif
