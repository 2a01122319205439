// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-device CALLS [SEED]: calls the device in every way, most of them nearly right: it knows the
 * ABI and gets one thing wrong, or does the right thing at the wrong time.  Eight threads share
 * sessions, open and close them under each other, fork and exec with descriptors at hand; one more
 * maps rings and writes whatever it likes into the reader's page, and six have sessions that use
 * everything at once (fuzz-crossed.h).  What must hold is that the
 * kernel has nothing to say, and that an honest session works afterwards and its account adds up.
 */
#include "fuzz-arguments.h"
#include "fuzz-crossed.h"
#include "fuzz-marks.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define THREADS		8
#define SEEDS		64	/* of a seed that is given: each thread has its own */

static const struct {
	const char *name;
	unsigned weight;
} kinds[CALL_KINDS] = {
	[CALL_OPEN] = { "open", 60 },		[CALL_CLOSE] = { "close", 40 },
	[CALL_INFO] = { "INFO", 100 },		[CALL_CONFIGURE] = { "CONFIGURE", 150 },
	[CALL_START] = { "START", 20 },		[CALL_STOP] = { "STOP", 12 },
	[CALL_SNAPSHOT] = { "SNAPSHOT", 30 },	[CALL_STATS] = { "STATS", 150 },
	[CALL_NAMES] = { "NAMES", 100 },	[CALL_MAP_FD] = { "MAP_FD", 40 },
	[CALL_OTHER_IOCTL] = { "other ioctls", 30 }, [CALL_MMAP] = { "mmap", 100 },
	[CALL_MAPPING] = { "mapped pages", 100 }, [CALL_READ] = { "read", 100 },
	[CALL_POLL] = { "poll", 50 },		[CALL_CHILD] = { "children", 1 },
	[CALL_RAW_WISH] = { "RAW_WISH", 40 },	[CALL_SLOW] = { "SLOW", 40 },
	[CALL_TABLE] = { "TABLE", 60 },		[CALL_CHAIN] = { "CHAIN", 60 },
	[CALL_REVOKE] = { "REVOKE", 20 },	[CALL_TRACEABLE] = { "TRACEABLE", 40 },
	[CALL_SOURCES] = { "SOURCES", 100 },	[CALL_SOURCE_INFO] = { "SOURCE_INFO", 30 },
	[CALL_SOURCE_STATS] = { "SOURCE_STATS", 60 }, [CALL_MARKS] = { "marks", 200 },
};

static uint64_t calls_of[THREADS + 1], granted[CALL_KINDS],
	refused[CALL_KINDS], ns_of[CALL_KINDS], tails_written, children_killed;
static unsigned weights;
static const char *program;

static bool call_ioctl(struct hand *hand, enum call call)
{
	static const unsigned commands[CALL_KINDS] = {
		[CALL_INFO] = SYSPROF_IOC_INFO,	    [CALL_CONFIGURE] = SYSPROF_IOC_CONFIGURE,
		[CALL_START] = SYSPROF_IOC_START,   [CALL_SNAPSHOT] = SYSPROF_IOC_SNAPSHOT,
		[CALL_STATS] = SYSPROF_IOC_STATS,   [CALL_NAMES] = SYSPROF_IOC_NAMES,
		[CALL_MAP_FD] = SYSPROF_IOC_MAP_FD, [CALL_RAW_WISH] = SYSPROF_IOC_RAW_WISH,
		[CALL_SLOW] = SYSPROF_IOC_SLOW,
		[CALL_TABLE] = SYSPROF_IOC_TABLE,   [CALL_CHAIN] = SYSPROF_IOC_CHAIN,
		[CALL_REVOKE] = SYSPROF_IOC_REVOKE,
		[CALL_TRACEABLE] = SYSPROF_IOC_TRACEABLE,
		[CALL_SOURCES] = SYSPROF_IOC_SOURCES,
		[CALL_SOURCE_INFO] = SYSPROF_IOC_SOURCE_INFO,
		[CALL_SOURCE_STATS] = SYSPROF_IOC_SOURCE_STATS,
	};
	uint64_t room[2 * PAGE / 8];
	size_t bytes = fill(hand, call, room);
	void *arg = room;
	int ret;

	memset((uint8_t *)room + PAGE, one_in(hand, 2), PAGE);
	spoil(hand, room, bytes);
	if (one_in(hand, 8)) {
		arg = place_of(hand, bytes);
		if (arg == hand->buffer + BUFFER_BYTES - bytes)
			memcpy(arg, room, bytes);
	}
	ret = ioctl(slot(hand), commands[call], arg);
	/* In a mapping of the device it may be another number by now. */
	if (!ret && call == CALL_MAP_FD && arg != hand->mappings[0].at &&
	    ((struct sysprof_map_fd *)arg)->fd > 2)
		close(((struct sysprof_map_fd *)arg)->fd);
	return !ret;
}

