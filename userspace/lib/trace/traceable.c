/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens /proc/PID/mem of each process when it begins.  It skips processes that may not be traced.
 */
#include "trace/traceable.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

struct SptTraceable {
	int fd;
	GHashTable *shown;	/* pid -> id of the address space, of processes that were opened */
};

/*
 * Opening the memory of a process waits for its exec(), and its user decides how long that takes;
 * its owner can be read at any time.  Processes that may not be traced belong to root.
 */
static bool traceable_is_ours(uint32_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%u", pid);
	struct stat about;

	return stat(path, &about) == 0 && about.st_uid == geteuid();
}

static bool traceable_show(int fd, uint32_t pid, bool *ret_all)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/mem", pid);
	struct sysprof_traceable arg = { .size = sizeof(arg), .pid = pid };
	int ret;

	arg.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (arg.fd < 0)
		return false;
	ret = ioctl(fd, SYSPROF_IOC_TRACEABLE, &arg);
	close(arg.fd);
	*ret_all = ret == 0 && arg.all;
	return ret == 0;
}

SptTraceable *spt_traceable_new(int fd)
{
	SptTraceable *traceable;
	bool all;

	if (!traceable_show(fd, (uint32_t)getpid(), &all) || all)
		return NULL;
	traceable = g_new0(SptTraceable, 1);
	traceable->fd = fd;
	traceable->shown = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
	return traceable;
}

void spt_traceable_free(SptTraceable *traceable)
{
	if (traceable)
		g_hash_table_destroy(traceable->shown);
	g_free(traceable);
}

static bool traceable_is_shown(const SptTraceable *traceable, const struct sysprof_task *task)
{
	const uint64_t *mm =
		g_hash_table_lookup(traceable->shown, GUINT_TO_POINTER(task->record.pid));

	return mm && *mm == task->mm;
}

bool spt_traceable_take(SptTraceable *traceable, const struct sysprof_record *record)
{
	const struct sysprof_task *task = (const void *)record;
	bool all;

	switch (record->type) {
	case SYSPROF_TASK:
	case SYSPROF_EXEC:
		break;
	case SYSPROF_FORK:
		if (task->mm == task->parent_mm)
			return false;
		break;
	case SYSPROF_EXIT:
		if (record->flags & SYSPROF_EXIT_PROCESS)
			g_hash_table_remove(traceable->shown, GUINT_TO_POINTER(record->pid));
		return false;
	default:
		return false;
	}
	if (!task->mm || traceable_is_shown(traceable, task) || !traceable_is_ours(record->pid) ||
	    !traceable_show(traceable->fd, record->pid, &all))
		return false;
	g_hash_table_insert(traceable->shown, GUINT_TO_POINTER(record->pid),
			    g_memdup2(&task->mm, sizeof(task->mm)));
	return true;
}
