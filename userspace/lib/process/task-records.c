/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/task-records.h"

#include <string.h>

void spt_task_records_take(SptTasks *tasks, SptSpaces *spaces, const struct sysprof_task *task,
			   char ret_name[SYSPROF_COMM_BYTES + 1])
{
	const struct sysprof_record *record = &task->record;

	memcpy(ret_name, task->comm, SYSPROF_COMM_BYTES);
	ret_name[SYSPROF_COMM_BYTES] = '\0';
	switch (record->type) {
	case SYSPROF_TASK:
		spt_tasks_seen(tasks, record->pid, record->tid, task->parent_pid, task->mm,
			       task->start_time, record->time, record->flags & SYSPROF_TASK_KTHREAD,
			       ret_name);
		break;
	case SYSPROF_FORK:
		spt_tasks_fork(tasks, record->pid, record->tid, task->parent_pid, task->mm,
			       task->start_time, record->flags & SYSPROF_TASK_KTHREAD, ret_name);
		if (task->mm && task->mm != task->parent_mm)
			spt_spaces_fork(spaces, task->parent_mm, task->mm, record->time);
		break;
	case SYSPROF_EXEC:
		spt_tasks_exec(tasks, record->pid, task->old_tid, task->mm, record->time, ret_name);
		break;
	case SYSPROF_COMM:
		spt_tasks_rename(tasks, record->pid, record->tid, task->mm, record->time, ret_name);
		break;
	case SYSPROF_EXIT:
		spt_tasks_exit(tasks, record->pid, record->tid, record->time,
			       record->flags & SYSPROF_EXIT_PROCESS);
		break;
	}
}
