/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes of a thread that runs, is put off its CPU, sleeps and waits for the disk at known times:
 * each bucket has what was in it, whatever is zoomed to.
 */
#include "profile/lanes.h"
#include "sysprof-event.h"
#include "written.h"

#define MS    1000000ULL
#define BEGIN (1000 * MS)

static void set_up(Fixture *fixture, gconstpointer data)
{
	(void)data;
	begin_file(fixture, 3);
	spt_capture_writer_host(fixture->writer, "period_ns", "1000000");
}

typedef struct {
	SptSymbols *symbols;
	SptProfile *profile;
	SptLanes *lanes;
} Opened;

static void clear_opened(Opened *opened)
{
	spt_lanes_free(opened->lanes);
	spt_profile_free(opened->profile);
	spt_symbols_free(opened->symbols);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Opened, clear_opened)

static void put_lane(Fixture *fixture, uint64_t ms, uint32_t cpu, uint32_t thread, uint8_t state)
{
	const SptLaneRow row = {
		.time = BEGIN + ms * MS, .cpu = cpu, .thread = thread, .state = state
	};

	spt_capture_writer_put(fixture->writer, SPT_ROW_LANE, &row);
}

/* That ends at @ms. */
static void put_wait(Fixture *fixture, uint32_t thread, uint64_t ms, uint64_t duration_ms,
		     uint64_t runnable_ms, uint8_t state)
{
	const SptWaitRow row = { .time = BEGIN + ms * MS,
				 .duration_ns = duration_ms * MS,
				 .runnable_ns = runnable_ms * MS,
				 .weight_ns = duration_ms * MS,
				 .thread = thread,
				 .state = state,
				 .waker = 2 };

	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT, &row);
}

static void put_sample(Fixture *fixture, uint32_t thread, uint64_t ms)
{
	const SptSampleRow row = { .time = BEGIN + ms * MS, .weight = 1, .thread = thread };

	spt_capture_writer_sample(fixture->writer, &row);
}

/*
 * Thread 1 runs from 0 to 10 ms, is off the CPU until 30, runs to 40, sleeps until 80 and waits for
 * the CPU until 90, runs to 100.  From 10 to 30 it waits for the disk, which no wait shows.  Thread
 * 2 runs meanwhile from 40 to 90.
 */
static void put_known(Fixture *fixture)
{
	put_lane(fixture, 0, 0, 1, SYSPROF_STATE_RUNNING);
	put_lane(fixture, 10, 0, 0, SYSPROF_STATE_DISK);
	put_lane(fixture, 30, 0, 1, SYSPROF_STATE_RUNNING);
	put_lane(fixture, 40, 0, 2, SYSPROF_STATE_SLEEP);
	put_lane(fixture, 90, 0, 1, SYSPROF_STATE_PREEMPTED);
	put_lane(fixture, 100, 0, 0, SYSPROF_STATE_SLEEP);
	put_wait(fixture, 1, 90, 50, 10, SYSPROF_STATE_SLEEP);
	for (unsigned i = 0; i < 10; i++)
		put_sample(fixture, 1, i);
}

static Opened open_lanes(Fixture *fixture)
{
	Opened opened;

	open_again(fixture);
	opened.symbols = spt_symbols_new(fixture->capture, NULL);
	opened.profile = spt_profile_new_base(fixture->capture, opened.symbols, NULL);
	opened.lanes = spt_lanes_new(opened.profile);
	return opened;
}

static SptLanesPicture *picture_of(const SptLanes *lanes, SptLaneWanted row, uint64_t begin_ms,
				   uint64_t end_ms, uint32_t n_buckets)
{
	const SptLanesWish wish = { .begin_ns = BEGIN + begin_ms * MS,
				    .end_ns = BEGIN + end_ms * MS,
				    .n_buckets = n_buckets,
				    .n_rows = 1,
				    .rows = &row };

	return spt_lanes_picture(lanes, &wish);
}

static void assert_share(const SptLanesPicture *picture, uint32_t bucket, SptLaneKind kind,
			 double share)
{
	g_assert_cmpfloat_with_epsilon((double)picture->shares[bucket * SPT_LANE_KINDS + kind],
				       share, 1e-4);
}

static void test_thread(Fixture *fixture, gconstpointer data)
{
	g_auto(Opened) opened = { 0 };
	const SptLanes *lanes;
	g_autoptr(SptLanesPicture) picture = NULL, whole = NULL;
	SptLaneMoment moment;

	(void)data;
	put_known(fixture);
	opened = open_lanes(fixture);
	lanes = opened.lanes;
	g_assert_cmpuint(lanes->n_threads, ==, 2);
	g_assert_cmpuint(lanes->n_runs, ==, 4);
	picture = picture_of(lanes, (SptLaneWanted){ SPT_LANE_OF_THREAD, lanes->lane_of[1] }, 0,
			     100, 10);
	assert_share(picture, 0, SPT_LANE_USER, 1);
	assert_share(picture, 1, SPT_LANE_DISK, 1);
	assert_share(picture, 2, SPT_LANE_DISK, 1);
	assert_share(picture, 3, SPT_LANE_USER, 1);
	assert_share(picture, 4, SPT_LANE_BLOCKED, 1);
	assert_share(picture, 7, SPT_LANE_BLOCKED, 1);
	assert_share(picture, 8, SPT_LANE_RUNNABLE, 1);
	assert_share(picture, 9, SPT_LANE_USER, 1);
	assert_share(picture, 9, SPT_LANE_BLOCKED, 0);
	whole = picture_of(lanes, (SptLaneWanted){ SPT_LANE_OF_THREAD, lanes->lane_of[1] }, 0, 100,
			   1);
	assert_share(whole, 0, SPT_LANE_USER, 0.3);
	assert_share(whole, 0, SPT_LANE_RUNNABLE, 0.1);
	assert_share(whole, 0, SPT_LANE_DISK, 0.2);
	assert_share(whole, 0, SPT_LANE_BLOCKED, 0.4);
	g_assert_true(spt_lanes_at(lanes, lanes->lane_of[1], BEGIN + 50 * MS, 0, &moment));
	g_assert_nonnull(moment.wait);
	g_assert_cmpuint(moment.wait->waker, ==, 2);
	g_assert_cmpuint(moment.begin, ==, BEGIN + 40 * MS);
	g_assert_cmpuint(moment.end, ==, BEGIN + 90 * MS);
	g_assert_true(spt_lanes_at(lanes, lanes->lane_of[1], BEGIN + 20 * MS, 0, &moment));
	g_assert_cmpuint(moment.state, ==, SYSPROF_STATE_DISK);
	g_assert_null(moment.wait);
	g_assert_true(spt_lanes_at(lanes, lanes->lane_of[2], BEGIN + 80 * MS, 0, &moment));
	g_assert_nonnull(moment.run);
	g_assert_false(spt_lanes_at(lanes, lanes->lane_of[2], BEGIN + 20 * MS, 0, &moment));
}

