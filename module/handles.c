// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table without locks: an address can be in one of eight slots, all in one cache line.  The owner
 * of the address adds and removes its entry, so two CPUs never look for the same one.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "handles.h"

#define WAYS 8

/**
 * struct sysprof_handles - a table
 * @bits: logarithm of the number of slots
 * @addresses: by slot; NULL: it is free
 * @entries: likewise
 * @used: number of slots in use, of each line of slots
 */
struct sysprof_handles {
	unsigned int bits;
	const void **addresses;
	struct sysprof_handle *entries;
	atomic_t *used;
};

struct sysprof_handles *sysprof_handles_create(unsigned int bits)
{
	struct sysprof_handles *handles = kzalloc(sizeof(*handles), GFP_KERNEL);

	if (!handles)
		return NULL;
	handles->bits = bits;
	handles->addresses = kvcalloc(1UL << bits, sizeof(*handles->addresses), GFP_KERNEL);
	handles->entries = kvcalloc(1UL << bits, sizeof(*handles->entries), GFP_KERNEL);
	handles->used = kvcalloc((1UL << bits) / WAYS, sizeof(*handles->used), GFP_KERNEL);
	if (handles->addresses && handles->entries && handles->used)
		return handles;
	sysprof_handles_destroy(handles);
	return NULL;
}

void sysprof_handles_destroy(struct sysprof_handles *handles)
{
	if (!handles)
		return;
	kvfree(handles->addresses);
	kvfree(handles->entries);
	kvfree(handles->used);
	kfree(handles);
}

/* Number of the first of an address's slots. */
static __always_inline unsigned long first_place(const struct sysprof_handles *handles,
						 const void *address)
{
	return (unsigned long)hash_ptr((void *)address, handles->bits) / WAYS * WAYS;
}

static __always_inline long find(const struct sysprof_handles *handles, unsigned long first,
				 const void *address)
{
	unsigned long i;

#pragma GCC unroll 8
	for (i = first; i < first + WAYS; i++)
		if (READ_ONCE(handles->addresses[i]) == address)
			return i;
	return -1;
}

struct sysprof_handle *sysprof_handles_find(struct sysprof_handles *handles, const void *address)
{
	unsigned long first = first_place(handles, address);
	long place;

	/* Most that are looked for are not there. */
	if (!atomic_read(&handles->used[first / WAYS]))
		return NULL;
	place = find(handles, first, address);
	return place < 0 ? NULL : &handles->entries[place];
}

struct sysprof_handle *sysprof_handles_put(struct sysprof_handles *handles, const void *address)
{
	unsigned long first = first_place(handles, address);
	long place = find(handles, first, address);

	if (place >= 0)
		return &handles->entries[place];
	do {
		place = find(handles, first, NULL);
		if (place < 0)
			return NULL;
	} while (cmpxchg(&handles->addresses[place], NULL, address));
	atomic_inc(&handles->used[first / WAYS]);
	handles->entries[place] = (struct sysprof_handle){};
	return &handles->entries[place];
}

bool sysprof_handles_take(struct sysprof_handles *handles, const void *address,
			  struct sysprof_handle *ret)
{
	unsigned long first = first_place(handles, address);
	long place = find(handles, first, address);

	if (place < 0)
		return false;
	*ret = handles->entries[place];
	/* The next owner of the slot writes the entry after this. */
	smp_store_release(&handles->addresses[place], NULL);
	atomic_dec(&handles->used[first / WAYS]);
	return true;
}
