/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's own work by perf events: from hits of trace points to the module's events.  Begins
 * and ends of locks, interrupts, faults, requests and memory find each other, what cannot be paired
 * is counted, and tables stay within their bounds.
 */
#include <string.h>

#include "perf-made.h"
#include "trace/perf/kernel-points.h"

#define CPUS 2
#define MAJOR_MINOR (254u << 20 | 1)

/* What a test says of a hit: its fields in the order of the hook's. */
struct fields {
	uint64_t numbers[SPT_HOOK_FIELDS];
	const char *text;		/* of all fields that are texts */
	uint8_t bits;			/* of common_flags */
	uint32_t weight;
	uint32_t pid;
};

struct fixture {
	SptKallsyms *kallsyms;
	SptPerfRecords *records;
	SptTraceFilter filter;
	SptKernelState *state;
	GPtrArray *out;			/* copies of the records made */
	struct spt_perf_sink sink;
};

static void kernel_begin(struct fixture *fixture)
{
	*fixture = (struct fixture){
		.kallsyms = spt_kallsyms_new_text(
			g_strdup("ffffffff81000000 T _stext\n"
				 "ffffffff81003000 T _etext\n"
				 "ffffffff82000000 D tasklist_lock\n"
				 "ffffffff82000040 d next_one\n"
				 "ffffffffc0000100 b ext4_lock\t[ext4]\n")),
		.out = g_ptr_array_new_with_free_func(g_free),
	};
	fixture->records = spt_perf_records_new(CPUS, 8, fixture->kallsyms);
	fixture->state = spt_kernel_state_new(fixture->records, fixture->kallsyms,
					      &fixture->filter);
	fixture->sink = (struct spt_perf_sink){ keep, fixture->out };
}

static void kernel_end(struct fixture *fixture)
{
	g_ptr_array_unref(fixture->out);
	spt_kernel_state_free(fixture->state);
	spt_perf_records_free(fixture->records);
	spt_kallsyms_free(fixture->kallsyms);
}

static const struct spt_kernel_hook *hook_called(const char *name)
{
	static const struct spt_kernel_hook *const families[] = {
		spt_hooks_interrupts, spt_hooks_locks, spt_hooks_faults, spt_hooks_block,
		spt_hooks_memory,
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(families); i++)
		for (const struct spt_kernel_hook *hook = families[i]; hook->name; hook++)
			if (strcmp(hook->name, name) == 0)
				return hook;
	g_assert_not_reached();
}

/* A hit of @name on a CPU, in a record with a field of 8 bytes for each of the hook's. */
static void hit(struct fixture *fixture, const char *name, unsigned cpu, uint32_t tid,
		uint64_t time, struct fields fields)
{
	struct made made = { .header = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, 8 } };
	SptPointField described[SPT_HOOK_FIELDS];
	const SptPointField *pointers[SPT_HOOK_FIELDS] = { 0 };
	uint8_t raw[8 + 16 * SPT_HOOK_FIELDS] = { [2] = fields.bits };
	struct spt_kernel_hit made_hit = {
		.hook = hook_called(name),
		.fields = pointers,
		.who = { time, cpu, fields.pid ? fields.pid : tid, tid },
		.data = raw,
		.bytes = sizeof(raw),
		.weight = fields.weight ? fields.weight : 1,
		.sink = &fixture->sink,
	};

	add_pair(&made, made_hit.who.pid, tid);
	add(&made, time);
	add(&made, 2);
	add(&made, PERF_CONTEXT_KERNEL);
	add(&made, 0xffffffff81001010);
	add(&made, 0);			/* no raw part: the fields are beside it */
	made_hit.sample = &made.header;
	for (unsigned i = 0; i < SPT_HOOK_FIELDS && made_hit.hook->fields[i]; i++) {
		const char *field = made_hit.hook->fields[i];
		bool is_text = strstr(field, "name") || strstr(field, "rwbs");

		described[i] = (SptPointField){ .form = is_text ? SPT_POINT_TEXT : SPT_POINT_NUMBER,
						.at = (uint16_t)(8 + 16 * i),
						.bytes = is_text ? 16 : 8 };
		pointers[i] = &described[i];
		if (is_text && fields.text)
			g_strlcpy((char *)raw + 8 + 16 * i, fields.text, 16);
		else if (!is_text)
			memcpy(raw + 8 + 16 * i, &fields.numbers[i], 8);
	}
	made_hit.hook->take(fixture->state, &made_hit);
}

