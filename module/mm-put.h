/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_MM_PUT_H
#define _SYSPROF_MM_PUT_H

struct mm_struct;

/* Process context, once; exit(): nobody calls put() any more. */
int sysprof_mm_put_init(void);
void sysprof_mm_put_exit(void);

/*
 * mmput() that does not wait: who is the last takes the address space down, which waits for the I/O
 * it has under way, and that may never end.  Process context, may allocate.
 */
void sysprof_mm_put(struct mm_struct *mm);

#endif /* _SYSPROF_MM_PUT_H */
