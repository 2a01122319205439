/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The device's records about tasks, as a recorder and an importer take them. */
#ifndef SPT_TASK_RECORDS_H
#define SPT_TASK_RECORDS_H

#include "process/spaces.h"
#include "process/tasks.h"
#include "sysprof.h"

G_BEGIN_DECLS

/*
 * Takes a TASK, FORK, EXEC, COMM or EXIT record; a new process gets its parent's mappings.
 * @ret_name: the task's name, of SYSPROF_COMM_BYTES and a nul.
 */
void spt_task_records_take(SptTasks *tasks, SptSpaces *spaces, const struct sysprof_task *task,
			   char ret_name[SYSPROF_COMM_BYTES + 1]);

G_END_DECLS

#endif
