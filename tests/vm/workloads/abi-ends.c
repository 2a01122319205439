// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Operations that others end, and what is counted of those that last:
 *
 *	abi-ends hidden PID-FILE FILE exact|none
 *	abi-ends cpus | holds | later
 *
 * hidden: by a member; requests for FILE, on a disk that completes them after a while, end while a
 * busy program of another user has CPU 0, whose pid is in PID-FILE.  The last word is the module's
 * parameter others.
 */
#include "waits.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define REQUESTS	60
#define ROUNDS		40
#define PIPE_BYTES	(1U << 20)
#define SECOND_NS	1000000000U

static bool is_over;

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot go to CPU %u", cpu);
}

/* What ends the session's operations and waits. */
struct ends {
	unsigned n, of_busy, of_others, of_nobody, wrong;
};

/* As far as it can still be asked. */
static bool is_of_others(uint32_t pid)
{
	char path[32];
	struct stat process;

	snprintf(path, sizeof(path), "/proc/%u", pid);
	return !stat(path, &process) && process.st_uid != getuid();
}

static void look_at_end(struct ends *ends, const struct sysprof_event *event, uint32_t busy)
{
	uint32_t pid = event->record.pid;

	ends->n++;
	ends->of_busy += pid == busy;
	/* Kernel threads have no address space. */
	ends->of_others += pid && event->mm && is_of_others(pid);
	/* An interrupt of an idle CPU has nobody, and a stack; the busy program is on the first. */
	if (pid || event->state == SYSPROF_CONTEXT_IDLE || event->record.cpu)
		return;
	ends->of_nobody++;
	ends->wrong += event->record.tid || event->mm || event->n_kernel || event->n_user ||
		       event->kernel_end != SYSPROF_END_NONE ||
		       event->user_end != SYSPROF_END_NONE;
}

static void judge_ends(const struct ends *ends, const char *what, bool is_hidden)
{
	if (!is_hidden) {
		ok(ends->of_busy, "%s: the busy program is at some (%u of %u)", what,
		   ends->of_busy, ends->n);
		return;
	}
	ok(ends->n > REQUESTS / 2, "%s: they are told (%u)", what, ends->n);
	ok(!ends->of_busy && !ends->of_others, "... none names others (%u and %u do)",
	   ends->of_busy, ends->of_others);
	ok(ends->of_nobody && !ends->wrong,
	   "... those that others end have nobody and no stack (%u, of which %u have)",
	   ends->of_nobody, ends->wrong);
}

static uint32_t pid_in(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned pid = 0;

	if (!file || fscanf(file, "%u", &pid) != 1)
		err(1, "cannot read %s", path);
	fclose(file);
	return pid;
}

static void read_often(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	void *page = aligned_alloc(PAGE, PAGE);

	if (fd < 0 || !page)
		err(1, "cannot open %s", path);
	for (unsigned i = 0; i < REQUESTS; i++)
		if (pread(fd, page, PAGE, (off_t)(i % 16) * PAGE) != PAGE)
			err(1, "cannot read %s", path);
	close(fd);
	free(page);
}

static void test_hidden(const char *pid_file, const char *path, bool is_hidden)
{
	struct sysprof_source sources[] = {
		{ .kind = SYSPROF_SOURCE_WAIT, .stacks = STACKS },
		{ .kind = SYSPROF_SOURCE_BLOCK, .stacks = STACKS & ~SYSPROF_STACKS_WAKER },
		{ .kind = SYSPROF_SOURCE_BLOCK_DONE, .stacks = STACKS & ~SYSPROF_STACKS_WAKER },
	};
	struct waits waits = { .session = session_open(NS_PER_MS, 4U << 20) };
	struct ends closes = { 0 }, wakes = { 0 };
	const struct sysprof_event *event;
	uint32_t busy = pid_in(pid_file);
	unsigned named = 0, told = 0;

	pin(0);
	ok(!waits_ask(&waits, sources, 3), "waits and requests: %s", strerror(errno));
	waits_start(&waits);
	read_often(path);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	waits_drain(&waits);
	for_each_kept(event, waits.events) {
		if (event->phase == SYSPROF_PHASE_CLOSE)
			look_at_end(&closes, event, busy);
		else if (event->source == 4)
			look_at_end(&wakes, event, busy);
		if (event->source != 1 || event->record.pid != (uint32_t)getpid())
			continue;
		told++;
		named += part_wait(event)->waker_pid == busy;
	}
	judge_ends(&closes, "completions", is_hidden);
	judge_ends(&wakes, "wakings", is_hidden);
	ok(told && (is_hidden ? !named : named), "%u of %u waits name the busy program", named,
	   told);
	session_close(&waits.session);
}

