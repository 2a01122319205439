/* SPDX-License-Identifier: GPL-2.0-only */
/* Fills in the records that describe a task and a mapping. */
#ifndef _SYSPROF_STATE_H
#define _SYSPROF_STATE_H

#include <linux/types.h>

#include "sysprof.h"

struct mm_struct;
struct task_struct;
struct vm_area_struct;

/*
 * Fill in all members but time and cpu.  @comm: the task's name, or the one it is about to get.
 * Any context but NMI.
 */
void sysprof_state_task(struct sysprof_task *record, u16 type, u16 flags, struct task_struct *task,
			const char *comm);
void sysprof_state_map(struct sysprof_map *record, u16 flags, struct vm_area_struct *vma,
		       struct task_struct *task);

#endif /* _SYSPROF_STATE_H */
