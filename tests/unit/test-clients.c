/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom threads worked for, by known wakings and calls. */
#include "profile/clients.h"

#include "sysprof-event.h"
#include "written.h"

/* Processes with a thread of the same number; number 1 has more threads, from MORE on. */
enum { SERVER = 2, A, B, MIDDLE, KERNEL, N_PROCESSES, MORE = 20, N_MORE = 4 };

static void set_up(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	begin_file(fixture, 1);
	for (uint32_t id = SERVER; id < N_PROCESSES; id++) {
		const SptProcessRow process = { .id = id,
						.pid = 100 + id,
						.name = "",
						.flags = id == KERNEL ? SPT_PROCESS_KTHREAD : 0 };
		const SptThreadRow thread = { .id = id, .process = id, .tid = 100 + id, .name = "" };

		spt_capture_writer_process(fixture->writer, &process);
		spt_capture_writer_thread(fixture->writer, &thread);
	}
	for (uint32_t id = MORE; id < MORE + N_MORE; id++) {
		const SptThreadRow thread = { .id = id, .process = 1, .tid = 100 + id, .name = "" };

		spt_capture_writer_thread(fixture->writer, &thread);
	}
}

static void put_wait(Fixture *fixture, const SptWaitRow *from)
{
	SptWaitRow row = *from;

	row.weight_ns = row.weight_ns ? row.weight_ns : row.duration_ns;
	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT, &row);
}

/* @thread slept from @begin on, and @waker (0: a timer) woke it at @time. */
static void wake(Fixture *fixture, uint32_t waker, uint32_t thread, uint64_t begin, uint64_t time)
{
	put_wait(fixture,
		 &(SptWaitRow){
			 .time = time,
			 .duration_ns = time - begin,
			 .thread = thread,
			 .waker = waker,
			 .state = SYSPROF_STATE_SLEEP,
			 .waker_context = waker ? SYSPROF_CONTEXT_TASK : SYSPROF_CONTEXT_IRQ,
		 });
}

#define ASSERT_CLIENT(thread, time, client)                                                        \
	g_assert_cmpuint(spt_client_of(fixture->capture, thread, time), ==, client)

/* The server is woken by A, and finds B's request when it has answered. */
static void put_exchange(Fixture *fixture)
{
	wake(fixture, A, SERVER, 0, 100);
	wake(fixture, SERVER, A, 101, 200);
	wake(fixture, SERVER, B, 150, 300);
	wake(fixture, B, SERVER, 310, 400);
	wake(fixture, SERVER, B, 401, 500);
}

static void test_busy_server(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_exchange(fixture);
	open_again(fixture);
	ASSERT_CLIENT(SERVER, 99, SERVER);
	ASSERT_CLIENT(SERVER, 100, A);
	ASSERT_CLIENT(SERVER, 199, A);
	ASSERT_CLIENT(SERVER, 200, B);
	ASSERT_CLIENT(SERVER, 450, B);
	for (uint64_t time = 0; time < 600; time += 50) {
		ASSERT_CLIENT(A, time, A);
		ASSERT_CLIENT(B, time, B);
	}
	g_assert_false(spt_clients_are_thinned(fixture->capture));
	g_assert_true(spt_clients_have_wakers(fixture->capture));
	g_assert_null(spt_clients_lack(fixture->capture));
}

/* What comes first in the file is not what was first. */
static void test_order(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	wake(fixture, SERVER, B, 401, 500);
	wake(fixture, B, SERVER, 310, 400);
	wake(fixture, SERVER, A, 101, 200);
	wake(fixture, SERVER, B, 150, 300);
	wake(fixture, A, SERVER, 0, 100);
	open_again(fixture);
	ASSERT_CLIENT(SERVER, 150, A);
	ASSERT_CLIENT(SERVER, 250, B);
}

/* What the server did before B had asked was for A, whose answer nobody saw. */
static void test_unseen_answer(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_exchange(fixture);
	wake(fixture, A, SERVER, 600, 700);
	wake(fixture, SERVER, B, 800, 900);
	open_again(fixture);
	ASSERT_CLIENT(SERVER, 750, A);
	ASSERT_CLIENT(SERVER, 850, B);
}

/* A asks MIDDLE, which asks the server: its time is A's, too, and so is what MIDDLE does then. */
static void test_through_another(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_exchange(fixture);
	wake(fixture, A, MIDDLE, 0, 1000);
	wake(fixture, MIDDLE, SERVER, 600, 1100);
	wake(fixture, SERVER, MIDDLE, 1101, 1200);
	wake(fixture, MIDDLE, A, 1001, 1300);
	wake(fixture, B, MIDDLE, 1310, 1400);
	wake(fixture, MIDDLE, B, 1401, 1500);
	open_again(fixture);
	ASSERT_CLIENT(MIDDLE, 1050, A);
	ASSERT_CLIENT(SERVER, 1150, A);
	ASSERT_CLIENT(MIDDLE, 1250, A);
	ASSERT_CLIENT(MIDDLE, 1450, B);
	ASSERT_CLIENT(A, 1350, A);
}

