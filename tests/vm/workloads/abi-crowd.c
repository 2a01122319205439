// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What many sessions, and many threads of a stranger, do to the hooks and tables of event sources:
 *
 *	abi-crowd hooks | handles | shown | threads | locks | holders |
 *		bits | bulk MODULE
 *
 * As root; shown becomes a member, and comes last.  MODULE is bulk of tests/vm/modules.  hooks
 * counts instructions, on one CPU (tests/vm/run --icount).
 */
#include "waits.h"

#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define KEPT_PERCENT	75

/* What hooks of many sessions take together. */

#define HOOK_SESSIONS	64

static void hook_session(int *fd, uint32_t uid)
{
	struct sysprof_source wanted[] = {
		{ .kind = SYSPROF_SOURCE_WAIT },
		{ .kind = SYSPROF_SOURCE_LANE, .flags = SYSPROF_SOURCE_OPTIONAL },
		{ .kind = SYSPROF_SOURCE_SLAB, .period = 1U << 30 },
		{ .kind = SYSPROF_SOURCE_SLAB_FREE },
		{ .kind = SYSPROF_SOURCE_FAULT, .period = 1U << 30 },
	};
	struct sysprof_sources sources = { .size = sizeof(sources),
					   .nr = sizeof(wanted) / sizeof(wanted[0]),
					   .source_bytes = sizeof(wanted[0]),
					   .sources = (uintptr_t)wanted };
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = NS_PER_S,
					 .ring_bytes = PAGE,
					 .uids = (uintptr_t)&uid,
					 .nr_uids = 1 };

	*fd = device_open();
	if (ioctl(*fd, SYSPROF_IOC_CONFIGURE, &config) ||
	    ioctl(*fd, SYSPROF_IOC_SOURCES, &sources) || ioctl(*fd, SYSPROF_IOC_START, NULL))
		err(1, "a session with sources");
}

/* Sums of what was seen by a source of the session, and of what was lost to the throttle. */
static bool hook_account(int fd, uint32_t source, uint64_t *seen, uint64_t *throttled)
{
	struct sysprof_source_stats stats = { .size = sizeof(stats), .source = source };
	const struct sysprof_source_account *account = &stats.account;
	bool good = true;

	*seen = *throttled = 0;
	for (; !ioctl(fd, SYSPROF_IOC_SOURCE_STATS, &stats); stats.cpu++) {
		uint64_t sum = account->delivered.events + account->not_picked.events +
			       account->below.events + account->excluded.events;

		for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
			sum += account->lost[i].events;
		good = good && sum == account->seen.events;
		*seen += account->seen.events;
		*throttled += account->lost[SYSPROF_LOST_THROTTLED].events;
	}
	return good && stats.cpu;
}

/* Sessions of a user, who reads nothing; at the end what their accounts say. */
static int hook_member(void *pipes)
{
	uint64_t seen, throttled, sums[2] = { 0 };
	const int *ends = pipes;
	int fd[HOOK_SESSIONS];
	bool good = true;
	char c = 1;

	if (setgid(65534) || setuid(65534))
		return 1;
	for (unsigned i = 0; i < HOOK_SESSIONS; i++)
		hook_session(&fd[i], 65533);
	if (write(ends[1], &c, 1) != 1 || read(ends[2], &c, 1) != 1)
		return 1;
	for (unsigned i = 0; i < HOOK_SESSIONS; i++)
		for (uint32_t source = 1; source <= 5; source++) {
			good &= hook_account(fd[i], source, &seen, &throttled);
			sums[0] += seen;
			sums[1] += throttled;
		}
	printf("# accounts of a user's: %" PRIu64 " events seen, %" PRIu64 " throttled\n", sums[0],
	       sums[1]);
	fflush(stdout);
	return !good;
}

static int echo(void *pipes)
{
	const int *ends = pipes;
	char c;

	while (read(ends[0], &c, 1) == 1 && write(ends[1], &c, 1) == 1)
		;
	return 0;
}

/* Rounds in @ms of work that the hooks see: switches, allocations and faults. */
static uint64_t hooked_work(const int *there, const int *back, unsigned ms)
{
	uint64_t until = wall_ns() + ms * NS_PER_MS, rounds = 0;
	char c = 0;

	for (; wall_ns() < until; rounds++) {
		char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);

		*at = 1;
		munmap(at, PAGE);
		close(open("/dev/null", O_RDONLY | O_CLOEXEC));
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			err(1, "a pipe");
	}
	return rounds;
}

