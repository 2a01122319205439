// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to block devices.  The submitter is current where a request goes into a scheduler's
 * queue, or directly to the device; the completion interrupts any task.  So a request is an OPEN
 * with the stack, and a CLOSE with the time.  Requests under way are in a table.
 */
#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/hash.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <trace/events/block.h>

#include "sources/calls.h"
#include "compat/block.h"
#include "compat/trace-type.h"
#include "sources/handles.h"
#include "sources/immediate.h"

#define BITS	    14
#define DEPTHS_BITS 8

static struct sysprof_handles *handles;
static atomic64_t n_requests;
/* Requests under way, by disk; two of the same hash share one. */
static atomic_t depths[1 << DEPTHS_BITS];

static u16 operation_of(const struct request *request)
{
	switch (req_op(request)) {
	case REQ_OP_READ:
		return SYSPROF_BLOCK_READ;
	case REQ_OP_WRITE:
		return SYSPROF_BLOCK_WRITE;
	case REQ_OP_FLUSH:
		return SYSPROF_BLOCK_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		return SYSPROF_BLOCK_DISCARD;
	default:
		return SYSPROF_BLOCK_OTHER;
	}
}

static u32 block_flags_of(const struct request *request)
{
	return (request->cmd_flags & REQ_SYNC ? SYSPROF_BLOCK_SYNC : 0) |
	       (request->cmd_flags & REQ_META ? SYSPROF_BLOCK_META : 0) |
	       (request->cmd_flags & REQ_RAHEAD ? SYSPROF_BLOCK_AHEAD : 0);
}

/* Finds the file that current's system call reads or writes.  RCU read side. */
static struct inode *inode_of_call(void)
{
	return in_task() ? sysprof_calls_look(current).inode : NULL;
}

/*
 * The request's pages belong to a file, or are the buffer of a system call (O_DIRECT).  That does
 * not change while the request is under way.
 */
static struct inode *block_inode_of(struct request *request)
{
	struct address_space *mapping;
	struct page *page;

	if (!request->bio || !bio_has_data(request->bio))
		return NULL;
	page = bio_iovec(request->bio).bv_page;
	mapping = sysprof_mapping_of(page);
	return mapping ? mapping->host : PageAnon(page) ? inode_of_call() : NULL;
}

void sysprof_block_set_file(struct sysprof_part_block *part, const struct inode *inode)
{
	if (!sysprof_inode_has_name(inode))
		return;
	part->file_major = MAJOR(inode->i_sb->s_dev);
	part->file_minor = MINOR(inode->i_sb->s_dev);
	part->inode = inode->i_ino;
}

static atomic_t *depth_of(const void *disk)
{
	return &depths[hash_ptr((void *)disk, DEPTHS_BITS)];
}

static struct sysprof_part_block block_part_of(struct request *request)
{
	struct gendisk *disk = sysprof_disk_of(request);
	struct sysprof_part_block part = {
		.part = { .type = SYSPROF_PART_BLOCK,
			  .size = sizeof(part) / 8,
			  .a = operation_of(request),
			  .b = clamp(atomic_read(depth_of(disk)), 0, U16_MAX) },
		.flags = block_flags_of(request),
	};

	if (!disk)
		return part;
	part.dev_major = MAJOR(disk_devt(disk));
	part.dev_minor = MINOR(disk_devt(disk));
	strscpy(part.disk, disk->disk_name, sizeof(part.disk));
	return part;
}

/* A request was submitted. */
static struct sysprof_handle *open(struct request *request, u64 now)
{
	struct sysprof_handle *handle = sysprof_handles_put(handles, request);
	struct sysprof_part_block part;
	struct sysprof_immediate_event event = {
		.begin = now,
		.end = now,
		.value = blk_rq_bytes(request),
		.key = atomic64_inc_return(&n_requests),
		.part = &part.part,
		.immediate = SYSPROF_IMMEDIATE_BLOCK,
		.axis = SYSPROF_AXIS_VALUE,
		.phase = SYSPROF_PHASE_OPEN,
		.context = sysprof_immediate_context(),
	};

	if (!handle) {
		sysprof_immediate_missed(SYSPROF_IMMEDIATE_BLOCK);
		return NULL;
	}
	atomic_inc(depth_of(sysprof_disk_of(request)));
	part = block_part_of(request);
	rcu_read_lock();
	sysprof_block_set_file(&part, block_inode_of(request));
	sysprof_immediate_tell(&event);
	rcu_read_unlock();
	handle->delivered_to = event.delivered_to;
	handle->delivered_start = event.delivered_start;
	handle->begin = now;
	handle->value = event.value;
	handle->key = event.key;
	return handle;
}