static void test_cpu(Fixture *fixture, gconstpointer data)
{
	g_auto(Opened) opened = { 0 };
	const SptLanes *lanes;
	g_autoptr(SptLanesPicture) picture = NULL;

	(void)data;
	put_known(fixture);
	opened = open_lanes(fixture);
	lanes = opened.lanes;
	g_assert_cmpuint(lanes->n_cpus, ==, 1);
	picture = picture_of(lanes, (SptLaneWanted){ SPT_LANE_OF_CPU, 0 }, 0, 100, 10);
	assert_share(picture, 1, SPT_LANE_USER, 0);
	assert_share(picture, 5, SPT_LANE_USER, 1);
	g_assert_cmpuint(picture->owners[0], ==, 1);
	g_assert_cmpuint(picture->owners[1], ==, 0);
	g_assert_cmpuint(picture->owners[5], ==, 2);
	g_assert_cmpuint(spt_lanes_on_cpu(lanes, 0, BEGIN + 95 * MS)->thread, ==, 1);
	g_assert_null(spt_lanes_on_cpu(lanes, 0, BEGIN + 20 * MS));
	g_assert_null(spt_lanes_on_cpu(lanes, 1, BEGIN + 95 * MS));
}

/* Of samples alone: when they found it running, and where it may have been lost. */
static void test_samples(Fixture *fixture, gconstpointer data)
{
	const SptLossRow loss = { .first_time = BEGIN + 50 * MS,
				  .last_time = BEGIN + 60 * MS - 1,
				  .weight = 10 };
	g_auto(Opened) opened = { 0 };
	const SptLanes *lanes;
	g_autoptr(SptLanesPicture) picture = NULL;

	(void)data;
	for (unsigned i = 1; i <= 20; i++)
		put_sample(fixture, 1, i);
	spt_capture_writer_loss(fixture->writer, &loss);
	opened = open_lanes(fixture);
	lanes = opened.lanes;
	g_assert_cmpuint(lanes->n_cpus, ==, 0);
	g_assert_cmpuint(lanes->n_threads, ==, 1);
	picture = picture_of(lanes, (SptLaneWanted){ SPT_LANE_OF_PROCESS, 0 }, 0, 100, 10);
	assert_share(picture, 1, SPT_LANE_USER, 1);
	assert_share(picture, 4, SPT_LANE_USER, 0);
	assert_share(picture, 4, SPT_LANE_BLOCKED, 0);
	assert_share(picture, 5, SPT_LANE_LOST, 1);
}

/* Random waits that follow each other: what is seen adds up at each zoom. */
static void test_sums(Fixture *fixture, gconstpointer data)
{
	g_auto(Opened) opened = { 0 };
	const SptLanes *lanes;
	uint64_t time = 0, sums[2] = { 0 };

	(void)data;
	while (time < 900) {
		uint64_t blocked = g_test_rand_int_range(1, 9), ready = g_test_rand_int_range(0, 5);

		time += blocked + ready;
		sums[0] += blocked;
		sums[1] += ready;
		put_wait(fixture, 1, time, blocked + ready, ready, SYSPROF_STATE_IOWAIT);
		time += g_test_rand_int_range(0, 3);
	}
	opened = open_lanes(fixture);
	lanes = opened.lanes;
	for (uint32_t n = 1; n < 3000; n = n * 3 + 1) {
		g_autoptr(SptLanesPicture) picture =
			picture_of(lanes, (SptLaneWanted){ SPT_LANE_OF_THREAD, 0 }, 0, 1000, n);
		double seen[2] = { 0 };

		for (uint32_t i = 0; i < n; i++) {
			const float *shares = picture->shares + (size_t)i * SPT_LANE_KINDS;

			seen[0] += (double)shares[SPT_LANE_DISK] * 1000 / n;
			seen[1] += (double)shares[SPT_LANE_RUNNABLE] * 1000 / n;
		}
		g_assert_cmpfloat_with_epsilon(seen[0], (double)sums[0], 0.1);
		g_assert_cmpfloat_with_epsilon(seen[1], (double)sums[1], 0.1);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name, func) g_test_add("/lanes/" name, Fixture, NULL, set_up, func, tear_down)
	TEST("thread", test_thread);
	TEST("cpu", test_cpu);
	TEST("samples", test_samples);
	TEST("sums", test_sums);
	return g_test_run();
}
