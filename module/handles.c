// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table without locks: an address has one of eight places, all in one cache line.  The owner of
 * the address adds and removes its entry, so two CPUs never look for the same one.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "handles.h"

#define WAYS 8

struct sysprof_handles {
	unsigned int bits;
	const void **addresses;
	struct sysprof_handle *entries;
};

struct sysprof_handles *sysprof_handles_create(unsigned int bits)
{
	struct sysprof_handles *handles = kzalloc(sizeof(*handles), GFP_KERNEL);

	if (!handles)
		return NULL;
	handles->bits = bits;
	handles->addresses = kvcalloc(1UL << bits, sizeof(*handles->addresses), GFP_KERNEL);
	handles->entries = kvcalloc(1UL << bits, sizeof(*handles->entries), GFP_KERNEL);
	if (handles->addresses && handles->entries)
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
	kfree(handles);
}

static unsigned long first_place(const struct sysprof_handles *handles, const void *address)
{
	return (unsigned long)hash_ptr((void *)address, handles->bits) / WAYS * WAYS;
}

static long find(const struct sysprof_handles *handles, const void *address)
{
	unsigned long first = first_place(handles, address);
	int i;

	for (i = 0; i < WAYS; i++)
		if (READ_ONCE(handles->addresses[first + i]) == address)
			return first + i;
	return -1;
}

struct sysprof_handle *sysprof_handles_find(struct sysprof_handles *handles, const void *address)
{
	long place = find(handles, address);

	return place < 0 ? NULL : &handles->entries[place];
}

struct sysprof_handle *sysprof_handles_put(struct sysprof_handles *handles, const void *address)
{
	unsigned long first = first_place(handles, address);
	struct sysprof_handle *entry = sysprof_handles_find(handles, address);
	const void **at;
	int i;

	for (i = 0; i < WAYS && !entry; i++) {
		at = &handles->addresses[first + i];
		if (READ_ONCE(*at) || cmpxchg(at, NULL, address))
			continue;
		entry = &handles->entries[first + i];
		*entry = (struct sysprof_handle){};
	}
	return entry;
}

bool sysprof_handles_take(struct sysprof_handles *handles, const void *address,
			  struct sysprof_handle *ret)
{
	long place = find(handles, address);

	if (place < 0)
		return false;
	*ret = handles->entries[place];
	/* The next owner of the place writes the entry after this. */
	smp_store_release(&handles->addresses[place], NULL);
	return true;
}