static void test_hooks(void)
{
	int there[2], back[2], ready[2], end[2], ends[3], status = -1, own;
	uint64_t alone, one, many, seen, throttled;
	pid_t other, user;
	bool good;
	char c = 0;

	if (pipe(there) || pipe(back) || pipe(ready) || pipe(end))
		err(1, "pipe");
	ends[0] = there[0];
	ends[1] = back[1];
	fflush(stdout);
	other = fork();
	if (!other)
		_exit(echo(ends));
	alone = hooked_work(there, back, 100);
	hook_session(&own, 0);
	one = hooked_work(there, back, 100);
	close(own);
	ends[1] = ready[1];
	ends[2] = end[0];
	user = fork();
	if (!user)
		_exit(hook_member(ends));
	ok(read(ready[0], &c, 1) == 1, "a user has %u sessions with sources", HOOK_SESSIONS);
	/* What may be spent in advance. */
	hooked_work(there, back, 150);
	many = hooked_work(there, back, 300) / 3;
	ok(many >= one * KEPT_PERCENT / 100,
	   "beside them a program keeps three quarters of its progress beside one session "
	   "(%" PRIu64 " of %" PRIu64 " rounds, %" PRIu64 " with none)",
	   many, one, alone);
	hook_session(&own, 0);
	hooked_work(there, back, 100);
	good = true;
	for (uint32_t source = 1; source <= 5; source++) {
		good &= hook_account(own, source, &seen, &throttled);
		good &= seen && !throttled;
	}
	ok(good, "an administrator's session beside them is asked of every event");
	if (write(end[1], &c, 1) != 1 || waitpid(user, &status, 0) != user)
		err(1, "the user's process");
	ok(status == 0, "the user's accounts add up (status %d)", status);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	close(own);
}

/* More allocations that live at a time than there is room to follow. */

#define TOUCHED		(200UL << 20)
#define OBJECT_BYTES	336

struct ends {
	uint64_t opens, closes, guessed, late;
};

/*
 * By the sources of a session, 1 allocations, 2 frees; of those of @bytes.  Of objects from before
 * @freed_ns no free can be seen.
 */
static struct ends ends_of(struct waits *waits, uint64_t bytes, uint64_t freed_ns)
{
	const struct sysprof_event *event;
	struct ends ends = { 0 };

	for_each_kept(event, waits->events) {
		bool is_guessed = event->record.flags & SYSPROF_EVENT_GUESSED;

		if (event->value != bytes)
			continue;
		ends.opens += event->source == 1;
		ends.closes += event->source == 2;
		ends.guessed += event->source == 2 && is_guessed;
		ends.late += event->source == 2 && !is_guessed && event->begin < freed_ns;
	}
	waits->events.n = 0;
	return ends;
}

static void filtered_by(struct waits *waits, uint32_t pid)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = NS_PER_S,
					 .ring_bytes = waits->session.config.ring_bytes,
					 .pids = (uintptr_t)&pid,
					 .nr_pids = 1,
					 .flags = SYSPROF_CONFIG_CHILDREN };

	if (ioctl(waits->session.fd, SYSPROF_IOC_CONFIGURE, &config))
		err(1, "CONFIGURE with a filter");
}

static void test_handles(void)
{
	struct sysprof_source sources[] = {
		{ .kind = SYSPROF_SOURCE_PAGE, .period = PAGE },
		{ .kind = SYSPROF_SOURCE_PAGE_FREE },
	};
	struct waits waits = { .session = session_open(NS_PER_S, 16U << 20) };
	struct sysprof_source_account pages, frees;
	struct ends ends;
	bool good;
	char *at;

	filtered_by(&waits, (uint32_t)getpid());
	if (waits_ask(&waits, sources, 2))
		err(1, "SOURCES");
	at = mmap(NULL, TOUCHED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || madvise(at, TOUCHED, MADV_NOHUGEPAGE))
		err(1, "memory");
	waits_start(&waits);
	for (size_t i = 0; i < TOUCHED; i += PAGE) {
		at[i] = 1;
		if (i % (16UL << 20) == 0)
			waits_drain(&waits);
	}
	for (size_t i = 0; i < TOUCHED; i += 16UL << 20) {
		munmap(at + i, TOUCHED - i < 16UL << 20 ? TOUCHED - i : 16UL << 20);
		waits_drain(&waits);
	}
	good = account_total(&waits, 1, &pages);
	good &= account_total(&waits, 2, &frees);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	waits_drain(&waits);
	ends = ends_of(&waits, PAGE, 0);
	ok(good && pages.seen.events > TOUCHED / PAGE && ends.opens > 1000,
	   "%" PRIu64 " pages allocated, %" PRIu64 " of them told, the accounts add up",
	   (uint64_t)pages.seen.events, ends.opens);
	ok(pages.lost[SYSPROF_LOST_NO_SLOT].events > 1000,
	   "those for which there was no room are in the account (%" PRIu64 ")",
	   (uint64_t)pages.lost[SYSPROF_LOST_NO_SLOT].events);
	ok(ends.opens - ends.closes < ends.opens / 20,
	   "... and of those that were told the free is, too (%" PRIu64 " of %" PRIu64 ")",
	   ends.closes, ends.opens);
	session_close(&waits.session);
}