/* The @n-th event, from 0, of all kinds; NULL: there are not as many. */
static const struct sysprof_event *nth_event(const struct fixture *fixture, unsigned n)
{
	for (unsigned i = 0; i < fixture->out->len; i++) {
		const struct sysprof_record *record = fixture->out->pdata[i];

		if (record->type == SYSPROF_EVENT && n-- == 0)
			return (const void *)record;
	}
	return NULL;
}

static const void *part_of(const struct sysprof_event *event)
{
	g_assert_cmpuint(event->n_parts, ==, 1);
	return event->frames + event->n_kernel + event->n_user;
}

static void check_span(const struct sysprof_event *event, unsigned kind, uint64_t begin,
		       uint64_t duration, uint64_t value)
{
	g_assert_nonnull(event);
	g_assert_cmpuint(event->source, ==, SPT_TRACE_KERNEL + kind);
	g_assert_cmpuint(event->begin, ==, begin);
	g_assert_cmpuint(event->duration, ==, duration);
	g_assert_cmpuint(event->value, ==, value);
}

static const struct sysprof_source_account *account_of(const struct fixture *fixture,
						       unsigned kind)
{
	return spt_kernel_account(fixture->state, kind, 0);
}

#define BEGIN "lock:contention_begin"
#define END   "lock:contention_end"

/* A mutex counts from its first begin; a lock in an interrupt meanwhile is another one. */
static void test_locks(void)
{
	const struct sysprof_part_lock *lock;
	struct fixture f;

	kernel_begin(&f);
	hit(&f, BEGIN, 0, 7, 100, (struct fields){ .numbers = { 0xffffffff82000008, 0x21 } });
	hit(&f, BEGIN, 0, 7, 150, (struct fields){ .numbers = { 0xffffffff82000008, 0x20 } });
	hit(&f, BEGIN, 0, 7, 160, (struct fields){ .numbers = { 0xffff888000001000, 0x1 } });
	hit(&f, BEGIN, 1, 8, 165, (struct fields){ .numbers = { 0xffffffff82000008, 0 } });
	hit(&f, END, 0, 7, 170, (struct fields){ .numbers = { 0xffff888000001000 } });
	hit(&f, END, 1, 7, 300, (struct fields){ .numbers = { 0xffffffff82000008 } });
	check_span(nth_event(&f, 0), SYSPROF_SOURCE_LOCK, 160, 10, 10);
	lock = part_of(nth_event(&f, 0));
	g_assert_cmpuint(lock->part.a, ==, SYSPROF_LOCK_SPIN);
	g_assert_cmpuint(lock->lock, ==, 0);
	check_span(nth_event(&f, 1), SYSPROF_SOURCE_LOCK, 100, 200, 200);
	g_assert_cmpuint(nth_event(&f, 1)->n_kernel, ==, 1);
	lock = part_of(nth_event(&f, 1));
	g_assert_cmpuint(lock->part.a, ==, SYSPROF_LOCK_MUTEX);
	g_assert_cmpuint(lock->holder_tid, ==, 0);
	g_assert_null(nth_event(&f, 2));
	kernel_end(&f);
}

