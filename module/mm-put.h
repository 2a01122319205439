/* SPDX-License-Identifier: GPL-2.0-only */
/* Drops a reference to an address space without waiting for its end. */
#ifndef _SYSPROF_MM_PUT_H
#define _SYSPROF_MM_PUT_H

struct mm_struct;

/* Process context, once.  exit(): nobody calls put() any more. */
int sysprof_mm_put_init(void);
void sysprof_mm_put_exit(void);

/*
 * mmput() that does not wait.  The last user of an address space takes it down and waits for its
 * I/O, which may never end.  Process context, may allocate.
 */
void sysprof_mm_put(struct mm_struct *mm);

#endif /* _SYSPROF_MM_PUT_H */