static unsigned long number_in(const char *path)
{
	FILE *file = fopen(path, "re");
	unsigned long n;

	if (!file || fscanf(file, "%lu", &n) != 1)
		errx(1, "%s has no number", path);
	fclose(file);
	return n;
}

static bool has_kasan(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[512];
	bool found = false;

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		found = strstr(line, " kasan_report\n");
	if (symbols)
		fclose(symbols);
	return found;
}

/* abi-crowd bulk MODULE: an address that is given out again is no longer the old object's. */
static void test_bulk(const char *module)
{
	struct sysprof_source sources[] = {
		{ .kind = SYSPROF_SOURCE_SLAB, .period = 7 * OBJECT_BYTES },
		{ .kind = SYSPROF_SOURCE_SLAB_FREE },
	};
	struct waits waits = { .session = session_open(NS_PER_S, 16U << 20) };
	struct sysprof_source_account frees;
	struct ends ends;
	pid_t pid;

	filtered_by(&waits, (uint32_t)getpid());
	if (waits_ask(&waits, sources, 2))
		err(1, "SOURCES");
	waits_start(&waits);
	pid = fork();
	if (!pid) {
		execlp("insmod", "insmod", module, NULL);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	ioctl(waits.session.fd, SYSPROF_IOC_STOP);
	waits_drain(&waits);
	account_total(&waits, 2, &frees);
	printf("# frees: %" PRIu64 " seen, %" PRIu64 " told, %" PRIu64 " not picked\n",
	       (uint64_t)frees.seen.events, (uint64_t)frees.delivered.events,
	       (uint64_t)frees.not_picked.events);
	ends = ends_of(&waits, OBJECT_BYTES, number_in("/sys/module/bulk/parameters/freed_ns"));
	if (lost_events(&frees))
		printf("# %" PRIu64 " frees were lost\n", lost_events(&frees));
	/* KASAN sets freed memory aside, so that an address is not given out again. */
	ok(ends.opens > 1000 && (ends.guessed > 200 || has_kasan()),
	   "of %" PRIu64 " objects %" PRIu64 " are found gone by their address, and %" PRIu64
	   " freed",
	   ends.opens, ends.guessed, ends.closes - ends.guessed);
	ok(ends.late <= ends.opens / 100, "... none by another object's free (%" PRIu64 ")",
	   ends.late);
	session_close(&waits.session);
}

/* Address spaces that the opener has shown, and that have ended since. */

#define SHOWN	600

/* What KASAN has set aside is not in use, but counts until then. */
static unsigned long spaces_now(FILE *slabinfo, int shrink)
{
	char line[512];
	unsigned long n = 0;

	if (shrink >= 0 && write(shrink, "1", 1) != 1)
		err(1, "cannot shrink the cache");
	rewind(slabinfo);
	while (fgets(line, sizeof(line), slabinfo))
		if (sscanf(line, "mm_struct %lu", &n) == 1)
			break;
	if (!n)
		errx(1, "/proc/slabinfo does not say how many address spaces there are");
	return n;
}

static pid_t shown_child(int fd)
{
	struct sysprof_traceable arg = { .size = sizeof(arg) };
	char path[64];
	pid_t pid = fork();

	if (pid < 0)
		err(1, "cannot fork");
	if (!pid) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	arg.pid = (uint32_t)pid;
	arg.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (ioctl(fd, SYSPROF_IOC_TRACEABLE, &arg))
		err(1, "TRACEABLE");
	close(arg.fd);
	return pid;
}

/* As a member: root need not show anything. */
static void test_shown(void)
{
	FILE *slabinfo = fopen("/proc/slabinfo", "re");
	int shrink = open("/sys/kernel/slab/mm_struct/shrink", O_WRONLY | O_CLOEXEC), fd;
	unsigned long before, many, after = 0;
	pid_t pids[SHOWN];

	if (!slabinfo || setgid(65534) || setuid(65534) || prctl(PR_SET_DUMPABLE, 1))
		err(1, "/proc/slabinfo, setuid");
	fd = device_open();
	configured(fd, NS_PER_S, PAGE);
	before = spaces_now(slabinfo, shrink);
	for (unsigned i = 0; i < SHOWN; i++)
		pids[i] = shown_child(fd);
	many = spaces_now(slabinfo, shrink);
	for (unsigned i = 0; i < SHOWN; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	for (unsigned i = 0; i < 100; i++) {
		usleep(100000);
		after = spaces_now(slabinfo, shrink);
		if (after < before + SHOWN / 4)
			break;
	}
	ok(many >= before + SHOWN * 3 / 4 && after < before + SHOWN / 4,
	   "of %u address spaces that were shown, and ended, the session keeps none "
	   "(%lu, %lu, then %lu in all)",
	   SHOWN, before, many, after);
	close(fd);
	fclose(slabinfo);
}

/* A stranger's threads, far more of them than the tables have room for. */

#define SLEEPERS	20000
#define WAITERS		12000
#define OTHERS		300
#define STRANGER	65533
#define OTHER		65532

static int held_pipe[2];

static void *sleep_for_ever(void *unused)
{
	(void)unused;
	for (;;)
		pause();
	return NULL;
}

static void *wait_for_pipe(void *unused)
{
	(void)unused;
	if (write(held_pipe[1], "", 1) != 1)
		err(1, "write");
	return sleep_for_ever(NULL);
}

/* @n threads of user @uid that run @function, in a process that ends on request. */
static pid_t threads_of_user(uint32_t uid, unsigned n, void *(*function)(void *))
{
	pthread_attr_t attributes;
	pthread_t thread;
	int ready[2];
	pid_t pid;
	char c = 0;

	if (pipe(ready))
		err(1, "pipe");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (pid) {
		close(ready[1]);
		if (read(ready[0], &c, 1) != 1)
			errx(1, "a user's threads were not made");
		close(ready[0]);
		return pid;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setgid(uid) || setuid(uid))
		err(1, "setuid");
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	pthread_attr_setguardsize(&attributes, 0);
	for (unsigned i = 0; i < n; i++) {
		errno = pthread_create(&thread, &attributes, function, NULL);
		if (errno)
			err(1, "thread %u", i);
	}
	if (write(ready[1], &c, 1) != 1)
		err(1, "write");
	sleep_for_ever(NULL);
	return 0;
}

static void write_number(const char *path, unsigned long n)
{
	FILE *file = fopen(path, "we");

	if (!file || fprintf(file, "%lu\n", n) < 0 || fclose(file))
		err(1, "cannot write to %s", path);
}

static void allow_threads(void)
{
	const struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	write_number("/proc/sys/kernel/threads-max", 100000);
	write_number("/proc/sys/kernel/pid_max", 200000);
	write_number("/proc/sys/vm/max_map_count", 200000);
	if (setrlimit(RLIMIT_NPROC, &limit))
		err(1, "setrlimit");
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* What the source has seen, and had no room for, since the last call. */
static void seen_since(struct waits *waits, struct sysprof_source_account *last, uint64_t *seen,
		       uint64_t *no_slot)
{
	struct sysprof_source_account now;

	account_total(waits, 1, &now);
	*seen = now.seen.events - last->seen.events;
	*no_slot = now.lost[SYSPROF_LOST_NO_SLOT].events -
		   last->lost[SYSPROF_LOST_NO_SLOT].events;
	*last = now;
}

static int nap(void *unused)
{
	const struct timespec time = { .tv_nsec = NS_PER_MS };

	(void)unused;
	if (setgid(OTHER) || setuid(OTHER))
		return 1;
	for (unsigned i = 0; i < 5; i++)
		nanosleep(&time, NULL);
	return 0;
}

/* The table of threads is made when the hooks are put in place: with few threads, before this. */
static void test_threads(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .threshold = NS_PER_S };
	struct waits waits = { .session = session_open(NS_PER_S, 1U << 20) };
	struct sysprof_source_account last = { 0 };
	uint64_t seen, no_slot;
	pid_t stranger;

	allow_threads();
	if (waits_ask(&waits, &source, 1))
		err(1, "SOURCES");
	waits_start(&waits);
	stranger = threads_of_user(STRANGER, SLEEPERS, sleep_for_ever);
	seen_since(&waits, &last, &seen, &no_slot);
	for (unsigned i = 0; i < OTHERS; i++)
		if (in_child(nap, NULL))
			errx(1, "a child failed");
	seen_since(&waits, &last, &seen, &no_slot);
	ok(seen >= 5 * OTHERS && no_slot * 10 < seen,
	   "beside %u sleeping threads of a stranger's, waits of others are seen (%" PRIu64
	   " of %" PRIu64 " without a slot)",
	   SLEEPERS, no_slot, seen);
	end_child(stranger);
	session_close(&waits.session);
}

/* Writes a page to held_pipe that never comes into memory, and keeps the pipe's mutex. */
static pid_t keeper(void)
{
	struct uffdio_register whole = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	pid_t pid;
	char *page;
	int faults;

	if (pipe(held_pipe))
		err(1, "pipe");
	pid = fork();
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	whole.range.start = (uintptr_t)page;
	whole.range.len = PAGE;
	if (faults < 0 || page == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &whole))
		err(1, "userfaultfd");
	_exit(write(held_pipe[1], page, 1) != 1);
}

static void test_locks(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_LOCK };
	struct waits waits = { .session = session_open(NS_PER_S, 1U << 20) };
	struct sysprof_source_account last = { 0 };
	uint64_t seen, no_slot;
	pid_t stranger, other, held;

	if (waits_ask(&waits, &source, 1)) {
		ok(source.why == SYSPROF_WHY_NO_TRACEPOINT, "this kernel does not report locks");
		session_close(&waits.session);
		return;
	}
	allow_threads();
	waits_start(&waits);
	held = keeper();
	usleep(200000);
	stranger = threads_of_user(STRANGER, WAITERS, wait_for_pipe);
	seen_since(&waits, &last, &seen, &no_slot);
	/* A wait is seen when it ends, or has no room. */
	ok(no_slot > WAITERS / 10, "%u waiters of a stranger's are more than there is room for "
	   "(%" PRIu64 ")", WAITERS, (uint64_t)last.lost[SYSPROF_LOST_NO_SLOT].events);
	other = threads_of_user(OTHER, OTHERS, wait_for_pipe);
	usleep(200000);
	seen_since(&waits, &last, &seen, &no_slot);
	/* One is counted twice: as it spins, and as it sleeps. */
	ok(no_slot * 10 < 2 * OTHERS, "... and of %u of others' %" PRIu64 " have none", OTHERS,
	   no_slot);
	end_child(held);
	end_child(other);
	end_child(stranger);
	session_close(&waits.session);
}

