/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a process finds its recorder and a thread its ring, and what it does when the ring is full.
 */
#include "thread.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "rules.h"
#include "system.h"

#define WAIT_NS 20000000L
#define SIGNALS_BYTES 8
/* A thread looks so often for room in its ring, and whether the recording is over. */
#define LOOK_WORDS 4096u
#define ERRORS_FROM (-4095L)

/* Of this process; wiped in a child. */
struct process {
	uint32_t image;
	struct spt_thread *threads[SPT_RINGS_SLOTS];	/* memory, by slot */
};

struct spt_recorder_link spt_link;
bool spt_has_counter;
static struct process *process;
/* 0: not tried yet, 1: by one thread, 2: done. */
static uint32_t link_state;

__thread struct spt_thread *spt_self __attribute__((tls_model("initial-exec")));

static bool has_failed(long ret)
{
	return ret < 0 && ret >= ERRORS_FROM;
}

uint64_t spt_stamp_by_call(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) >> SPT_STAMP_SHIFT;
}

/* Environment.  The process's own may not be set up yet, or may be another one. */

/* Copies the value of @name from the contents of @fd. */
static bool find_variable(int fd, const char *name, char *value, size_t bytes)
{
	char buffer[1024];
	size_t matched = 0, n = 0, length = strlen(name);
	bool is_start = true, is_value = false;
	long got;

	while ((got = spt_call(SYS_read, fd, buffer, sizeof(buffer), 0)) > 0) {
		for (long i = 0; i < got; i++) {
			char c = buffer[i];

			if (is_value) {
				value[n++] = c;
				if (!c || n == bytes)
					return !c;
			} else if (is_start && matched < length && c == name[matched]) {
				matched++;
			} else if (is_start && matched == length && c == '=') {
				is_value = true;
			} else {
				is_start = !c;
				matched = 0;
			}
		}
	}
	return false;
}

static bool read_variable(char *value, size_t bytes)
{
	long fd = spt_call(SYS_openat, AT_FDCWD, "/proc/self/environ", O_RDONLY | O_CLOEXEC, 0);
	bool found;

	if (has_failed(fd))
		return false;
	found = find_variable((int)fd, SPT_RINGS_VARIABLE, value, bytes);
	spt_call(SYS_close, fd, 0, 0, 0);
	return found;
}

/* Memory that is private to the process, and wiped in its children. */
static void *allocate(size_t bytes)
{
	long at = spt_call6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (has_failed(at))
		return NULL;
	if (has_failed(spt_call(SYS_madvise, at, bytes, MADV_WIPEONFORK, 0))) {
		spt_call(SYS_munmap, at, bytes, 0, 0);
		return NULL;
	}
	return (void *)at;
}

static bool is_ours(const struct spt_rings_header *rings)
{
	return rings->magic == SPT_RINGS_MAGIC && rings->version == SPT_RINGS_VERSION &&
	       rings->n_slots == SPT_RINGS_SLOTS && rings->ring_words == SPT_RING_WORDS;
}

/* Maps the file; the program's table of descriptors has it only for that time. */
static void connect_recorder(void)
{
	struct stat stat = { 0 };
	long fd, at;

	if (!read_variable(spt_link.path, sizeof(spt_link.path)))
		return;
	fd = spt_call(SYS_openat, AT_FDCWD, spt_link.path, O_RDWR | O_CLOEXEC, 0);
	if (has_failed(fd))
		return;
	spt_call(SYS_fstat, fd, &stat, 0, 0);
	at = ERRORS_FROM;
	if ((uint64_t)stat.st_size >= spt_rings_bytes())
		at = spt_call6(SYS_mmap, 0, (long)spt_rings_bytes(), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_NORESERVE, fd, 0);
	spt_call(SYS_close, fd, 0, 0, 0);
	if (has_failed(at) || !is_ours((void *)at))
		return;
	/* Not part of a core file. */
	spt_call(SYS_madvise, at, spt_rings_bytes(), MADV_DONTDUMP, 0);
	spt_link.inode = stat.st_ino;
	process = allocate(sizeof(*process));
	spt_has_counter = ((struct spt_rings_header *)at)->clock == SPT_RINGS_TSC;
	if (process)
		spt_link.rings = (void *)at;
}

bool spt_link_check(void)
{
	struct stat stat = { 0 };
	struct spt_rings_header *rings = spt_link.rings;

	if (!has_failed(spt_call(SYS_newfstatat, AT_FDCWD, spt_link.path, &stat, 0)) &&
	    stat.st_ino == spt_link.inode)
		return true;
	__atomic_store_n(&rings->is_over, 1, __ATOMIC_RELAXED);
	return false;
}

/* Ring. */

/* Everything written so far is visible to the reader. */
static void commit(struct spt_thread *thread, uint32_t head)
{
	/* Pairs with the acquire of the head in spt_ring_reader_begin(). */
	__atomic_store_n(&thread->slot->head, head, __ATOMIC_RELEASE);
}

static bool has_room(const struct spt_ring_slot *slot, uint32_t end)
{
	/* Pairs with the release of the tail in spt_ring_reader_end(). */
	return end - __atomic_load_n(&slot->tail, __ATOMIC_ACQUIRE) <= SPT_RING_WORDS;
}

static bool is_over(void)
{
	return __atomic_load_n(&spt_link.rings->is_over, __ATOMIC_RELAXED);
}

