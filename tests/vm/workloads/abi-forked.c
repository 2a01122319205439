// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Children that run no other program have their parent's code: abi-forked PERCENT.  That many of
 * their samples at least have to be reported, and all that are, rightly.
 */
#include "abi.h"

#define CHILDREN    12
#define OBJECTS_MAX 65536

static pid_t children[CHILDREN];
/* Periods by object, of this process and of its children. */
static uint64_t own[OBJECTS_MAX], theirs[OBJECTS_MAX];

static bool is_child(uint32_t pid)
{
	for (unsigned i = 0; i < CHILDREN; i++)
		if ((uint32_t)children[i] == pid)
			return true;
	return false;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	uint32_t object = SYSPROF_OBJECT_UNKNOWN;

	(void)data;
	if (record->type != SYSPROF_SAMPLE || sample->n_kernel)
		return;
	if (sample->n_user)
		object = sample->frames[0] >> SYSPROF_FRAME_OBJECT_SHIFT;
	if (is_child(record->pid))
		theirs[object % OBJECTS_MAX] += sample->weight;
	else if (record->pid == (uint32_t)getpid())
		own[object % OBJECTS_MAX] += sample->weight;
}

static void spin_ms(unsigned ms)
{
	uint64_t begin = thread_cpu_ns();

	while (thread_cpu_ns() - begin < ms * NS_PER_MS)
		spin(100000, 1);
}

int main(int argc, char **argv)
{
	struct session session = session_open(NS_PER_MS, 4U << 20);
	uint64_t samples = 0, told;
	uint32_t program = 0;
	unsigned percent = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;

	if (!percent)
		errx(2, "usage: abi-forked PERCENT");
	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	spin_ms(100);
	fflush(stdout);
	for (unsigned i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (!children[i]) {
			spin_ms(500);
			_exit(0);
		}
		if (i % 4 == 3)
			while (wait(NULL) > 0)
				;
	}
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		session_drain(&session, cpu, look_at, NULL);
	/* Almost all of its time this process spins, in its program, and so do they. */
	for (uint32_t id = SYSPROF_OBJECT_FIRST; id < OBJECTS_MAX; id++)
		program = own[id] > own[program] ? id : program;
	for (uint32_t id = 0; id < OBJECTS_MAX; id++)
		samples += theirs[id];
	told = samples - theirs[SYSPROF_OBJECT_UNKNOWN];
	ok(program && samples > 100,
	   "samples of %u children in their own code (%" PRIu64 " periods)", CHILDREN, samples);
	ok(told * 100 >= samples * percent, "... whose places are known (%" PRIu64 " of them)",
	   told);
	ok(theirs[program] >= told - told / 20,
	   "... and are their parent's program's (%" PRIu64 ")", theirs[program]);
	session_close(&session);
	return tests_end();
}