/* Half of these keep a pipe's mutex each, and the others wait for one of them. */

#define HOLDERS		2500
#define HOLDERS_ROOM	2048	/* as holds.c has it */

static int kept_pipes[HOLDERS][2];
static char *kept_pages;

static void keep_pipes(void)
{
	const struct rlimit limit = { 4 * HOLDERS, 4 * HOLDERS };
	struct uffdio_register whole = { .mode = UFFDIO_REGISTER_MODE_MISSING,
					 .range.len = (uint64_t)HOLDERS * PAGE };
	struct uffdio_api api = { .api = UFFD_API };
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	kept_pages = mmap(NULL, whole.range.len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	whole.range.start = (uintptr_t)kept_pages;
	if (setrlimit(RLIMIT_NOFILE, &limit) || faults < 0 || kept_pages == MAP_FAILED ||
	    ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &whole))
		err(1, "userfaultfd");
	for (unsigned i = 0; i < HOLDERS; i++)
		if (pipe(kept_pipes[i]))
			err(1, "pipe %u", i);
}

static void *keep_or_wait(void *unused)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static unsigned started, kept;
	unsigned i = __atomic_fetch_add(&started, 1, __ATOMIC_SEQ_CST);

	pthread_once(&once, keep_pipes);
	if (i < HOLDERS) {
		char *page = kept_pages + (size_t)i * PAGE;

		__atomic_add_fetch(&kept, 1, __ATOMIC_SEQ_CST);
		return write(kept_pipes[i][1], page, 1) < 0 ? unused : NULL;
	}
	while (__atomic_load_n(&kept, __ATOMIC_SEQ_CST) < HOLDERS)
		usleep(10000);
	usleep(500000);
	return write(kept_pipes[i - HOLDERS][1], "", 1) < 0 ? unused : NULL;
}

