/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The metrics of the kernel's own work.  Each event is a row, and its kind says to which metric it
 * belongs.
 */
#ifndef SPT_PROFILE_EVENTS_H
#define SPT_PROFILE_EVENTS_H

#include "profile/weights.h"

G_BEGIN_DECLS

/*
 * SptWeightRow.detail is enum sysprof_context: what was interrupted; of the clock's samples the
 * context that they came in, or SPT_CONTEXT_NOT_KNOWN.
 */
#define SPT_CONTEXT_NOT_KNOWN 15
extern const SptWeightSource spt_weights_irq, spt_weights_softirq, spt_weights_irqs_off,
	spt_weights_preempt_off;
/* The number of page faults, and the time that they took; detail is SYSPROF_FAULT_*. */
extern const SptWeightSource spt_weights_faults, spt_weights_fault_time;
/* The time of block requests, and their bytes; detail is the depth of the device's queue. */
extern const SptWeightSource spt_weights_io, spt_weights_io_bytes;
/* Bytes that came into the page cache. */
extern const SptWeightSource spt_weights_page_cache;
/* The time of stalls for memory, and how often blocks of pages were broken up. */
extern const SptWeightSource spt_weights_stalls, spt_weights_fragmentation;
/*
 * Waits for locks, with the waiter's thread and stack, and with the holder's; detail is the thread
 * that held the lock; 0: not known.
 */
extern const SptWeightSource spt_weights_lock, spt_weights_lock_held;

/* Whether events of @kind, enum sysprof_source_kind, were recorded, by the accounts. */
bool spt_events_are_in(const SptCapture *capture, uint32_t kind);
/* "minor", "major", ...: marked for translation. */
const char *spt_fault_name(uint32_t flags);
/* "task", "soft interrupt", ...: marked for translation. */
const char *spt_context_name(uint32_t context);

G_END_DECLS

#endif
