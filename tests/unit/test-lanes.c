/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lanes of a thread that runs, is put off its CPU, sleeps and waits for the disk at known times:
 * each bucket has what was in it, whatever is zoomed to.
 */
#include "profile/lane-arrows.h"
#include "profile/lanes.h"
#include "profile/wall.h"
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

/* Of thread 1's second run the end is lost, and what its CPU did then, until 90 ms. */
static void put_lost(Fixture *fixture)
{
	put_lane(fixture, 0, 0, 1, SYSPROF_STATE_RUNNING);
	put_lane(fixture, 10, 0, 0, SYSPROF_STATE_DISK);
	put_lane(fixture, 30, 0, 1, SYSPROF_STATE_RUNNING);
	put_lane(fixture, 60, 0, 2, SYSPROF_STATE_UNKNOWN);
	put_lane(fixture, 60, 0, 1, SYSPROF_STATE_SLEEP);
	put_lane(fixture, 70, 0, 0, SYSPROF_STATE_SLEEP);
	put_lane(fixture, 80, 0, 0, SYSPROF_STATE_UNKNOWN);
	put_lane(fixture, 80, 0, 2, SYSPROF_STATE_RUNNING);
	put_lane(fixture, 100, 0, 0, SYSPROF_STATE_SLEEP);
	for (unsigned i = 0; i < 10; i++)
		put_sample(fixture, 1, i);
}

/*
 * Soft interrupts of CPU 0: for 5 ms while thread 2 runs, which represents 10 in all, and for 4 ms
 * while it is idle.
 */
static void put_interrupts(Fixture *fixture)
{
	const SptSourceAccountRow account = { .time = BEGIN, .kind = SYSPROF_SOURCE_IRQ };
	const SptEventRow busy = { .time = BEGIN + 69 * MS,
				   .duration_ns = 5 * MS,
				   .weight = 10 * MS,
				   .thread = 2,
				   .kind = SYSPROF_SOURCE_SOFTIRQ };
	const SptEventRow idle = { .time = BEGIN + 18 * MS,
				   .duration_ns = 4 * MS,
				   .weight = 4 * MS,
				   .context = SYSPROF_CONTEXT_IDLE,
				   .kind = SYSPROF_SOURCE_SOFTIRQ };

	spt_capture_writer_put(fixture->writer, SPT_ROW_SOURCE_ACCOUNT, &account);
	spt_capture_writer_put(fixture->writer, SPT_ROW_EVENT, &busy);
	spt_capture_writer_put(fixture->writer, SPT_ROW_EVENT, &idle);
}

/* CPU 0 takes no interrupts from 45 to 50 ms. */
static void put_off(Fixture *fixture)
{
	const SptSourceAccountRow account = { .time = BEGIN, .kind = SYSPROF_SOURCE_IRQS_OFF };
	const SptEventRow off = { .time = BEGIN + 50 * MS,
				  .duration_ns = 5 * MS,
				  .weight = 5 * MS,
				  .thread = 2,
				  .kind = SYSPROF_SOURCE_IRQS_OFF };

	spt_capture_writer_put(fixture->writer, SPT_ROW_SOURCE_ACCOUNT, &account);
	spt_capture_writer_put(fixture->writer, SPT_ROW_EVENT, &off);
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
	const SptLanesRequest request = { .begin_ns = BEGIN + begin_ms * MS,
					  .end_ns = BEGIN + end_ms * MS,
					  .n_buckets = n_buckets,
					  .n_rows = 1,
					  .rows = &row };

	return spt_lanes_picture(lanes, &request);
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
	put_off(fixture);
	opened = open_lanes(fixture);
	lanes = opened.lanes;
	g_assert_cmpuint(lanes->n_cpus, ==, 1);
	picture = picture_of(lanes, (SptLaneWanted){ SPT_LANE_OF_CPU, 0 }, 0, 100, 10);
	assert_share(picture, 1, SPT_LANE_USER, 0);
	assert_share(picture, 5, SPT_LANE_USER, 1);
	g_assert_cmpuint(picture->owners[0], ==, 1);
	g_assert_cmpuint(picture->owners[1], ==, 0);
	g_assert_cmpuint(picture->owners[5], ==, 2);
	g_assert_cmpfloat_with_epsilon((double)picture->offs[3], 0, 1e-4);
	g_assert_cmpfloat_with_epsilon((double)picture->offs[4], 0.5, 1e-4);
	g_assert_cmpfloat_with_epsilon((double)picture->offs[5], 0, 1e-4);
	g_assert_cmpuint(spt_lanes_on_cpu(lanes, 0, BEGIN + 95 * MS)->thread, ==, 1);
	g_assert_null(spt_lanes_on_cpu(lanes, 0, BEGIN + 20 * MS));
	g_assert_null(spt_lanes_on_cpu(lanes, 1, BEGIN + 95 * MS));
}

