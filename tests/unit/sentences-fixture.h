/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For test-sentences: recordings of convoy, whose threads want one lock, and of another program, in
 * each mode.
 */
#ifndef SPT_SENTENCES_FIXTURE_H
#define SPT_SENTENCES_FIXTURE_H

#include <glib/gstdio.h>

#include "capture/capture.h"
#include "stash/stash.h"
#include "symbols/symbols.h"
#include "sysprof-event.h"

#define MS 1000000ull
#define BEGIN (1000 * MS)
#define NB "\xc2\xa0"

enum object { KERNEL = 1, PROGRAM, LIBC, LIBSPT, PYTHON, SCRIPT, NOWHERE };
enum function {
	MAIN,
	TAKE,
	LOAD,
	BUSY,
	LOCK,
	MALLOC,
	STAMP,
	FUTEX,
	SCHEDULE,
	SYSCALL,
	SWITCHED,
	UNLOCKED,
	LOOP,
	VECTORCALL,
	LOOKUP,
	N_FUNCTIONS,
};

static const struct {
	const char *name;
	enum object object;
} functions[N_FUNCTIONS] = {
	[MAIN] = { "main", PROGRAM },	  [TAKE] = { "update_table", PROGRAM },
	[LOAD] = { "load", PROGRAM },	  [BUSY] = { "busy", PROGRAM },
	[LOCK] = { "pthread_mutex_lock", LIBC }, [MALLOC] = { "malloc", LIBC },
	[STAMP] = { "spt_stamp", LIBSPT },	  [FUTEX] = { "futex_wait", KERNEL },
	[SCHEDULE] = { "schedule", KERNEL },	  [SYSCALL] = { "do_syscall_64", KERNEL },
	[SWITCHED] = { "finish_task_switch.isra.0", KERNEL },
	[UNLOCKED] = { "_raw_spin_unlock_irqrestore", KERNEL },
	[LOOP] = { "_PyEval_EvalFrameDefault", PYTHON },
	[VECTORCALL] = { "PyObject_Vectorcall", PYTHON },
	[LOOKUP] = { "lookup", SCRIPT },
};

/* How a recording was made. */
struct mode {
	const char *sides, *whose;	/* NULL: of before that was noted */
	const char *ran_ns, *wall_ns, *ready_ns; /* NULL: not noted, as in the viewer */
	const char *status;
	bool no_kernel;			/* no function of it in the stacks */
	bool has_command, has_waits, has_memory, no_samples;
	bool has_losses;		/* of waits, and of what no metric of waits is made of */
	bool has_two_ways;		/* to the memory, by one function */
	bool has_memory_calls;		/* of more time in our library than in anything else */
	bool has_stackless_wait;	/* a longer one, without a stack */
	bool has_nameless;		/* some time, or a wait, in a file that is not there */
	bool takes_turns;		/* the command's two threads run one after the other */
	bool is_single;			/* a thread of the command, not two */
	bool is_late;			/* more time where interrupts come on again */
	bool has_no_own;		/* the command's functions are in a library of the system */
	const char *python;		/* the waits are in this file's functions, and */
	bool has_script;		/* those are of a script's function */
	bool has_idle;			/* a thread waits for a second, and hardly ran */
	unsigned idle_state;		/* in this state; 0: it sleeps */
	bool is_idle_locked;		/* it waits for a lock */
	bool has_other_wait;		/* the other process waits for 800 ms */
	bool runs_little;		/* the other one: for 30 ms */
	const char *recorder;		/* the process that recorded */
	const char *source, *waits;	/* NULL: not noted */
	const char *clock;		/* NULL: a timer */
	unsigned n_samples;		/* 0: 400 */
};

struct fixture {
	char *directory, *path;
	SptStash *stash;
	SptCaptureWriter *writer;
	SptCapture *capture;
	SptSymbols *symbols;
};

static uint32_t node_of(struct fixture *fixture, const enum function *stack, unsigned n)
{
	uint32_t node = 0;

	for (unsigned i = 0; i < n; i++)
		node = spt_stash_child(fixture->stash, node,
				       &(SptFrame){ .object = functions[stack[i]].object,
						    .offset = 0x1000 + 0x100 * stack[i] });
	return node;
}
#define NODE(...) \
	node_of(fixture, (const enum function[]){ __VA_ARGS__ }, \
		sizeof((const enum function[]){ __VA_ARGS__ }) / sizeof(enum function))