static void wait_for_room(struct spt_thread *thread, uint32_t at, uint32_t end)
{
	struct spt_ring_slot *slot = thread->slot;
	const struct timespec patience = { .tv_nsec = WAIT_NS };
	uint64_t begin = spt_stamp_by_call();

	/* All events before are complete, unless they belong to an interrupted call. */
	if (thread->state == SPT_BUSY)
		commit(thread, at);
	slot->waits++;
	while (!has_room(slot, end) && !is_over()) {
		uint32_t tail = __atomic_load_n(&slot->tail, __ATOMIC_ACQUIRE);

		__atomic_store_n(&slot->is_waiting, 1, __ATOMIC_SEQ_CST);
		if (has_room(slot, end))
			break;
		spt_call(SYS_futex, &slot->tail, FUTEX_WAIT, tail, &patience);
		if (!has_room(slot, end) && !spt_link_check())
			break;
	}
	slot->waited_ns += (spt_stamp_by_call() - begin) << SPT_STAMP_SHIFT;
}

void spt_ring_wait(struct spt_thread *thread, uint32_t at, uint32_t end)
{
	if (!has_room(thread->slot, end) && !is_over())
		wait_for_room(thread, at, end);
	/* Behind the end of the recording words are in vain, and later calls write none. */
	if (is_over())
		thread->idle_state = SPT_IDLE_OTHER;
	thread->limit = end;
	if (has_room(thread->slot, end + LOOK_WORDS))
		thread->limit += LOOK_WORDS;
}

/* Threads. */

static bool claim_slot(struct spt_thread **ret_thread)
{
	struct spt_rings_header *rings = spt_link.rings;
	uint32_t first = __atomic_fetch_add(&rings->next_slot, 1, __ATOMIC_RELAXED), i;
	struct spt_ring_slot *slot;
	struct spt_thread *thread = spt_self;

	for (i = 0; i < SPT_RINGS_SLOTS; i++) {
		uint32_t expected = SPT_SLOT_FREE;

		slot = spt_rings_slot(rings, (first + i) % SPT_RINGS_SLOTS);
		/* Acquire: pairs with the release by which the recorder frees a slot. */
		if (__atomic_compare_exchange_n(&slot->state, &expected, SPT_SLOT_TAKEN, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
	}
	if (i == SPT_RINGS_SLOTS)
		return false;
	i = (first + i) % SPT_RINGS_SLOTS;
	if (!thread)
		thread = process->threads[i] ? process->threads[i] : allocate(sizeof(*thread));
	process->threads[i] = thread;
	slot->pid = (uint32_t)spt_call(SYS_getpid, 0, 0, 0, 0);
	slot->tid = (uint32_t)spt_call(SYS_gettid, 0, 0, 0, 0);
	slot->image = process->image;
	slot->library = spt_library;
	slot->begin = spt_stamp();
	slot->waits = slot->waited_ns = slot->dropped = 0;
	/* Pairs with the acquire by which the recorder finds the slot. */
	__atomic_store_n(&slot->is_ready, 1, __ATOMIC_RELEASE);
	if (!thread)
		return false;
	thread->words = spt_rings_words(rings, i);
	thread->reserved = thread->limit = slot->head;
	thread->last_stamp = 0;
	/* Begins by reporting that nothing is known. */
	thread->generation = SPT_STALE;
	thread->n_nodes = SPT_NODE_FIRST;
	thread->stack_begin = thread->stack_end = 0;
	thread->slot = slot;
	thread->idle_state = SPT_IDLE_OTHER;
	spt_thread_begun(thread);
	thread->state = thread->idle_state;
	*ret_thread = thread;
	return true;
}

struct spt_rings_header *spt_link_begin(void)
{
	uint32_t none = 0;

	if (__atomic_load_n(&link_state, __ATOMIC_ACQUIRE) == 0 &&
	    __atomic_compare_exchange_n(&link_state, &none, 1, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED)) {
		connect_recorder();
		__atomic_store_n(&link_state, 2, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&link_state, __ATOMIC_ACQUIRE) != 2)
		spt_call(SYS_sched_yield, 0, 0, 0, 0);
	if (!spt_link.rings || __atomic_load_n(&spt_link.rings->is_over, __ATOMIC_RELAXED))
		return NULL;
	return spt_link.rings;
}

static struct spt_thread *begin(void)
{
	struct spt_rings_header *rings = spt_link_begin();
	struct spt_thread *thread = NULL;
	uint32_t none = 0;

	if (!rings)
		return NULL;
	if (!__atomic_load_n(&process->image, __ATOMIC_RELAXED)) {
		uint32_t image =
			__atomic_add_fetch(&rings->next_image, 1, __ATOMIC_RELAXED);

		__atomic_compare_exchange_n(&process->image, &none, image, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	}
	if (!claim_slot(&thread)) {
		__atomic_fetch_add(&rings->unseen, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	spt_self = thread;
	return thread;
}

struct spt_thread *spt_thread_begin(void)
{
	uint64_t all = ~0ULL, before = 0;
	struct spt_thread *thread;

	if (__atomic_load_n(&link_state, __ATOMIC_ACQUIRE) == 2 &&
	    (!spt_link.rings || spt_link.rings->is_over))
		return NULL;
	/* A handler that allocates would begin, too. */
	spt_call(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, SIGNALS_BYTES);
	thread = spt_self && spt_self->state ? spt_self : begin();
	spt_call(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, SIGNALS_BYTES);
	return thread;
}
