/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks that the device sends once (SYSPROF_CONFIG_STACKS_ONCE): the outer frames that records
 * refer to, of which there is one stack for each place of each CPU.  What a record refers to and
 * did not come is never guessed.
 */
#ifndef SPT_TRACE_ONCE_H
#define SPT_TRACE_ONCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sysprof-event.h"

G_BEGIN_DECLS

typedef struct SptOnce SptOnce;

SptOnce *spt_once_new(unsigned n_cpus);
void spt_once_free(SptOnce *once);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptOnce, spt_once_free)

/* The outermost user frames of a record, which have a number. */
typedef struct {
	const uint64_t *frames;		/* innermost first; until the next record is taken */
	unsigned n;
	/* From 1 on; no other frames that came ever have it */
	uint64_t serial;
	bool is_there;			/* they are the last of the record's own frames, too */
} SptOuter;

/*
 * The valid @record (record-check.h), which may refer to outer frames that came before.  Each CPU's
 * records in the order of its ring.  Where those frames were lost, it is a copy that is valid until
 * the next call: without a cookie, and user_end is SYSPROF_END_FAULT.
 */
const struct sysprof_record *spt_once_take(SptOnce *once, const struct sysprof_record *record);
/*
 * The outer frames of @cookie of the record on @cpu that was taken last, or a copy of it.  False:
 * it has none.
 */
bool spt_once_outer(const SptOnce *once, unsigned cpu, uint64_t cookie, SptOuter *ret);
/* That record with all of its frames, which is @record itself unless it refers to others. */
const struct sysprof_record *spt_once_whole(SptOnce *once, const struct sysprof_record *record);
/* How many records referred to frames that were lost. */
uint64_t spt_once_lost(const SptOnce *once);

/* The SYSPROF_STACK_* of a record; 0: it has none.  Of an event, it is a part. */
uint64_t spt_once_cookie(const struct sysprof_record *record);

G_END_DECLS

#endif