static void insert_hit(void *data, struct request *request)
{
	unsigned long flags;

	local_irq_save(flags);
	if (!sysprof_handles_find(handles, request))
		open(request, ktime_get_mono_fast_ns());
	local_irq_restore(flags);
}

/*
 * A request that was put back into the queue is given to the device twice: the first time counts.
 */
static void issue_hit(void *data, struct request *request)
{
	struct sysprof_handle *handle;
	unsigned long flags;
	u64 now;

	local_irq_save(flags);
	now = ktime_get_mono_fast_ns();
	handle = sysprof_handles_find(handles, request);
	if (!handle)
		handle = open(request, now);
	if (handle && !handle->since) {
		handle->since = now;
		handle->value = blk_rq_bytes(request);
	}
	local_irq_restore(flags);
}

static void close(struct request *request, bool has_failed)
{
	struct sysprof_part_block part;
	struct sysprof_handle handle;
	struct sysprof_immediate_event event;
	u64 now;

	if (!sysprof_handles_take(handles, request, &handle))
		return;
	now = ktime_get_mono_fast_ns();
	part = block_part_of(request);
	part.flags |= has_failed ? SYSPROF_BLOCK_FAILED : 0;
	atomic_dec(depth_of(sysprof_disk_of(request)));
	/* Some requests are completed without having been given to the device. */
	handle.since = handle.since ?: now;
	/* Of two CPUs' clocks, which may differ. */
	part.queued = handle.since - min(handle.begin, handle.since);
	event = (struct sysprof_immediate_event){
		.begin = handle.since,
		.end = now,
		.value = handle.value,
		.key = handle.key,
		.delivered_to = handle.delivered_to,
		.delivered_start = handle.delivered_start,
		.part = &part.part,
		.immediate = SYSPROF_IMMEDIATE_BLOCK_DONE,
		.open = SYSPROF_IMMEDIATE_BLOCK,
		.phase = SYSPROF_PHASE_CLOSE,
		.context = sysprof_immediate_context(),
	};
	rcu_read_lock();
	sysprof_immediate_tell(&event);
	rcu_read_unlock();
}

static void end_request(struct request *request, bool has_failed, unsigned int bytes)
{
	unsigned long flags;

	/* Some devices complete a request in parts. */
	if (bytes < blk_rq_bytes(request))
		return;
	local_irq_save(flags);
	close(request, has_failed);
	local_irq_restore(flags);
}

static void complete_hit(void *data, struct request *request, blk_status_t error,
			 unsigned int bytes)
{
	end_request(request, error, bytes);
}

/* Before 5.16. */
static void old_complete_hit(void *data, struct request *request, int error, unsigned int bytes)
{
	end_request(request, error, bytes);
}

/* The request was merged into another: so are its bytes. */
static void merge_hit(void *data, struct request *request)
{
	struct sysprof_handle handle;
	unsigned long flags;

	local_irq_save(flags);
	if (sysprof_handles_take(handles, request, &handle))
		atomic_dec(depth_of(sysprof_disk_of(request)));
	local_irq_restore(flags);
}

#define TAKES_REQUEST(name, hit) SYSPROF_TRACE_CHOOSE(name, hit, NULL, struct request *)

/* Hooks of ends are put before hooks of beginnings, and removed after them. */
static struct sysprof_hook hooks[] = {
	{ "block_rq_complete",
	  SYSPROF_TRACE_CHOOSE(block_rq_complete, complete_hit,
			       SYSPROF_TRACE_CHOOSE(block_rq_complete, old_complete_hit, NULL,
						    struct request *, int, unsigned int),
			       struct request *, blk_status_t, unsigned int) },
	{ "block_rq_merge", TAKES_REQUEST(block_rq_merge, merge_hit), .is_optional = true },
	{ "block_rq_insert", TAKES_REQUEST(block_rq_insert, insert_hit), .is_optional = true },
	{ "block_rq_issue", TAKES_REQUEST(block_rq_issue, issue_hit) },
};

static int block_begin(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++)
		atomic_set(&depths[i], 0);
	handles = sysprof_handles_create(BITS);
	return handles ? 0 : -ENOMEM;
}

static void block_end(void)
{
	sysprof_handles_destroy(handles);
	handles = NULL;
}

struct sysprof_hooking sysprof_block = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_block),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
	.begin = block_begin,
	.end = block_end,
};
