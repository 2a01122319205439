/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that the device sends once (SYSPROF_CONFIG_STACKS_ONCE): makes whole records of those that
 * refer to one.  What a record refers to and did not come is never guessed.
 */
#ifndef SPT_TRACE_ONCE_H
#define SPT_TRACE_ONCE_H

#include <glib.h>
#include <stdint.h>

#include "sysprof-event.h"

G_BEGIN_DECLS

typedef struct SptOnce SptOnce;

SptOnce *spt_once_new(unsigned n_cpus);
void spt_once_free(SptOnce *once);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptOnce, spt_once_free)

/*
 * The valid @record (record-check.h) with all of its frames, which is @record itself unless it
 * refers to others; else it is valid until the next call.  Each CPU's records in the order of its
 * ring.  Outer frames that were lost are missing: user_end is SYSPROF_END_FAULT then.
 */
const struct sysprof_record *spt_once_take(SptOnce *once, const struct sysprof_record *record);
/* How many records there were with such an end. */
uint64_t spt_once_lost(const SptOnce *once);

/* The SYSPROF_STACK_* of a record; 0: it has none.  Of an event, it is a part. */
uint64_t spt_once_cookie(const struct sysprof_record *record);

G_END_DECLS

#endif
