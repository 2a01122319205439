/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits and latency as rows of weight: sums hold to the nanosecond, and running, runnable and
 * blocked are wall.
 */
#include <string.h>
#include <unistd.h>

#include "profile/latency.h"
#include "profile/events.h"
#include "profile/metric.h"
#include "profile/waits.h"
#include "sysprof-event.h"
#include "written.h"

#define MS 1000000ULL

static void set_up(Fixture *fixture, gconstpointer data)
{
	(void)data;
	begin_file(fixture, 4);
	spt_capture_writer_host(fixture->writer, "period_ns", "1000000");
	spt_capture_writer_host(fixture->writer, "grid_start", "5000");
}

static uint64_t sum_of(const SptCapture *capture, const SptWeightSource *source)
{
	g_autoptr(SptWeights) weights = spt_weights_new(capture, source);
	const SptWeightRow *rows;
	uint64_t sum = 0, n_rows = 0;
	uint32_t n;

	while ((rows = spt_weights_next(weights, &n))) {
		n_rows += n;
		for (uint32_t i = 0; i < n; i++) {
			g_assert_cmpuint(rows[i].duration_ns, <=, rows[i].time);
			sum += rows[i].weight;
		}
	}
	g_assert_cmpuint(n_rows, <=, spt_weights_count(capture, source));
	return sum;
}

static void test_sums(Fixture *fixture, gconstpointer data)
{
	uint64_t off_cpu = 0, running = 0;

	(void)data;
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t duration = g_test_rand_int_range(0, 5) ? g_test_rand_int() : 0;
		SptWaitRow wait = {
			.time = (1ULL << 40) + i,
			.duration_ns = duration,
			.runnable_ns = g_test_rand_bit() ? g_test_rand_int() % (duration + 1) : 0,
			.weight_ns = g_test_rand_bit() ? duration :
							 g_test_rand_int_range(1, 9) * MS,
			.thread = 1 + i % 4,
			.state = g_test_rand_int_range(SYSPROF_STATE_PREEMPTED,
						       SYSPROF_STATE_UNKNOWN),
		};
		SptSampleRow sample = { .time = (1ULL << 40) + i,
					.weight = 1 + i % 7,
					.thread = 1 };

		off_cpu += duration ? wait.weight_ns : 0;
		running += sample.weight * MS;
		spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT, &wait);
		spt_capture_writer_sample(fixture->writer, &sample);
	}
	open_again(fixture);
	g_assert_true(spt_weights_wall.is_in(fixture->capture));
	g_assert_cmpuint(sum_of(fixture->capture, &spt_weights_off_cpu), ==, off_cpu);
	g_assert_cmpuint(sum_of(fixture->capture, &spt_weights_blocked) +
				 sum_of(fixture->capture, &spt_weights_runnable),
			 ==, off_cpu);
	g_assert_cmpuint(sum_of(fixture->capture, &spt_weights_wall), ==, off_cpu + running);
}

static void test_parts(Fixture *fixture, gconstpointer data)
{
	const SptWaitRow wait = { .time = 1000 * MS, .duration_ns = 100 * MS,
				  .runnable_ns = 25 * MS, .weight_ns = 80 * MS, .thread = 2,
				  .state = SYSPROF_STATE_SLEEP, .waker = 3,
				  .waker_context = SYSPROF_CONTEXT_SOFTIRQ };
	g_autoptr(SptWeights) weights = NULL;
	const SptWeightRow *rows;
	uint32_t n;

	(void)data;
	spt_capture_writer_put(fixture->writer, SPT_ROW_WAIT, &wait);
	open_again(fixture);
	weights = spt_weights_new(fixture->capture, &spt_weights_off_cpu);
	rows = spt_weights_next(weights, &n);
	g_assert_cmpuint(n, ==, 2);
	g_assert_cmpuint(rows[0].time, ==, 975 * MS);
	g_assert_cmpuint(rows[0].duration_ns, ==, 75 * MS);
	g_assert_cmpuint(rows[0].weight, ==, 60 * MS);
	g_assert_cmpuint(spt_wait_detail_state(rows[0].detail), ==, SYSPROF_STATE_SLEEP);
	g_assert_cmpuint(spt_wait_detail_waker(rows[0].detail), ==, 3);
	g_assert_cmpuint(spt_wait_detail_context(rows[0].detail), ==, SYSPROF_CONTEXT_SOFTIRQ);
	g_assert_cmpuint(rows[1].time, ==, 1000 * MS);
	g_assert_cmpuint(rows[1].duration_ns, ==, 25 * MS);
	g_assert_cmpuint(rows[1].weight, ==, 20 * MS);
	g_assert_cmpuint(spt_wait_detail_state(rows[1].detail), ==, SYSPROF_STATE_WOKEN);
	g_assert_cmpuint(spt_wait_detail_waker(rows[1].detail), ==, 0);
}

