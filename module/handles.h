/* SPDX-License-Identifier: GPL-2.0-only */
/* What is open: found again by an address that is given out once at a time. */
#ifndef _SYSPROF_HANDLES_H
#define _SYSPROF_HANDLES_H

#include <linux/types.h>

/**
 * struct sysprof_handle - what is known of it
 * @told: as in struct sysprof_prompt_event
 * @told_start: likewise
 * @begin: when it began
 * @since: when what is timed began; 0: it has not
 * @value: bytes
 * @key: of its events
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

/* Process context.  Room for 1 << @bits at most; NULL: there is no memory. */
struct sysprof_handles *sysprof_handles_create(unsigned int bits);
void sysprof_handles_destroy(struct sysprof_handles *handles);

/*
 * Any context but NMI, interrupts off.  Whoever has the address is alone with its entry.  put():
 * NULL if there is no room; an entry that is there already is returned as it is.
 */
struct sysprof_handle *sysprof_handles_find(struct sysprof_handles *handles, const void *address);
struct sysprof_handle *sysprof_handles_put(struct sysprof_handles *handles, const void *address);
/* Out of the table, into *@ret. */
bool sysprof_handles_take(struct sysprof_handles *handles, const void *address,
			  struct sysprof_handle *ret);

#endif /* _SYSPROF_HANDLES_H */
