/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Things that have begun and not ended, found by an address that belongs to one of them at a time.
 */
#ifndef _SYSPROF_HANDLES_H
#define _SYSPROF_HANDLES_H

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/types.h>

#include "program-quota.h"

#define SYSPROF_HANDLES_USED_BITS 12

/**
 * struct sysprof_handle - a thing that has begun
 * @delivered_to: as in struct sysprof_immediate_event
 * @delivered_start: as in struct sysprof_immediate_event
 * @begin: when it began
 * @since: when the timed part began; 0: not yet
 * @value: bytes
 * @key: the key of its events
 * @payer: whose share the slot is of; root's: none
 */
struct sysprof_handle {
	u64 delivered_to;
	u64 delivered_start;
	u64 begin;
	u64 since;
	u64 value;
	u64 key;
	sysprof_payer payer;
};

/**
 * struct sysprof_handles - a table
 * @used: number of entries in use, by hash of their addresses
 * @shares: of the slots
 * @bits: logarithm of the number of slots
 * @addresses: by slot; NULL: it is free
 * @entries: likewise
 */
struct sysprof_handles {
	atomic_t used[1 << SYSPROF_HANDLES_USED_BITS];
	struct sysprof_shares shares;
	unsigned int bits;
	const void **addresses;
	struct sysprof_handle *entries;
};

/* Process context.  Makes room for at most 1 << @bits; NULL: there is no memory. */
struct sysprof_handles *sysprof_handles_create(unsigned int bits);
void sysprof_handles_destroy(struct sysprof_handles *handles);

static __always_inline atomic_t *sysprof_handles_used(struct sysprof_handles *handles,
						      const void *address)
{
	return &handles->used[hash_ptr((void *)address, SYSPROF_HANDLES_USED_BITS)];
}

/* Most addresses that are looked for are not there: false says so.  Any context. */
static __always_inline bool sysprof_handles_may_have(struct sysprof_handles *handles,
						     const void *address)
{
	return atomic_read(sysprof_handles_used(handles, address));
}

/*
 * Any context but NMI, interrupts off.  The caller owns the address, so no other caller uses its
 * entry.  put() returns an existing entry unchanged, and NULL if there is no room, or none for
 * current's user.  The caller leaves the new entry's payer as it is.
 */
struct sysprof_handle *sysprof_handles_find(struct sysprof_handles *handles, const void *address);
struct sysprof_handle *sysprof_handles_put(struct sysprof_handles *handles, const void *address);
/* Removes the entry from the table and copies it to *@ret; false: there is none. */
bool sysprof_handles_take(struct sysprof_handles *handles, const void *address,
			  struct sysprof_handle *ret);

#endif /* _SYSPROF_HANDLES_H */