/* A metric has the events of its source alone, and is there if the source was on. */
static void test_events(Fixture *fixture, gconstpointer data)
{
	const SptSourceAccountRow account = { .time = 1, .kind = SYSPROF_SOURCE_SOFTIRQ };
	SptEventRow event = { .duration_ns = 100 };
	uint64_t sums[2] = { 0 };

	(void)data;
	for (unsigned i = 0; i < 3000; i++) {
		event.time = MS + i;
		event.kind = i % 3 ? SYSPROF_SOURCE_IRQ : SYSPROF_SOURCE_SOFTIRQ;
		event.weight = i;
		sums[i % 3 == 0] += i;
		spt_capture_writer_put(fixture->writer, SPT_ROW_EVENT, &event);
	}
	spt_capture_writer_put(fixture->writer, SPT_ROW_SOURCE_ACCOUNT, &account);
	open_again(fixture);
	g_assert_false(spt_metric_is_in(spt_metric_find("irq"), fixture->capture));
	g_assert_true(spt_metric_is_in(spt_metric_find("softirq"), fixture->capture));
	g_assert_cmpuint(sum_of(fixture->capture, spt_metric_find("irq")->source), ==, sums[0]);
	g_assert_cmpuint(sum_of(fixture->capture, spt_metric_find("softirq")->source), ==, sums[1]);
	g_assert_cmpstr(spt_context_name(UINT32_MAX), ==, "not known");
}

/* The last sums of a thread count, whatever it is called by then. */
static void test_thread_times(Fixture *fixture, gconstpointer data)
{
	SptThreadTimeRow row = { .since = 100, .time = 200, .thread = 1 };
	g_autofree SptThreadTimeRow *rows = NULL;
	g_autoptr(GArray) times = NULL;
	const SptThreadTime *time;

	(void)data;
	for (unsigned round = 1; round <= 3; round++) {
		row.time = 100 + round * 100;
		for (unsigned state = 0; state < SPT_THREAD_STATES; state++)
			row.ns[state] = round * (1 + state);
		spt_capture_writer_put(fixture->writer, SPT_ROW_THREAD_TIME, &row);
	}
	row.thread = 2;
	row.ns[SYSPROF_STATE_RUNNING] = 1000;
	spt_capture_writer_put(fixture->writer, SPT_ROW_THREAD_TIME, &row);
	open_again(fixture);
	times = spt_thread_times(fixture->capture, &rows);
	g_assert_cmpuint(times->len, ==, 2);
	time = &g_array_index(times, SptThreadTime, 0);
	g_assert_cmpuint(time->row->thread, ==, 2);
	time = &g_array_index(times, SptThreadTime, 1);
	g_assert_cmpuint(time->row->time, ==, 400);
	g_assert_cmpuint(time->running_ns, ==, 3);
	g_assert_cmpuint(time->runnable_ns, ==, 3 * (2 + 3 + 10));
	g_assert_cmpuint(time->blocked_ns, ==, 3 * (4 + 5 + 6 + 7 + 8 + 9));
	g_assert_cmpuint(time->unknown_ns, ==, 3 * (11 + 12));
}

