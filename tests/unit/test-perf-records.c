/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From perf's records to those of the device: weights and losses, images and their address spaces,
 * stacks, names.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "perf-made.h"
#include "trace/perf/maps.h"
#include "trace/perf/snapshot.h"

#define MS 1000000ULL
#define EXE "/proc/self/exe"

/* A kernel of three functions, and a module of one. */
static const char kallsyms_text[] =
	"0000000000000000 A fixed_percpu_data\n"
	"ffffffff81000000 T _stext\n"
	"ffffffff81000000 T first_alias\n"
	"ffffffff81001000 t inner\n"
	"ffffffff81001800 D not_code\n"
	"ffffffff81002000 T outer\n"
	"ffffffff81003000 T _etext\n"
	"ffffffffc0000000 t helper\t[toy]\n";

struct fixture {
	char *path;
	SptKallsyms *kallsyms;
	SptPerfRecords *records;
	GPtrArray *out;			/* copies of the records made */
	struct spt_perf_sink sink;
};

static void set_up_with(struct fixture *fixture, const char *text)
{
	int fd = g_file_open_tmp("kallsyms-XXXXXX", &fixture->path, NULL);

	g_assert_cmpint(fd, >=, 0);
	g_close(fd, NULL);
	g_assert_true(g_file_set_contents(fixture->path, text, -1, NULL));
	fixture->kallsyms = spt_kallsyms_new(fixture->path);
	spt_kallsyms_load(fixture->kallsyms);
	fixture->records = spt_perf_records_new(2, 8, fixture->kallsyms);
	fixture->out = g_ptr_array_new_with_free_func(g_free);
	fixture->sink = (struct spt_perf_sink){ keep, fixture->out };
	for (unsigned cpu = 0; cpu < 2; cpu++)
		spt_perf_clock_start(spt_perf_records_clock(fixture->records, cpu), MS, 0);
}

static void set_up(struct fixture *fixture, const void *data)
{
	(void)data;
	set_up_with(fixture, kallsyms_text);
}

static void tear_down(struct fixture *fixture, const void *data)
{
	(void)data;
	g_unlink(fixture->path);
	g_free(fixture->path);
	g_ptr_array_unref(fixture->out);
	spt_perf_records_free(fixture->records);
	spt_kallsyms_free(fixture->kallsyms);
}

static void begin(struct made *made, unsigned type, unsigned misc)
{
	memset(made, 0, sizeof(*made));
	made->header = (struct perf_event_header){ .type = type, .misc = misc, .size = 8 };
}

static void add_text(struct made *made, const char *text)
{
	strcpy((char *)made->words + made->header.size, text);
	made->header.size += (strlen(text) + 8) / 8 * 8;
}

static void take(struct fixture *fixture, unsigned cpu, struct made *made, uint32_t pid,
		 uint32_t tid, uint64_t time)
{
	uint64_t found;

	if (made->header.type != PERF_RECORD_SAMPLE) {
		add_pair(made, pid, tid);
		add(made, time);
	}
	g_assert_true(spt_perf_record_time(&made->header, &found));
	g_assert_cmpuint(found, ==, time);
	spt_perf_records_take(fixture->records, cpu, &made->header, &fixture->sink);
}

static void sample(struct fixture *fixture, uint32_t pid, uint32_t tid, uint64_t time, unsigned n,
		   const uint64_t *frames)
{
	struct made made;

	begin(&made, PERF_RECORD_SAMPLE, 0);
	add_pair(&made, pid, tid);
	add(&made, time);
	add(&made, n);
	for (unsigned i = 0; i < n; i++)
		add(&made, frames[i]);
	take(fixture, 0, &made, pid, tid, time);
}

static void fork_or_exit(struct fixture *fixture, unsigned type, uint32_t pid, uint32_t tid,
			 uint32_t parent_pid, uint32_t parent_tid, uint64_t time)
{
	struct made made;

	begin(&made, type, 0);
	add_pair(&made, pid, parent_pid);
	add_pair(&made, tid, parent_tid);
	add(&made, time);
	take(fixture, 0, &made, pid, tid, time);
}

