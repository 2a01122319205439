/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a program gets its memory. */
#ifndef SPT_HEAP_H
#define SPT_HEAP_H

#include <stddef.h>

/*
 * Makes the heap of this process one piece in pages of 2 MiB, if the system gives them on request.
 * A reader touches its arrays all over, and small pages cost it a tenth of its time.  Freed memory
 * stays with the process.  Call this before there are threads.  It does nothing where that is
 * impossible.
 */
void spt_heap_in_large_pages(void);

/* The same for one block that is touched all over, before it is. */
void spt_heap_want_large_pages(void *block, size_t bytes);

/*
 * Large blocks go back to the system as soon as they are freed, instead of staying with their
 * thread: for programs that keep to a memory limit.
 */
void spt_heap_give_back(void);

#endif
