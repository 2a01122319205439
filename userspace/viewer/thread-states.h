/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long each thread ran, was ready and waited, where waits were recorded. */
#ifndef SPT_THREAD_STATES_H
#define SPT_THREAD_STATES_H

#include <glib.h>
#include <stdint.h>

#include "capture/capture.h"

/* Exact, of the whole recording. */
typedef struct {
	uint64_t running_ns, runnable_ns, waiting_ns;
} SptThreadStates;

/* By tid; the caller unrefs it.  NULL: waits were not recorded. */
GHashTable *spt_thread_states_new(const SptCapture *capture);

#endif