static void comm(struct fixture *fixture, bool exec, uint32_t pid, uint32_t tid, const char *name,
		 uint64_t time)
{
	struct made made;

	begin(&made, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	add_pair(&made, pid, tid);
	add_text(&made, name);
	take(fixture, 0, &made, pid, tid, time);
}

static void map_with(struct fixture *fixture, unsigned misc, uint32_t pid, uint64_t address,
		     uint64_t inode, const char *path, uint64_t time)
{
	struct made made;

	begin(&made, PERF_RECORD_MMAP2, misc);
	add_pair(&made, pid, pid);
	add(&made, address);
	add(&made, 0x1000);
	add(&made, 0x3000);
	add_pair(&made, 8, 1);
	add(&made, inode);
	add(&made, 7);
	add_pair(&made, 5, 2);
	add_text(&made, path);
	take(fixture, 0, &made, pid, pid, time);
}

static void map(struct fixture *fixture, uint32_t pid, uint64_t address, uint64_t inode,
		const char *path, uint64_t time)
{
	map_with(fixture, 0, pid, address, inode, path, time);
}

/* The record at @index of those made so far, which must be of @type. */
static const void *made_at(struct fixture *fixture, unsigned index, unsigned type)
{
	const struct sysprof_record *record;

	g_assert_cmpuint(index, <, fixture->out->len);
	record = g_ptr_array_index(fixture->out, index);
	g_assert_cmpuint(record->type, ==, type);
	return record;
}

static uint64_t account_sum(const struct sysprof_account *account)
{
	uint64_t sum = account->delivered + account->idle + account->offline + account->excluded +
		       account->pending;

	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		sum += account->lost[i];
	return sum;
}

/* Ticks on time and with jitter: each is one period, and none is made up. */
static void test_weights(struct fixture *fixture, const void *data)
{
	static const uint64_t late[] = { 1000, 200000, 0, 900000, 30, 500000 };
	struct sysprof_account account;

	(void)data;
	for (unsigned i = 1; i <= 600; i++)
		sample(fixture, 5, 5, i * MS + 50000 + late[i % 6] / 2, 0, NULL);
	g_assert_cmpuint(fixture->out->len, ==, 600);
	for (unsigned i = 0; i < 600; i++) {
		const struct sysprof_sample *sample = made_at(fixture, i, SYSPROF_SAMPLE);

		g_assert_cmpuint(sample->weight, ==, 1);
	}
	spt_perf_clock_account(spt_perf_records_clock(fixture->records, 0), 601 * MS + 500000,
			       &account);
	g_assert_cmpuint(account.grid, ==, 601);
	g_assert_cmpuint(account.pending, ==, 1);
	g_assert_cmpuint(account.samples, ==, 600);
	g_assert_cmpuint(account.idle, ==, 0);
	g_assert_cmpuint(account_sum(&account), ==, account.grid);
}

/* Half the rate: each tick represents two periods, be it early or late by a quarter of one. */
static void test_half(struct fixture *fixture, const void *data)
{
	struct sysprof_account account;

	(void)data;
	for (unsigned i = 1; i <= 100; i++)
		sample(fixture, 5, 5, i * MS, 0, NULL);
	spt_perf_records_clock(fixture->records, 0)->stride = 2;
	for (unsigned i = 1; i <= 100; i++)
		sample(fixture, 5, 5, (100 + 2 * i) * MS + (i % 3) * MS / 4 - MS / 4, 0, NULL);
	/* Six idle periods, and two that the next tick represents. */
	sample(fixture, 5, 5, 308 * MS, 0, NULL);
	for (unsigned i = 0; i < 201; i++) {
		const struct sysprof_sample *sample = made_at(fixture, i, SYSPROF_SAMPLE);

		g_assert_cmpuint(sample->weight, ==, i < 100 ? 1 : 2);
	}
	spt_perf_clock_account(spt_perf_records_clock(fixture->records, 0), 308 * MS, &account);
	g_assert_cmpuint(account.delivered, ==, 302);
	g_assert_cmpuint(account.samples, ==, 201);
	g_assert_cmpuint(account.idle, ==, 6);
	g_assert_cmpuint(account_sum(&account), ==, account.grid);
}

static void test_idle(struct fixture *fixture, const void *data)
{
	struct sysprof_account account;

	(void)data;
	sample(fixture, 5, 5, 1 * MS, 0, NULL);
	sample(fixture, 5, 5, 5 * MS, 0, NULL);
	spt_perf_clock_account(spt_perf_records_clock(fixture->records, 0), 9 * MS, &account);
	g_assert_cmpuint(account.delivered, ==, 2);
	g_assert_cmpuint(account.idle, ==, 6);
	g_assert_cmpuint(account.pending, ==, 1);
	g_assert_cmpuint(account_sum(&account), ==, account.grid);
	sample(fixture, 5, 5, 10 * MS, 0, NULL);
	spt_perf_clock_account(spt_perf_records_clock(fixture->records, 0), 10 * MS, &account);
	g_assert_cmpuint(account.idle, ==, 7);
	g_assert_cmpuint(account.grid, ==, 10);
	g_assert_cmpuint(account_sum(&account), ==, account.grid);
	/* The other CPU has not had a tick at all. */
	spt_perf_clock_account(spt_perf_records_clock(fixture->records, 1), 10 * MS, &account);
	g_assert_cmpuint(account.idle + account.pending, ==, 10);
	g_assert_cmpuint(account.grid, ==, 10);
}

/*
 * Six records are lost in eight periods: no more than six were samples.  Ten in four: six were of
 * state.
 */
static void test_lost(struct fixture *fixture, const void *data)
{
	const struct sysprof_lost *lost;
	struct sysprof_account account;
	struct made made;

	(void)data;
	sample(fixture, 5, 5, 1 * MS, 0, NULL);
	begin(&made, PERF_RECORD_LOST, 0);
	add(&made, 1);
	add(&made, 6);
	take(fixture, 0, &made, 5, 5, 10 * MS);
	sample(fixture, 5, 5, 10 * MS, 0, NULL);
	made_at(fixture, 1, SYSPROF_RESYNC);
	lost = made_at(fixture, 2, SYSPROF_LOST);
	g_assert_cmpuint(lost->periods, ==, 6);
	g_assert_cmpuint(lost->reason, ==, SYSPROF_LOST_RING_FULL);
	g_assert_cmpuint(lost->first_time, ==, 2 * MS);
	g_assert_cmpuint(lost->last_time, ==, 9 * MS);
	g_assert_cmpuint(
		((const struct sysprof_sample *)made_at(fixture, 3, SYSPROF_SAMPLE))->weight, ==,
		1);

	begin(&made, PERF_RECORD_LOST, 0);
	add(&made, 1);
	add(&made, 10);
	take(fixture, 0, &made, 5, 5, 15 * MS);
	sample(fixture, 5, 5, 15 * MS, 0, NULL);
	g_assert_cmpuint(((const struct sysprof_lost *)made_at(fixture, 5, SYSPROF_LOST))->periods,
			 ==, 4);

	begin(&made, PERF_RECORD_UNTHROTTLE, 0);
	add(&made, 19 * MS);
	add(&made, 0);
	add(&made, 0);
	take(fixture, 0, &made, 5, 5, 19 * MS);
	sample(fixture, 5, 5, 20 * MS, 0, NULL);
	lost = made_at(fixture, 7, SYSPROF_LOST);
	g_assert_cmpuint(lost->periods, ==, 4);
	g_assert_cmpuint(lost->reason, ==, SYSPROF_LOST_THROTTLED);
	spt_perf_clock_account(spt_perf_records_clock(fixture->records, 0), 20 * MS, &account);
	g_assert_cmpuint(account.state_lost, ==, 6);
	g_assert_cmpuint(account.idle, ==, 2);
	g_assert_cmpuint(account.grid, ==, 20);
	g_assert_cmpuint(account_sum(&account), ==, account.grid);
}

static void test_stacks(struct fixture *fixture, const void *data)
{
	const uint64_t frames[] = {
		PERF_CONTEXT_KERNEL, 0xffffffff81001010, 0xffffffffc0000020, 0xffffffff81002030,
		PERF_CONTEXT_USER, 0x401000, 0x402000,
	};
	const uint64_t deep[] = { PERF_CONTEXT_USER, 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct sysprof_sample *made;
	struct sysprof_name name = { 0 };

	(void)data;
	sample(fixture, 5, 6, MS, G_N_ELEMENTS(frames), frames);
	made = made_at(fixture, 0, SYSPROF_SAMPLE);
	g_assert_cmpuint(made->record.pid, ==, 5);
	g_assert_cmpuint(made->record.tid, ==, 6);
	g_assert_cmpuint(made->record.size * 8, ==, sizeof(*made) + 5 * 8);
	g_assert_cmpuint(made->n_kernel, ==, 3);
	g_assert_cmpuint(made->n_user, ==, 2);
	g_assert_cmphex(made->frames[0], ==, 1ULL << 40 | 0x1010);
	g_assert_cmphex(made->frames[1], ==, 2ULL << 40 | 0x3f000020);
	g_assert_cmphex(made->frames[4], ==, 0x402000);
	g_assert_cmpuint(made->user_end, ==, SYSPROF_END_NONE);

	name.frame = made->frames[0];
	spt_kallsyms_name(fixture->kallsyms, &name);
	g_assert_cmpstr(name.symbol, ==, "inner");
	g_assert_cmpstr(name.module, ==, "");
	g_assert_cmpuint(name.offset, ==, 0x10);
	g_assert_cmpuint(name.symbol_bytes, ==, 0x1000);
	name.frame = made->frames[1];
	spt_kallsyms_name(fixture->kallsyms, &name);
	g_assert_cmpstr(name.symbol, ==, "helper");
	g_assert_cmpstr(name.module, ==, "toy");
	name.frame = 1ULL << 40 | 0x5;
	spt_kallsyms_name(fixture->kallsyms, &name);
	g_assert_cmpstr(name.symbol, ==, "_stext");
	/* Between the image and the first module lies nothing that has a name. */
	name.frame = 2ULL << 40 | 0x10000000;
	spt_kallsyms_name(fixture->kallsyms, &name);
	g_assert_cmpstr(name.symbol, ==, "");

	sample(fixture, 5, 6, 2 * MS, G_N_ELEMENTS(deep), deep);
	made = made_at(fixture, 1, SYSPROF_SAMPLE);
	g_assert_cmpuint(made->user_end, ==, SYSPROF_END_LIMIT);
}

/*
 * Without frame pointers the walk meets whatever a program keeps there, such as -128: no program
 * makes frames of the kernel.
 */
static void test_markers_of_a_program(struct fixture *fixture, const void *data)
{
	const uint64_t frames[] = { PERF_CONTEXT_KERNEL, 0xffffffff81001010,
				    PERF_CONTEXT_USER,	 0x401000,
				    PERF_CONTEXT_KERNEL, 0x402000 };
	const struct sysprof_sample *made;

	(void)data;
	sample(fixture, 5, 5, MS, G_N_ELEMENTS(frames), frames);
	made = made_at(fixture, 0, SYSPROF_SAMPLE);
	g_assert_cmpuint(made->n_kernel, ==, 1);
	g_assert_cmpuint(made->n_user, ==, 3);
	g_assert_cmphex(made->frames[1], ==, 0x401000);
	g_assert_cmphex(made->frames[2], ==, PERF_CONTEXT_KERNEL);
	g_assert_cmphex(made->frames[3], ==, 0x402000);
}

/*
 * Code that the kernel made, which its list calls as if it was of modules; and some that was made
 * after the list was read.
 */
static void test_made_code(void)
{
	static const char text[] =
		"ffffffff81000000 T _stext\n"
		"ffffffff81003000 T _etext\n"
		"ffffffffc0000000 t helper\t[toy]\n"
		"ffffffffc0201000 t ftrace_trampoline\t[__builtin__ftrace]\n"
		"ffffffffc0203000 t kprobe_optinsn_page\t[__builtin__kprobes]\n"
		"ffffffffc0204000 t bpf_prog_0123456789abcdef_count\t[bpf]\n";
	static const char later[] = "ffffffffc0301000 t ftrace_trampoline\t[__builtin__ftrace]\n";
	static const struct {
		uint64_t address;
		const char *symbol, *module;
	} places[] = {
		{ 0xffffffffc0000008, "helper", "toy" },
		{ 0xffffffffc0201080, "ftrace_trampoline", "__builtin__ftrace" },
		{ 0xffffffffc0203010, "kprobe_optinsn_page", "__builtin__kprobes" },
		{ 0xffffffffc0204010, "bpf_prog_0123456789abcdef_count", "bpf" },
		{ 0xffffffffc0301080, "ftrace_trampoline", "__builtin__ftrace" },
	};
	g_autofree char *whole = g_strconcat(text, later, NULL);
	struct fixture fixture;

	set_up_with(&fixture, text);
	g_assert_true(spt_kallsyms_is_readable(fixture.kallsyms));
	g_assert_true(g_file_set_contents(fixture.path, whole, -1, NULL));
	spt_kallsyms_set_stale(fixture.kallsyms);
	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
		struct sysprof_name name = { .frame = spt_kallsyms_frame(fixture.kallsyms,
									 places[i].address) };

		g_assert_cmpuint(name.frame >> SYSPROF_FRAME_OBJECT_SHIFT, ==,
				 SYSPROF_OBJECT_MODULES);
		spt_kallsyms_name(fixture.kallsyms, &name);
		g_assert_cmpstr(name.symbol, ==, places[i].symbol);
		g_assert_cmpstr(name.module, ==, places[i].module);
		g_assert_cmpuint(name.offset, ==, places[i].address & 0xff);
	}
	tear_down(&fixture, NULL);
}

/* Addresses are hidden: one frame represents the kernel part, whatever it was. */
static void test_hidden_kernel(void)
{
	const uint64_t frames[] = { PERF_CONTEXT_KERNEL, 0xffffffff81001010, 0xffffffff81002030,
				    PERF_CONTEXT_USER, 0x401000 };
	struct sysprof_name name = { .frame = SPT_KALLSYMS_HIDDEN, .symbol = "x" };
	const struct sysprof_sample *made;
	struct fixture fixture;

	set_up_with(&fixture, "0000000000000000 T _stext\n0000000000000000 t inner\n");
	g_assert_false(spt_kallsyms_is_readable(fixture.kallsyms));
	sample(&fixture, 5, 5, MS, G_N_ELEMENTS(frames), frames);
	made = made_at(&fixture, 0, SYSPROF_SAMPLE);
	g_assert_cmpuint(made->n_kernel, ==, 1);
	g_assert_cmphex(made->frames[0], ==, SPT_KALLSYMS_HIDDEN);
	g_assert_cmphex(made->frames[1], ==, 0x401000);
	spt_kallsyms_name(fixture.kallsyms, &name);
	g_assert_cmpstr(name.symbol, ==, "");
	tear_down(&fixture, NULL);
}

/* fork, a thread, exec, maps, and exits: which address space is whose. */
static void test_images(struct fixture *fixture, const void *data)
{
	const struct sysprof_task *forked, *thread, *exec;
	const struct sysprof_map *first, *second, *third;
	const struct sysprof_region *region;
	uint64_t parent_mm, start;

	(void)data;
	comm(fixture, true, 10, 10, "parent", 1);
	parent_mm = ((const struct sysprof_task *)made_at(fixture, 0, SYSPROF_EXEC))->mm;
	fork_or_exit(fixture, PERF_RECORD_FORK, 11, 11, 10, 10, 2);
	forked = made_at(fixture, 1, SYSPROF_FORK);
	g_assert_cmpuint(forked->parent_mm, ==, parent_mm);
	g_assert_cmpuint(forked->mm, !=, parent_mm);
	g_assert_cmpuint(forked->mm, !=, 0);
	g_assert_cmpstr(forked->comm, ==, "parent");
	fork_or_exit(fixture, PERF_RECORD_FORK, 11, 12, 11, 11, 3);
	thread = made_at(fixture, 2, SYSPROF_FORK);
	g_assert_cmpuint(thread->record.flags & SYSPROF_FORK_THREAD, !=, 0);
	g_assert_cmpuint(thread->mm, ==, forked->mm);

	/* The thread execs: the main one reports its exit first, and lives on all the same. */
	fork_or_exit(fixture, PERF_RECORD_EXIT, 11, 11, 10, 10, 4);
	comm(fixture, true, 11, 11, "program", 5);
	exec = made_at(fixture, 3, SYSPROF_EXEC);
	g_assert_cmpuint(exec->mm, !=, forked->mm);
	g_assert_cmpstr(exec->comm, ==, "program");
	map(fixture, 11, 0x10000, 77, "/usr/bin/no-such-program", 6);
	/* As the kernel has it while somebody else wants build-ids. */
	map_with(fixture, SPT_PERF_MAP_HAS_BUILD_ID, 11, 0x20000, 77, "/usr/bin/no-such-program",
		 7);
	map(fixture, 11, 0x7fff00000000, 0, "[vdso]", 8);
	map(fixture, 11, 0x30000, 0, "//anon", 9);
	first = made_at(fixture, 4, SYSPROF_MAP);
	g_assert_cmpuint(first->record.flags, ==, SYSPROF_MAP_FRESH);
	g_assert_cmpuint(first->mm, ==, exec->mm);
	g_assert_cmpuint(first->start, ==, 0x10000);
	g_assert_cmpuint(first->end, ==, 0x11000);
	g_assert_cmpuint(first->offset, ==, 0x3000);
	g_assert_cmpuint(first->object, >=, SYSPROF_OBJECT_FIRST);
	g_assert_cmpstr(((const struct sysprof_object *)made_at(fixture, 5, SYSPROF_OBJECT))->path,
			==, "/usr/bin/no-such-program");
	second = made_at(fixture, 6, SYSPROF_MAP);
	g_assert_cmpuint(second->record.flags, ==, 0);
	g_assert_cmpuint(second->object, ==, first->object);
	g_assert_cmpuint(((const struct sysprof_map *)made_at(fixture, 7, SYSPROF_MAP))->object, ==,
			 SYSPROF_OBJECT_VDSO);
	third = made_at(fixture, 9, SYSPROF_MAP);
	region = made_at(fixture, 8, SYSPROF_REGION);
	g_assert_cmpuint(region->object, ==, third->object);
	g_assert_cmpuint(region->object, >, first->object);
	g_assert_cmpuint(region->mm, ==, exec->mm);
	g_assert_cmpuint(region->record.pid, ==, 11);
	g_assert_true(spt_perf_objects_region_start(spt_perf_records_objects(fixture->records),
						    region->object, &start));
	g_assert_cmphex(start + third->offset, ==, 0x30000);
	g_assert_false(spt_perf_objects_region_start(spt_perf_records_objects(fixture->records),
						     first->object, &start));

	/* What it does on its way out is still its own. */
	fork_or_exit(fixture, PERF_RECORD_EXIT, 11, 11, 10, 10, 10);
	sample(fixture, 11, 11, MS, 0, NULL);
	g_assert_cmpuint(((const struct sysprof_sample *)made_at(fixture, 10, SYSPROF_SAMPLE))->mm,
			 ==, exec->mm);
	spt_perf_tasks_flush_exits(spt_perf_records_tasks(fixture->records), 10, &fixture->sink);
	g_assert_cmpuint(fixture->out->len, ==, 11);
	/* Its id is used again: that ends it. */
	fork_or_exit(fixture, PERF_RECORD_FORK, 11, 11, 10, 10, 2 * MS);
	g_assert_cmpuint(((const struct sysprof_record *)made_at(fixture, 11, SYSPROF_EXIT))->flags,
			 ==, SYSPROF_EXIT_PROCESS);
	g_assert_cmpuint(((const struct sysprof_task *)made_at(fixture, 12, SYSPROF_FORK))->mm, !=,
			 exec->mm);
}

static void test_kernel_threads_and_the_dying(struct fixture *fixture, const void *data)
{
	struct spt_perf_who who = { .time = 1, .pid = 2, .tid = 2 };
	const struct sysprof_task *task;

	(void)data;
	spt_perf_tasks_begin_snapshot(spt_perf_records_tasks(fixture->records));
	spt_perf_tasks_seen(spt_perf_records_tasks(fixture->records), &who, 0, 0, true, "kthreadd",
			    &fixture->sink);
	fork_or_exit(fixture, PERF_RECORD_FORK, 40, 40, 2, 2, 2);
	task = made_at(fixture, 1, SYSPROF_FORK);
	g_assert_cmpuint(task->mm, ==, 0);
	g_assert_cmpuint(task->record.flags, ==, SYSPROF_TASK_KTHREAD);
	sample(fixture, UINT32_MAX, UINT32_MAX, MS, 0, NULL);
	task = made_at(fixture, 2, SYSPROF_TASK);
	g_assert_cmpstr(task->comm, ==, "[exiting]");
	g_assert_cmpuint(((const struct sysprof_sample *)made_at(fixture, 3, SYSPROF_SAMPLE))->mm,
			 ==, 0);
}

/* After a loss: who is not there any more has ended, who has another name is another program. */
static void test_snapshot_after_loss(struct fixture *fixture, const void *data)
{
	SptPerfTasks *tasks = spt_perf_records_tasks(fixture->records);
	struct spt_perf_who a = { .time = 100, .pid = 20, .tid = 20 },
			    b = { .time = 100, .pid = 21, .tid = 21 };
	const struct sysprof_task *exec;
	uint64_t mm;

	(void)data;
	spt_perf_tasks_begin_snapshot(tasks);
	mm = spt_perf_tasks_seen(tasks, &a, 1, 50, false, "old", &fixture->sink)->mm;
	spt_perf_tasks_seen(tasks, &b, 1, 50, false, "gone", &fixture->sink);
	spt_perf_tasks_end_snapshot(tasks, 100);
	spt_perf_tasks_begin_snapshot(tasks);
	spt_perf_tasks_seen(tasks, &a, 1, 50, false, "new", &fixture->sink);
	spt_perf_tasks_end_snapshot(tasks, 200);
	spt_perf_tasks_flush_exits(tasks, UINT64_MAX, &fixture->sink);
	exec = made_at(fixture, 2, SYSPROF_EXEC);
	g_assert_cmpuint(exec->mm, !=, mm);
	g_assert_cmpuint(((const struct sysprof_task *)made_at(fixture, 3, SYSPROF_TASK))->mm, ==,
			 exec->mm);
	g_assert_cmpuint(((const struct sysprof_record *)made_at(fixture, 4, SYSPROF_EXIT))->pid,
			 ==, 21);
	g_assert_cmpuint(fixture->out->len, ==, 5);
}

/* A path that leads to another inode gives no identity; one that leads to the mapped one does. */
static void test_object_identity(void)
{
	g_autoptr(SptPerfObjects) objects = spt_perf_objects_new();
	struct sysprof_object *first, *second, *third;
	g_autofree char *path = g_file_read_link(EXE, NULL);
	struct spt_perf_file file = {
		.path = path, .inode = 1, .dev_major = 250, .dev_minor = 250
	};
	GStatBuf found;
	uint32_t id;

	id = spt_perf_objects_get(objects, &file, &first);
	g_assert_nonnull(first);
	g_assert_cmpuint(first->bytes, ==, 0);
	g_assert_cmpuint(first->build_id_bytes, ==, 0);
	g_assert_cmpint(g_stat(path, &found), ==, 0);
	file.inode = found.st_ino;
	file.dev_major = found.st_dev >> 8 & 0xfff;
	file.dev_minor = found.st_dev & 0xff;
	g_assert_cmpuint(spt_perf_objects_get(objects, &file, &second), !=, id);
	g_assert_nonnull(second);
	g_assert_cmpuint(second->bytes, ==, found.st_size);
	g_assert_cmpuint(second->build_id_bytes, ==, SYSPROF_BUILD_ID_BYTES);
	/* By a record, which knows the generation: the same. */
	file.has_generation = true;
	file.generation = second->generation;
	g_assert_cmpuint(spt_perf_objects_get(objects, &file, &third), ==, second->object);
	g_assert_null(third);
	/*
	 * Another generation is another file, to which the path does not lead; unless there are no
	 * generations.
	 */
	file.generation = second->generation + 1;
	g_assert_cmpuint(spt_perf_objects_get(objects, &file, &third), !=, second->object);
	g_assert_nonnull(third);
	g_assert_true(third->build_id_bytes == 0 || second->generation == 0);
	g_free(first);
	g_free(second);
	g_free(third);
}

/* Cut records are not whole; unknown types are passed over. */
static void test_damage(void)
{
	static const unsigned types[] = {
		PERF_RECORD_SAMPLE,   PERF_RECORD_FORK,	      PERF_RECORD_EXIT,
		PERF_RECORD_COMM,     PERF_RECORD_MMAP2,      PERF_RECORD_LOST,
		PERF_RECORD_THROTTLE, PERF_RECORD_UNTHROTTLE, PERF_RECORD_KSYMBOL,
	};
	struct made made;
	uint64_t time;

	for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
		begin(&made, types[i], 0);
		g_assert_false(spt_perf_record_time(&made.header, &time));
		add(&made, 0);
		g_assert_false(spt_perf_record_time(&made.header, &time));
	}
	begin(&made, PERF_RECORD_SAMPLE, 0);
	for (unsigned i = 0; i < 3; i++)
		add(&made, UINT64_MAX / 8);
	g_assert_false(spt_perf_record_time(&made.header, &time));
	begin(&made, PERF_RECORD_COMM, 0);
	for (unsigned i = 0; i < 5; i++)
		add(&made, UINT64_MAX);
	g_assert_false(spt_perf_record_time(&made.header, &time));
	begin(&made, 4711, 0);
	g_assert_true(spt_perf_record_time(&made.header, &time));
	g_assert_cmpuint(time, ==, 0);
}

