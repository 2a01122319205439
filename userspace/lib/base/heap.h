/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How programs get their memory, as fits what they do. */
#ifndef SPT_HEAP_H
#define SPT_HEAP_H

/*
 * Makes the heap of this process one piece in pages of 2 MiB, where the system has them for who
 * asks: a reader's arrays are touched all over, and small pages cost it a tenth of its time.  Freed
 * memory stays with the process.  To be called before there are threads; does nothing where it
 * cannot.
 */
void spt_heap_in_large_pages(void);

/*
 * What is large goes back to the system as soon as it is freed, instead of staying with the thread
 * that had it: for programs that keep to a limit.
 */
void spt_heap_give_back(void);

#endif