static bool call_open(struct hand *hand)
{
	int flags = (one_in(hand, 16) ? 0 : O_NONBLOCK) | (one_in(hand, 16) ? 0 : O_CLOEXEC);
	int fd = open(SYSPROF_DEVICE, one_in(hand, 8) ? O_RDONLY | flags : O_RDWR | flags), old;

	struct sysprof_config config = { .size = sizeof(config),
					 .ring_bytes = PAGE << below(hand, 3) };

	if (fd < 0)
		return false;
	/* Most calls are of little interest on a session that does nothing. */
	if (!one_in(hand, 4) && !ioctl(fd, SYSPROF_IOC_CONFIGURE, &config) && one_in(hand, 2))
		ioctl(fd, SYSPROF_IOC_START, NULL);
	old = __atomic_exchange_n(&slots[below(hand, SLOTS)], fd, __ATOMIC_RELAXED);
	if (old >= 0)
		close(old);
	return true;
}

static bool call_close(struct hand *hand)
{
	int fd = __atomic_exchange_n(&slots[below(hand, SLOTS)], -1, __ATOMIC_RELAXED);

	return fd >= 0 && !close(fd);
}

static bool call_mmap(struct hand *hand)
{
	static const uint32_t rings[] = { 4096, 4096, 8192, 65536, 1 << 20 };
	uint32_t bytes = rings[below(hand, 5)];
	unsigned which = below(hand, MAPPINGS), part = below(hand, 3);
	uint64_t offset = below(hand, 3) * (2ULL * PAGE + bytes) + part * PAGE;
	int protection = part == 1 ? PROT_READ | PROT_WRITE : PROT_READ, flags = MAP_SHARED;
	size_t length = part == 2 ? bytes : PAGE;
	void *at;

	if (one_in(hand, 8))
		protection = below(hand, 8);
	if (one_in(hand, 16))
		flags = MAP_PRIVATE;
	if (one_in(hand, 8))
		offset = number(hand) & ~(uint64_t)(PAGE - 1);
	if (one_in(hand, 8))
		length = number(hand) % (4 << 20);
	at = mmap(place_for_mapping(hand), length, protection, flags, slot(hand), offset);
	if (at == MAP_FAILED)
		return false;
	if (hand->mappings[which].at)
		munmap(hand->mappings[which].at, hand->mappings[which].bytes);
	hand->mappings[which].at = at;
	hand->mappings[which].bytes = length;
	hand->mappings[which].is_tail =
		length == PAGE && protection == (PROT_READ | PROT_WRITE) && flags == MAP_SHARED;
	return true;
}

/* What can be done to a mapping; what stays writable is written to. */
static bool call_mapping(struct hand *hand)
{
	unsigned which = below(hand, MAPPINGS);
	void *at = hand->mappings[which].at, *moved;
	size_t bytes = hand->mappings[which].bytes;

	if (!at)
		return false;
	switch (below(hand, 8)) {
	case 0:
		hand->mappings[which].at = NULL;
		return !munmap(at, bytes);
	case 1:
		hand->mappings[which].is_tail = false;
		return !mprotect(at, bytes, below(hand, 8));
	case 2:
		/* Some drop the pages for good: then writing is a bus error. */
		hand->mappings[which].is_tail = false;
		return !madvise(at, bytes, below(hand, 26));
	case 3:
		moved = mremap(at, bytes, one_in(hand, 2) ? bytes : 2 * bytes, MREMAP_MAYMOVE);
		if (moved == MAP_FAILED)
			return false;
		hand->mappings[which].at = moved;
		return true;
	case 4:
		/*
		 * Pages as a system call's buffer: what is not there any more is an error, not a
		 * signal.
		 */
		return syscall(SYS_process_vm_readv, getpid(),
			       &(struct iovec){ hand->buffer, PAGE }, 1UL,
			       &(struct iovec){ at, PAGE }, 1UL, 0UL) > 0;
	default:
		if (!hand->mappings[which].is_tail)
			return false;
		((struct sysprof_ring_tail *)at)->tail = number(hand);
		return true;
	}
}

static bool call_read(struct hand *hand)
{
	size_t bytes = one_in(hand, 4) ? number(hand) % BUFFER_BYTES : 65536;

	return read(slot(hand), place_of(hand, bytes), bytes) > 0;
}

static bool call_poll(struct hand *hand)
{
	struct pollfd fds[2] = { { .fd = slot(hand), .events = POLLIN },
				 { .fd = slot(hand), .events = draw(hand) & 0x7fff } };

	return poll(fds, 2, below(hand, 2)) > 0;
}

