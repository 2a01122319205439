// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What there is of somebody else's process where the module hides others: abi-others PID-FILE
 * exact|none.  The file names a busy process of root's.
 */
#include "abi.h"

#include <signal.h>

static struct {
	uint32_t pid;
	unsigned samples, frames, ends;
	uint64_t weight;
} seen[3];	/* somebody else's, a child, kernel threads */

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;

	(void)data;
	if (record->type != SYSPROF_SAMPLE)
		return;
	for (unsigned i = 0; i < 3; i++) {
		if (i < 2 ? record->pid != seen[i].pid : sample->mm != 0)
			continue;
		seen[i].samples++;
		seen[i].weight += sample->weight;
		seen[i].frames += sample->n_kernel + sample->n_user;
		seen[i].ends += sample->kernel_end == SYSPROF_END_NONE &&
				sample->user_end == SYSPROF_END_NONE;
	}
}

int main(int argc, char **argv)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	struct sysprof_info info = { .size = sizeof(info) };
	bool hides, is_root = !geteuid();
	unsigned other = 0;
	FILE *file;
	pid_t child;

	if (argc != 3)
		errx(2, "usage: abi-others PID-FILE exact|none");
	file = fopen(argv[1], "re");
	if (!file || fscanf(file, "%u", &other) != 1)
		err(1, "cannot read %s", argv[1]);
	fclose(file);
	hides = !strcmp(argv[2], "none");
	ok(!ioctl(session.fd, SYSPROF_IOC_INFO, &info) &&
		   !(info.features & SYSPROF_FEATURE_HIDES_OTHERS) == !hides,
	   "INFO says %s", argv[2]);
	child = fork();
	while (!child)
		;
	seen[0].pid = other;
	seen[1].pid = child;
	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	for (unsigned round = 0;
	     round < 300 && (seen[0].samples < 100 || seen[1].samples < 100); round++) {
		usleep(20000);
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, look_at, NULL);
	}
	ok(seen[0].samples >= 100 && seen[0].weight >= seen[0].samples,
	   "somebody else's samples count (%u)", seen[0].samples);
	if (hides && !is_root)
		ok(!seen[0].frames && seen[0].ends == seen[0].samples, "... without a frame (%u)",
		   seen[0].frames);
	else
		ok(seen[0].frames >= seen[0].samples, "... with frames (%u)", seen[0].frames);
	ok(seen[1].samples >= 100 && seen[1].frames >= seen[1].samples,
	   "a process of one's own has frames (%u in %u samples)", seen[1].frames,
	   seen[1].samples);
	printf("# kernel threads: %u frames in %u samples\n", seen[2].frames, seen[2].samples);
	kill(child, SIGKILL);
	session_close(&session);
	return tests_end();
}
