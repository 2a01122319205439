/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By /proc: "NSpid" in status has a task's numbers in all of its namespaces, its own one last. */
#include "record/namespace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

uint64_t spt_pid_namespace(void)
{
	struct stat stat_of;

	return stat("/proc/self/ns/pid", &stat_of) == 0 ? stat_of.st_ino : 0;
}

uint64_t spt_proc_device(void)
{
	char self[16] = { 0 };
	struct stat stat_of;

	if (readlink("/proc/self", self, sizeof(self) - 1) < 0 || atoi(self) != getpid() ||
	    stat("/proc", &stat_of) < 0)
		return 0;
	return stat_of.st_dev;
}

uint32_t spt_self_filters(void)
{
	g_autofree char *text = NULL;
	const char *at;

	if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL))
		return 0;
	at = strstr(text, "\nSeccomp_filters:\t");
	if (!at)
		at = strstr(text, "\nSeccomp:\t");
	return at ? (uint32_t)strtoul(strchr(at, '\t'), NULL, 10) : 0;
}

/* The task's number in its own namespace; 0: it has exited, or has no other than ours. */
static uint32_t number_inside(const char *directory)
{
	g_autofree char *path = g_build_filename(directory, "status", NULL), *text = NULL;
	uint32_t number = 0;
	unsigned n = 0;
	char *at;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	at = strstr(text, "\nNSpid:");
	if (!at)
		return 0;
	at += strlen("\nNSpid:");
	for (; *at == '\t'; n++)
		number = (uint32_t)strtoul(at + 1, &at, 10);
	return n > 1 ? number : 0;
}

bool spt_process_user(uint32_t pid, uint32_t *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/status", pid), *text = NULL;
	const char *at;
	char *end;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return false;
	/* Real, effective, saved and of the file system; no name can have a line of its own. */
	at = strstr(text, "\nUid:\t");
	at = at ? strchr(at + strlen("\nUid:\t"), '\t') : NULL;
	if (!at)
		return false;
	*ret = (uint32_t)strtoul(at, &end, 10);
	return end > at + 1;
}

/* Whether process @directory has @inode mapped; @otherwise where that may not be read. */
static bool has_mapped(const char *directory, uint64_t inode, bool otherwise)
{
	g_autofree char *path = g_build_filename(directory, "maps", NULL), *text = NULL;
	g_autofree char *number = g_strdup_printf(" %" G_GUINT64_FORMAT " ", inode);

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return otherwise;
	for (const char *at = text; (at = strstr(at, number)); at++)
		if (g_str_has_prefix(at + strlen(number) + strspn(at + strlen(number), " "),
				     "/memfd:"))
			return true;
	return false;
}

bool spt_namespace_is_own(uint32_t pid, uint64_t inode)
{
	g_autofree char *path = g_strdup_printf("/proc/%u", pid);

	return has_mapped(path, inode, false) && !number_inside(path);
}

/* The one entry of @directory whose number inside is @number; 0: there is none, or several. */
static uint32_t find_task(const char *directory, uint32_t number, uint64_t inode)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	uint32_t found = 0;
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, name, NULL);
		uint32_t task = (uint32_t)strtoul(name, NULL, 10);

		if (!task || number_inside(path) != number ||
		    (inode && !has_mapped(path, inode, true)))
			continue;
		if (found)
			return 0;
		found = task;
	}
	return found;
}

uint32_t spt_namespace_process(uint32_t pid, uint64_t inode)
{
	return find_task("/proc", pid, inode);
}

uint32_t spt_namespace_thread(uint32_t process, uint32_t tid)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/task", process);

	return process ? find_task(path, tid, 0) : 0;
}
