/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wake-ups of a thread that is woken each millisecond and runs after 10 us but once: delays and
 * periods, and what is no wake-up counts for neither.
 */
#include "profile/jitter.h"
#include "sysprof-event.h"
#include "written.h"

#define US     1000ULL
#define PERIOD (1000 * US)
#define BEGIN  (1000 * PERIOD)
#define ROUNDS 100
#define LATE   41 /* the round that was kept waiting for 500 us */

static void set_up(Fixture *fixture, gconstpointer data)
{
	(void)data;
	begin_file(fixture, 2);
}

static void put(Fixture *fixture, uint64_t woken, uint64_t runnable_ns, uint8_t state,
		uint8_t flags)
{
	const SptWaitRow row = { .time = woken + runnable_ns,
				 .duration_ns = runnable_ns + 100 * US,
				 .runnable_ns = runnable_ns,
				 .weight_ns = runnable_ns + 100 * US,
				 .thread = 1,
				 .state = state,
				 .flags = flags };

	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT, &row);
}

static void put_known(Fixture *fixture)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t woken = BEGIN + i * PERIOD;

		put(fixture, woken, i == LATE ? 500 * US : 10 * US, SYSPROF_STATE_SLEEP, 0);
		put(fixture, woken + 600 * US, 300 * US, SYSPROF_STATE_PREEMPTED, 0);
		put(fixture, woken + 950 * US, 0, SYSPROF_STATE_SLEEP, SPT_WAIT_NO_WAKING);
	}
	open_again(fixture);
}

static void test_delay(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptWaitIndex) waits = NULL;
	g_autoptr(SptJitter) jitter = NULL;
	uint32_t counts[4];

	(void)data;
	put_known(fixture);
	waits = spt_wait_index_new(fixture->capture);
	jitter = spt_jitter_new(waits, 1, SPT_JITTER_DELAY, 0, UINT64_MAX);
	g_assert_cmpuint(jitter->n, ==, ROUNDS);
	g_assert_cmpuint(jitter->least_ns, ==, 10 * US);
	g_assert_cmpuint(jitter->median_ns, ==, 10 * US);
	g_assert_cmpuint(jitter->most_ns, ==, 500 * US);
	g_assert_cmpuint(jitter->values[ROUNDS - 1].time, ==, BEGIN + LATE * PERIOD);
	spt_jitter_count(jitter, 0, 40 * US, 4, counts);
	g_assert_cmpuint(counts[0], ==, 0);
	g_assert_cmpuint(counts[1], ==, ROUNDS - 1);
	g_assert_cmpuint(counts[2], ==, 0);
	g_assert_cmpuint(counts[3], ==, 1);
}

static void test_period(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptWaitIndex) waits = NULL;
	g_autoptr(SptJitter) jitter = NULL, part = NULL, none = NULL;

	(void)data;
	put_known(fixture);
	waits = spt_wait_index_new(fixture->capture);
	jitter = spt_jitter_new(waits, 1, SPT_JITTER_PERIOD, 0, UINT64_MAX);
	g_assert_cmpuint(jitter->n, ==, ROUNDS - 1);
	g_assert_cmpuint(jitter->least_ns, ==, PERIOD);
	g_assert_cmpuint(jitter->most_ns, ==, PERIOD);
	g_assert_true(jitter->is_regular);
	part = spt_jitter_new(waits, 1, SPT_JITTER_PERIOD, BEGIN + 10 * PERIOD,
			      BEGIN + 13 * PERIOD);
	g_assert_cmpuint(part->n, ==, 2);
	g_assert_false(part->is_regular);
	none = spt_jitter_new(waits, 2, SPT_JITTER_PERIOD, 0, UINT64_MAX);
	g_assert_cmpuint(none->n, ==, 0);
	g_assert_cmpuint(none->most_ns, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add("/jitter/delay", Fixture, NULL, set_up, test_delay, tear_down);
	g_test_add("/jitter/period", Fixture, NULL, set_up, test_period, tear_down);
	return g_test_run();
}
