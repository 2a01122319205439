/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of memory. */
#ifndef _SYSPROF_COMPAT_SHMEM_H
#define _SYSPROF_COMPAT_SHMEM_H

#include <linux/mm.h>
#include <linux/shmem_fs.h>

/* Its flags became a type of their own; Kbuild looks that up in the header. */
#ifdef SYSPROF_SHMEM_HAS_FLAGS_TYPE
#define SYSPROF_SHMEM_NO_FLAGS EMPTY_VMA_FLAGS
#else
#define SYSPROF_SHMEM_NO_FLAGS 0
#endif

static inline struct file *sysprof_shmem_file(const char *name, loff_t bytes)
{
	return shmem_file_setup(name, bytes, SYSPROF_SHMEM_NO_FLAGS);
}

#endif /* _SYSPROF_COMPAT_SHMEM_H */