static unsigned count_execs(const struct fixture *fixture)
{
	unsigned n = 0;

	for (unsigned i = 0; i < fixture->out->len; i++)
		n += ((const struct sysprof_record *)g_ptr_array_index(fixture->out, i))->type ==
		     SYSPROF_EXEC;
	return n;
}

/*
 * A busy host reads /proc behind an exec, and takes that record only then: it is the only one that
 * reports the exec, and at its time.
 */
static void test_snapshot_before_record(struct fixture *fixture, const void *data)
{
	SptPerfTasks *tasks = spt_perf_records_tasks(fixture->records);
	uint32_t pid = (uint32_t)getpid();
	struct spt_perf_who own = { .time = 100, .pid = pid, .tid = pid };
	g_autoptr(SptProcFiles) files = spt_proc_files_new("/proc");
	g_autoptr(GError) error = NULL;
	g_autoptr(SptPerfSnapshot) snapshot = spt_perf_snapshot_read(files, &error);
	g_autofree char *name = NULL;

	(void)data;
	g_assert_no_error(error);
	/* It began later than its records here say, and is the same process all the same. */
	spt_perf_tasks_begin_snapshot(tasks);
	spt_perf_tasks_seen(tasks, &own, 1, UINT64_MAX - 1000 * MS, false, "shell", &fixture->sink);
	spt_perf_tasks_end_snapshot(tasks, 100);
	spt_perf_snapshot_renamed(snapshot, pid, 200, true);
	spt_perf_snapshot_put(snapshot, fixture->records, &fixture->sink);
	g_assert_cmpuint(count_execs(fixture), ==, 0);
	/* That it was a shell would count at the time of the reading, behind that of the exec. */
	for (unsigned i = 1; i < fixture->out->len; i++) {
		const struct sysprof_record *record = g_ptr_array_index(fixture->out, i);

		g_assert_false(record->type == SYSPROF_TASK && record->tid == pid);
	}
	g_assert_cmpstr(spt_perf_tasks_name(tasks, pid), ==, "shell");
	g_assert_true(g_file_get_contents("/proc/self/comm", &name, NULL, NULL));
	comm(fixture, true, pid, pid, g_strchomp(name), 200);
	g_assert_cmpuint(count_execs(fixture), ==, 1);
	/* Without such a record, one was lost. */
	comm(fixture, true, pid, pid, "before", 300);

	g_autoptr(SptPerfSnapshot) later = spt_perf_snapshot_read(files, &error);

	spt_perf_snapshot_put(later, fixture->records, &fixture->sink);
	g_assert_cmpuint(count_execs(fixture), ==, 3);
}

