// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module/ring.c itself, run through every order in which one CPU's interrupts and a reader
 * elsewhere can meet a writer's steps: all of them, up to a number of interrupts and of reader's
 * rounds.  So that one can believe it, the same exploration must find what is wrong with rings that
 * are wrong in one place each.  It knows order, not memory models: see test-ring.c.
 */
#include "ring.c"
#include "ring-mutants.h"

#include <glib.h>
#include <setjmp.h>

#define RING_BYTES	128	/* of a page: small, so that it fills and wraps */
#define MAX_RECORDS	8
#define MAX_CHOICES	512
#define SAMPLE		1

int shim_fence;
long shim_allocated, shim_fail_after = -1;
bool shim_without_release;

struct variant {
	const char *what;
	void (*reset)(struct sysprof_ring *ring);
	struct sysprof_record *(*reserve)(struct sysprof_ring *ring, u32 bytes, u32 limit);
	void (*commit)(struct sysprof_ring *ring);
};

static const struct variant right = { "the ring as it is", sysprof_ring_reset, sysprof_ring_reserve,
				      sysprof_ring_commit };
static const struct variant mutants[] = { RING_MUTANTS };

/* How much is explored. */
struct scope {
	unsigned records;	/* of the outermost writer, one after the other */
	unsigned interrupts;	/* in all, on top of it or of each other */
	unsigned rounds;	/* of the reader */
	bool fine;		/* each load of the reader's is a step of its own */
};

/*
 * The choices of the run under way; the run after it differs in the last that can still be
 * increased.
 */
static struct {
	unsigned made[MAX_CHOICES], of[MAX_CHOICES], n, known;
} path;

static struct {
	const struct variant *variant;
	const struct scope *scope;
	struct sysprof_ring ring;
	jmp_buf failed;
	const char *failure;
	bool running;
	u64 now;
	unsigned interrupts, depth, next_id;
	bool written[MAX_RECORDS], seen[MAX_RECORDS];
	/* The reader. */
	unsigned rounds, stage;
	u64 reader_now, reader_open, safe;
	u32 reader_head;
} world;

static void writer(void);

static unsigned choose(unsigned n)
{
	if (path.n == path.known) {
		g_assert_cmpuint(path.n, <, MAX_CHOICES);
		path.made[path.n] = 0;
		path.of[path.n] = n;
		path.known++;
	}
	return path.made[path.n++];
}

/* To the next run; false when there was none left. */
static bool next_path(void)
{
	while (path.known && ++path.made[path.known - 1] == path.of[path.known - 1])
		path.known--;
	path.n = 0;
	return path.known;
}

static void require(bool good, const char *failure)
{
	if (good)
		return;
	world.failure = failure;
	world.running = false;
	longjmp(world.failed, 1);
}

/*
 * What a reader finds must be what somebody wrote, whole, once, and not older than what was
 * reported to be complete.
 */
static void consume(u32 head)
{
	u32 tail = __atomic_load_n(&world.ring.tail->tail, __ATOMIC_RELAXED);

	require(head - tail <= RING_BYTES, "the head is more than the ring ahead of the tail");
	while (tail != head) {
		const struct sysprof_record *record =
			(void *)(world.ring.data + (tail & (RING_BYTES - 1)));
		const u64 *body = (const void *)(record + 1);

		require(record->size && record->size * 8U <= head - tail,
			"a record has no sensible size");
		if (record->type != SYSPROF_PAD) {
			require(record->type == SAMPLE && record->pid < world.next_id &&
					world.written[record->pid],
				"a record was published before it was whole");
			require(!world.seen[record->pid], "a record was published twice");
			for (unsigned i = 0; i < record->size - sizeof(*record) / 8U; i++)
				require(body[i] == record->pid,
					"a record was written over before it was read");
			require(record->time >= world.safe,
				"a record came that is older than what was said to be complete");
			world.seen[record->pid] = true;
		}
		tail += record->size * 8;
	}
	__atomic_store_n(&world.ring.tail->tail, tail, __ATOMIC_RELAXED);
}

static void end_round(void)
{
	u64 bound = world.reader_open ? MIN(world.reader_open, world.reader_now) : world.reader_now;

	consume(world.reader_head);
	world.safe = MAX(world.safe, bound);
	world.stage = 0;
	world.rounds++;
}

/* As the ABI says: the clock, oldest_open_time, head, the records. */
static void reader_step(void)
{
	do {
		switch (world.stage++) {
		case 0:
			world.reader_now = ++world.now;
			break;
		case 1:
			world.reader_open = world.ring.page->oldest_open_time;
			break;
		case 2:
			world.reader_head = world.ring.page->head;
			end_round();
			return;
		}
	} while (!world.scope->fine);
}