/*
 * Nine parts of the time one thread, in the tenth four: 90 to 10, no matter which has more CPU
 * time.
 */
static void test_latency(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptWeights) weights = NULL;
	const SptWeightRow *rows;
	uint64_t alone = 0, together = 0;
	uint32_t n;

	(void)data;
	for (unsigned period = 0; period < 1000; period++) {
		for (uint32_t thread = 1; thread <= (period < 900 ? 1 : 4); thread++) {
			SptSampleRow sample = {
				.time = 5000 + period * MS + g_test_rand_int_range(0, MS),
				.weight = 1,
				.cpu = thread,
				.thread = period < 900 ? 4 : thread,
			};

			spt_capture_writer_sample(fixture->writer, &sample);
		}
	}
	open_again(fixture);
	weights = spt_weights_new(fixture->capture, &spt_weights_latency);
	while ((rows = spt_weights_next(weights, &n)))
		for (uint32_t i = 0; i < n; i++)
			*(rows[i].detail == 1 ? &alone : &together) += rows[i].weight;
	/* Times are kept to the microsecond: a tick at the edge of a period may cross it. */
	g_assert_cmpuint(alone + together, ==, 1000 * MS);
	g_assert_cmpuint(alone, >=, 890 * MS);
	g_assert_cmpuint(alone, <=, 910 * MS);
}

/* A thread that is not asked for does not share: with the others each has all of its time. */
static void test_latency_of_one(Fixture *fixture, gconstpointer data)
{
	bool threads[6] = { [1] = true };
	g_autoptr(SptWeights) weights = NULL;
	const SptWeightRow *rows;
	uint32_t n;

	(void)data;
	for (uint32_t thread = 1; thread <= 2; thread++) {
		SptSampleRow sample = {
			.time = 5000 + 4 * MS, .weight = 1, .cpu = thread, .thread = thread
		};

		spt_capture_writer_sample(fixture->writer, &sample);
	}
	open_again(fixture);
	weights = spt_weights_new_for(fixture->capture, &spt_weights_latency, threads);
	rows = spt_weights_next(weights, &n);
	g_assert_cmpuint(n, ==, 2);
	g_assert_cmpuint(rows[0].thread, ==, 1);
	g_assert_cmpuint(rows[0].weight, ==, MS);
	g_assert_cmpuint(rows[0].detail, ==, 1);
}

/* A sample of many periods shares each with those that ran in it. */
static void test_latency_of_weights(Fixture *fixture, gconstpointer data)
{
	SptSampleRow sample = { .time = 5000 + 9 * MS + 1000, .weight = 10, .thread = 1 };
	g_autoptr(SptWeights) weights = NULL;
	const SptWeightRow *rows;
	uint32_t n;

	(void)data;
	spt_capture_writer_sample(fixture->writer, &sample);
	sample = (SptSampleRow){ .time = 5000 + 4 * MS + 1000, .weight = 3, .thread = 2, .cpu = 1 };
	spt_capture_writer_sample(fixture->writer, &sample);
	open_again(fixture);
	weights = spt_weights_new(fixture->capture, &spt_weights_latency);
	rows = spt_weights_next(weights, &n);
	g_assert_cmpuint(n, ==, 2);
	for (uint32_t i = 0; i < n; i++)
		g_assert_cmpuint(rows[i].weight, ==,
				 rows[i].thread == 1 ? 7 * MS + 3 * MS / 2 : 3 * MS / 2);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add("/waits/" name, Fixture, NULL, set_up, function, tear_down)
	ADD("sums", test_sums);
	ADD("parts", test_parts);
	ADD("events", test_events);
	ADD("thread-times", test_thread_times);
	ADD("latency", test_latency);
	ADD("latency-of-one", test_latency_of_one);
	ADD("latency-of-weights", test_latency_of_weights);
	return g_test_run();
}
