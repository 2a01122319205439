// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz-device CALLS [SEED]: calls the device in every way, most of them nearly right: it knows the
 * ABI and gets one thing wrong, or does the right thing at the wrong time.  Eight threads share
 * sessions, open and close them under each other, fork and exec with descriptors at hand; one more
 * maps rings and writes whatever it likes into the reader's page.  What must hold is that the
 * kernel has nothing to say, and that an honest session works afterwards and its account adds up.
 */
#include "abi.h"
#include "sysprof-event.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define THREADS		8
#define SEEDS		64	/* of a seed that is given: each thread has its own */
#define SLOTS		8
#define MAPPINGS	16
#define BUFFER_BYTES	(256 * 1024)

/* What one thread (or child) has to itself. */
struct hand {
	uint64_t random;
	uint8_t *buffer;	/* BUFFER_BYTES, with an unmapped page behind it */
	struct {
		void *at;
		size_t bytes;
		bool is_tail;
	} mappings[MAPPINGS];
};

enum call {
	CALL_OPEN,
	CALL_CLOSE,
	CALL_INFO,
	CALL_CONFIGURE,
	CALL_START,
	CALL_STOP,
	CALL_SNAPSHOT,
	CALL_STATS,
	CALL_NAMES,
	CALL_MAP_FD,
	CALL_RAW_WISH,
	CALL_SLOW,
	CALL_TABLE,
	CALL_REVOKE,
	CALL_TRACEABLE,
	CALL_SOURCES,
	CALL_SOURCE_INFO,
	CALL_SOURCE_STATS,
	CALL_OTHER_IOCTL,
	CALL_MMAP,
	CALL_MAPPING,
	CALL_READ,
	CALL_POLL,
	CALL_CHILD,
	CALL_KINDS
};

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
	[CALL_TABLE] = { "TABLE", 60 },
	[CALL_REVOKE] = { "REVOKE", 20 },	[CALL_TRACEABLE] = { "TRACEABLE", 40 },
	[CALL_SOURCES] = { "SOURCES", 100 },	[CALL_SOURCE_INFO] = { "SOURCE_INFO", 30 },
	[CALL_SOURCE_STATS] = { "SOURCE_STATS", 60 },
};

static int slots[SLOTS];
static int own_mem;	/* /proc/self/mem */
static uint64_t calls_wanted, calls_made, calls_of[THREADS + 1], granted[CALL_KINDS],
	refused[CALL_KINDS], ns_of[CALL_KINDS], tails_written, children_killed;
static unsigned weights;
static const char *program;
static uint8_t build_id[20];	/* of this program */

static uint64_t draw(struct hand *hand)
{
	hand->random ^= hand->random << 13;
	hand->random ^= hand->random >> 7;
	hand->random ^= hand->random << 17;
	return hand->random * 0x2545f4914f6cdd1dULL >> 16;
}

static unsigned below(struct hand *hand, unsigned n)
{
	return draw(hand) % n;
}

static bool one_in(struct hand *hand, unsigned n)
{
	return !below(hand, n);
}

/* A number of the kind that breaks things. */
static uint64_t number(struct hand *hand)
{
	uint64_t power = 1ULL << below(hand, 64);

	switch (below(hand, 6)) {
	case 0: return 0;
	case 1: return below(hand, 10);
	case 2: return power;
	case 3: return power - 1;
	case 4: return -(uint64_t)below(hand, 4097);
	default: return draw(hand);
	}
}

/*
 * Somewhere: mostly the thread's buffer, so that @bytes end where it ends or lie at its beginning.
 * The kernel writes there, and more than @bytes where a number is spoilt: behind the buffer nothing
 * is mapped.
 */
static void *place(struct hand *hand, size_t bytes)
{
	if (bytes > BUFFER_BYTES)
		bytes = BUFFER_BYTES;
	switch (below(hand, 12)) {
	case 0: return NULL;
	case 1: return (void *)(uintptr_t)number(hand);
	case 2: return (void *)0xffffffff81000000UL;
	case 3: return hand->buffer + BUFFER_BYTES - bytes / 2;
	case 4: return hand->buffer + BUFFER_BYTES - bytes;
	case 5: return hand->buffer;
	default: return hand->buffer + BUFFER_BYTES / 2;
	}
}

/* The same for exactly @bytes, which may be in a mapping of the device. */
static void *place_of(struct hand *hand, size_t bytes)
{
	return one_in(hand, 12) && hand->mappings[0].at && hand->mappings[0].bytes >= bytes ?
		       hand->mappings[0].at :
		       place(hand, bytes);
}