static void test_interrupts(Fixture *fixture, gconstpointer data)
{
	g_auto(Opened) opened = { 0 };
	g_autoptr(SptLanesPicture) coarse = NULL, fine = NULL, thread = NULL;

	(void)data;
	put_known(fixture);
	put_interrupts(fixture);
	opened = open_lanes(fixture);
	coarse = picture_of(opened.lanes, (SptLaneWanted){ SPT_LANE_OF_CPU, 0 }, 0, 100, 5);
	fine = picture_of(opened.lanes, (SptLaneWanted){ SPT_LANE_OF_CPU, 0 }, 60, 70, 2);
	thread = picture_of(opened.lanes,
			    (SptLaneWanted){ SPT_LANE_OF_THREAD, opened.lanes->lane_of[2] }, 60, 70,
			    1);
	assert_share(coarse, 0, SPT_LANE_IRQ, 0.2);
	assert_share(coarse, 0, SPT_LANE_USER, 0.5);
	assert_share(coarse, 2, SPT_LANE_IRQ, 0.05);
	assert_share(coarse, 3, SPT_LANE_IRQ, 0.45);
	assert_share(coarse, 3, SPT_LANE_USER, 0.55);
	assert_share(fine, 0, SPT_LANE_IRQ, 0.2);
	assert_share(fine, 1, SPT_LANE_IRQ, 0.8);
	assert_share(fine, 1, SPT_LANE_USER, 0.2);
	assert_share(thread, 0, SPT_LANE_IRQ, 0);
}

static void test_lost(Fixture *fixture, gconstpointer data)
{
	static const SptLaneKind cpu[] = { SPT_LANE_USER, SPT_LANE_KINDS, SPT_LANE_KINDS,
					   SPT_LANE_LOST, SPT_LANE_LOST,  SPT_LANE_LOST,
					   SPT_LANE_USER, SPT_LANE_LOST,  SPT_LANE_USER,
					   SPT_LANE_USER };
	static const SptLaneKind thread[] = { SPT_LANE_USER, SPT_LANE_DISK, SPT_LANE_DISK,
					      SPT_LANE_LOST, SPT_LANE_LOST, SPT_LANE_LOST,
					      SPT_LANE_USER };
	g_auto(Opened) opened = { 0 };
	g_autoptr(SptLanesPicture) one = NULL, other = NULL;
	const SptLanes *lanes;
	SptLaneMoment moment;

	(void)data;
	put_lost(fixture);
	opened = open_lanes(fixture);
	lanes = opened.lanes;
	g_assert_cmpuint(lanes->n_threads, ==, 2);
	one = picture_of(lanes, (SptLaneWanted){ SPT_LANE_OF_CPU, 0 }, 0, 100, 10);
	other = picture_of(lanes, (SptLaneWanted){ SPT_LANE_OF_THREAD, lanes->lane_of[1] }, 0, 100,
			   10);
	for (unsigned kind = 0; kind < SPT_LANE_KINDS; kind++) {
		for (unsigned i = 0; i < G_N_ELEMENTS(cpu); i++)
			assert_share(one, i, kind, cpu[i] == kind);
		for (unsigned i = 0; i < G_N_ELEMENTS(thread); i++)
			assert_share(other, i, kind, thread[i] == kind);
	}
	g_assert_cmpuint(one->owners[4], ==, 0);
	g_assert_cmpuint(lanes->threads[lanes->lane_of[1]].busy_ns, ==, 20 * MS);
	g_assert_true(spt_lane_run_is_lost(spt_lanes_on_cpu(lanes, 0, BEGIN + 50 * MS)));
	g_assert_true(spt_lanes_at(lanes, lanes->lane_of[1], BEGIN + 50 * MS, 0, &moment));
	g_assert_cmpuint(moment.state, ==, SYSPROF_STATE_UNKNOWN);
	g_assert_null(moment.run);
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

/* A wait for a CPU counts apart from others, where no other thread ran meanwhile. */
static void test_ready(Fixture *fixture, gconstpointer data)
{
	SptWall wall;

	(void)data;
	spt_capture_writer_host(fixture->writer, "ran_ns", "22000000");
	spt_capture_writer_host(fixture->writer, "wall_ns", "100000000");
	for (unsigned i = 1; i <= 10; i++) {
		put_sample(fixture, 1, i);
		put_sample(fixture, 1, 30 + i);
	}
	put_wait(fixture, 1, 30, 20, 5, SYSPROF_STATE_SLEEP);
	put_sample(fixture, 2, 26);
	put_sample(fixture, 2, 27);
	open_again(fixture);
	g_assert_true(spt_wall_find(&wall, fixture->capture));
	g_assert_cmpfloat_with_epsilon(wall.running, 0.22, 1e-4);
	g_assert_cmpfloat_with_epsilon(wall.ready, 0.03, 1e-4);
	g_assert_cmpfloat_with_epsilon(wall.cpus, 1, 1e-4);
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

static void put_flow(Fixture *fixture, uint64_t ms, uint32_t thread, const char *side, uint64_t id)
{
	const SptDeclaredRow row = { .time = BEGIN + ms * MS,
				     .kind = 1,
				     .thread = thread,
				     .values = { { .text = "f" }, { .text = side }, { .number = id } } };

	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED, &row);
}

/* A whole one, one whose end is first in the file, one without an end, one within a thread. */
static void put_flows(Fixture *fixture)
{
	const SptDeclarationRow kind = { .id = 1,
					 .name = "flow",
					 .title = "Flows",
					 .shape = SPT_DECLARED_INSTANT,
					 .n_fields = 3,
					 .fields = { { "name", "", SPT_VALUE_TEXT },
						     { "side", "", SPT_VALUE_TEXT },
						     { "id", "", SPT_VALUE_ID } } };

	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &kind);
	put_flow(fixture, 5, 1, "begin", 1);
	put_flow(fixture, 45, 2, "end", 1);
	put_flow(fixture, 60, 1, "end", 2);
	put_flow(fixture, 50, 2, "begin", 2);
	put_flow(fixture, 51, 2, "begin", 3);
	put_flow(fixture, 52, 2, "begin", 4);
	put_flow(fixture, 53, 2, "end", 4);
}

