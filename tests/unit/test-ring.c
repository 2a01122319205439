// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module/ring.c hammered: one thread is a CPU that writes and is interrupted at random steps, three
 * deep, while another thread reads as the ABI says.  Built with ThreadSanitizer it shows what is
 * missing in barriers between the two worlds; built without, a third thread sends the writer
 * signals, interrupts that come at any instruction.
 */
#include "ring.c"

#include <glib.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#define RECORDS		100000U	/* of the outermost writer, unless $RING_RECORDS says fewer */
#define UNREAD		2000U	/* written before there is a reader */
#define MAX_IDS		(8 * RECORDS)
#define MAX_DEPTH	3
#define MAX_WORDS	40
#define SAMPLE		1

#ifdef __SANITIZE_THREAD__
#define WITH_SIGNALS	0	/* it holds them back to the next call of the C library */
#else
#define WITH_SIGNALS	1
#endif

int shim_fence;
long shim_allocated, shim_fail_after = -1;
bool shim_without_release;

enum fate { UNUSED, LOST, WRITTEN };

static struct sysprof_ring ring;
static uint8_t fate[MAX_IDS];	/* the writer's */
static uint8_t seen[MAX_IDS];	/* the reader's */
static uint32_t next_id, random_state = 1;
static volatile sig_atomic_t depth;
static bool on_cpu;		/* the writer is at it: only its thread may be interrupted */
static __thread bool is_writer;
static bool writer_done;
static u32 records = RECORDS;
static uint64_t reader_rounds;

static void write_one(void);

/* Nested writers change it under each other, which is as good as any. */
static uint32_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

static void interrupt(void)
{
	depth++;
	write_one();
	depth--;
}

void shim_step(void)
{
	if (is_writer && on_cpu && depth < MAX_DEPTH && draw() % 32 == 0)
		interrupt();
}

static void on_signal(int signal)
{
	(void)signal;
	if (on_cpu && depth < MAX_DEPTH)
		interrupt();
}

u64 ktime_get_mono_fast_ns(void)
{
	struct timespec now;

	shim_step();
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void write_one(void)
{
	u32 id = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED), words = draw() % MAX_WORDS;
	u32 bytes = sizeof(struct sysprof_record) + words * 8;
	struct sysprof_record *record;

	if (id >= MAX_IDS)
		return;
	record = sysprof_ring_reserve(&ring, bytes, draw() % 2 ? ring.bytes : ring.bytes / 4 * 3);
	if (!record) {
		fate[id] = LOST;
		return;
	}
	*record = (struct sysprof_record){
		.type = SAMPLE, .size = bytes / 8, .time = record->time, .pid = id
	};
	for (u32 i = 0; i < words; i++) {
		((u64 *)(record + 1))[i] = id * 0x9e3779b97f4a7c15ULL + i;
		if (i % 16 == 0)
			shim_step();
	}
	fate[id] = WRITTEN;
	sysprof_ring_commit(&ring);
}

static void *writer(void *unused)
{
	is_writer = true;
	on_cpu = true;
	for (u32 i = 0; i < records; i++) {
		write_one();
		/* Mostly as slow as the reader: a ring that is always full teaches nothing. */
		while (i % 64 && __atomic_load_n(&ring.tail->tail, __ATOMIC_RELAXED) +
						 ring.bytes / 2 - ring.page->head >
					 ring.bytes / 2)
			sched_yield();
	}
	on_cpu = false;
	__atomic_store_n(&writer_done, true, __ATOMIC_RELEASE);
	return unused;
}

static void check(const struct sysprof_record *record, uint64_t safe)
{
	const u64 *body = (const void *)(record + 1);

	g_assert_cmpuint(record->type, ==, SAMPLE);
	g_assert_cmpuint(record->pid, <, MAX_IDS);
	g_assert_cmpuint(seen[record->pid], ==, 0);
	g_assert_cmpuint(record->time, >=, safe);
	for (u32 i = 0; i < record->size - sizeof(*record) / 8; i++)
		g_assert_cmpuint(body[i], ==, record->pid * 0x9e3779b97f4a7c15ULL + i);
	seen[record->pid] = 1;
}

/* One round of a reader: what is older than what it returns is complete. */
static uint64_t read_round(uint64_t safe)
{
	u32 tail = ring.tail->tail, head;
	u64 now = ktime_get_mono_fast_ns(), open;

	open = __atomic_load_n(&ring.page->oldest_open_time, __ATOMIC_ACQUIRE);
	head = __atomic_load_n(&ring.page->head, __ATOMIC_ACQUIRE);
	g_assert_cmpuint(head - tail, <=, ring.bytes);
	while (tail != head) {
		const struct sysprof_record *record =
			(void *)(ring.data + (tail & (ring.bytes - 1)));

		g_assert_cmpuint(record->size, >, 0);
		g_assert_cmpuint(record->size * 8, <=, head - tail);
		if (record->type != SYSPROF_PAD)
			check(record, safe);
		tail += record->size * 8;
	}
	__atomic_store_n(&ring.tail->tail, tail, __ATOMIC_RELEASE);
	reader_rounds++;
	return MAX(safe, open ? MIN(open, now) : now);
}