static int slot(struct hand *hand)
{
	return __atomic_load_n(&slots[below(hand, SLOTS)], __ATOMIC_RELAXED);
}

/* Spoils one word, or the size, or nothing. */
static void spoil(struct hand *hand, void *arg, size_t bytes)
{
	static const int sizes[] = { 0, 4, 8, -8, -4, 8, 64, 4096, 8192 };
	uint32_t size = bytes;
	unsigned which;

	memcpy(arg, &size, sizeof(size));
	switch (below(hand, 4)) {
	case 0:
		which = below(hand, bytes / 4);
		*(uint32_t *)((uint8_t *)arg + which * 4) = number(hand);
		break;
	case 1:
		which = below(hand, sizeof(sizes) / sizeof(sizes[0]));
		size = which < 3 ? (uint32_t)sizes[which] : bytes + sizes[which];
		memcpy(arg, &size, sizeof(size));
		break;
	}
}

static void fill_config(struct hand *hand, struct sysprof_config *config)
{
	/* Large ones are rare: pages are cleared at length, and nothing is learnt of it. */
	static const uint32_t rings[] = { 4096, 4096, 8192, 8192, 65536, 4095, 1 << 31 },
			      large[] = { 0, 1 << 20 };
	uint32_t *lists = (uint32_t *)hand->buffer;

	*config = (struct sysprof_config){
		.period_ns = one_in(hand, 64) ? number(hand) : below(hand, 8) * NS_PER_MS,
		.flags = one_in(hand, 3) ? 1U << below(hand, 6) : 0,
		.form = below(hand, 3),
		.user_mode = one_in(hand, 3) ? below(hand, 6) :
			     one_in(hand, 2) ? SYSPROF_USER_TABLE + 1 :
					       0,
		.max_kernel_frames = below(hand, 200),
		.max_user_frames = below(hand, 400),
		.ring_bytes = one_in(hand, 32) ?
				      large[below(hand, 2)] :
				      rings[below(hand, sizeof(rings) / sizeof(rings[0]))],
		.watermark_bytes = one_in(hand, 2) ? number(hand) : 0,
		.cgroup_fd = one_in(hand, 8) ? slot(hand) : 0,
		.raw_bytes = one_in(hand, 16) ? number(hand) : 0,
	};
	if (one_in(hand, 3)) {
		lists[0] = getpid();
		lists[1] = number(hand);
		config->nr_pids = below(hand, 3);
		config->pids = (uintptr_t)lists;
		config->nr_uids = below(hand, 3);
		config->uids = (uintptr_t)(lists + 1);
		config->cpus_bytes = 8 * below(hand, 3);
		config->cpus = (uintptr_t)(lists + 2);
	}
	if (one_in(hand, 16))
		config->pids = (uintptr_t)place(hand, 256);
}

/*
 * A table that is nearly one, in the buffer's second half, often of this very program: each
 * session that samples it follows it.
 */