static void put_names(struct fixture *fixture, const struct mode *mode)
{
	const char *const paths[] = { NULL, "[kernel]",
				      mode->has_no_own ? "/usr/lib/libtable.so" : "/opt/own/convoy",
				      "/usr/lib/libc.so.6",
				      "/usr/lib/libspt-memory.so",
				      mode->python ? mode->python : "/usr/bin/python3.11",
				      "/opt/own/server.py", "/opt/own/nowhere" };

	for (unsigned i = KERNEL; i <= NOWHERE; i++)
		spt_capture_writer_object(
			fixture->writer,
			&(SptObjectRow){ .id = i,
					 .kind = i == KERNEL ? SPT_OBJECT_KERNEL :
						 i == SCRIPT ? SPT_OBJECT_SOURCE : SPT_OBJECT_FILE,
					 .path = paths[i] });
	for (unsigned i = 0; i < N_FUNCTIONS; i++)
		spt_capture_writer_name(fixture->writer,
					&(SptNameRow){ .object = functions[i].object,
						       .offset = 0x1000 + 0x100 * i,
						       .symbol = functions[i].name,
						       .symbol_bytes = 0x80 });
}

static void put_threads(struct fixture *fixture, const struct mode *mode)
{
	const SptProcessRow convoy = { .id = 1, .pid = 10, .name = "convoy",
				       .start_time = BEGIN, .end_time = BEGIN + 1000 * MS },
			    other = { .id = 2, .pid = 20, .name = "other" };

	spt_capture_writer_process(fixture->writer, &convoy);
	spt_capture_writer_process(fixture->writer, &other);
	/* The last one is what the second was before it executed something. */
	for (uint32_t id = 1; id <= 4; id++)
		spt_capture_writer_thread(
			fixture->writer,
			&(SptThreadRow){ .id = id,
					 .process = id == 3 ? 2 : 1,
					 .tid = id % 2 == 0 ? mode->is_single ? 10 : 20 : 10 * id,
					 .name = "t" });
}

/* convoy runs 300 ms of the second, other 100 ms of which half are in the kernel. */
static void put_samples(struct fixture *fixture, const struct mode *mode)
{
	uint32_t busy = NODE(MAIN, TAKE, BUSY),
		 kernel = mode->no_kernel ? busy : NODE(MAIN, SYSCALL, FUTEX);

	for (unsigned i = 0; i < (mode->n_samples ? mode->n_samples : 400); i++) {
		uint32_t of_convoy = mode->takes_turns ? 1 + i % 2 : 1;
		SptSampleRow row = { .time = BEGIN + (i + 1) * MS, .weight = 1 };

		row.thread = i >= 300 || (mode->runs_little && i >= 30) ? 3 : of_convoy;
		row.node = i < 350 ? busy : kernel;
		spt_capture_writer_sample(fixture->writer, &row);
	}
	for (unsigned i = 0; mode->is_late && i < 600; i++) {
		SptSampleRow row = { .time = BEGIN + (i + 401) * MS, .thread = 1, .weight = 1 };

		row.node = i < 400 ? NODE(MAIN, SYSCALL, SCHEDULE, SWITCHED) :
				     NODE(MAIN, SYSCALL, UNLOCKED);
		spt_capture_writer_sample(fixture->writer, &row);
	}
	for (unsigned i = 0; mode->has_nameless && i < 100; i++) {
		SptSampleRow row = { .time = BEGIN + (i + 401) * MS, .thread = 1, .weight = 1 };

		row.node = spt_stash_child(fixture->stash, NODE(MAIN),
					   &(SptFrame){ .object = NOWHERE, .offset = 0x9000 });
		spt_capture_writer_sample(fixture->writer, &row);
	}
	for (unsigned i = 0; mode->has_memory_calls && i < 300; i++) {
		SptSampleRow row = { .time = BEGIN + (i + 401) * MS, .thread = 1, .weight = 1 };

		row.node = NODE(MAIN, LOAD, MALLOC, STAMP);
		spt_capture_writer_sample(fixture->writer, &row);
	}
}

