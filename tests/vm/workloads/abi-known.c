// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi-known SECONDS [MODULE]: kernel stacks that the module knows are the ones that the unwinder
 * finds, or the steps along them: one in check_one_in is walked all the same, by the unwinder if
 * all are, and else mostly by its steps.  That is under system calls of many kinds, while return
 * probes and the function graph tracer replace return addresses, and MODULE comes and goes.
 */
#include "abi.h"

#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define TRACING "/sys/kernel/tracing/"

static void file_work(void)
{
	char path[] = "/tmp/known-XXXXXX", block[16384] = { 0 };
	int fd = mkstemp(path);
	struct stat status;

	if (fd < 0)
		err(1, "mkstemp");
	for (;;) {
		for (int i = 0; i < 64; i++)
			if (pwrite(fd, block, sizeof(block), i * sizeof(block)) < 0 ||
			    pread(fd, block, sizeof(block), i * sizeof(block)) < 0)
				err(1, "cannot write to %s", path);
		if (stat(path, &status) || stat("/proc/self/maps", &status) || ftruncate(fd, 0))
			err(1, "stat");
	}
}

static void message_work(void)
{
	int pipes[2], sockets[2];
	char bytes[3000] = { 0 };
	struct pollfd poll_fd;

	if (pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		err(1, "pipe");
	for (;;) {
		poll_fd = (struct pollfd){ .fd = pipes[0], .events = POLLIN };
		if (write(pipes[1], bytes, sizeof(bytes)) < 0 || poll(&poll_fd, 1, 1000) != 1 ||
		    read(pipes[0], bytes, sizeof(bytes)) < 0 ||
		    write(sockets[0], bytes, sizeof(bytes)) < 0 ||
		    read(sockets[1], bytes, sizeof(bytes)) < 0)
			err(1, "a pipe");
		sched_yield();
	}
}

static void memory_work(void)
{
	for (;;) {
		char *memory = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory == MAP_FAILED)
			err(1, "mmap");
		for (unsigned i = 0; i < 64; i++)
			memory[i * PAGE] = 1;
		munmap(memory, 64 * PAGE);
		syscall(SYS_getppid);
	}
}

static void process_work(void)
{
	for (;;) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

static sigjmp_buf before_fault;

static void on_fault(int signal)
{
	siglongjmp(before_fault, signal);
}

/* A page fault of the kernel's own, as it writes the signal's frame, within one of the program. */
static void fault_work(void)
{
	const size_t bytes = 16 * PAGE;
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK | SA_NODEFER };
	stack_t stack = { .ss_size = bytes };
	volatile char *nothing = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	stack.ss_sp = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (nothing == MAP_FAILED || stack.ss_sp == MAP_FAILED || sigaltstack(&stack, NULL) ||
	    sigaction(SIGSEGV, &action, NULL))
		err(1, "a stack for signals");
	for (;;) {
		madvise(stack.ss_sp, bytes, MADV_DONTNEED);
		if (!sigsetjmp(before_fault, 0))
			*nothing = 1;
	}
}

static void (*const work[])(void) = { file_work, message_work, memory_work, process_work,
				      fault_work };
static pid_t workers[sizeof(work) / sizeof(work[0])];

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return good;
}

static unsigned load_and_unload(const char *module)
{
	int fd = open(module, O_RDONLY | O_CLOEXEC);
	const char *slash = strrchr(module, '/');
	char name[64];
	bool good;

	snprintf(name, sizeof(name), "%s", slash ? slash + 1 : module);
	*strchrnul(name, '.') = 0;
	good = !syscall(SYS_finit_module, fd, "", 0) && !syscall(SYS_delete_module, name, 0);
	close(fd);
	return good;
}

/* How often return addresses were replaced, and the module was there. */
static void disturb(const char *module, unsigned *traced, unsigned *loaded)
{
	bool good = put(TRACING "events/known/enable", "1");

	usleep(100000);
	if (module)
		*loaded += load_and_unload(module);
	good = put(TRACING "events/known/enable", "0") && good;
	if (module)
		*loaded += load_and_unload(module);
	good = put(TRACING "set_ftrace_filter", "vfs_write") &&
	       put(TRACING "current_tracer", "function_graph") && good;
	usleep(100000);
	good = put(TRACING "current_tracer", "nop") && good;
	*traced += good;
	usleep(200000);
}

static unsigned check_one_in(void)
{
	FILE *file = fopen("/sys/module/sysprof/parameters/check_one_in", "re");
	unsigned one_in = 0;

	if (!file || fscanf(file, "%u", &one_in) != 1 || !one_in)
		errx(1, "check_one_in has no number");
	fclose(file);
	return one_in;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const struct sysprof_sample *)record;

	*(uint64_t *)data += record->type == SYSPROF_SAMPLE && sample->n_kernel > 1;
}

/* Of the kernel's stacks, since the module was loaded. */
struct counts {
	uint64_t known, walked, checked, wrong;
};

static struct counts count(const struct session *session)
{
	struct counts counts = { 0 };

	for (unsigned cpu = 0; cpu < session->cpus; cpu++) {
		struct sysprof_stats stats = { .size = sizeof(stats), .cpu = cpu };

		if (ioctl(session->fd, SYSPROF_IOC_STATS, &stats))
			err(1, "STATS");
		counts.known += stats.stacks_known;
		counts.walked += stats.stacks_walked;
		counts.checked += stats.stacks_checked;
		counts.wrong += stats.stacks_wrong;
	}
	return counts;
}

int main(int argc, char **argv)
{
	unsigned one_in = check_one_in();
	uint64_t until, n = 0;
	struct session session = session_open(NS_PER_MS / 5, 1U << 20);
	struct counts before, after;
	struct sysprof_start start = { .size = sizeof(start) };
	unsigned rounds = 0, traced = 0, loaded = 0;

	if (argc < 2)
		errx(1, "usage: abi-known SECONDS [MODULE]");
	for (unsigned i = 0; i < sizeof(work) / sizeof(work[0]); i++) {
		workers[i] = fork();
		if (!workers[i])
			work[i]();
	}
	if (!put(TRACING "kprobe_events", "r:known/read vfs_read\n"))
		err(1, "kprobe_events");
	if (ioctl(session.fd, SYSPROF_IOC_START, &start))
		err(1, "START");
	before = count(&session);
	until = wall_ns() + strtoul(argv[1], NULL, 10) * NS_PER_S;
	while (wall_ns() < until) {
		disturb(argv[2], &traced, &loaded);
		rounds++;
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, look_at, &n);
	}
	for (unsigned i = 0; i < sizeof(work) / sizeof(work[0]); i++)
		kill(workers[i], SIGKILL);
	after = count(&session);
	after.known -= before.known;
	after.checked -= before.checked;
	ok(traced == rounds && (!argv[2] || loaded), "return addresses were replaced in %u of %u "
	   "rounds, and %u times a module came and went", traced, rounds, loaded);
	timed(after.known > 1000 && after.walked > before.walked + 100,
	      "of %llu stacks of the kernel %llu were known", (unsigned long long)n,
	      (unsigned long long)after.known);
	ok(after.checked > after.known / one_in * 9 / 10 &&
		   after.checked < after.known / one_in * 11 / 10,
	   "one in %u of those was walked, too (%llu)", one_in, (unsigned long long)after.checked);
	ok(!after.wrong, "and were what was known of them (%llu were not)",
	   (unsigned long long)after.wrong);
	session_close(&session);
	return tests_end();
}