static void fill_table(struct hand *hand, struct sysprof_table *arg)
{
	uint8_t *at = hand->buffer + BUFFER_BYTES / 2;
	struct sysprof_table_header *header = (void *)at;
	uint32_t n_rows = below(hand, 64), n_rules = 1 + below(hand, 8),
		 *offsets = (void *)(header + 1), offset = 0;
	uint16_t *rules = (void *)(offsets + n_rows);
	struct sysprof_table_rule *rule = (void *)(at + sizeof(*header) + (n_rows * 6 + 7) / 8 * 8);
	uint32_t n_starts = below(hand, 16), *starts = (void *)(rule + n_rules);

	*header = (struct sysprof_table_header){ SYSPROF_TABLE_MAGIC, SYSPROF_TABLE_VERSION, 62,
						 n_rows, n_rules, n_starts, 0 };
	memset(header + 1, 0,
	       (n_rows * 6 + 7) / 8 * 8 + n_rules * sizeof(*rule) + (n_starts * 4 + 7) / 8 * 8);
	for (uint32_t i = 0; i < n_rows; i++) {
		offsets[i] = offset;
		offset += 1 + below(hand, 4096);
		rules[i] = i + 1 < n_rows ? below(hand, n_rules) : 0;
	}
	for (uint32_t i = 0; i < n_starts; i++)
		starts[i] = i * 512 + below(hand, 512);
	for (uint32_t i = 1; i < n_rules; i++) {
		rule[i] = (struct sysprof_table_rule){
			.cfa = below(hand, 6),
			.cfa_register = one_in(hand, 2) ? 7 : below(hand, 16),
			.ra = one_in(hand, 2) ? 1 : below(hand, 3),
			.ra_register = below(hand, 16),
			.index_register = below(hand, 16),
			.is_signal = one_in(hand, 4),
			.at_cfa = one_in(hand, 2) ? 2 : 0,
			.at_fp = one_in(hand, 4) ? 1 : 0,
			.lost = one_in(hand, 4) ? 4 : 0,
			.cfa_offset = one_in(hand, 4) ? (int32_t)number(hand) :
							(int32_t)(8 * below(hand, 64)),
			.cfa_add = one_in(hand, 4) ? (int32_t)number(hand) : 8,
			.ra_offset = one_in(hand, 4) ? (int32_t)number(hand) :
						       -8 * (int32_t)below(hand, 4),
			.saved = { (int16_t)number(hand), -2 },
		};
	}
	if (one_in(hand, 8))
		at[below(hand, 4096)] = number(hand);
	arg->table = one_in(hand, 16) ? (uintptr_t)place(hand, 4096) : (uintptr_t)at;
	arg->bytes = one_in(hand, 16) ? (uint32_t)number(hand) :
					(uint32_t)((uint8_t *)(starts + (n_starts + 1) / 2 * 2) -
						   at);
	arg->build_id_bytes = 20;
	memcpy(arg->build_id, build_id, 20);
	/* Of many programs, that are not there. */
	if (one_in(hand, 2))
		arg->build_id[0] = number(hand);
}

/* Some that are there, in the buffer's second half. */
static void fill_sources(struct hand *hand, struct sysprof_sources *arg)
{
	struct sysprof_source *sources = (void *)(hand->buffer + BUFFER_BYTES / 2);

	arg->nr = one_in(hand, 16) ? (uint32_t)number(hand) : below(hand, 4);
	arg->source_bytes = one_in(hand, 16) ? (uint32_t)number(hand) : sizeof(*sources);
	arg->sources = one_in(hand, 16) ? (uintptr_t)place(hand, 256) : (uintptr_t)sources;
	for (unsigned i = 0; i < 4; i++)
		sources[i] = (struct sysprof_source){
			.kind = one_in(hand, 8) ? below(hand, 32) : i ? 3 : 1,
			.flags = one_in(hand, 4) ? SYSPROF_SOURCE_OPTIONAL : 0,
			.stacks = i ? 0 : below(hand, 8),
			.period = one_in(hand, 3) ? 1000000 : one_in(hand, 8) ? number(hand) : 0,
			.threshold = one_in(hand, 8) ? number(hand) : 0,
		};
}