/* Mappings of this process in a snapshot that is taken and reported now. */
static unsigned maps_of_snapshot(struct fixture *fixture, SptProcFiles *files)
{
	g_autoptr(SptPerfSnapshot) snapshot = spt_perf_snapshot_read(files, NULL);
	unsigned n = 0;

	g_ptr_array_set_size(fixture->out, 0);
	spt_perf_snapshot_put(snapshot, fixture->records, &fixture->sink);
	for (unsigned i = 0; i < fixture->out->len; i++) {
		const struct sysprof_record *record = g_ptr_array_index(fixture->out, i);

		n += record->type == SYSPROF_MAP && record->pid == (uint32_t)getpid();
	}
	return n;
}

/*
 * Of a process whose mappings are all reported a later snapshot has none: records of before it that
 * are taken only then would count for nothing.
 */
static void test_snapshot_of_known(struct fixture *fixture, const void *data)
{
	uint32_t pid = (uint32_t)getpid();
	g_autoptr(SptProcFiles) files = spt_proc_files_new("/proc");
	unsigned n = maps_of_snapshot(fixture, files);
	g_autofree char *name = NULL;
	struct made made;

	(void)data;
	g_assert_cmpuint(n, >, 0);
	g_assert_cmpuint(maps_of_snapshot(fixture, files), ==, 0);
	begin(&made, PERF_RECORD_LOST, 0);
	add(&made, 1);
	add(&made, 1);
	take(fixture, 0, &made, pid, pid, 300);
	g_assert_cmpuint(maps_of_snapshot(fixture, files), ==, n);
	g_assert_true(g_file_get_contents("/proc/self/comm", &name, NULL, NULL));
	comm(fixture, true, pid, pid, g_strchomp(name), 400);
	g_assert_cmpuint(maps_of_snapshot(fixture, files), ==, 0);
	/* By its name it has become another program, of which nothing was reported. */
	comm(fixture, true, pid, pid, "before", 500);
	g_assert_cmpuint(maps_of_snapshot(fixture, files), ==, n);
}