static void test_holders(void)
{
	struct sysprof_source sources[] = { { .kind = SYSPROF_SOURCE_LOCK },
					    { .kind = SYSPROF_SOURCE_HOLD } };
	struct waits waits = { .session = session_open(NS_PER_S, 1U << 20) };
	struct sysprof_source_account account;
	uint64_t no_slot = 0;
	pid_t crowd;

	if (waits_ask(&waits, sources, 2)) {
		ok(sources[0].why == SYSPROF_WHY_NO_TRACEPOINT,
		   "this kernel does not report locks");
		session_close(&waits.session);
		return;
	}
	allow_threads();
	waits_start(&waits);
	crowd = threads_of_user(0, 2 * HOLDERS, keep_or_wait);
	for (unsigned i = 0; i < 100 && no_slot < HOLDERS - HOLDERS_ROOM; i++) {
		usleep(100000);
		account_total(&waits, 2, &account);
		no_slot = account.lost[SYSPROF_LOST_NO_SLOT].events;
	}
	ok(no_slot >= HOLDERS - HOLDERS_ROOM,
	   "of %u holders with waiters at least %u have no room, which their account has as lost "
	   "(%" PRIu64 ")", HOLDERS, HOLDERS - HOLDERS_ROOM, no_slot);
	ok(account.seen.events >= no_slot, "... and as seen (%" PRIu64 ")",
	   (uint64_t)account.seen.events);
	end_child(crowd);
	session_close(&waits.session);
}