static void assert_arrow(const SptLanesPicture *picture, unsigned i, SptLaneArrow wanted)
{
	const SptLaneArrow *arrow = &g_array_index(picture->arrows, SptLaneArrow, i);

	g_assert_cmpuint(arrow->begin, ==, BEGIN + wanted.begin * MS);
	g_assert_cmpuint(arrow->end, ==, BEGIN + wanted.end * MS);
	g_assert_cmpuint(arrow->from, ==, wanted.from);
	g_assert_cmpuint(arrow->to, ==, wanted.to);
	g_assert_cmpuint(arrow->from_row, ==, arrow->from - 1);
	g_assert_cmpuint(arrow->to_row, ==, arrow->to - 1);
	g_assert_cmpstr(arrow->name, ==, wanted.name);
}

static void test_arrows(Fixture *fixture, gconstpointer data)
{
	g_auto(Opened) opened = { 0 };
	SptLaneWanted rows[2] = { { SPT_LANE_OF_THREAD, 0 }, { SPT_LANE_OF_THREAD, 0 } };
	SptLanesRequest request = { BEGIN, BEGIN + 100 * MS, 10, 2, rows };
	g_autoptr(SptLanesPicture) all = NULL, part = NULL, alone = NULL;

	(void)data;
	put_known(fixture);
	put_flows(fixture);
	opened = open_lanes(fixture);
	rows[0].number = opened.lanes->lane_of[1];
	rows[1].number = opened.lanes->lane_of[2];
	all = spt_lanes_picture(opened.lanes, &request);
	g_assert_cmpuint(all->n_arrows, ==, 3);
	assert_arrow(all, 0, (SptLaneArrow){ .begin = 5, .end = 45, .from = 1, .to = 2, .name = "f" });
	assert_arrow(all, 1, (SptLaneArrow){ .begin = 50, .end = 60, .from = 2, .to = 1, .name = "f" });
	assert_arrow(all, 2, (SptLaneArrow){ .begin = 80, .end = 90, .from = 2, .to = 1 });
	/* Both ends of one may be out of view. */
	request.begin_ns = BEGIN + 20 * MS;
	request.end_ns = BEGIN + 30 * MS;
	part = spt_lanes_picture(opened.lanes, &request);
	g_assert_cmpuint(part->n_arrows, ==, 1);
	assert_arrow(part, 0, (SptLaneArrow){ .begin = 5, .end = 45, .from = 1, .to = 2, .name = "f" });
	request.n_rows = 1;
	alone = spt_lanes_picture(opened.lanes, &request);
	g_assert_cmpuint(alone->n_arrows, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name, func) g_test_add("/lanes/" name, Fixture, NULL, set_up, func, tear_down)
	TEST("thread", test_thread);
	TEST("cpu", test_cpu);
	TEST("interrupts", test_interrupts);
	TEST("lost", test_lost);
	TEST("samples", test_samples);
	TEST("ready", test_ready);
	TEST("sums", test_sums);
	TEST("arrows", test_arrows);
	return g_test_run();
}
