// SPDX-License-Identifier: GPL-2.0-only
/* State records: the facts about a task and about a mapping. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "mm-id.h"
#include "spaces.h"
#include "state.h"

static void set_header(struct sysprof_record *record, u16 type, u16 flags, size_t bytes,
		       struct task_struct *task)
{
	record->type = type;
	record->flags = flags;
	record->size = bytes / 8;
	record->pid = task->tgid;
	record->tid = task->pid;
}

void sysprof_state_task(struct sysprof_task *record, u16 type, u16 flags, struct task_struct *task,
			const char *comm)
{
	memset(record, 0, sizeof(*record));
	if (task->flags & PF_KTHREAD)
		flags |= SYSPROF_TASK_KTHREAD;
	set_header(&record->record, type, flags, sizeof(*record), task);
	record->mm = task->flags & PF_KTHREAD ? 0 : sysprof_mm_id(task->mm);
	record->start_time = task->start_time;
	/* Another thread may be writing the name: it is nul-terminated at any moment. */
	strscpy_pad(record->comm, comm, sizeof(record->comm));
}

void sysprof_state_map(struct sysprof_map *record, u16 flags, struct vm_area_struct *vma,
		       struct task_struct *task)
{
	u64 offset;

	memset(record, 0, sizeof(*record));
	set_header(&record->record, SYSPROF_MAP, flags, sizeof(*record), task);
	record->mm = sysprof_mm_id(vma->vm_mm);
	record->start = vma->vm_start;
	record->end = vma->vm_end;
	record->object =
		sysprof_spaces_object(vma, task->tgid, sysprof_quota_payer(task), &offset);
	record->offset = offset;
}
