// SPDX-License-Identifier: GPL-2.0-only
/*
 * Raw user stacks: registers and bytes from the stack pointer up, to be unwound elsewhere.
 * They are copied once a tick, for sessions that can see the task, into memory that no reader maps:
 * the amount is known only when copying ends at the top of the stack, and a record takes no more of
 * a ring than that.
 */
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arch.h"
#include "compat/export.h"
#include "contexts.h"
#include "raw.h"

#define COPY_BYTES                                                                                 \
	(sizeof(struct sysprof_raw) + SYSPROF_ARCH_REGS * sizeof(u64) + SYSPROF_MAX_RAW_BYTES)

#define REQUEST_BITS 12

/* In KiB plus one, 0 for none.  Names of the same hash share a request: it is only a hint. */
struct sysprof_raw_requests {
	u8 of_others;
	u8 of_name[1 << REQUEST_BITS];
};

static DEFINE_PER_CPU(struct sysprof_contexts, copies);
static DEFINE_MUTEX(users_lock);
static unsigned int users;

struct sysprof_raw_requests *sysprof_raw_get(void)
{
	struct sysprof_raw_requests *requests = kzalloc(sizeof(*requests), GFP_KERNEL_ACCOUNT);

	if (!requests)
		return NULL;
	mutex_lock(&users_lock);
	if (users || !sysprof_contexts_alloc(&copies, COPY_BYTES)) {
		users++;
	} else {
		kfree(requests);
		requests = NULL;
	}
	mutex_unlock(&users_lock);
	return requests;
}

void sysprof_raw_put(struct sysprof_raw_requests *requests)
{
	if (!requests)
		return;
	mutex_lock(&users_lock);
	if (!--users)
		sysprof_contexts_free(&copies);
	mutex_unlock(&users_lock);
	kfree(requests);
}

/* Another task may be changing the name: at worst the result is another name's. */
static u32 hash_name(const char *comm)
{
	u32 hash = 0;
	int i;

	for (i = 0; i < SYSPROF_COMM_BYTES && READ_ONCE(comm[i]); i++)
		hash = hash * 31 + comm[i];
	return hash_32(hash, REQUEST_BITS);
}

void sysprof_raw_set_bytes(struct sysprof_raw_requests *requests, const char *comm, u32 bytes)
{
	u8 *kib = comm[0] ? &requests->of_name[hash_name(comm)] : &requests->of_others;

	WRITE_ONCE(*kib, 1 + DIV_ROUND_UP(min(bytes, SYSPROF_MAX_RAW_BYTES), SZ_1K));
}

u32 sysprof_raw_requested(const struct sysprof_raw_requests *requests, u32 most)
{
	u8 kib = READ_ONCE(requests->of_name[hash_name(current->comm)]);

	if (!kib)
		kib = READ_ONCE(requests->of_others);
	return kib ? min_t(u32, most, (kib - 1) * SZ_1K) : most;
}

const struct sysprof_raw *sysprof_raw_take(const struct pt_regs *regs, u32 bytes)
{
	struct sysprof_raw *raw = sysprof_contexts_this(&copies);

	*raw = (struct sysprof_raw){
		.arch = SYSPROF_ARCH_MACHINE,
		.n_regs = SYSPROF_ARCH_REGS,
		.wanted_bytes = bytes,
	};
	sysprof_arch_user_regs(regs, raw->regs);
	raw->stack_bytes = sysprof_arch_copy_stack(regs, raw->regs + raw->n_regs, bytes);
	return raw;
}

static u32 head_size(const struct sysprof_raw *raw)
{
	return sizeof(*raw) + raw->n_regs * sizeof(u64);
}

u32 sysprof_raw_size(const struct sysprof_raw *raw, u32 bytes)
{
	return head_size(raw) + ALIGN(min(raw->stack_bytes, bytes), 8);
}
SYSPROF_EXPORT(sysprof_raw_size);

void sysprof_raw_put_into(void *to, u32 room, const struct sysprof_raw *raw, u32 bytes)
{
	u32 size = sysprof_raw_size(raw, bytes);
	struct sysprof_raw *own = to;

	/* Whatever went wrong: the record must not be larger than its room. */
	if (WARN_ON_ONCE(size != room)) {
		memset(to, 0, room);
		return;
	}
	bytes = min(bytes, raw->wanted_bytes);
	memcpy(own, raw, head_size(raw));
	own->wanted_bytes = bytes;
	own->stack_bytes = min(raw->stack_bytes, bytes);
	memcpy(own->regs + own->n_regs, raw->regs + raw->n_regs, own->stack_bytes);
	memset((u8 *)(own->regs + own->n_regs) + own->stack_bytes, 0,
	       size - head_size(raw) - own->stack_bytes);
}
SYSPROF_EXPORT(sysprof_raw_put_into);
