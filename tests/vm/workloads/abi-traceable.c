// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Raw stacks of other processes of the same user: abi-traceable PID-FILE allowed|denied.  The file
 * names a busy process of the same user that is no child of this one; what the kernel's own check
 * says of it is the second argument.  Only who shows that the kernel lets him trace gets copies of
 * stacks.
 */
#include "abi.h"

#include <signal.h>

static struct session session;
static struct {
	uint32_t pid;
	unsigned samples, raw, maps;
} seen;

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;

	(void)data;
	if (record->pid != seen.pid)
		return;
	seen.maps += record->type == SYSPROF_MAP;
	if (record->type != SYSPROF_SAMPLE || !sample->n_user)
		return;
	seen.samples++;
	seen.raw += sample->raw_bytes != 0;
}

static void drain(void)
{
	for (unsigned cpu = 0; cpu < session.cpus; cpu++)
		session_drain(&session, cpu, look_at, NULL);
}

static void snapshot(void)
{
	static uint64_t buffer[1 << 17];
	struct sysprof_snapshot call = { .size = sizeof(call),
					 .buffer = (uintptr_t)buffer,
					 .buffer_bytes = sizeof(buffer) };

	while (!ioctl(session.fd, SYSPROF_IOC_SNAPSHOT, &call) && call.filled_bytes) {
		for (size_t at = 0; at < call.filled_bytes;) {
			const struct sysprof_record *record =
				(const void *)((const uint8_t *)buffer + at);

			look_at(record, NULL);
			at += record->size * 8U;
		}
	}
}

/* Samples of @pid from now on, enough of them to be sure. */
static void watch(pid_t pid)
{
	drain();
	memset(&seen, 0, sizeof(seen));
	seen.pid = pid;
	for (unsigned round = 0; round < 300 && seen.samples < 50; round++) {
		usleep(20000);
		drain();
	}
	snapshot();
}

/* A tick that was overdue when its CPU switched tasks has frames alone. */
static void has_raw(pid_t pid, bool expected, const char *what)
{
	watch(pid);
	ok(seen.samples >= 50 &&
		   (expected ? seen.raw > seen.samples / 2 && seen.maps : !seen.raw && !seen.maps),
	   "%s: %s (%u of %u samples, %u maps)", what, expected ? "raw stacks" : "none", seen.raw,
	   seen.samples, seen.maps);
}

static int open_of(pid_t pid, const char *name, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return open(path, flags | O_CLOEXEC);
}

/* Shows @fd, and closes it. */
static int show(pid_t pid, int fd)
{
	struct sysprof_traceable arg = { .size = sizeof(arg), .pid = pid, .fd = fd };
	int ret = ioctl(session.fd, SYSPROF_IOC_TRACEABLE, &arg), number = errno;

	if (fd >= 0)
		close(fd);
	errno = number;
	return ret;
}

static void test_refusals(pid_t child)
{
	int fd = open("/tmp/mem", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	refuses(show(child, fd), EACCES, "a file called mem that is none of procfs");
	refuses(show(child, open_of(child, "environ", O_RDONLY)), EACCES, "environ");
	refuses(show(child, open_of(child, "auxv", O_RDONLY)), EACCES, "auxv");
	refuses(show(child, open_of(child, "maps", O_RDONLY)), EACCES, "maps");
	refuses(show(child, open_of(child, "mem", O_WRONLY)), EACCES, "mem that cannot be read");
	refuses(show(child, open_of(getpid(), "mem", O_RDONLY)), EACCES, "another process's mem");
	refuses(show(child, -1), EBADF, "no descriptor");
	refuses(show(0x3fffffff, open_of(child, "mem", O_RDONLY)), ESRCH, "no process");
	refuses(open_of(1, "mem", O_RDONLY), EACCES, "root's mem is not opened");
}

/* Turns until it is killed; by the first signal it becomes another program that does. */
static volatile sig_atomic_t is_asked;

static void on_signal(int number)
{
	(void)number;
	is_asked = 1;
}

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "cannot fork");
	if (pid)
		return pid;
	signal(SIGUSR1, on_signal);
	while (!is_asked)
		;
	execl("/proc/self/exe", "abi-traceable", "turn", NULL);
	_exit(1);
}

static void test_child(void)
{
	pid_t child = start_child();

	has_raw(child, false, "a child that was not shown");
	test_refusals(child);
	has_raw(child, false, "... nor after all that was refused");
	ok(!show(child, open_of(child, "mem", O_RDONLY)), "the child is shown");
	has_raw(child, true, "... and then");
	ok(!show(child, open_of(child, "mem", O_RDONLY)), "... once more does no harm");
	kill(child, SIGUSR1);
	usleep(300000);
	has_raw(child, false, "another program in its place");
	ok(!show(child, open_of(child, "mem", O_RDONLY)), "... is shown anew");
	has_raw(child, true, "... and then");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void test_other(pid_t other, bool allowed)
{
	int fd = open_of(other, "mem", O_RDONLY);

	has_raw(other, false, "another process of this user that was not shown");
	if (!allowed) {
		ok(fd < 0 && errno == EACCES, "the kernel does not let it be traced");
		has_raw(other, false, "... and so");
		return;
	}
	ok(fd >= 0 && !show(other, fd), "the kernel lets it be traced, it is shown");
	has_raw(other, true, "... and then");
}

/* More than are kept at a time, most of them gone: no limit is met. */
static void test_many(void)
{
	unsigned refused = 0;

	for (unsigned i = 0; i < 1200; i++) {
		pid_t pid = fork();

		if (!pid) {
			pause();
			_exit(0);
		}
		refused += show(pid, open_of(pid, "mem", O_RDONLY)) != 0;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	ok(!refused, "1200 processes, one after the other (%u refused)", refused);
}

/*
 * A program that the opener becomes has to be shown as well: its child, which has the session from
 * it, gets no copies of the new one's stack.  From here on the child is this test.
 */
static void test_exec(void)
{
	pid_t opener = getpid(), child = fork();

	if (child < 0)
		err(1, "cannot fork");
	if (child) {
		signal(SIGUSR1, on_signal);
		while (!is_asked)
			;
		execl("/proc/self/exe", "abi-traceable", "turn", NULL);
		_exit(1);
	}
	session_map(&session);
	has_raw(opener, true, "the opener");
	kill(opener, SIGUSR1);
	usleep(300000);
	has_raw(opener, false, "... another program in its place");
	tests_end();
	fflush(stdout);
	kill(opener, SIGKILL);
	_exit(0);
}

int main(int argc, char **argv)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = NS_PER_MS,
					 .ring_bytes = 4U << 20,
					 .raw_bytes = 4096,
					 .user_mode = SYSPROF_USER_RAW + 1 };
	unsigned other = 0;
	FILE *file;

	while (argc == 2 && !strcmp(argv[1], "turn"))
		;
	if (argc != 3)
		errx(2, "usage: abi-traceable PID-FILE allowed|denied");
	file = fopen(argv[1], "re");
	if (!file || fscanf(file, "%u", &other) != 1)
		err(1, "cannot read %s", argv[1]);
	fclose(file);
	session = session_open(NS_PER_MS, 4U << 20);
	if (ioctl(session.fd, SYSPROF_IOC_CONFIGURE, &config) ||
	    ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "raw stacks");
	test_child();
	test_other(other, !strcmp(argv[2], "allowed"));
	if (!strcmp(argv[2], "allowed"))
		test_many();
	test_exec();
}