/* Allocations and frees, of the kernel's memory. */
static void *make_pipes(void *cpu)
{
	int pipes[2];

	pin((unsigned)(uintptr_t)cpu);
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		if (pipe2(pipes, O_CLOEXEC))
			err(1, "cannot make a pipe");
		close(pipes[0]);
		close(pipes[1]);
	}
	return NULL;
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* A session of one CPU gets the frees of what is allocated there, and no others. */
static void test_cpus(void)
{
	struct sysprof_source sources[] = { { .kind = SYSPROF_SOURCE_SLAB },
					    { .kind = SYSPROF_SOURCE_SLAB_FREE } };
	struct waits waits = { .session = session_open(NS_PER_MS, 16U << 20) };
	uint64_t cpus = 1;
	struct sysprof_config config = { .size = sizeof(config),
					 .ring_bytes = 16U << 20,
					 .cpus = (uintptr_t)&cpus,
					 .cpus_bytes = sizeof(cpus) };
	struct sysprof_source_account account;
	const struct sysprof_event *event;
	unsigned closes = 0, unknown = 0;
	pthread_t threads[2];
	uint64_t *keys;
	size_t n = 0;

	ok(!ioctl(waits.session.fd, SYSPROF_IOC_CONFIGURE, &config) &&
		   !waits_ask(&waits, sources, 2),
	   "allocations of CPU 0: %s", strerror(errno));
	for (uintptr_t cpu = 0; cpu < 2; cpu++)
		if (pthread_create(&threads[cpu], NULL, make_pipes, (void *)cpu))
			errx(1, "cannot make a thread");
	waits_start(&waits);
	/* A kernel that checks all it does, in an emulator, takes its time. */
	for (unsigned i = 0; i < 200; i++) {
		usleep(100000);
		account_total(&waits, 1, &account);
		if (i > 0 && account.delivered.events > 400)
			break;
	}
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	account_total(&waits, 1, &account);
	waits_drain(&waits);
	keys = calloc(account.delivered.events + 1, sizeof(*keys));
	for_each_kept(event, waits.events)
		if (event->phase == SYSPROF_PHASE_OPEN && n < account.delivered.events)
			keys[n++] = event->key;
	qsort(keys, n, sizeof(*keys), compare_keys);
	for_each_kept(event, waits.events) {
		if (event->phase != SYSPROF_PHASE_CLOSE)
			continue;
		closes++;
		unknown += !bsearch(&event->key, keys, n, sizeof(*keys), compare_keys);
	}
	ok(n > 100 && closes > 100, "%zu allocations and %u frees", n, closes);
	ok(!unknown || account.lost[SYSPROF_LOST_RING_FULL].events,
	   "each free is of one of these allocations (%u are not)", unknown);
	free(keys);
	session_close(&waits.session);
}

/* A thread fills a pipe, which it has locked meanwhile, and another one wants to write there. */
static int pipe_ends[2];

static void *write_little(void *unused)
{
	(void)unused;
	pin(1);
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		if (write(pipe_ends[1], "", 1) != 1 && errno != EAGAIN)
			err(1, "cannot write to a pipe");
	return NULL;
}

/* Each hold is counted once, however many ticks find its holder. */
static void test_holds(void)
{
	struct sysprof_source sources[] = {
		{ .kind = SYSPROF_SOURCE_LOCK, .period = SECOND_NS },
		{ .kind = SYSPROF_SOURCE_HOLD, .period = SECOND_NS },
	};
	struct waits waits = { .session = session_open(100000, 1U << 20) };
	struct sysprof_source_account locks, holds;
	char *bytes = calloc(1, PIPE_BYTES);
	pthread_t thread;
	bool is_law;

	if (!bytes || pipe2(pipe_ends, O_NONBLOCK | O_CLOEXEC) ||
	    fcntl(pipe_ends[0], F_SETPIPE_SZ, PIPE_BYTES) < 0)
		err(1, "cannot make a pipe");
	if (waits_ask(&waits, sources, 2) == EOPNOTSUPP) {
		ok(true, "this kernel does not report locks");
		return;
	}
	pin(0);
	waits_start(&waits);
	if (pthread_create(&thread, NULL, write_little, NULL))
		errx(1, "cannot make a thread");
	for (unsigned i = 0; i < ROUNDS; i++) {
		while (write(pipe_ends[1], bytes, PIPE_BYTES) > 0)
			;
		while (read(pipe_ends[0], bytes, PIPE_BYTES) > 0)
			;
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	is_law = account_total(&waits, 1, &locks);
	is_law &= account_total(&waits, 2, &holds);
	ok(is_law && locks.seen.events && holds.seen.events, "both accounts add up");
	ok(holds.seen.events <= locks.seen.events && holds.seen.ns <= locks.seen.ns,
	   "a hold has a waiter: %" PRIu64 " holds, %" PRIu64 " waits, %" PRIu64 " and %" PRIu64
	   " us",
	   (uint64_t)holds.seen.events, (uint64_t)locks.seen.events,
	   (uint64_t)holds.seen.ns / 1000, (uint64_t)locks.seen.ns / 1000);
	session_close(&waits.session);
	free(bytes);
}

/* A page that is not there until it is wanted: who reads it keeps what he has locked. */
struct late_page {
	struct uffdio_range range;
	int faults;
};

static struct late_page late_page_make(void)
{
	struct uffdio_register whole = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	struct late_page page = { .faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC) };
	void *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	page.range = whole.range = (struct uffdio_range){ (uintptr_t)at, PAGE };
	if (page.faults < 0 || at == MAP_FAILED || ioctl(page.faults, UFFDIO_API, &api) ||
	    ioctl(page.faults, UFFDIO_REGISTER, &whole))
		err(1, "userfaultfd");
	return page;
}

