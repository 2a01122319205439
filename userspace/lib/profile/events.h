/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics of the kernel's own work: each event is a row, and its kind says of which metric. */
#ifndef SPT_PROFILE_EVENTS_H
#define SPT_PROFILE_EVENTS_H

#include "profile/weights.h"

G_BEGIN_DECLS

/* SptWeightRow.detail is enum sysprof_context: in the midst of what it happened. */
extern const SptWeightSource spt_weights_irq, spt_weights_softirq;
/* How many, and how long they took; detail is SYSPROF_FAULT_*. */
extern const SptWeightSource spt_weights_faults, spt_weights_fault_time;
/* Its request, and the bytes of that; detail is the depth of the device's queue. */
extern const SptWeightSource spt_weights_io, spt_weights_io_bytes;
/* And of this one the thread that held the lock; 0: not known. */
extern const SptWeightSource spt_weights_lock;

/* Whether events of @kind, enum sysprof_source_kind, were recorded, as the accounts say. */
bool spt_events_are_in(const SptCapture *capture, uint32_t kind);
/* "minor", "major", ...: marked for translation. */
const char *spt_fault_name(uint32_t flags);
/* "task", "soft interrupt", ...: marked for translation. */
const char *spt_context_name(uint32_t context);

G_END_DECLS

#endif