/* A lock that is a variable has its name, and only then. */
static void test_lock_names(void)
{
	static const struct {
		uint64_t address;
		const char *symbol, *module;
	} cases[] = {
		{ 0xffffffff82000008, "tasklist_lock", "" },
		{ 0xffffffff82000040, "next_one", "" },
		{ 0xffffffffc0000110, "ext4_lock", "ext4" },
		{ 0xffffffff83000000, "", "" },
		{ 0xffff888000001000, "", "" },
	};
	struct fixture f;

	kernel_begin(&f);
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct sysprof_name name = {
			.frame = spt_kallsyms_data_frame(f.kallsyms, cases[i].address)
		};

		g_assert_cmpint(!name.frame, ==, !*cases[i].symbol);
		if (!name.frame)
			continue;
		spt_kallsyms_name(f.kallsyms, &name);
		g_assert_cmpstr(name.symbol, ==, cases[i].symbol);
		g_assert_cmpstr(name.module, ==, cases[i].module);
	}
	kernel_end(&f);
}

/* An end without a begin is from before the recording, unless something was lost. */
static void test_unpaired(void)
{
	struct fixture f;

	kernel_begin(&f);
	hit(&f, END, 0, 7, 100, (struct fields){ .numbers = { 0x1000 } });
	g_assert_cmpuint(account_of(&f, SYSPROF_SOURCE_LOCK)->lost[SYSPROF_LOST_NO_SLOT].events, ==,
			 0);
	f.state->has_lost = true;
	hit(&f, END, 0, 7, 200, (struct fields){ .numbers = { 0x1000 } });
	g_assert_cmpuint(account_of(&f, SYSPROF_SOURCE_LOCK)->lost[SYSPROF_LOST_NO_SLOT].events, ==,
			 1);
	g_assert_null(nth_event(&f, 0));
	kernel_end(&f);
}

#define SOFT 0x10

/* An interrupt in a soft interrupt, which is interrupted by another one: each its own time. */
static void test_interrupts(void)
{
	const struct sysprof_part_irq *irq;
	struct fixture f;

	kernel_begin(&f);
	hit(&f, "irq:softirq_entry", 0, 7, 1000, (struct fields){ .numbers = { 3 } });
	hit(&f, "irq:irq_handler_entry", 0, 7, 1100,
	    (struct fields){ .numbers = { 41 }, .text = "eth0" });
	hit(&f, "irq_vectors:local_timer_entry", 0, 7, 1120, (struct fields){ .numbers = { 236 } });
	hit(&f, "irq_vectors:local_timer_exit", 0, 7, 1150,
	    (struct fields){ .numbers = { 236 }, .bits = SOFT });
	hit(&f, "irq:irq_handler_exit", 0, 7, 1200,
	    (struct fields){ .numbers = { 41 }, .bits = SOFT });
	hit(&f, "irq:softirq_exit", 0, 7, 1500, (struct fields){ .numbers = { 3 }, .bits = SOFT });
	/* The same vector on another CPU is another one. */
	hit(&f, "irq:softirq_exit", 1, 7, 1600, (struct fields){ .numbers = { 3 } });
	check_span(nth_event(&f, 0), SYSPROF_SOURCE_IRQ, 1120, 30, 30);
	g_assert_cmpuint(nth_event(&f, 0)->state, ==, SYSPROF_CONTEXT_SOFTIRQ);
	irq = part_of(nth_event(&f, 0));
	g_assert_cmpstr(irq->name, ==, "local_timer");
	check_span(nth_event(&f, 1), SYSPROF_SOURCE_IRQ, 1100, 100, 70);
	irq = part_of(nth_event(&f, 1));
	g_assert_cmpstr(irq->name, ==, "eth0");
	g_assert_cmpuint(irq->vector, ==, 41);
	check_span(nth_event(&f, 2), SYSPROF_SOURCE_SOFTIRQ, 1000, 500, 400);
	g_assert_cmpuint(nth_event(&f, 2)->state, ==, SYSPROF_CONTEXT_TASK);
	irq = part_of(nth_event(&f, 2));
	g_assert_cmpstr(irq->name, ==, "NET_RX");
	g_assert_null(nth_event(&f, 3));
	kernel_end(&f);
}