/* More sessions than have bits of their own: filtered ones get nothing of another's. */

#define FILTERED	64
#define NOBODY		65533

static int bits_session(uint32_t uid)
{
	struct sysprof_source wanted[] = { { .kind = SYSPROF_SOURCE_SLAB, .period = 4096 },
					   { .kind = SYSPROF_SOURCE_SLAB_FREE } };
	struct sysprof_sources sources = { .size = sizeof(sources),
					   .nr = 2,
					   .source_bytes = sizeof(wanted[0]),
					   .sources = (uintptr_t)wanted };
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = NS_PER_S,
					 .ring_bytes = 1U << 16,
					 .uids = (uintptr_t)&uid,
					 .nr_uids = uid != 0 };
	int fd = device_open();

	if (ioctl(fd, SYSPROF_IOC_CONFIGURE, &config) ||
	    ioctl(fd, SYSPROF_IOC_SOURCES, &sources) || ioctl(fd, SYSPROF_IOC_START, NULL))
		err(1, "a session with sources");
	return fd;
}

static void test_bits(void)
{
	int filtered[FILTERED], whole, late;
	uint64_t own, others = 0;

	whole = bits_session(0);
	for (unsigned i = 0; i < FILTERED; i++)
		filtered[i] = bits_session(NOBODY);
	late = bits_session(0);
	for (unsigned i = 0; i < 20000; i++)
		close(open("/dev/null", O_RDONLY | O_CLOEXEC));
	own = source_events(whole, 2);
	for (unsigned i = 0; i < FILTERED; i++)
		others += source_events(filtered[i], 2);
	ok(own && !others, "of %u sessions those of a user without processes get no FREE of others' "
	   "(%" PRIu64 "; %" PRIu64 " in all)", FILTERED + 2, others, own);
	for (unsigned i = 0; i < FILTERED; i++)
		close(filtered[i]);
	close(late);
	close(whole);
}

int main(int argc, char **argv)
{
	static const struct { const char *name; void (*run)(void);
	} tests[] = {
		{ "hooks", test_hooks },
		{ "handles", test_handles },
		{ "shown", test_shown },
		{ "threads", test_threads },
		{ "locks", test_locks },
		{ "holders", test_holders },
		{ "bits", test_bits },
	};

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "bulk") && i + 1 < argc)
			test_bulk(argv[++i]);
		for (unsigned k = 0; k < sizeof(tests) / sizeof(tests[0]); k++)
			if (!strcmp(argv[i], tests[k].name))
				tests[k].run();
	}
	return tests_end();
}