/* The innermost function of a wait of 400 ms. */
static uint32_t node_of_lock(struct fixture *fixture, const struct mode *mode)
{
	const SptFrame own = { .object = NOWHERE, .offset = 0x9000 },
		       lock = { .object = LIBC, .offset = 0x1000 + 0x100 * LOCK };
	uint32_t nowhere = spt_stash_child(fixture->stash, 0, &own),
		 locked = spt_stash_child(fixture->stash, nowhere, &lock);

	if (mode->python)
		return mode->has_script ? NODE(LOOP, LOOKUP, VECTORCALL, LOCK, FUTEX) :
					  NODE(LOOP, VECTORCALL, LOCK, FUTEX);
	return mode->has_nameless ? locked : NODE(MAIN, TAKE, LOCK, SYSCALL, FUTEX, SCHEDULE);
}

static void put_waits(struct fixture *fixture, const struct mode *mode)
{
	const struct {
		uint32_t node;
		uint64_t ms;
	} waits[] = { { node_of_lock(fixture, mode), 400 },
		      { NODE(MAIN, SYSCALL, SCHEDULE), 100 } };

	for (unsigned i = 0; i < G_N_ELEMENTS(waits); i++)
		spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT,
				       &(SptWaitRow){ .time = BEGIN + (700 + 300 * i) * MS,
						      .duration_ns = waits[i].ms * MS,
						      .runnable_ns = i ? 50 * MS : 0,
						      .weight_ns = waits[i].ms * MS,
						      .thread = 1,
						      .node = waits[i].node,
						      .state = SYSPROF_STATE_SLEEP });
	/* Ready while the other thread runs. */
	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT,
			       &(SptWaitRow){ .time = BEGIN + 100 * MS,
					      .duration_ns = 50 * MS,
					      .runnable_ns = 50 * MS,
					      .weight_ns = 50 * MS,
					      .thread = 1,
					      .state = SYSPROF_STATE_WOKEN });
}

/* Accounts are sums: the last one of a CPU counts. */
static void put_losses(struct fixture *fixture)
{
	static const struct {
		uint32_t kind, cpu;
		uint64_t seen, no_room, throttled;
	} accounts[] = { { SYSPROF_SOURCE_WAIT, 0, 10, 1, 0 },
			 { SYSPROF_SOURCE_WAIT, 1, 100, 0, 7 },
			 { SYSPROF_SOURCE_SOFTIRQ, 0, 1000, 500, 0 },
			 { SYSPROF_SOURCE_WAIT, 0, 20, 3, 2 } };

	for (unsigned i = 0; i < G_N_ELEMENTS(accounts); i++) {
		SptSourceAccountRow row = { .time = BEGIN + i * MS,
					    .kind = accounts[i].kind,
					    .cpu = accounts[i].cpu };

		row.tallies[SPT_TALLY_SEEN].events = accounts[i].seen;
		row.tallies[SPT_TALLY_LOST + SYSPROF_LOST_RING_FULL].events = accounts[i].no_room;
		row.tallies[SPT_TALLY_LOST + SYSPROF_LOST_THROTTLED].events = accounts[i].throttled;
		spt_capture_writer_put(fixture->writer, SPT_ROW_SOURCE_ACCOUNT, &row);
	}
}

static void put_idle_wait(struct fixture *fixture, const struct mode *mode)
{
	uint32_t node = mode->is_idle_locked ? NODE(MAIN, TAKE, LOCK, SYSCALL, FUTEX, SCHEDULE) :
					       NODE(MAIN, SYSCALL, SCHEDULE);

	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT,
			       &(SptWaitRow){ .time = BEGIN + 1000 * MS,
					      .duration_ns = 1000 * MS,
					      .weight_ns = 1000 * MS,
					      .thread = 2,
					      .node = node,
					      .state = mode->idle_state ? mode->idle_state :
									  SYSPROF_STATE_SLEEP });
	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT,
			       &(SptWaitRow){ .time = BEGIN + 1,
					      .duration_ns = 1,
					      .weight_ns = 1,
					      .thread = 4,
					      .node = NODE(MAIN, SYSCALL, SCHEDULE),
					      .state = SYSPROF_STATE_SLEEP });
}

