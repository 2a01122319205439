// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes that live for some milliseconds, one after the other, two at a time.  Each fourth one
 * is a program of its own, "short.N", a copy of this one that deletes its file before it begins to
 * work; the others are this file, called "short".  Arguments: how many.
 */
#include "workload.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define TOGETHER	2
#define WORK_NS		3000000

FUNCTION static void short_work(uint64_t turns)
{
	spin(turns, 1);
}

FUNCTION static void deleted_short_work(uint64_t turns)
{
	spin(turns, 2);
}

static void copy_self(const char *path)
{
	char buffer[1 << 16];
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
	    to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
	ssize_t n;

	if (from < 0 || to < 0)
		err(1, "cannot copy to %s", path);
	while ((n = read(from, buffer, sizeof(buffer))) > 0)
		if (write(to, buffer, n) != n)
			err(1, "cannot write %s", path);
	close(from);
	close(to);
}

static void reap(void)
{
	int status;

	if (wait(&status) < 0 || status)
		errx(1, "a child failed with status %d", status);
}

static void spawn(const char *directory, unsigned number, uint64_t turns)
{
	char path[256], turns_text[24];
	bool is_own = number % 4 == 0;

	snprintf(path, sizeof(path), is_own ? "%s/short.%u" : "%s/short", directory, number);
	snprintf(turns_text, sizeof(turns_text), "%" PRIu64, turns);
	if (is_own)
		copy_self(path);
	switch (vfork()) {
	case -1:
		err(1, "cannot fork");
	case 0:
		execl(path, path, turns_text, is_own ? "delete" : "keep", NULL);
		_exit(127);
	}
}

int main(int argc, char **argv)
{
	char directory[] = "/tmp/shortlived.XXXXXX", path[256];
	unsigned n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	uint64_t turns;

	if (argc == 3) {
		turns = strtoull(argv[1], NULL, 10);
		if (strcmp(argv[2], "delete") == 0) {
			unlink(argv[0]);
			deleted_short_work(turns);
		} else {
			short_work(turns);
		}
		return 0;
	}
	if (!n)
		errx(1, "how many?");
	turns = turns_for_ns(WORK_NS);
	if (!mkdtemp(directory))
		err(1, "cannot make a directory");
	snprintf(path, sizeof(path), "%s/short", directory);
	copy_self(path);
	for (unsigned i = 0; i < n; i++) {
		if (i >= TOGETHER)
			reap();
		spawn(directory, i, turns);
	}
	for (unsigned i = 0; i < n && i < TOGETHER; i++)
		reap();
	unlink(path);
	rmdir(directory);
	truth("children", n);
	return 0;
}
