// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The hooks are switched off behind the module's back, and on again: user stacks are unresolved
 * meanwhile, then RESYNC reports it.
 */
#include "abi.h"

static struct {
	unsigned resolved, unresolved, resyncs;
} seen;

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const struct sysprof_sample *)record;

	(void)data;
	seen.resyncs += record->type == SYSPROF_RESYNC;
	if (record->type != SYSPROF_SAMPLE || record->pid != (uint32_t)getpid() || sample->n_kernel)
		return;
	if (sample->n_user)
		seen.resolved++;
	else if (sample->user_end == SYSPROF_END_UNMAPPED)
		seen.unresolved++;
}

static void drain(struct session *session)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		session_drain(session, cpu, look_at, NULL);
}

/* Samples of this process in some time of turning. */
static void look(struct session *session)
{
	uint64_t until = thread_cpu_ns() + 300 * NS_PER_MS;

	drain(session);
	memset(&seen, 0, sizeof(seen));
	while (thread_cpu_ns() < until)
		spin(100000, 1);
	drain(session);
}

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, 1) != 1)
		err(1, "cannot write to %s", path);
	close(fd);
}

static void test_switch(struct session *session, const char *path)
{
	uint64_t until;

	look(session);
	ok(seen.resolved && !seen.unresolved, "user stacks are resolved (%u, %u not)",
	   seen.resolved, seen.unresolved);
	write_to(path, "0");
	look(session);
	ok(!seen.resolved && seen.unresolved, "while %s is 0 they are not (%u resolved, %u not)",
	   path, seen.resolved, seen.unresolved);
	write_to(path, "1");
	until = wall_ns() + 10 * NS_PER_S;
	while (!seen.resyncs && wall_ns() < until) {
		usleep(10000);
		drain(session);
	}
	ok(seen.resyncs, "once it is 1 again, RESYNC follows");
	/* The worker reads one address space after the other. */
	do {
		look(session);
	} while ((!seen.resolved || seen.unresolved) && wall_ns() < until);
	ok(seen.resolved && !seen.unresolved, "and they are resolved again (%u, %u not)",
	   seen.resolved, seen.unresolved);
}

int main(void)
{
	struct session session = session_open(NS_PER_MS, 1U << 20);
	struct sysprof_start start = { .size = sizeof(start) };

	if (ioctl(session.fd, SYSPROF_IOC_START, &start))
		err(1, "START");
	test_switch(&session, "/sys/kernel/debug/kprobes/enabled");
	test_switch(&session, "/proc/sys/kernel/ftrace_enabled");
	session_close(&session);
	return tests_end();
}