static void put_other_wait(struct fixture *fixture)
{
	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT,
			       &(SptWaitRow){ .time = BEGIN + 900 * MS,
					      .duration_ns = 800 * MS,
					      .weight_ns = 800 * MS,
					      .thread = 3,
					      .node = NODE(MAIN, SYSCALL, SCHEDULE),
					      .state = SYSPROF_STATE_SLEEP });
}

static void put_stackless_wait(struct fixture *fixture)
{
	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT,
			       &(SptWaitRow){ .time = BEGIN + 1000 * MS,
					      .duration_ns = 1000 * MS,
					      .weight_ns = 1000 * MS,
					      .thread = 1,
					      .state = SYSPROF_STATE_SLEEP });
}

static void put_memory(struct fixture *fixture, const struct mode *mode)
{
	const uint32_t load = NODE(MAIN, LOAD, MALLOC, STAMP),
		       nodes[] = { load, load,
				   mode->has_two_ways ? NODE(MAIN, LOAD, LOCK, STAMP) : load,
				   NODE(MAIN, MALLOC, STAMP) };

	for (unsigned i = 0; i < 4; i++)
		spt_capture_writer_put(fixture->writer, SPT_ROW_ALLOCATION,
				       &(SptAllocationRow){ .time = BEGIN + 100 * (i + 1) * MS,
							    .duration_ns = 500 * MS,
							    .bytes = 1000,
							    .weight = 1000,
							    .thread = 1,
							    .node = nodes[i] });
}

static void put_facts(struct fixture *fixture, const struct mode *mode)
{
	const char *const facts[][2] = {
		{ "period_ns", "1000000" },
		{ "clock", mode->clock ? mode->clock : "timer" },
		{ "grid_start", "1" },
		{ "command", mode->has_command ? "/opt/own/convoy 8" : NULL },
		{ "command_pid", mode->has_command ? "10" : NULL },
		{ "exit_status", mode->status },
		{ "cpus", mode->takes_turns ? "2" : NULL },
		{ "ran_ns", mode->ran_ns },
		{ "wall_ns", mode->wall_ns },
		{ "ready_ns", mode->ready_ns },
		{ "sides", mode->sides },
		{ "whose", mode->whose },
		{ "source", mode->source },
		{ "waits", mode->waits },
		{ "recorder_pid", mode->recorder },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(facts); i++)
		if (facts[i][1])
			spt_capture_writer_host(fixture->writer, facts[i][0], facts[i][1]);
}

static void set_up(struct fixture *fixture, const struct mode *mode)
{
	g_autoptr(GError) error = NULL;

	*fixture = (struct fixture){ .directory = g_dir_make_tmp("spt-sentences-XXXXXX", NULL),
				     .stash = spt_stash_new() };
	fixture->path = g_build_filename(fixture->directory, "a.capture", NULL);
	fixture->writer = spt_capture_writer_new(fixture->path, NULL);
	put_facts(fixture, mode);
	put_names(fixture, mode);
	put_threads(fixture, mode);
	if (!mode->no_samples)
		put_samples(fixture, mode);
	if (mode->has_waits)
		put_waits(fixture, mode);
	if (mode->has_idle)
		put_idle_wait(fixture, mode);
	if (mode->has_other_wait)
		put_other_wait(fixture);
	if (mode->has_stackless_wait)
		put_stackless_wait(fixture);
	if (mode->has_memory)
		put_memory(fixture, mode);
	if (mode->has_losses)
		put_losses(fixture);
	g_assert_true(spt_capture_writer_finish(fixture->writer, fixture->stash, 1, &error));
	g_assert_no_error(error);
	fixture->capture = spt_capture_open(fixture->path, &error);
	g_assert_no_error(error);
	fixture->symbols = spt_symbols_new(fixture->capture, NULL);
}

static void tear_down(struct fixture *fixture)
{
	spt_symbols_free(fixture->symbols);
	spt_capture_free(fixture->capture);
	spt_capture_writer_free(fixture->writer);
	spt_stash_free(fixture->stash);
	g_unlink(fixture->path);
	g_rmdir(fixture->directory);
	g_free(fixture->directory);
	g_free(fixture->path);
}

#endif
