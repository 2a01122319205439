// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One session used in several ways at once:
 *
 *	abi-crossed requests	counters and sources: overflows are NMIs, which interrupt the hooks of
 *				the same session on the same CPU.  Meanwhile another thread changes
 *				how much of a stack is requested: what a hook has begun to write must
 *				not become larger.  With NMIs on CPU 0 (tests/vm/run --nmi).
 *	abi-crossed filters	CONFIGURE while a snapshot of threads uses the filter
 *	abi-crossed copies	copies of stacks, and sources whose hooks run with locks held
 */
#include "waits.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <linux/userfaultfd.h>
#include <sys/syscall.h>

#define LITTLE		1024U
#define MOST		16384U
#define NMIS		2000
#define DEEP		128
#define PAGES		64
#define RING_BYTES	(256U << 10)
#define NAME		"abi-crossed"
#define SLEEPERS	500

struct seen {
	unsigned events, copies, little, most, wrong;
};

static struct session *session;
static struct seen seen;
static bool is_over, is_whole;
static uint8_t *pages;

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "cannot go to CPU %u", cpu);
}

static void *change_request(void *unused)
{
	struct sysprof_raw_wish wish = { .size = sizeof(wish), .comm = NAME };

	(void)unused;
	pin(1);
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		wish.bytes = wish.bytes == LITTLE ? MOST : LITTLE;
		if (ioctl(session->fd, SYSPROF_IOC_RAW_WISH, &wish))
			err(1, "RAW_WISH");
	}
	return NULL;
}

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_event *event = (const void *)record;
	const struct sysprof_part *part;
	const struct sysprof_raw *raw;
	uint32_t bytes;

	(void)data;
	if (record->type != SYSPROF_EVENT)
		return;
	seen.events++;
	part = (const void *)(event->frames + event->n_kernel + event->n_user);
	if (event->user_mode != SYSPROF_USER_RAW)
		return;
	raw = (const void *)(part + 1);
	bytes = sizeof(*part) + sizeof(*raw) + raw->n_regs * 8U + (raw->stack_bytes + 7) / 8 * 8;
	seen.copies++;
	seen.little += raw->wanted_bytes == LITTLE;
	seen.most += raw->wanted_bytes == MOST;
	seen.wrong += part->type != SYSPROF_PART_RAW || part->size * 8U != bytes ||
		       (raw->wanted_bytes != LITTLE && raw->wanted_bytes != MOST) ||
		       raw->stack_bytes > raw->wanted_bytes ||
		       (const uint8_t *)part + bytes > (const uint8_t *)record + record->size * 8;
}

/* Each page is a fault; the stack is deep, and as large as a copy can be. */
FUNCTION static unsigned fault_deep(unsigned depth)
{
	uint8_t room[MOST / DEEP];
	unsigned sum = 0;

	memset(room, (int)depth, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth)
		return fault_deep(depth - 1) + room[depth % sizeof(room)];
	for (unsigned i = 0; i < PAGES; i++) {
		sum += pages[i * PAGE]++;
		is_whole &= session_drain(session, 0, look_at, NULL);
	}
	madvise(pages, PAGES * PAGE, MADV_DONTNEED);
	return sum;
}

static void test_requests(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_FAULT,
					 .period = 1,
					 .stacks = SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER };
	struct waits waits = { .session = session_open(NS_PER_MS, RING_BYTES) };
	struct sysprof_config config = { .size = sizeof(config),
					 .clock = SYSPROF_CLOCK_PMU,
					 .ring_bytes = RING_BYTES,
					 .user_mode = SYSPROF_USER_RAW + 1,
					 .max_user_frames = DEEP,
					 .raw_bytes = MOST };
	struct sysprof_account overflows = { 0 };
	struct sysprof_source_account account;
	pthread_t thread;
	bool is_law;

	session = &waits.session;
	seen = (struct seen){ 0 };
	is_over = false;
	is_whole = true;
	ok(!ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config) && !waits_ask(&waits, &source, 1) &&
		   !ioctl(session->fd, SYSPROF_IOC_START, NULL),
	   "START of a session with counters, copies of stacks and faults: %s", strerror(errno));
	if (pthread_create(&thread, NULL, change_request, NULL))
		errx(1, "cannot make a thread");
	do {
		fault_deep(DEEP);
	} while (account_get(session->fd, 0, &overflows) && overflows.grid < NMIS);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ioctl(session->fd, SYSPROF_IOC_STOP);
	is_whole &= session_drain(session, 0, look_at, NULL);
	ok(is_whole, "the ring can be walked");
	ok(seen.little > 50 && seen.most > 50,
	   "%u events have copies, small ones and large ones (%u, %u)", seen.events, seen.little,
	   seen.most);
	ok(!seen.wrong, "... as large as they were to be (%u of %u are not)", seen.wrong,
	   seen.copies);
	is_law = account_total(&waits, 1, &account);
	ok(is_law && account.delivered.events >= seen.events,
	   "the account of faults adds up (%" PRIu64 " of %" PRIu64 " were sent)",
	   (uint64_t)account.delivered.events, (uint64_t)account.seen.events);
	is_law = account_get(session->fd, 0, &overflows) &&
		 account_sum(&overflows) == overflows.grid;
	ok(is_law, "... and that of %" PRIu64 " overflows", (uint64_t)overflows.grid);
	session_close(session);
}

