/* SPDX-License-Identifier: GPL-2.0-only */
/* The build-id that an ELF image carries, from a mapped file's cached pages or from memory. */
#ifndef _SYSPROF_BUILD_ID_H
#define _SYSPROF_BUILD_ID_H

#include <linux/types.h>

struct file;
struct sysprof_object;

/*
 * Fill in the build-id of @record.  Leave it unchanged if the ELF image has none, or if the page
 * with it is not in memory.  Process context; neither reads from a file system nor waits for one.
 */
void sysprof_build_id_of_file(struct file *file, struct sysprof_object *record);
void sysprof_build_id_of_memory(const void *memory, size_t bytes, struct sysprof_object *record);

#endif /* _SYSPROF_BUILD_ID_H */
