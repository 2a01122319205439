// SPDX-License-Identifier: GPL-2.0-only
/*
 * A table without locks: an address can be in one of eight slots, all in one cache line.  The owner
 * of the address adds and removes its entry, so two CPUs do not look for the same one.  Except that
 * kernels report some frees late (areas of vmalloc(); objects of caches before 5.16): another CPU
 * may have the address by then, and may be removing the entry, too.  One of them gets it.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "sources/handles.h"

#define WAYS 8

struct sysprof_handles *sysprof_handles_create(unsigned int bits)
{
	struct sysprof_handles *handles = kvzalloc(sizeof(*handles), GFP_KERNEL);

	if (!handles)
		return NULL;
	handles->bits = bits;
	sysprof_shares_begin(&handles->shares, 1U << bits);
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
	kvfree(handles);
}

/* Number of the first of an address's slots. */
static __always_inline unsigned long first_place(const struct sysprof_handles *handles,
						 const void *address)
{
	return (unsigned long)hash_ptr((void *)address, handles->bits) / WAYS * WAYS;
}

static __always_inline long handles_find(const struct sysprof_handles *handles, unsigned long first,
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
	long place;

	if (!sysprof_handles_may_have(handles, address))
		return NULL;
	place = handles_find(handles, first_place(handles, address), address);
	return place < 0 ? NULL : &handles->entries[place];
}

/* What interrupts make is not current's. */
static sysprof_payer payer_of_slot(long place)
{
	return likely(place % WAYS < WAYS / 2) || !in_task() ? SYSPROF_PAYER_ROOT :
							       sysprof_quota_payer(current);
}

static unsigned int handles_slots_of(struct sysprof_handles *handles, unsigned long half,
				     sysprof_payer payer)
{
	unsigned int n = 0;
	unsigned long i;

	if (payer == SYSPROF_PAYER_ROOT)
		return 0;
	for (i = half; i < half + WAYS / 2; i++)
		n += READ_ONCE(handles->addresses[i]) && handles->entries[i].payer == payer;
	return n;
}

struct sysprof_handle *sysprof_handles_put(struct sysprof_handles *handles, const void *address)
{
	unsigned long first = first_place(handles, address);
	struct sysprof_handle *handle = sysprof_handles_find(handles, address);
	sysprof_payer payer;
	long place;

	if (handle)
		return handle;
	for (;;) {
		place = handles_find(handles, first, NULL);
		if (place < 0)
			return NULL;
		payer = payer_of_slot(place);
		if (!sysprof_shares_take(&handles->shares, payer,
					 handles_slots_of(handles, first + WAYS / 2, payer)))
			return NULL;
		if (!cmpxchg(&handles->addresses[place], NULL, address))
			break;
		sysprof_shares_give(&handles->shares, payer);
	}
	atomic_inc(sysprof_handles_used(handles, address));
	handles->entries[place] = (struct sysprof_handle){ .payer = payer };
	return &handles->entries[place];
}

bool sysprof_handles_take(struct sysprof_handles *handles, const void *address,
			  struct sysprof_handle *ret)
{
	unsigned long first = first_place(handles, address);
	long place = handles_find(handles, first, address);

	if (place < 0)
		return false;
	*ret = handles->entries[place];
	/* A full barrier: the next owner of the slot writes the entry after this. */
	if (cmpxchg(&handles->addresses[place], address, NULL) != address)
		return false;
	sysprof_shares_give(&handles->shares, ret->payer);
	atomic_dec(sysprof_handles_used(handles, address));
	return true;
}
