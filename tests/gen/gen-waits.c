/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-waits OUT [mutex]: a second of a recording with every wait.  In each tenth of it the thread "worker"
 * of "server" runs for 10 ms, sleeps for 80 ms in wait_for_work until "helper" wakes it in
 * give_work, and is runnable for 10 ms, in which helper runs on; helper sleeps for the rest.
 * "beat", alone in its process, is woken every 10 ms and runs 100 us later, but after 3 ms once.
 * For the last 20 ms that worker sleeps it waits for a lock, which helper holds.  CPU 0 handles an
 * interrupt for 5 ms of each of worker's runs, and takes none for the last 2 ms.
 *
 * flows: helper hands work to beat in five flows of 30 ms; crowd: in 200 of them.
 *
 * mutex: worker sleeps, and helper wakes it, by a mutex of libc and the kernel's scheduler.
 */
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"
#include "stash/stash.h"
#include "sysprof-event.h"

#define BEGIN  5000000000ull
#define MS     1000000ull
#define US     1000ull
#define ROUNDS 10
#define BEATS  100
#define LATE   37
#define FLOWS  5
#define CROWD  200

enum { PROGRAM = 1, LIBC, KERNEL };
enum { WORKER = 1, HELPER, BEAT };
enum { MAIN, WAIT_FOR_WORK, GIVE_WORK, WORK, A_LOCK, N_FUNCTIONS };

static const char *const functions[N_FUNCTIONS] = { "main", "wait_for_work", "give_work", "work",
							 "a_lock" };

static uint32_t node_of(SptStash *stash, unsigned function)
{
	uint32_t main_node =
		spt_stash_child(stash, 0, &(SptFrame){ .object = PROGRAM, .offset = 0x1000 });

	return spt_stash_child(stash, main_node,
			       &(SptFrame){ .object = PROGRAM,
					    .offset = 0x1000 + 0x100 * function });
}

/* What worker and helper called; only with a mutex there is more than their own function. */
static const struct {
	uint32_t object;
	uint64_t offset;
	const char *name;
} below[] = { { LIBC, 0x100, "pthread_mutex_lock" },
	      { LIBC, 0x200, "pthread_mutex_unlock" },
	      { KERNEL, 0x300, "__schedule" } };
enum { LOCK, UNLOCK, SCHEDULE };
static bool has_mutex;

static uint32_t called(SptStash *stash, uint32_t node, unsigned what)
{
	if (!has_mutex)
		return node;
	return spt_stash_child(stash, node,
			       &(SptFrame){ .object = below[what].object,
					    .offset = below[what].offset });
}

static void put_below(SptCaptureWriter *writer)
{
	spt_capture_writer_object(writer, &(SptObjectRow){ .id = LIBC,
							   .kind = SPT_OBJECT_FILE,
							   .path = "/usr/lib/libc.so.6" });
	spt_capture_writer_object(writer, &(SptObjectRow){ .id = KERNEL,
							   .kind = SPT_OBJECT_KERNEL,
							   .path = "[kernel]" });
	for (unsigned i = 0; i < G_N_ELEMENTS(below); i++)
		spt_capture_writer_name(writer, &(SptNameRow){ .object = below[i].object,
							       .offset = below[i].offset,
							       .symbol = below[i].name,
							       .symbol_bytes = 0x80 });
}

static void put_state(SptCaptureWriter *writer, bool has_command)
{
	if (has_command) {
		spt_capture_writer_host(writer, "command", "beat");
		spt_capture_writer_host(writer, "command_pid", "300");
	}
	spt_capture_writer_host(writer, "host", "example");
	spt_capture_writer_host(writer, "kernel", "6.1.0");
	spt_capture_writer_host(writer, "period_ns", "1000000");
	spt_capture_writer_object(writer, &(SptObjectRow){ .id = PROGRAM,
							   .kind = SPT_OBJECT_FILE,
							   .path = "/usr/bin/server" });
	for (unsigned i = 0; i < N_FUNCTIONS; i++)
		spt_capture_writer_name(writer, &(SptNameRow){ .object = PROGRAM,
							       .offset = 0x1000 + 0x100 * i,
							       .symbol = functions[i],
							       .symbol_bytes = 0x80 });
	spt_capture_writer_process(writer,
				   &(SptProcessRow){ .id = 1, .pid = 200, .name = "server" });
	spt_capture_writer_process(writer, &(SptProcessRow){ .id = 2, .pid = 300, .name = "beat" });
	spt_capture_writer_thread(
		writer,
		&(SptThreadRow){ .id = WORKER, .process = 1, .tid = 201, .name = "worker" });
	spt_capture_writer_thread(
		writer,
		&(SptThreadRow){ .id = HELPER, .process = 1, .tid = 202, .name = "helper" });
	spt_capture_writer_thread(
		writer, &(SptThreadRow){ .id = BEAT, .process = 2, .tid = 300, .name = "beat" });
}

