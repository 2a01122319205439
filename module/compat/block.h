/* SPDX-License-Identifier: GPL-2.0-only */
/* For block.c: a request's disk, the file that a page belongs to, and what trace points pass. */
#ifndef _SYSPROF_COMPAT_BLOCK_H
#define _SYSPROF_COMPAT_BLOCK_H

#include <linux/blkdev.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
#include <linux/blk-mq.h>
#endif
#include <linux/pagemap.h>

/* The queue has it since 5.15; the request has it no more in 5.17. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define sysprof_disk_of(request) ((request)->q->disk)
#else
#define sysprof_disk_of(request) ((request)->rq_disk)
#endif

/* Workers of io_uring and vhost have registers of no system call. */
#ifdef PF_IO_WORKER
#define SYSPROF_PF_WORKER PF_IO_WORKER
#else
#define SYSPROF_PF_WORKER 0
#endif

/* NULL: it is anonymous memory, or the kernel's own. */
static inline struct address_space *sysprof_mapping_of(struct page *page)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
	return folio_mapping(page_folio(page));
#else
	return page_mapping(page);
#endif
}

#endif /* _SYSPROF_COMPAT_BLOCK_H */
