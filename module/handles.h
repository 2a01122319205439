/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Things that have begun and not ended, found by an address that belongs to one of them at a time.
 */
#ifndef _SYSPROF_HANDLES_H
#define _SYSPROF_HANDLES_H

#include <linux/types.h>

/**
 * struct sysprof_handle - a thing that has begun
 * @told: as in struct sysprof_prompt_event
 * @told_start: as in struct sysprof_prompt_event
 * @begin: when it began
 * @since: when the timed part began; 0: not yet
 * @value: bytes
 * @key: the key of its events
 */
struct sysprof_handle {
	u64 told;
	u64 told_start;
	u64 begin;
	u64 since;
	u64 value;
	u64 key;
};

struct sysprof_handles;

/* Process context.  Makes room for at most 1 << @bits; NULL: there is no memory. */
struct sysprof_handles *sysprof_handles_create(unsigned int bits);
void sysprof_handles_destroy(struct sysprof_handles *handles);

/*
 * Any context but NMI, interrupts off.  The caller owns the address, so no other caller uses its
 * entry.  put() returns an existing entry unchanged, and NULL if there is no room.
 */
struct sysprof_handle *sysprof_handles_find(struct sysprof_handles *handles, const void *address);
struct sysprof_handle *sysprof_handles_put(struct sysprof_handles *handles, const void *address);
/* Removes the entry from the table and copies it to *@ret; false: there is none. */
bool sysprof_handles_take(struct sysprof_handles *handles, const void *address,
			  struct sysprof_handle *ret);

#endif /* _SYSPROF_HANDLES_H */