/* Code in memory between two mappings of one file: its own, or what a program made. */
static void test_copied_code(void)
{
	static const char maps[] = "00400000-00b6f000 r--p 00000000 fe:00 7 /usr/bin/a\n"
				   "00b6f000-00e00000 r-xp 00000000 00:00 0\n"
				   "02800000-0563a000 r--p 02200000 fe:00 7 /usr/bin/a\n"
				   "0563e000-0565d000 rw-p 0523d000 fe:00 7 /usr/bin/a\n"
				   "7f3b68003000-7f3b6803f000 rwxp 00000000 00:00 0\n"
				   "7f3b87e40000-7f3b87fd2000 r-xp 014c4000 fe:00 7 /usr/bin/a\n";
	g_autofree char *first = g_strdup(maps), *second = g_strdup(maps);
	struct spt_perf_map below;

	g_assert_true(spt_perf_maps_enclose(first, 0xb6f000, 0xe00000, &below));
	g_assert_cmphex(below.start, ==, 0x400000);
	g_assert_false(spt_perf_maps_enclose(second, 0x7f3b68003000, 0x7f3b6803f000, &below));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add("/perf/weights", struct fixture, NULL, set_up, test_weights, tear_down);
	g_test_add("/perf/half", struct fixture, NULL, set_up, test_half, tear_down);
	g_test_add("/perf/idle", struct fixture, NULL, set_up, test_idle, tear_down);
	g_test_add("/perf/lost", struct fixture, NULL, set_up, test_lost, tear_down);
	g_test_add("/perf/stacks", struct fixture, NULL, set_up, test_stacks, tear_down);
	g_test_add("/perf/markers-of-a-program", struct fixture, NULL, set_up,
		   test_markers_of_a_program, tear_down);
	g_test_add_func("/perf/made-code", test_made_code);
	g_test_add_func("/perf/hidden-kernel", test_hidden_kernel);
	g_test_add("/perf/images", struct fixture, NULL, set_up, test_images, tear_down);
	g_test_add("/perf/kernel-threads-and-the-dying", struct fixture, NULL, set_up,
		   test_kernel_threads_and_the_dying, tear_down);
	g_test_add("/perf/snapshot-after-loss", struct fixture, NULL, set_up,
		   test_snapshot_after_loss, tear_down);
	g_test_add("/perf/snapshot-of-known", struct fixture, NULL, set_up,
		   test_snapshot_of_known, tear_down);
	g_test_add("/perf/snapshot-before-record", struct fixture, NULL, set_up,
		   test_snapshot_before_record, tear_down);
	g_test_add_func("/perf/object-identity", test_object_identity);
	g_test_add_func("/perf/damage", test_damage);
	g_test_add_func("/perf/copied-code", test_copied_code);
	return g_test_run();
}