/* More begins than can be under way, as all ends were lost. */
static void test_lost_ends(void)
{
	struct fixture f;

	kernel_begin(&f);
	for (unsigned i = 0; i < 100; i++) {
		hit(&f, "irq:irq_handler_entry", 0, 7, 100 + i,
		    (struct fields){ .numbers = { i }, .text = "lost" });
		hit(&f, "irq:softirq_entry", 0, 10 + i, 100 + i,
		    (struct fields){ .numbers = { 1 } });
	}
	hit(&f, "irq:irq_handler_exit", 0, 7, 300, (struct fields){ .numbers = { 99 } });
	check_span(nth_event(&f, 0), SYSPROF_SOURCE_IRQ, 199, 101, 101);
	kernel_end(&f);
}

static void test_faults(void)
{
	const struct sysprof_part_fault *fault;
	struct fixture f;

	kernel_begin(&f);
	hit(&f, "exceptions:page_fault_user", 0, 7, 100, (struct fields){ .numbers = { 0x7 } });
	/* The walk of a stack in a tick. */
	hit(&f, "exceptions:page_fault_kernel", 0, 7, 120,
	    (struct fields){ .numbers = { 0 }, .bits = 0x8 });
	hit(&f, "minor-faults", 1, 7, 150, (struct fields){ .weight = 4 });
	hit(&f, "major-faults", 0, 8, 200, (struct fields){ .numbers = { 0 } });
	check_span(nth_event(&f, 0), SYSPROF_SOURCE_FAULT, 100, 50, 1);
	g_assert_cmpuint(nth_event(&f, 0)->weight, ==, 4);
	fault = part_of(nth_event(&f, 0));
	g_assert_cmpuint(fault->part.a, ==,
			 SYSPROF_FAULT_COPY | SYSPROF_FAULT_WRITE | SYSPROF_FAULT_KERNEL);
	check_span(nth_event(&f, 1), SYSPROF_SOURCE_FAULT, 200, 0, 1);
	g_assert_cmpuint(nth_event(&f, 1)->phase, ==, SYSPROF_PHASE_INSTANT);
	fault = part_of(nth_event(&f, 1));
	g_assert_cmpuint(fault->part.a, ==, SYSPROF_FAULT_MAJOR | SYSPROF_FAULT_KERNEL);
	kernel_end(&f);
}

#define ISSUE  "block:block_rq_issue"
#define INSERT "block:block_rq_insert"
#define DONE   "block:block_rq_complete"
#define REQUEST(sector, sectors)                                                                   \
	((struct fields){ .numbers = { MAJOR_MINOR, sector, sectors, 0, (sectors) * 512 },         \
			  .text = "WSM" })
#define ENDED(sector, sectors)                                                                     \
	((struct fields){ .numbers = { MAJOR_MINOR, sector, sectors }, .text = "WSM" })

static void test_requests(void)
{
	const struct sysprof_part_block *block;
	struct fixture f;

	kernel_begin(&f);
	/* Queued, grown by what is merged into it, and done in two parts. */
	hit(&f, INSERT, 0, 7, 100, REQUEST(1000, 8));
	hit(&f, ISSUE, 1, 9, 150, REQUEST(1000, 16));
	hit(&f, DONE, 1, 0, 200, ENDED(1000, 8));
	hit(&f, DONE, 1, 0, 250, ENDED(1008, 8));
	check_span(nth_event(&f, 0), SYSPROF_SOURCE_BLOCK, 100, 0, 4096);
	g_assert_cmpuint(nth_event(&f, 0)->phase, ==, SYSPROF_PHASE_OPEN);
	g_assert_cmpuint(nth_event(&f, 0)->record.tid, ==, 7);
	check_span(nth_event(&f, 1), SYSPROF_SOURCE_BLOCK_DONE, 150, 100, 8192);
	g_assert_cmpuint(nth_event(&f, 1)->key, ==, nth_event(&f, 0)->key);
	block = part_of(nth_event(&f, 1));
	g_assert_cmpuint(block->queued, ==, 50);
	g_assert_cmpuint(block->part.a, ==, SYSPROF_BLOCK_WRITE);
	g_assert_cmpuint(block->flags, ==, SYSPROF_BLOCK_SYNC | SYSPROF_BLOCK_META);
	g_assert_cmpuint(block->dev_major, ==, 254);
	g_assert_cmpuint(block->dev_minor, ==, 1);
	kernel_end(&f);
}