static void *reader(void *unused)
{
	uint64_t safe = 0;
	bool last;

	do {
		last = __atomic_load_n(&writer_done, __ATOMIC_ACQUIRE);
		safe = read_round(safe);
		/* Now and then it is slow, and the ring runs full. */
		if (reader_rounds % 64 == 0)
			g_usleep(300);
		else if (reader_rounds % 4 == 0)
			sched_yield();
	} while (!last);
	return unused;
}

static void hammer(u32 bytes)
{
	unsigned lost = 0, written = 0;
	pthread_t threads[2];
	unsigned signals = 0;

	next_id = 0;
	writer_done = false;
	reader_rounds = 0;
	memset(fate, 0, sizeof(fate));
	memset(seen, 0, sizeof(seen));
	if (sysprof_ring_init(&ring, bytes, 0))
		g_error("no memory");
	sysprof_ring_reset(&ring);
	/* Nobody reads yet: these do not all fit. */
	for (u32 i = 0; i < UNREAD; i++)
		write_one();
	if (pthread_create(&threads[1], NULL, reader, NULL) ||
	    pthread_create(&threads[0], NULL, writer, NULL))
		g_error("no threads");
	while (WITH_SIGNALS && !__atomic_load_n(&writer_done, __ATOMIC_ACQUIRE)) {
		pthread_kill(threads[0], SIGUSR1);
		signals++;
		g_usleep(20);
	}
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);

	for (u32 id = 0; id < MIN(next_id, MAX_IDS); id++) {
		g_assert_cmpuint(fate[id], !=, UNUSED);
		g_assert_cmpuint(seen[id], ==, fate[id] == WRITTEN);
		lost += fate[id] == LOST;
		written += fate[id] == WRITTEN;
	}
	g_test_message("%u bytes: %u read, %u lost, %u signals, %" G_GUINT64_FORMAT " rounds",
		       bytes, written, lost, signals, reader_rounds);
	g_assert_cmpuint(next_id, >, records);
	g_assert_cmpuint(lost, >, 0);
	g_assert_cmpuint(written, >, records / 100);
	g_assert_cmpuint(ring.page->oldest_open_time, ==, 0);
	sysprof_ring_deinit(&ring);
	g_assert_cmpint(shim_allocated, ==, 0);
}

static void test_small(void)
{
	hammer(PAGE_SIZE);
}

static void test_larger(void)
{
	hammer(16 * PAGE_SIZE);
}

#ifdef __SANITIZE_THREAD__
/* That races are seen at all: the same without the release that publishes. */
static void test_seeded(void)
{
	if (g_test_subprocess()) {
		shim_without_release = true;
		hammer(16 * PAGE_SIZE);
		return;
	}
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_failed();
	g_test_trap_assert_stderr("*ThreadSanitizer: data race*");
}
#endif

/*
 * Whatever a reader writes as its tail: refused, or at worst its own records are overwritten;
 * nothing beside the ring.
 */
static void test_hostile_tail(void)
{
	if (sysprof_ring_init(&ring, PAGE_SIZE, 0))
		g_error("no memory");
	for (u32 round = 0; round < 20000; round++) {
		u32 bytes = sizeof(struct sysprof_record) + draw() % MAX_WORDS * 8,
		    head = local_read(&ring.head), tail = draw(), used;
		void *room;

		if (round % 3)
			tail = head - draw() % (2 * PAGE_SIZE);
		used = head - tail;
		ring.tail->tail = tail;
		room = sysprof_ring_reserve(&ring, bytes, PAGE_SIZE);
		g_assert_true(used <= PAGE_SIZE ||
			      (!room && ring.page->flags == SYSPROF_RING_BROKEN));
		if (room) {
			g_assert_true((u8 *)room >= ring.data &&
				      (u8 *)room + bytes <= ring.data + PAGE_SIZE);
			memset(room, 0, bytes);
			sysprof_ring_commit(&ring);
		} else {
			/* Broken is broken until the next start. */
			ring.tail->tail = head;
			g_assert_true((ring.page->flags != 0) ==
				      !sysprof_ring_reserve(&ring, 32, PAGE_SIZE));
			sysprof_ring_reset(&ring);
		}
		g_assert_cmpint(local_read(&ring.nest), ==, 0);
	}
	sysprof_ring_deinit(&ring);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER | SA_RESTART };
	const char *fewer = g_getenv("RING_RECORDS");

	g_test_init(&argc, &argv, NULL);
	if (fewer)
		records = CLAMP(atoi(fewer), 1000, (int)RECORDS);
	sigaction(SIGUSR1, &action, NULL);
	g_test_add_func("/ring/a-page", test_small);
	g_test_add_func("/ring/more-pages", test_larger);
	g_test_add_func("/ring/hostile-tail", test_hostile_tail);
#ifdef __SANITIZE_THREAD__
	g_test_add_func("/ring/a-seeded-race", test_seeded);
#endif
	return g_test_run();
}