static void put_lane(SptCaptureWriter *writer, uint64_t time, uint32_t cpu, uint32_t thread,
		     uint8_t state)
{
	spt_capture_writer_put(
		writer, SPT_ROW_LANE,
		&(SptLaneRow){ .time = time, .cpu = cpu, .thread = thread, .state = state });
}

static void put_wait(SptCaptureWriter *writer, SptWaitRow wait)
{
	wait.weight_ns = wait.duration_ns;
	wait.state = SYSPROF_STATE_SLEEP;
	spt_capture_writer_put(writer, SPT_ROW_WAIT, &wait);
}

static void put_round(SptCaptureWriter *writer, SptStash *stash, uint64_t begin)
{
	uint32_t locking = called(stash, node_of(stash, WAIT_FOR_WORK), LOCK);

	put_lane(writer, begin, 0, WORKER, SYSPROF_STATE_RUNNING);
	put_lane(writer, begin + 10 * MS, 0, 0, SYSPROF_STATE_SLEEP);
	put_lane(writer, begin + 70 * MS, 0, HELPER, SYSPROF_STATE_RUNNING);
	put_lane(writer, begin + 100 * MS, 0, 0, SYSPROF_STATE_SLEEP);
	put_wait(writer, (SptWaitRow){ .time = begin + 70 * MS,
				       .duration_ns = 70 * MS,
				       .thread = HELPER,
				       .node = node_of(stash, WAIT_FOR_WORK),
				       .waker_context = SYSPROF_CONTEXT_IRQ });
	put_wait(writer, (SptWaitRow){ .time = begin + 100 * MS,
				       .duration_ns = 90 * MS,
				       .runnable_ns = 10 * MS,
				       .thread = WORKER,
				       .node = called(stash, locking, SCHEDULE),
				       .waker = HELPER,
				       .waker_node = called(stash, node_of(stash, GIVE_WORK),
							    UNLOCK) });
	for (unsigned i = 1; i <= 10; i++)
		spt_capture_writer_sample(writer, &(SptSampleRow){ .time = begin + i * MS,
								   .thread = WORKER,
								   .weight = 1,
								   .node = node_of(stash, WORK) });
	for (unsigned i = 71; i <= 100; i++)
		spt_capture_writer_sample(writer,
					  &(SptSampleRow){ .time = begin + i * MS,
							   .thread = HELPER,
							   .weight = 1,
							   .node = node_of(stash, GIVE_WORK) });
}

/* The lock is the innermost frame of both stacks. */
static uint32_t lock_node(SptStash *stash, unsigned function)
{
	return spt_stash_child(
		stash, node_of(stash, function),
		&(SptFrame){ .object = PROGRAM, .offset = 0x1000 + 0x100 * A_LOCK });
}

static void put_event(SptCaptureWriter *writer, SptEventRow event)
{
	event.thread = WORKER;
	event.weight = event.duration_ns;
	spt_capture_writer_put(writer, SPT_ROW_EVENT, &event);
}

static void put_events(SptCaptureWriter *writer, SptStash *stash, uint64_t begin)
{
	put_event(writer, (SptEventRow){ .kind = SYSPROF_SOURCE_LOCK,
					 .time = begin + 90 * MS,
					 .duration_ns = 20 * MS,
					 .node = lock_node(stash, WAIT_FOR_WORK),
					 .holder = HELPER,
					 .holder_node = lock_node(stash, GIVE_WORK) });
	put_event(writer, (SptEventRow){ .kind = SYSPROF_SOURCE_IRQ,
					 .time = begin + 7 * MS,
					 .duration_ns = 5 * MS,
					 .node = node_of(stash, WORK) });
	put_event(writer, (SptEventRow){ .kind = SYSPROF_SOURCE_IRQS_OFF,
					 .time = begin + 10 * MS,
					 .duration_ns = 2 * MS,
					 .node = node_of(stash, WORK) });
}

