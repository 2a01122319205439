/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that programs write and the recorder reads. */
#ifndef SPT_SHARED_MEMORY_H
#define SPT_SHARED_MEMORY_H

#include <stddef.h>

/*
 * Memory of @bytes that are zero, called @name in /proc/PID/maps.  It takes no room before it is
 * written.  It is sealed: a program that made it shorter would end the recorder.  Returns its
 * descriptor, the caller's to close, as *@ret is to unmap; -1 with errno, and *@ret NULL.
 */
int spt_shared_memory_new(const char *name, size_t bytes, void **ret);

#endif