/* Two of one place, one that is put back, and one that is merged away. */
static void test_same_place(void)
{
	struct fixture f;

	kernel_begin(&f);
	hit(&f, ISSUE, 0, 7, 100, REQUEST(50, 8));
	hit(&f, ISSUE, 0, 8, 120, REQUEST(50, 8));
	hit(&f, DONE, 0, 0, 200, ENDED(50, 8));
	hit(&f, DONE, 0, 0, 230, ENDED(50, 8));
	check_span(nth_event(&f, 2), SYSPROF_SOURCE_BLOCK_DONE, 100, 100, 4096);
	check_span(nth_event(&f, 3), SYSPROF_SOURCE_BLOCK_DONE, 120, 110, 4096);
	hit(&f, ISSUE, 0, 7, 300, REQUEST(50, 8));
	hit(&f, "block:block_rq_requeue", 0, 7, 310, REQUEST(50, 8));
	hit(&f, ISSUE, 0, 9, 320, REQUEST(50, 8));
	hit(&f, DONE, 0, 0, 400, ENDED(50, 8));
	check_span(nth_event(&f, 5), SYSPROF_SOURCE_BLOCK_DONE, 300, 100, 4096);
	hit(&f, INSERT, 0, 7, 500, REQUEST(60, 8));
	hit(&f, "block:block_rq_merge", 0, 7, 510, REQUEST(60, 8));
	hit(&f, DONE, 0, 0, 600, ENDED(60, 8));
	g_assert_cmpuint(nth_event(&f, 6)->source, ==, SPT_TRACE_KERNEL + SYSPROF_SOURCE_BLOCK);
	g_assert_null(nth_event(&f, 7));
	g_assert_cmpuint(f.state->n_requests, ==, 0);
	kernel_end(&f);
}

/* Requests whose ends are all lost do not take ever more memory. */
static void test_many_requests(void)
{
	struct fixture f;

	kernel_begin(&f);
	for (uint64_t i = 0; i < 70000; i++)
		hit(&f, ISSUE, 0, 7, 100 + i, REQUEST(i * 8, 8));
	g_assert_cmpuint(f.state->n_requests, <=, 65536);
	g_assert_true(f.state->has_lost);
	kernel_end(&f);
}