/* Timers, disks, preemption and what had not ended. */
static void test_no_thread(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_exchange(fixture);
	wake(fixture, A, SERVER, 600, 700);
	put_wait(fixture, &(SptWaitRow){ .time = 720,
					 .duration_ns = 10,
					 .thread = SERVER,
					 .state = SYSPROF_STATE_DISK,
					 .waker_context = SYSPROF_CONTEXT_IRQ });
	put_wait(fixture, &(SptWaitRow){ .time = 740,
					 .duration_ns = 10,
					 .runnable_ns = 10,
					 .thread = SERVER,
					 .waker = B,
					 .state = SYSPROF_STATE_PREEMPTED });
	wake(fixture, 0, SERVER, 800, 900);
	put_wait(fixture, &(SptWaitRow){ .time = 990,
					 .duration_ns = 10,
					 .thread = SERVER,
					 .waker = A,
					 .state = SYSPROF_STATE_SLEEP,
					 .flags = SPT_WAIT_CUT_END });
	open_again(fixture);
	ASSERT_CLIENT(SERVER, 725, A);
	ASSERT_CLIENT(SERVER, 850, A);
	ASSERT_CLIENT(SERVER, 950, SERVER);
	ASSERT_CLIENT(SERVER, 999, SERVER);
}

/* B never found the server asleep: nothing says that it is one of its servers. */
static void test_always_awake(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	wake(fixture, A, SERVER, 0, 100);
	wake(fixture, SERVER, B, 50, 200);
	wake(fixture, SERVER, A, 101, 300);
	wake(fixture, SERVER, KERNEL, 50, 400);
	open_again(fixture);
	ASSERT_CLIENT(B, 250, B);
	ASSERT_CLIENT(SERVER, 150, A);
	ASSERT_CLIENT(SERVER, 250, A);
	ASSERT_CLIENT(KERNEL, 450, A);
}

/* Threads of a process hand work on; not those that three of them share a lock of. */
static void test_threads(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	wake(fixture, A, 1, 0, 100);
	wake(fixture, 1, A, 101, 500);
	wake(fixture, 1, MORE, 0, 150);
	for (uint32_t from = MORE + 1; from < MORE + N_MORE; from++)
		for (uint32_t to = MORE + 1; to < MORE + N_MORE; to++)
			if (from != to)
				wake(fixture, from, to, 150, 200 + from + to);
	wake(fixture, MORE, MORE + 1, 250, 300);
	wake(fixture, MORE + 1, MORE + 2, 250, 310);
	open_again(fixture);
	ASSERT_CLIENT(MORE, 160, A);
	ASSERT_CLIENT(MORE + 1, 305, A);
	ASSERT_CLIENT(MORE + 2, 320, MORE + 2);
}

static void test_thinned(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	put_wait(fixture, &(SptWaitRow){ .time = 720,
					 .duration_ns = 10,
					 .weight_ns = 1000,
					 .thread = SERVER,
					 .state = SYSPROF_STATE_SLEEP });
	open_again(fixture);
	g_assert_true(spt_clients_are_thinned(fixture->capture));
}

static void test_nothing(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	open_again(fixture);
	g_assert_nonnull(spt_clients_lack(fixture->capture));
	ASSERT_CLIENT(SERVER, 150, SERVER);
	ASSERT_CLIENT(0, 150, 0);
	ASSERT_CLIENT(99999, 150, 99999);
}

/* D-Bus. */

static const SptDeclarationRow bus_kind = {
	.id = 1,
	.name = "dbus",
	.title = "Calls",
	.shape = SPT_DECLARED_INTERVAL,
	.n_fields = 2,
	.fields = { { "server_pid", "", SPT_VALUE_ID }, { "error", "", SPT_VALUE_TEXT } },
};

static void put_call(Fixture *fixture, uint32_t caller, uint32_t server, uint64_t begin,
		     uint64_t end, const char *error)
{
	const SptDeclaredRow row = { .kind = 1,
				     .time = begin,
				     .duration_ns = end - begin,
				     .thread = caller,
				     .values = { { .number = 100 + server }, { .text = error } } };

	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED, &row);
}

static void test_calls(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &bus_kind);
	put_call(fixture, A, SERVER, 100, 400, "");
	put_call(fixture, B, SERVER, 200, 300, "some.Error");
	put_call(fixture, B, SERVER, 500, 900, "[no reply]");
	/* Answered within A's call. */
	put_call(fixture, SERVER, MIDDLE, 320, 380, "");
	open_again(fixture);
	g_assert_null(spt_clients_lack(fixture->capture));
	ASSERT_CLIENT(SERVER, 99, SERVER);
	ASSERT_CLIENT(SERVER, 150, A);
	ASSERT_CLIENT(SERVER, 250, B);
	ASSERT_CLIENT(SERVER, 350, A);
	ASSERT_CLIENT(SERVER, 600, SERVER);
	ASSERT_CLIENT(MIDDLE, 350, A);
	ASSERT_CLIENT(MIDDLE, 390, MIDDLE);
}

/* Calls in a ring end. */
static void test_ring_of_calls(Fixture *fixture, G_GNUC_UNUSED gconstpointer data)
{
	uint32_t found;

	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &bus_kind);
	put_call(fixture, A, B, 100, 400, "");
	put_call(fixture, B, A, 100, 400, "");
	open_again(fixture);
	found = spt_client_of(fixture->capture, A, 200);
	g_assert_true(found == A || found == B);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/clients/" name, Fixture, NULL, set_up, function, tear_down)
	ADD("busy-server", test_busy_server);
	ADD("order", test_order);
	ADD("unseen-answer", test_unseen_answer);
	ADD("through-another", test_through_another);
	ADD("no-thread", test_no_thread);
	ADD("always-awake", test_always_awake);
	ADD("threads", test_threads);
	ADD("thinned", test_thinned);
	ADD("nothing", test_nothing);
	ADD("calls", test_calls);
	ADD("ring-of-calls", test_ring_of_calls);
	return g_test_run();
}