static void late_page_give(const struct late_page *page)
{
	struct uffdio_zeropage zero = { .range = page->range };

	if (ioctl(page->faults, UFFDIO_ZEROPAGE, &zero))
		err(1, "UFFDIO_ZEROPAGE");
}

static void *write_page(void *page)
{
	return write(pipe_ends[1], page, 1) < 0 ? page : NULL;
}

/* Holders whom threads of process @pid wait for; -1: this kernel does not report locks. */
static int holders_session(uint32_t pid)
{
	struct sysprof_source wanted[] = { { .kind = SYSPROF_SOURCE_LOCK },
					   { .kind = SYSPROF_SOURCE_HOLD } };
	struct sysprof_sources sources = { .size = sizeof(sources),
					   .nr = 2,
					   .source_bytes = sizeof(wanted[0]),
					   .sources = (uintptr_t)wanted };
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = SECOND_NS,
					 .ring_bytes = 1U << 16,
					 .pids = (uintptr_t)&pid,
					 .nr_pids = 1 };
	int fd = device_open();

	if (ioctl(fd, SYSPROF_IOC_CONFIGURE, &config))
		err(1, "CONFIGURE");
	if (ioctl(fd, SYSPROF_IOC_SOURCES, &sources)) {
		close(fd);
		return -1;
	}
	if (ioctl(fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	return fd;
}

/*
 * A thread waits for another one when a session begins that gets neither, behind one that got both.
 * @ends: that one has ended, and the other has its place.
 */
static void try_later(bool ends, uint32_t nobody)
{
	struct late_page page = late_page_make();
	int first = holders_session((uint32_t)getpid()), later;
	pthread_t threads[2];
	uint64_t got;

	if (pipe2(pipe_ends, O_CLOEXEC))
		err(1, "cannot make a pipe");
	for (unsigned i = 0; i < 2; i++) {
		if (pthread_create(&threads[i], NULL, write_page,
				   i ? (void *)"" : (void *)(uintptr_t)page.range.start))
			errx(1, "cannot make a thread");
		usleep(300000);
	}
	if (ends)
		close(first);
	later = holders_session(nobody);
	late_page_give(&page);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	got = source_events(later, 2);
	if (!ends)
		ok(source_events(first, 2) == 1, "a session gets the holder whom its thread waits for");
	ok(!got, "... and %s gets none (%" PRIu64 ")",
	   ends ? "who begins in its place, and has no such thread," : "one without", got);
	close(later);
	if (!ends)
		close(first);
	for (unsigned i = 0; i < 2; i++)
		close(pipe_ends[i]);
	close(page.faults);
}

static void test_later(void)
{
	pid_t nobody = fork();
	int other;

	if (!nobody)
		for (;;)
			pause();
	/* The hooks stay in place between the others. */
	other = holders_session((uint32_t)nobody);
	if (other < 0) {
		ok(true, "this kernel does not report locks");
	} else {
		try_later(false, (uint32_t)nobody);
		try_later(true, (uint32_t)nobody);
		close(other);
	}
	kill(nobody, SIGKILL);
	waitpid(nobody, NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "hidden"))
		test_hidden(argv[2], argv[3], !strcmp(argv[4], "none"));
	else if (argc == 2 && !strcmp(argv[1], "cpus"))
		test_cpus();
	else if (argc == 2 && !strcmp(argv[1], "holds"))
		test_holds();
	else if (argc == 2 && !strcmp(argv[1], "later"))
		test_later();
	else
		errx(2, "usage: abi-ends hidden PID-FILE FILE exact|none | cpus | holds | later");
	return tests_end();
}