static void put_accounts(SptCaptureWriter *writer)
{
	static const uint32_t kinds[] = { SYSPROF_SOURCE_LOCK, SYSPROF_SOURCE_IRQ,
					  SYSPROF_SOURCE_IRQS_OFF };

	for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++)
		spt_capture_writer_put(
			writer, SPT_ROW_SOURCE_ACCOUNT,
			&(SptSourceAccountRow){ .time = BEGIN + 1000 * MS, .kind = kinds[i] });
}

static void put_beats(SptCaptureWriter *writer, SptStash *stash)
{
	for (unsigned i = 1; i < BEATS; i++) {
		uint64_t woken = BEGIN + i * 10 * MS, delay = i == LATE ? 3 * MS : 100 * US;

		put_lane(writer, woken + delay, 1, BEAT, SYSPROF_STATE_RUNNING);
		put_lane(writer, woken + 5 * MS, 1, 0, SYSPROF_STATE_SLEEP);
		put_wait(writer, (SptWaitRow){ .time = woken + delay,
					       .runnable_ns = delay,
					       .duration_ns = 5 * MS + delay,
					       .thread = BEAT,
					       .cpu = 1,
					       .node = node_of(stash, WAIT_FOR_WORK),
					       .waker_context = SYSPROF_CONTEXT_IRQ });
	}
}

/* From helper to beat; the end of every second one is first in the file. */
static void put_flows(SptCaptureWriter *writer, unsigned n)
{
	static const SptDeclarationRow flow = {
		.id = 1,
		.name = "flow",
		.title = "Flows",
		.shape = SPT_DECLARED_INSTANT,
		.n_fields = 3,
		.fields = { { "name", "", SPT_VALUE_TEXT },
			    { "side", "", SPT_VALUE_TEXT },
			    { "id", "", SPT_VALUE_ID } },
	};

	if (n)
		spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &flow);
	for (unsigned i = 0; i < 2 * n; i++) {
		bool is_end = (i & 1) != (i >> 1 & 1);
		const SptDeclaredRow row = {
			.time = BEGIN + (i / 2) * (900 * MS / n) + (is_end ? 60 : 30) * MS,
			.kind = flow.id,
			.thread = is_end ? BEAT : HELPER,
			.values = { { .text = "a\nflow" },
				    { .text = is_end ? "end" : "begin" },
				    { .number = i / 2 + 1 } },
		};

		spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
	}
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	SptStash *stash = spt_stash_new();
	SptCaptureWriter *writer;
	unsigned n_flows;
	bool has_command;
	int status = 0;

	has_command = argc == 3 && strcmp(argv[2], "command") == 0;
	has_mutex = argc == 3 && strcmp(argv[2], "mutex") == 0;
	n_flows = argc == 3 && strcmp(argv[2], "flows") == 0 ? FLOWS :
		  argc == 3 && strcmp(argv[2], "crowd") == 0 ? CROWD :
								0;
	if (argc != 2 && !has_command && !has_mutex && !n_flows) {
		fprintf(stderr, "Usage: gen-waits OUT [command | mutex | flows | crowd]\n");
		return 2;
	}
	writer = spt_capture_writer_new(argv[1], &error);
	if (writer) {
		put_state(writer, has_command);
		if (has_mutex)
			put_below(writer);
		for (unsigned i = 0; i < ROUNDS; i++)
			put_round(writer, stash, BEGIN + i * 100 * MS);
		for (unsigned i = 0; i < ROUNDS; i++)
			put_events(writer, stash, BEGIN + i * 100 * MS);
		put_accounts(writer);
		put_beats(writer, stash);
		put_flows(writer, n_flows);
	}
	if (!writer || !spt_capture_writer_finish(writer, stash, BEGIN + 1000 * MS, &error)) {
		fprintf(stderr, "gen-waits: %s\n", error->message);
		status = 1;
	}
	spt_capture_writer_free(writer);
	spt_stash_free(stash);
	return status;
}