/* The argument of an ioctl: as it should be, but for what spoil() does; its size. */
static size_t fill(struct hand *hand, enum call call, void *arg)
{
	struct sysprof_snapshot *snapshot = arg;
	struct sysprof_raw_wish *wish = arg;
	struct sysprof_map_fd *map_fd = arg;
	struct sysprof_stats *stats = arg;
	struct sysprof_names *names = arg;

	memset(arg, 0, PAGE);
	switch (call) {
	case CALL_INFO:
		return sizeof(struct sysprof_info);
	case CALL_CONFIGURE:
		fill_config(hand, arg);
		return sizeof(struct sysprof_config);
	case CALL_START:
		return sizeof(struct sysprof_start);
	case CALL_SNAPSHOT:
		snapshot->part = below(hand, 4);
		snapshot->cursor = one_in(hand, 2) ? 0 : number(hand);
		snapshot->buffer_bytes = one_in(hand, 16) ? number(hand) :
					 one_in(hand, 4)  ? below(hand, 65536) :
							    65536;
		snapshot->buffer = (uintptr_t)place(hand, 65536);
		return sizeof(*snapshot);
	case CALL_STATS:
		stats->cpu = one_in(hand, 4) ? number(hand) : below(hand, 4);
		return sizeof(*stats);
	case CALL_NAMES:
		names->nr = one_in(hand, 32) ? number(hand) : below(hand, 8);
		names->names = (uintptr_t)place(hand, names->nr * sizeof(struct sysprof_name));
		for (unsigned i = 0; i < 8; i++)
			((struct sysprof_name *)(hand->buffer + BUFFER_BYTES / 2))[i].frame =
				(uint64_t)below(hand, 4) << SYSPROF_FRAME_OBJECT_SHIFT |
				(number(hand) & SYSPROF_FRAME_OFFSET_MASK);
		return sizeof(*names);
	case CALL_REVOKE:
		/* Never root's own: the session of the reader that lies has to work. */
		((struct sysprof_revoke *)arg)->uid = number(hand) | 1;
		return sizeof(struct sysprof_revoke);
	case CALL_TRACEABLE:
		((struct sysprof_traceable *)arg)->pid =
			one_in(hand, 4) ? number(hand) : (uint32_t)getpid();
		((struct sysprof_traceable *)arg)->fd = one_in(hand, 4) ? (int)number(hand) :
						       one_in(hand, 2)	? slot(hand) :
									  own_mem;
		return sizeof(struct sysprof_traceable);
	case CALL_SOURCES:
		fill_sources(hand, arg);
		return sizeof(struct sysprof_sources);
	case CALL_SOURCE_INFO:
		((struct sysprof_source_infos *)arg)->nr = below(hand, 5);
		((struct sysprof_source_infos *)arg)->info_bytes =
			one_in(hand, 8) ? (uint32_t)number(hand) :
					  sizeof(struct sysprof_source_info);
		((struct sysprof_source_infos *)arg)->infos = (uintptr_t)place(hand, 1024);
		return sizeof(struct sysprof_source_infos);
	case CALL_SOURCE_STATS:
		((struct sysprof_source_stats *)arg)->cpu =
			one_in(hand, 8) ? (uint32_t)number(hand) : below(hand, 2);
		((struct sysprof_source_stats *)arg)->source = one_in(hand, 4) ? below(hand, 5) : 1;
		return sizeof(struct sysprof_source_stats);
	case CALL_TABLE:
		fill_table(hand, arg);
		return sizeof(struct sysprof_table);
	case CALL_SLOW:
		((struct sysprof_slow *)arg)->part =
			one_in(hand, 4) ? (uint32_t)number(hand) : below(hand, 64);
		return sizeof(struct sysprof_slow);
	case CALL_RAW_WISH:
		wish->bytes = one_in(hand, 4) ? number(hand) : below(hand, 16) * 1024;
		if (one_in(hand, 2))
			memset(wish->comm, 'a' + below(hand, 26),
			       1 + below(hand, sizeof(wish->comm)));
		return sizeof(*wish);
	default:
		map_fd->object =
			one_in(hand, 4) ? number(hand) : SYSPROF_OBJECT_FIRST + below(hand, 64);
		return sizeof(*map_fd);
	}
}

static bool call_ioctl(struct hand *hand, enum call call)
{
	static const unsigned commands[CALL_KINDS] = {
		[CALL_INFO] = SYSPROF_IOC_INFO,	    [CALL_CONFIGURE] = SYSPROF_IOC_CONFIGURE,
		[CALL_START] = SYSPROF_IOC_START,   [CALL_SNAPSHOT] = SYSPROF_IOC_SNAPSHOT,
		[CALL_STATS] = SYSPROF_IOC_STATS,   [CALL_NAMES] = SYSPROF_IOC_NAMES,
		[CALL_MAP_FD] = SYSPROF_IOC_MAP_FD, [CALL_RAW_WISH] = SYSPROF_IOC_RAW_WISH,
		[CALL_SLOW] = SYSPROF_IOC_SLOW,
		[CALL_TABLE] = SYSPROF_IOC_TABLE,   [CALL_REVOKE] = SYSPROF_IOC_REVOKE,
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
	if (!ret && call == CALL_MAP_FD && ((struct sysprof_map_fd *)arg)->fd > 2)
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
	at = mmap(NULL, length, protection, flags, slot(hand), offset);
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
	default: good = call_ioctl(hand, call); break;
	}
	__atomic_fetch_add(good ? &granted[call] : &refused[call], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&ns_of[call], wall_ns() - begin, __ATOMIC_RELAXED);
	return good;
}

static void hand_make(struct hand *hand, uint64_t seed)
{
	memset(hand, 0, sizeof(*hand));
	hand->random = seed * 0x9e3779b97f4a7c15ULL + 1;
	hand->buffer = mmap(NULL, BUFFER_BYTES + PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (hand->buffer == MAP_FAILED || mprotect(hand->buffer + BUFFER_BYTES, PAGE, PROT_NONE))
		err(1, "cannot have memory");
}

static bool time_is_up(void)
{
	return __atomic_load_n(&calls_made, __ATOMIC_RELAXED) >= calls_wanted;
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
		struct session session =
			session_open(NS_PER_MS, one_in(&hand, 2) ? PAGE : 4 * PAGE);
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