/* Threads that sleep, of a process that a filter selects. */
static void *sleep_on(void *unused)
{
	(void)unused;
	pause();
	return NULL;
}

static pid_t start_sleepers(void)
{
	pthread_attr_t small;
	pthread_t thread;
	pid_t pid = fork();

	if (pid < 0)
		err(1, "cannot fork");
	if (pid)
		return pid;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64U << 10);
	for (unsigned i = 0; i < SLEEPERS; i++)
		if (pthread_create(&thread, &small, sleep_on, NULL))
			_exit(1);
	pause();
	_exit(0);
}

static bool filter_by(pid_t pid)
{
	uint32_t pids[] = { (uint32_t)pid }, uids[] = { geteuid() };
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = NS_PER_MS,
					 .ring_bytes = RING_BYTES,
					 .pids = (uintptr_t)pids,
					 .nr_pids = 1,
					 .uids = (uintptr_t)uids,
					 .nr_uids = 1 };

	return !ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config);
}

static pid_t sleepers[2];
static unsigned changes;

static void *change_filter(void *unused)
{
	(void)unused;
	pin(1);
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
		ioctl(session->fd, SYSPROF_IOC_STOP);
		changes += filter_by(sleepers[changes % 2]);
		ioctl(session->fd, SYSPROF_IOC_START, NULL);
	}
	return NULL;
}

/* Whatever a call of SNAPSHOT returns was selected by one filter. */
static void test_filters(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT };
	struct waits waits = { .session = session_open(NS_PER_MS, RING_BYTES) };
	struct sysprof_snapshot call = { .size = sizeof(call), .part = SYSPROF_SNAPSHOT_THREADS };
	unsigned threads = 0, mixed = 0, refused = 0;
	pthread_t thread;

	session = &waits.session;
	call.buffer_bytes = 8U << 20;
	call.buffer = (uintptr_t)malloc(call.buffer_bytes);
	for (unsigned i = 0; i < 2; i++)
		sleepers[i] = start_sleepers();
	ok(!waits_ask(&waits, &source, 1), "waits: %s", strerror(errno));
	if (pthread_create(&thread, NULL, change_filter, NULL))
		errx(1, "cannot make a thread");
	/* Most are refused while the filter changes: 20 s are more than enough for some. */
	for (unsigned round = 0;
	     !mixed && (round < 200 || (threads <= SLEEPERS && refused < 20000)); round++) {
		unsigned of[2] = { 0 };

		call.cursor = 0;
		if (ioctl(session->fd, SYSPROF_IOC_SNAPSHOT, &call)) {
			refused++;
			usleep(1000);
			continue;
		}
		for (uint32_t at = 0; at < call.filled_bytes;) {
			const struct sysprof_record *record =
				(const void *)(uintptr_t)(call.buffer + at);

			for (unsigned i = 0; i < 2; i++)
				of[i] += record->pid == (uint32_t)sleepers[i];
			at += record->size * 8U;
		}
		threads += of[0] + of[1];
		mixed += of[0] && of[1];
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < 2; i++) {
		kill(sleepers[i], SIGKILL);
		waitpid(sleepers[i], NULL, 0);
	}
	ok(threads > SLEEPERS && changes > 10,
	   "%u threads in snapshots, while the filter was changed %u times (%u were refused)",
	   threads, changes, refused);
	ok(!mixed, "each is of one filter (%u are not; %u came when nothing ran)", mixed, refused);
	session_close(session);
}

static struct sysprof_snapshot held = { .size = sizeof(held),
					.part = SYSPROF_SNAPSHOT_THREADS,
					.buffer_bytes = PAGES * PAGE };

static void *take_snapshot(void *unused)
{
	(void)unused;
	if (ioctl(session->fd, SYSPROF_IOC_SNAPSHOT, &held))
		held.filled_bytes = 0;
	return NULL;
}

static void *stop_and_configure(void *unused)
{
	(void)unused;
	ioctl(session->fd, SYSPROF_IOC_STOP);
	changes = filter_by(getpid());
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	return NULL;
}