static bool one_call(struct hand *hand);

/* A child makes some calls of its own with what it inherited; one in two is another program. */
static bool call_child(struct hand *hand)
{
	char fd[16], random[24];
	int status = 0;
	pid_t pid;

	snprintf(fd, sizeof(fd), "%d", slot(hand));
	snprintf(random, sizeof(random), "%llu", (unsigned long long)draw(hand));
	pid = fork();
	if (pid < 0)
		return false;
	if (!pid) {
		/* Mappings of the device are not inherited. */
		memset(hand->mappings, 0, sizeof(hand->mappings));
		draw(hand);
		if (one_in(hand, 2))
			execl("/proc/self/exe", program, "child", random, fd, NULL);
		for (unsigned i = 0; i < 40; i++)
			one_call(hand);
		_exit(0);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		__atomic_fetch_add(&children_killed, 1, __ATOMIC_RELAXED);
	return true;
}

static bool one_call(struct hand *hand)
{
	unsigned at = below(hand, weights), call = 0;
	uint64_t begin = wall_ns();
	bool good;

	while (at >= kinds[call].weight)
		at -= kinds[call++].weight;
	switch (call) {
	case CALL_OPEN: good = call_open(hand); break;
	case CALL_CLOSE: good = call_close(hand); break;
	case CALL_STOP: good = !ioctl(slot(hand), SYSPROF_IOC_STOP, number(hand)); break;
	case CALL_OTHER_IOCTL:
		good = !ioctl(slot(hand), one_in(hand, 2) ? _IO('P', below(hand, 256)) : draw(hand),
			      place(hand, 64));
		break;
	case CALL_MMAP: good = call_mmap(hand); break;
	case CALL_MAPPING: good = call_mapping(hand); break;
	case CALL_READ: good = call_read(hand); break;
	case CALL_POLL: good = call_poll(hand); break;
	case CALL_CHILD: good = call_child(hand); break;
	case CALL_MARKS: good = call_marks(hand); break;
	default: good = call_ioctl(hand, call); break;
	}
	__atomic_fetch_add(good ? &granted[call] : &refused[call], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&ns_of[call], wall_ns() - begin, __ATOMIC_RELAXED);
	return good;
}

static void *fuzz(void *data)
{
	uint64_t *calls = &calls_of[(uintptr_t)data % SEEDS];
	struct hand hand;

	hand_make(&hand, (uintptr_t)data);
	while (__atomic_fetch_add(&calls_made, 1, __ATOMIC_RELAXED) < calls_wanted) {
		one_call(&hand);
		__atomic_fetch_add(calls, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

/* A reader that lies about how far it has read, all the time. */
static void *lie(void *data)
{
	struct hand hand;

	hand_make(&hand, (uintptr_t)data);
	while (!time_is_up()) {
		uint32_t bytes = one_in(&hand, 2) ? PAGE : 4 * PAGE;
		struct session session = session_of(open_for_one(O_RDWR), NS_PER_MS, bytes);
		struct sysprof_sources sources = { .size = sizeof(sources) };

		fill_sources(&hand, &sources);
		ioctl(session.fd, SYSPROF_IOC_SOURCES, &sources);
		ioctl(session.fd, SYSPROF_IOC_START, NULL);
		for (unsigned i = 0; i < 1000 && !time_is_up(); i++) {
			unsigned cpu = below(&hand, session.cpus);
			uint32_t head = __atomic_load_n(&session.rings[cpu].page->head,
							__ATOMIC_ACQUIRE),
				 lies[] = {
					 head,
					 head - session.config.ring_bytes,
					 head - session.config.ring_bytes - 8,
					 head + 8,
					 head - below(&hand, session.config.ring_bytes),
					 draw(&hand),
					 head - 1,
					 0,
				 };

			__atomic_store_n(&session.rings[cpu].tail->tail,
					 lies[one_in(&hand, 25) ? below(&hand, 8) : 4],
					 __ATOMIC_RELEASE);
			__atomic_fetch_add(&tails_written, 1, __ATOMIC_RELAXED);
			if (session.rings[cpu].page->flags & SYSPROF_RING_BROKEN &&
			    one_in(&hand, 4)) {
				ioctl(session.fd, SYSPROF_IOC_STOP);
				ioctl(session.fd, SYSPROF_IOC_START, NULL);
			}
			/* As often as there are samples; the others have the CPU's time. */
			usleep(1000);
		}
		session_close(&session);
	}
	return NULL;
}

static void on_signal(int signal)
{
	(void)signal;
}

/* Nothing here may fault: what did, and where, is printed before it is the end. */
static void on_fault(int signal, siginfo_t *info, void *data)
{
	const ucontext_t *context = data;
	char buffer[4096];
	uint64_t ip = 0, sp = 0;
	ssize_t n;
	int maps;

#if defined(__x86_64__)
	ip = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
	sp = (uint64_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	ip = context->uc_mcontext.pc;
	sp = context->uc_mcontext.sp;
#endif
	dprintf(STDOUT_FILENO, "# signal %d, code %d, at %p: ip %#" PRIx64 ", sp %#" PRIx64 "\n", signal,
		info->si_code, info->si_addr, ip, sp);
	maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while ((n = read(maps, buffer, sizeof(buffer))) > 0)
		if (write(STDOUT_FILENO, buffer, (size_t)n) != n)
			break;
	/* Once more, by default. */
	sigaction(signal, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

/* An honest session, as if nothing had been. */
static void test_afterwards(void)
{
	struct session session = session_open(NS_PER_MS, 0);
	uint64_t delivered = 0;
	bool adds_up = true;

	if (!ok(!ioctl(session.fd, SYSPROF_IOC_START, NULL), "an honest session starts"))
		printf("# %s\n", strerror(errno));
	burn_ms(300);
	for (unsigned cpu = 0; cpu < session.cpus; cpu++) {
		struct sysprof_account account;

		if (!account_get(session.fd, cpu, &account))
			continue;
		adds_up &= account_sum(&account) == account.grid;
		delivered += account.delivered;
	}
	ok(adds_up && delivered, "... and its account adds up (%" PRIu64 " periods delivered)",
	   delivered);
	session_close(&session);
}

static int be_child(char **argv)
{
	struct hand hand;

	hand_make(&hand, strtoull(argv[2], NULL, 10));
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i] = one_in(&hand, 2) ? atoi(argv[3]) : -1;
	for (unsigned i = 0; i < 40; i++)
		one_call(&hand);
	return 0;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal },
			 fault = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, begin = wall_ns(), told = 0;
	uint64_t last_of[THREADS + 1] = { 0 };
	pthread_t threads[THREADS + 1];

	program = argv[0];
	read_build_id("/proc/self/exe", build_id);
	program_file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	own_mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	for (unsigned i = 0; i < CALL_KINDS; i++)
		weights += kinds[i].weight;
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
	if (argc == 4)
		return be_child(argv);

	calls_wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
	for (unsigned i = 0; i < SLOTS; i++)
		slots[i] = -1;
	for (unsigned i = 0; i <= THREADS; i++)
		if (pthread_create(&threads[i], NULL, i ? fuzz : lie,
				   (void *)(uintptr_t)(seed * SEEDS + i)))
			errx(1, "cannot make a thread");
	marks_start();
	crossed_start();
	/*
	 * A process that sleeps in the device, or is long at a call, gets a signal; how far this
	 * came is printed in case it does not come to its end.
	 */
	while (!time_is_up()) {
		uint64_t made = __atomic_load_n(&calls_made, __ATOMIC_RELAXED);

		usleep(20000);
		if (made >= told + 10000) {
			told = made;
			printf("# %" PRIu64 " calls in %" PRIu64 " s\n", told,
			       (uint64_t)((wall_ns() - begin) / NS_PER_S));
			fflush(stdout);
		}
		for (unsigned i = 1; i <= THREADS; i++) {
			uint64_t calls = __atomic_load_n(&calls_of[i], __ATOMIC_RELAXED);

			if (calls == last_of[i])
				pthread_kill(threads[i], SIGUSR1);
			last_of[i] = calls;
		}
	}
	for (unsigned i = 0; i <= THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < SLOTS; i++)
		if (slots[i] >= 0)
			close(slots[i]);
	crossed_end();
	marks_end();

	for (unsigned i = 0; i < CALL_KINDS; i++) {
		printf("# %s: %" PRIu64 " granted, %" PRIu64 " refused, in %" PRIu64 " ms\n",
		       kinds[i].name, granted[i], refused[i], (uint64_t)(ns_of[i] / NS_PER_MS));
		if (i != CALL_OPEN && i != CALL_MAP_FD && i != CALL_RAW_WISH &&
		    i != CALL_SLOW &&
		    i != CALL_OTHER_IOCTL && i != CALL_CHILD)
			ok(granted[i] && refused[i], "%s: some calls were granted, some refused",
			   kinds[i].name);
	}
	ok(calls_made >= calls_wanted && tails_written,
	   "%" PRIu64 " calls and %" PRIu64 " tails in %" PRIu64 " s", calls_wanted, tails_written,
	   (uint64_t)((wall_ns() - begin) / NS_PER_S));
	ok(!children_killed, "no child was killed by a signal (%" PRIu64 ")", children_killed);
	test_afterwards();
	return tests_end();
}
