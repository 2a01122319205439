/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/inherited.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rings/chains.h"
#include "rings/layout.h"
#include "rings/marks-reader.h"

#define MOST_INHERITED 1024

static int inherited_number(int i)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > MOST_INHERITED)
		return MOST_INHERITED - 1 - i;
	return (int)limit.rlim_cur - 1 - i;
}

static void inherit_file(const char *path_variable, const char *fd_variable, int number)
{
	const char *path = g_getenv(path_variable);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1, copy = fd < 0 ? -1 : dup2(fd, number);
	g_autofree char *text = g_strdup_printf("%d", copy);

	if (copy >= 0)
		g_setenv(fd_variable, text, TRUE);
	if (fd >= 0)
		close(fd);
}

void spt_inherit_shared_memory(void)
{
	if (prctl(PR_GET_DUMPABLE) == 1)
		return;
	inherit_file(SPT_RINGS_VARIABLE, SPT_RINGS_FD_VARIABLE, inherited_number(0));
	inherit_file(SPT_CHAINS_VARIABLE, SPT_CHAINS_FD_VARIABLE, inherited_number(2));
	inherit_file(SPT_MARKS_VARIABLE, SPT_MARKS_FD_VARIABLE, inherited_number(1));
}
