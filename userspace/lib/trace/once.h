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

/* The outermost user frames of a record, which have a number. */
typedef struct {
	const uint64_t *frames;		/* innermost first; until the next record is taken */
	/* From 1 on; no other frames that came ever have it */
	uint64_t serial;
	unsigned n;			/* at least 1 */
	uint8_t place;			/* of SYSPROF_STACK_PLACES */
	bool is_there;			/* they are the last of the record's own frames, too */
} SptOuter;

/* Fields are once.c's. */
typedef struct {
	const struct sysprof_record *record;	/* that was taken last */
	const SptOuter *outer;		/* of it; NULL: it has none */
	struct spt_once_stack *stacks;	/* SYSPROF_STACK_PLACES of each CPU */
	unsigned n_cpus;
	uint64_t n_defined;
	uint64_t lost;
	/* The record that was copied last. */
	void *room;
	size_t room_bytes;
} SptOnce;

SptOnce *spt_once_new(unsigned n_cpus);
void spt_once_free(SptOnce *once);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptOnce, spt_once_free)

/*
 * The valid @record (record-check.h), which may refer to outer frames that came before.  Each CPU's
 * records in the order of its ring.  Where those frames were lost, it is a copy that is valid until
 * the next call: without a cookie, and user_end is SYSPROF_END_FAULT.
 */
const struct sysprof_record *spt_once_take(SptOnce *once, const struct sysprof_record *record);
/* The outer frames of @record, which was taken last.  NULL: it has none, or another one was. */
static inline const SptOuter *spt_once_outer(const SptOnce *once,
					     const struct sysprof_record *record)
{
	return once->record == record ? once->outer : NULL;
}
/* That record with all of its frames, which is @record itself unless it refers to others. */
const struct sysprof_record *spt_once_whole(SptOnce *once, const struct sysprof_record *record);
/* How many records referred to frames that were lost. */
uint64_t spt_once_lost(const SptOnce *once);

/* The part of an event that has its SYSPROF_STACK_*; NULL: there is none. */
static inline const struct sysprof_part_stack *spt_once_part(const struct sysprof_event *event)
{
	size_t at = sizeof(*event) / 8 + event->n_kernel + event->n_user;
	const struct sysprof_part_stack *part = (const void *)((const __u64 *)event + at);

	/* It is always the first one. */
	if (!event->n_parts || event->record.size < at + sizeof(*part) / 8 ||
	    part->type != SYSPROF_PART_STACK || part->size < sizeof(*part) / 8)
		return NULL;
	return part;
}

/* The SYSPROF_STACK_* of a record; 0: it has none. */
static inline uint64_t spt_once_cookie(const struct sysprof_record *record)
{
	const struct sysprof_part_stack *part;

	if (record->type == SYSPROF_SAMPLE)
		return ((const struct sysprof_sample *)record)->cookie;
	if (record->type != SYSPROF_EVENT)
		return 0;
	part = spt_once_part((const struct sysprof_event *)record);
	return part ? part->cookie : 0;
}

G_END_DECLS

#endif