static void test_memory(void)
{
	const struct sysprof_part_memory *memory;
	struct fixture f;

	kernel_begin(&f);
	hit(&f, "kmem:kmem_cache_alloc", 0, 7, 100,
	    (struct fields){ .numbers = { 0xf00, 190, 192 }, .text = "dentry", .weight = 33 });
	hit(&f, "kmem:kmalloc", 0, 7, 110, (struct fields){ .numbers = { 0xe00, 90, 96 } });
	/* Allocations that nobody picked. */
	hit(&f, "kmem:kfree", 0, 7, 120, (struct fields){ .numbers = { 0xd00 } });
	hit(&f, "kmem:kfree", 0, 7, 130, (struct fields){ .numbers = { 0 } });
	hit(&f, "kmem:kmem_cache_free", 1, 8, 200, (struct fields){ .numbers = { 0xf00 } });
	check_span(nth_event(&f, 0), SYSPROF_SOURCE_SLAB, 100, 0, 190);
	g_assert_cmpuint(nth_event(&f, 0)->weight, ==, 33 * 190);
	memory = part_of(nth_event(&f, 0));
	g_assert_cmpstr(memory->cache, ==, "dentry");
	check_span(nth_event(&f, 1), SYSPROF_SOURCE_SLAB, 110, 0, 96);
	check_span(nth_event(&f, 2), SYSPROF_SOURCE_SLAB_FREE, 100, 100, 190);
	g_assert_cmpuint(nth_event(&f, 2)->key, ==, nth_event(&f, 0)->key);
	g_assert_null(nth_event(&f, 3));
	/* The address is given out again: the old block was freed.  A page of it is another. */
	hit(&f, "kmem:mm_page_alloc", 0, 7, 250, (struct fields){ .numbers = { 0xe00, 1 } });
	hit(&f, "kmem:kmalloc", 0, 7, 300, (struct fields){ .numbers = { 0xe00, 90, 96 } });
	g_assert_cmpuint(nth_event(&f, 3)->source, ==, SPT_TRACE_KERNEL + SYSPROF_SOURCE_PAGE);
	check_span(nth_event(&f, 4), SYSPROF_SOURCE_SLAB_FREE, 110, 190, 96);
	g_assert_cmpuint(nth_event(&f, 4)->record.flags & SYSPROF_EVENT_GUESSED, !=, 0);
	check_span(nth_event(&f, 5), SYSPROF_SOURCE_SLAB, 300, 0, 96);
	kernel_end(&f);
}

/* The filter of CPUs excludes, and what it excludes is counted. */
static void test_excluded(void)
{
	const uint64_t only_second = 2;
	struct fixture f;

	kernel_begin(&f);
	f.filter.cpus = &only_second;
	f.filter.n_cpu_words = 1;
	hit(&f, "minor-faults", 0, 7, 100, (struct fields){ .numbers = { 0 } });
	hit(&f, "minor-faults", 1, 7, 110, (struct fields){ .numbers = { 0 } });
	g_assert_nonnull(nth_event(&f, 0));
	g_assert_null(nth_event(&f, 1));
	g_assert_cmpuint(account_of(&f, SYSPROF_SOURCE_FAULT)->excluded.events, ==, 1);
	kernel_end(&f);
}

static void test_pairs(void)
{
	g_autoptr(SptPairs) pairs = spt_pairs_new(100, 1000000000u);
	SptPair pair;

	for (uint64_t i = 0; i < 100; i++)
		g_assert_nonnull(spt_pairs_add(pairs, i, 1, 5));
	g_assert_false(spt_pairs_was_full(pairs));
	g_assert_null(spt_pairs_add(pairs, 100, 1, 6));
	g_assert_true(spt_pairs_was_full(pairs));
	g_assert_false(spt_pairs_take(pairs, 100, 1, &pair));
	/* Those of long ago make room; one of the same key is replaced. */
	g_assert_nonnull(spt_pairs_add(pairs, 99, 1, 3000000000u));
	g_assert_nonnull(spt_pairs_add(pairs, 100, 1, 3000000000u));
	g_assert_null(spt_pairs_find(pairs, 98, 1));
	g_assert_true(spt_pairs_take(pairs, 99, 1, &pair));
	g_assert_cmpuint(pair.since, ==, 3000000000u);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perf-kernel/locks", test_locks);
	g_test_add_func("/perf-kernel/lock-names", test_lock_names);
	g_test_add_func("/perf-kernel/unpaired", test_unpaired);
	g_test_add_func("/perf-kernel/interrupts", test_interrupts);
	g_test_add_func("/perf-kernel/lost-ends", test_lost_ends);
	g_test_add_func("/perf-kernel/faults", test_faults);
	g_test_add_func("/perf-kernel/requests", test_requests);
	g_test_add_func("/perf-kernel/same-place", test_same_place);
	g_test_add_func("/perf-kernel/many-requests", test_many_requests);
	g_test_add_func("/perf-kernel/memory", test_memory);
	g_test_add_func("/perf-kernel/excluded", test_excluded);
	g_test_add_func("/perf-kernel/pairs", test_pairs);
	return g_test_run();
}