void shim_step(void)
{
	while (world.running) {
		bool may_interrupt = world.interrupts < world.scope->interrupts,
		     may_read = world.rounds < world.scope->rounds;
		unsigned choice;

		if (!may_interrupt && !may_read)
			return;
		choice = choose(1 + may_interrupt + may_read);
		if (!choice)
			return;
		if (choice == 1 && may_interrupt) {
			world.interrupts++;
			writer();
		} else {
			reader_step();
		}
	}
}

u64 ktime_get_mono_fast_ns(void)
{
	u64 now;

	shim_step();
	now = ++world.now;
	shim_step();
	return now;
}

static void writer(void)
{
	u32 id = world.next_id++, words = 1 + id % 3,
	    bytes = sizeof(struct sysprof_record) + words * 8;
	struct sysprof_record *record;

	record = world.variant->reserve(&world.ring, bytes, RING_BYTES);
	if (!record)
		return;
	*record = (struct sysprof_record){
		.type = SAMPLE, .size = bytes / 8, .time = record->time, .pid = id
	};
	shim_step();
	for (u32 i = 0; i < words; i++)
		((u64 *)(record + 1))[i] = id;
	world.written[id] = true;
	world.variant->commit(&world.ring);
}

static void one_run(void)
{
	for (unsigned i = 0; i < world.scope->records; i++)
		writer();
	world.running = false;
	require((u32)local_read(&world.ring.head) == world.ring.page->head,
		"a record was never published");
	require(!world.ring.page->oldest_open_time, "something stays open");
	require(!local_read(&world.ring.nest), "a writer is counted that is gone");
	while (world.stage)
		reader_step();
	consume(world.ring.page->head);
	require(!memcmp(world.seen, world.written, sizeof(world.seen)),
		"a record that was written was not read");
}

/* Explores all; gives what went wrong, or NULL, and how many runs there were. */
static const char *explore(const struct variant *variant, const struct scope *scope,
			   unsigned long *runs)
{
	struct sysprof_ring ring = world.ring;

	path.n = path.known = 0;
	*runs = 0;
	do {
		memset(&world, 0, sizeof(world));
		world.variant = variant;
		world.scope = scope;
		world.ring = ring;
		variant->reset(&world.ring);
		memset(world.ring.data, 0xee, RING_BYTES);
		world.running = true;
		++*runs;
		if (!setjmp(world.failed))
			one_run();
		if (world.failure)
			return world.failure;
	} while (next_path());
	return NULL;
}

static const struct scope scopes[] = {
	{ .records = 1, .interrupts = 1, .rounds = 1, .fine = true },
	{ .records = 1, .interrupts = 2, .rounds = 1, .fine = true },
	{ .records = 3, .interrupts = 2, .rounds = 1 },
	{ .records = 3, .interrupts = 1, .rounds = 2 },
	{ .records = 1, .interrupts = 2, .rounds = 2 },
};

static void test_right(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(scopes); i++) {
		unsigned long runs;
		const char *failure = explore(&right, &scopes[i], &runs);

		g_test_message("%u records, %u interrupts, %u rounds of the reader: %lu orders",
			       scopes[i].records, scopes[i].interrupts, scopes[i].rounds, runs);
		g_assert_cmpstr(failure, ==, NULL);
		g_assert_cmpuint(runs, >, 1000);
	}
}

static void test_mutant(gconstpointer data)
{
	const struct variant *mutant = data;
	const char *failure = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(scopes) && !failure; i++) {
		unsigned long runs;

		failure = explore(mutant, &scopes[i], &runs);
		if (failure)
			g_test_message("%s: in the %luth order, %s", mutant->what, runs, failure);
	}
	g_assert_nonnull(failure);
}

static void test_allocation(void)
{
	long before = shim_allocated;
	struct sysprof_ring ring;
	int tries;

	for (tries = 0; ; tries++) {
		shim_fail_after = tries;
		if (!sysprof_ring_init(&ring, 2 * PAGE_SIZE, 0))
			break;
		g_assert_cmpint(shim_allocated, ==, before);
		g_assert_null(ring.pages);
	}
	shim_fail_after = -1;
	g_assert_cmpint(tries, ==, 6);
	sysprof_ring_deinit(&ring);
	g_assert_cmpint(shim_allocated, ==, before);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/ring/allocation-fails-cleanly", test_allocation);
	if (sysprof_ring_init(&world.ring, PAGE_SIZE, 0))
		g_error("no memory");
	world.ring.bytes = RING_BYTES;
	g_test_add_func("/ring/every-order", test_right);
	for (unsigned i = 0; i < G_N_ELEMENTS(mutants); i++) {
		g_autofree char *name = g_strdup_printf("/ring/mutant/%u", i);

		g_test_add_data_func(name, &mutants[i], test_mutant);
	}
	status = g_test_run();
	world.ring.bytes = PAGE_SIZE;
	sysprof_ring_deinit(&world.ring);
	return status;
}