/* A snapshot that is held up, as its memory is not there, has the filter until its end. */
static void test_held(void)
{
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT };
	struct waits waits = { .session = session_open(NS_PER_MS, RING_BYTES) };
	struct uffdio_register whole = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_zeropage zero = { 0 };
	struct uffd_msg message;
	pthread_t threads[2];

	session = &waits.session;
	is_over = false;
	changes = 0;
	held.buffer = whole.range.start = zero.range.start =
		(uintptr_t)mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	whole.range.len = zero.range.len = PAGES * PAGE;
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &whole))
		err(1, "userfaultfd");
	ok(filter_by(getpid()) && !waits_ask(&waits, &source, 1) &&
		   !ioctl(session->fd, SYSPROF_IOC_START, NULL),
	   "waits of this process: %s", strerror(errno));
	pthread_create(&threads[0], NULL, take_snapshot, NULL);
	if (read(faults, &message, sizeof(message)) != sizeof(message))
		err(1, "userfaultfd");
	pthread_create(&threads[1], NULL, stop_and_configure, NULL);
	usleep(500000);
	ok(!__atomic_load_n(&is_over, __ATOMIC_RELAXED),
	   "CONFIGURE waits for a snapshot that uses the filter");
	if (ioctl(faults, UFFDIO_ZEROPAGE, &zero))
		err(1, "UFFDIO_ZEROPAGE");
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	ok(held.filled_bytes && changes, "... and both come to their end");
	close(faults);
	session_close(session);
}

/* Events of each source, and those with a copy of the stack. */
static unsigned events_of[8], copies_of[8];

static void count_copies(const struct sysprof_record *record, void *data)
{
	const struct sysprof_event *event = (const void *)record;

	(void)data;
	if (record->type != SYSPROF_EVENT || record->pid != (uint32_t)getpid() || !event->n_user)
		return;
	events_of[event->source]++;
	copies_of[event->source] += event->user_mode == SYSPROF_USER_RAW;
}

static void test_copies(void)
{
	static const uint16_t kinds[] = { SYSPROF_SOURCE_FAULT, SYSPROF_SOURCE_WAIT,
					  SYSPROF_SOURCE_SLAB, SYSPROF_SOURCE_PAGE };
	struct sysprof_source sources[4];
	struct waits waits = { .session = session_open(NS_PER_MS, 4U << 20) };
	struct sysprof_config config = { .size = sizeof(config),
					 .period_ns = NS_PER_MS,
					 .ring_bytes = 4U << 20,
					 .user_mode = SYSPROF_USER_RAW + 1,
					 .raw_bytes = MOST };

	for (unsigned i = 0; i < 4; i++)
		sources[i] = (struct sysprof_source){ .kind = kinds[i],
						      .period = i < 2 ? 0 : 1,
						      .stacks = SYSPROF_STACKS_KERNEL |
								SYSPROF_STACKS_USER };
	session = &waits.session;
	ok(!ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config) && !waits_ask(&waits, sources, 4),
	   "copies of stacks, with four sources: %s", strerror(errno));
	waits_start(&waits);
	for (unsigned round = 0; round < 2000; round++) {
		int pipes[2];

		if (pipe2(pipes, O_CLOEXEC))
			err(1, "cannot make a pipe");
		close(pipes[0]);
		close(pipes[1]);
		pages[round % PAGES * PAGE] = 1;
		madvise(pages, PAGES * PAGE, MADV_DONTNEED);
		if (!(round % 10))
			usleep(1000);
		for (unsigned cpu = 0; cpu < session->cpus; cpu++)
			session_drain(session, cpu, count_copies, NULL);
	}
	ioctl(session->fd, SYSPROF_IOC_STOP);
	ok(copies_of[1] > 10 && copies_of[2] > 10,
	   "faults and waits have copies (%u of %u, %u of %u)", copies_of[1], events_of[1],
	   copies_of[2], events_of[2]);
	ok(events_of[3] > 10 && events_of[4] > 10 && !copies_of[3] && !copies_of[4],
	   "allocations, which are made with locks held, have none (%u of %u, %u of %u)",
	   copies_of[3], events_of[3], copies_of[4], events_of[4]);
	session_close(session);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (pages == MAP_FAILED)
		err(1, "cannot have memory");
	if (!strcmp(what, "requests")) {
		pin(0);
		test_requests();
	} else if (!strcmp(what, "filters")) {
		test_held();
		is_over = false;
		changes = 0;
		test_filters();
	} else if (!strcmp(what, "copies")) {
		test_copies();
	} else {
		errx(2, "usage: abi-crossed requests | filters | copies");
	}
	return tests_end();
}
