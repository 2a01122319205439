// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to block devices.  The submitter is current where a request goes into a scheduler's
 * queue, or directly to the device; the completion interrupts any task.  So a request is an OPEN
 * with the stack, and a CLOSE with the time.  Requests under way are in a table.
 */
#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/compat.h>
#include <linux/fdtable.h>
#include <linux/hash.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <trace/events/block.h>

#include "compat/block.h"
#include "compat/trace-type.h"
#include "handles.h"
#include "prompt.h"

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

static u32 flags_of(const struct request *request)
{
	return (request->cmd_flags & REQ_SYNC ? SYSPROF_BLOCK_SYNC : 0) |
	       (request->cmd_flags & REQ_META ? SYSPROF_BLOCK_META : 0) |
	       (request->cmd_flags & REQ_RAHEAD ? SYSPROF_BLOCK_AHEAD : 0);
}

static bool names_file(int number)
{
	switch (number) {
#ifdef __NR_pread64
	case __NR_pread64:
	case __NR_pwrite64:
#endif
	case __NR_read:
	case __NR_write:
	case __NR_readv:
	case __NR_writev:
	case __NR_preadv:
	case __NR_pwritev:
	case __NR_preadv2:
	case __NR_pwritev2:
		return true;
	default:
		return false;
	}
}

/* The file that current's system call reads or writes.  RCU read side. */
static struct inode *inode_of_call(void)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct files_struct *files = READ_ONCE(current->files);
	struct fdtable *table;
	struct file *file = NULL;
	unsigned long fd;

	if (!in_task() || !files || current->flags & (PF_KTHREAD | SYSPROF_PF_WORKER) ||
	    !user_mode(regs) || in_compat_syscall() ||
	    !names_file(syscall_get_nr(current, regs)))
		return NULL;
	fd = regs_get_kernel_argument(regs, 0);
	table = rcu_dereference_raw(files->fdt);
	if (fd < table->max_fds)
		file = rcu_dereference_raw(table->fd[fd]);
	return file ? file_inode(file) : NULL;
}

/*
 * The request's pages are a file's, or those that a system call reads a file into (O_DIRECT).  They
 * stay what they are while the request is under way.
 */
static struct inode *inode_of(struct request *request)
{
	struct address_space *mapping;
	struct page *page;

	if (!request->bio || !bio_has_data(request->bio))
		return NULL;
	page = bio_iovec(request->bio).bv_page;
	mapping = sysprof_mapping_of(page);
	return mapping ? mapping->host : PageAnon(page) ? inode_of_call() : NULL;
}

static void set_file(struct sysprof_part_block *part, struct request *request)
{
	const struct inode *inode = inode_of(request);

	if (!inode || !(S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode)))
		return;
	part->file_major = MAJOR(inode->i_sb->s_dev);
	part->file_minor = MINOR(inode->i_sb->s_dev);
	part->inode = inode->i_ino;
}

static atomic_t *depth_of(const void *disk)
{
	return &depths[hash_ptr((void *)disk, DEPTHS_BITS)];
}

static struct sysprof_part_block part_of(struct request *request)
{
	struct gendisk *disk = sysprof_disk_of(request);
	struct sysprof_part_block part = {
		.part = { .type = SYSPROF_PART_BLOCK,
			  .size = sizeof(part) / 8,
			  .a = operation_of(request),
			  .b = clamp(atomic_read(depth_of(disk)), 0, U16_MAX) },
		.flags = flags_of(request),
	};

	if (!disk)
		return part;
	part.dev_major = MAJOR(disk_devt(disk));
	part.dev_minor = MINOR(disk_devt(disk));
	strscpy(part.disk, disk->disk_name, sizeof(part.disk));
	return part;
}

/* Somebody submits it. */
static struct sysprof_handle *open(struct request *request, u64 now)
{
	struct sysprof_handle *handle = sysprof_handles_put(handles, request);
	struct sysprof_part_block part;
	struct sysprof_prompt_event event = {
		.begin = now,
		.end = now,
		.value = blk_rq_bytes(request),
		.key = atomic64_inc_return(&n_requests),
		.part = &part.part,
		.prompt = SYSPROF_PROMPT_BLOCK,
		.axis = SYSPROF_AXIS_VALUE,
		.phase = SYSPROF_PHASE_OPEN,
		.context = sysprof_prompt_context(),
	};

	if (!handle) {
		sysprof_prompt_missed(SYSPROF_PROMPT_BLOCK);
		return NULL;
	}
	atomic_inc(depth_of(sysprof_disk_of(request)));
	part = part_of(request);
	rcu_read_lock();
	set_file(&part, request);
	sysprof_prompt_tell(&event);
	rcu_read_unlock();
	*handle = (struct sysprof_handle){
		.told = event.told,
		.told_start = event.told_start,
		.begin = now,
		.value = event.value,
		.key = event.key,
	};
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

/* One that comes back to the queue is given to the device twice: the first time counts. */
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
	struct sysprof_prompt_event event;
	u64 now;

	if (!sysprof_handles_take(handles, request, &handle))
		return;
	now = ktime_get_mono_fast_ns();
	part = part_of(request);
	part.flags |= has_failed ? SYSPROF_BLOCK_FAILED : 0;
	atomic_dec(depth_of(sysprof_disk_of(request)));
	/* Some are completed and were never given to the device. */
	handle.since = handle.since ?: now;
	part.queued = handle.since - handle.begin;
	event = (struct sysprof_prompt_event){
		.begin = handle.since,
		.end = now,
		.value = handle.value,
		.key = handle.key,
		.told = handle.told,
		.told_start = handle.told_start,
		.part = &part.part,
		.prompt = SYSPROF_PROMPT_BLOCK_DONE,
		.opens = SYSPROF_PROMPT_BLOCK,
		.phase = SYSPROF_PHASE_CLOSE,
		.context = sysprof_prompt_context(),
	};
	rcu_read_lock();
	sysprof_prompt_tell(&event);
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

/* It is part of another now, and its bytes are. */
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

/* What ends comes before what begins, and goes after it. */
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

static int begin(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(depths); i++)
		atomic_set(&depths[i], 0);
	handles = sysprof_handles_create(BITS);
	return handles ? 0 : -ENOMEM;
}

static void end(void)
{
	sysprof_handles_destroy(handles);
	handles = NULL;
}

struct sysprof_hooking sysprof_block = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_block),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
	.begin = begin,
	.end = end,
};
