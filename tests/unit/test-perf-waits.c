/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From perf's switches and wakings to waits: who was blocked and who runnable, for how long, and by
 * whom it ended; sums of threads to the nanosecond; a grid that is fair.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "perf-made.h"
#include "trace/perf/waits.h"

#define MS 1000000ULL
#define SWITCH_POINT 300
#define WAKING_POINT 301
#define STATE_AT 32
#define WOKEN_AT 24
#define IRQ 0x08			/* of common_flags */

static const char kallsyms_text[] = "ffffffff81000000 T _stext\n"
				    "ffffffff81001000 t inner\n"
				    "ffffffff81003000 T _etext\n";

struct fixture {
	char *path;
	SptKallsyms *kallsyms;
	SptPerfRecords *records;
	SptPerfWaits *waits;
	GPtrArray *out;			/* copies of the records made */
	struct spt_perf_sink sink;
};

static void begin_in(struct fixture *fixture, const char *symbols, uint64_t period_ns,
		     uint64_t threshold_ns, bool has_points)
{
	const SptTraceConfig config = { .waits = { true, period_ns, threshold_ns } };
	const struct spt_perf_tracepoints none = { 0 },
		points = { SWITCH_POINT, WAKING_POINT, STATE_AT, WOKEN_AT };
	int fd = g_file_open_tmp("kallsyms-XXXXXX", &fixture->path, NULL);

	g_close(fd, NULL);
	g_assert_true(g_file_set_contents(fixture->path, symbols, -1, NULL));
	fixture->kallsyms = spt_kallsyms_new(fixture->path);
	spt_kallsyms_load(fixture->kallsyms);
	fixture->records = spt_perf_records_new(2, 8, fixture->kallsyms);
	fixture->waits = spt_perf_waits_new(fixture->records, &config, has_points ? &points : &none,
					    1000);
	fixture->out = g_ptr_array_new_with_free_func(g_free);
	fixture->sink = (struct spt_perf_sink){ keep, fixture->out };
}

static void begin(struct fixture *fixture, uint64_t period_ns, uint64_t threshold_ns,
		  bool has_points)
{
	begin_in(fixture, kallsyms_text, period_ns, threshold_ns, has_points);
}

static void end(struct fixture *fixture)
{
	g_unlink(fixture->path);
	g_free(fixture->path);
	g_ptr_array_unref(fixture->out);
	spt_perf_waits_free(fixture->waits);
	spt_perf_records_free(fixture->records);
	spt_kallsyms_free(fixture->kallsyms);
}

static void take(struct fixture *fixture, unsigned cpu, struct made *made)
{
	uint64_t time;

	g_assert_true(spt_perf_record_time(&made->header, &time));
	g_assert_cmpuint(time, >, 0);
	spt_perf_waits_take(fixture->waits, cpu, &made->header, &fixture->sink);
}

static void switched(struct fixture *fixture, unsigned cpu, uint32_t tid, uint64_t time,
		     unsigned misc)
{
	struct made made = { .header = { PERF_RECORD_SWITCH_CPU_WIDE, misc, 8 } };

	add(&made, 0);
	add_pair(&made, tid, tid);
	add(&made, time);
	take(fixture, cpu, &made);
}

#define OUT PERF_RECORD_MISC_SWITCH_OUT
#define PREEMPTED (OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT)

static void in(struct fixture *fixture, unsigned cpu, uint32_t tid, uint64_t time)
{
	switched(fixture, cpu, tid, time, 0);
}

static void out(struct fixture *fixture, unsigned cpu, uint32_t tid, uint64_t time, unsigned misc)
{
	switched(fixture, cpu, tid, time, misc);
}

/* A sample of a trace point, or with @point 0 of the software event, with one frame. */
static void sampled(struct fixture *fixture, unsigned cpu, uint32_t tid, uint64_t time,
		    uint16_t point, uint8_t flags, uint64_t state, uint32_t woken)
{
	struct made made = { .header = { PERF_RECORD_SAMPLE, 0, 8 } };
	uint8_t raw[44] = { 0 };
	uint32_t bytes = sizeof(raw);
	uint8_t *at;

	add_pair(&made, tid, tid);
	add(&made, time);
	add(&made, 2);
	add(&made, PERF_CONTEXT_KERNEL);
	add(&made, 0xffffffff81001010);
	memcpy(raw, &point, sizeof(point));
	raw[2] = flags;
	memcpy(raw + (point == SWITCH_POINT ? STATE_AT : WOKEN_AT),
	       point == SWITCH_POINT ? (void *)&state : (void *)&woken,
	       point == SWITCH_POINT ? 8 : 4);
	at = (uint8_t *)made.words + made.header.size;
	memcpy(at, &bytes, 4);
	memcpy(at + 4, raw, sizeof(raw));
	made.header.size += 4 + sizeof(raw);
	take(fixture, cpu, &made);
}

static void task(struct fixture *fixture, unsigned type, uint32_t tid, uint64_t time)
{
	struct made made = { .header = { type, 0, 8 } };

	add_pair(&made, tid, 1);
	add_pair(&made, tid, 1);
	add(&made, time);
	add_pair(&made, tid, tid);
	add(&made, time);
	take(fixture, 0, &made);
}

/* The @n-th record of a type, from 0; NULL: there are not as many. */
static const void *nth(const struct fixture *fixture, unsigned type, unsigned n)
{
	for (unsigned i = 0; i < fixture->out->len; i++) {
		const struct sysprof_record *record = fixture->out->pdata[i];

		if (record->type == type && n-- == 0)
			return record;
	}
	return NULL;
}

static const struct sysprof_part_wait *part_of(const struct sysprof_event *event)
{
	g_assert_cmpuint(event->n_parts, ==, 1);
	return (const void *)(event->frames + event->n_kernel + event->n_user);
}

/* What the last THREAD of a thread sums up to. */
static void assert_sums(const struct fixture *fixture, uint32_t tid)
{
	const struct sysprof_thread *thread = NULL, *found;
	uint64_t sum = 0;

	for (unsigned i = 0; (found = nth(fixture, SYSPROF_THREAD, i)); i++)
		if (found->record.tid == tid)
			thread = found;
	g_assert_nonnull(thread);
	for (unsigned state = 0; state < SYSPROF_STATES; state++)
		sum += thread->ns[state];
	g_assert_cmpuint(sum, ==, thread->at - thread->since);
	g_assert_cmpuint(thread->switches, ==, thread->voluntary + thread->involuntary);
}

/* Blocked until it is woken, runnable until it runs; by whom. */
static void test_woken(void)
{
	struct fixture f;
	const struct sysprof_event *wake, *wait;
	const struct sysprof_part_wait *part;
	const struct sysprof_thread *thread;

	begin(&f, 0, 0, true);
	sampled(&f, 0, 10, 2 * MS, SWITCH_POINT, 0, 0x02, 0);
	out(&f, 0, 10, 2 * MS + 10, OUT);
	sampled(&f, 1, 20, 7 * MS, WAKING_POINT, 0, 0, 10);
	sampled(&f, 1, 30, 8 * MS, WAKING_POINT, 0, 0, 10);
	in(&f, 1, 10, 9 * MS);
	wake = nth(&f, SYSPROF_EVENT, 0);
	wait = nth(&f, SYSPROF_EVENT, 1);
	g_assert_cmpuint(wake->source, ==, SPT_TRACE_WAKES);
	g_assert_cmpuint(wake->record.tid, ==, 20);
	g_assert_cmpuint(wake->n_kernel, ==, 1);
	g_assert_cmpuint(wait->source, ==, SPT_TRACE_WAITS);
	g_assert_cmpuint(wait->record.tid, ==, 10);
	g_assert_cmpuint(wait->begin, ==, 2 * MS + 10);
	g_assert_cmpuint(wait->duration, ==, 7 * MS - 10);
	g_assert_cmpuint(wait->value, ==, 5 * MS - 10);
	g_assert_cmpuint(wait->state, ==, SYSPROF_STATE_DISK);
	g_assert_cmpuint(wait->n_kernel, ==, 1);
	g_assert_cmpuint(wait->record.flags & SYSPROF_EVENT_NO_WAKE, ==, 0);
	part = part_of(wait);
	g_assert_cmpuint(part->waker_tid, ==, 20);
	g_assert_cmpuint(part->wake, ==, wake->key);
	g_assert_cmpuint(part->cpu_before, ==, 0);
	g_assert_cmpuint(wait->record.cpu, ==, 1);
	spt_perf_waits_finish(f.waits, 10 * MS, &f.sink);
	thread = nth(&f, SYSPROF_THREAD, 0);
	g_assert_cmpuint(thread->ns[SYSPROF_STATE_RUNNING], ==, 2 * MS + 10 - 1000 + MS);
	g_assert_cmpuint(thread->ns[SYSPROF_STATE_DISK], ==, 5 * MS - 10);
	g_assert_cmpuint(thread->ns[SYSPROF_STATE_WOKEN], ==, 2 * MS);
	g_assert_cmpuint(thread->wakes, ==, 1);
	assert_sums(&f, 10);
	end(&f);
}

/* Where the kernel waits says that it is a futex; without registers nobody knows which. */
static void test_futex(void)
{
	static const char symbols[] = "ffffffff81000000 T _stext\n"
				      "ffffffff81001000 t futex_wait\n"
				      "ffffffff81003000 T _etext\n";
	const struct sysprof_part_wait *part;
	struct fixture f;

	begin_in(&f, symbols, 0, 0, true);
	sampled(&f, 0, 10, 2 * MS, SWITCH_POINT, 0, 0x01, 0);
	out(&f, 0, 10, 2 * MS + 10, OUT);
	in(&f, 0, 10, 3 * MS);
	/* Preempted, it waits for a CPU. */
	sampled(&f, 0, 10, 4 * MS, SWITCH_POINT, 0, 0x100, 0);
	out(&f, 0, 10, 4 * MS + 10, PREEMPTED);
	in(&f, 0, 10, 5 * MS);
	part = part_of(nth(&f, SYSPROF_EVENT, 0));
	g_assert_cmpuint(part->part.b, ==, SYSPROF_CALL_FUTEX);
	g_assert_cmpuint(part->part.size * 8, ==, sizeof(*part));
	g_assert_cmpuint(part_of(nth(&f, SYSPROF_EVENT, 1))->part.b, ==, SYSPROF_CALL_OTHER);
	end(&f);
}

/* Who is put off its CPU could go on all the time; an interrupt is no thread. */
static void test_preempted(void)
{
	struct fixture f;
	const struct sysprof_event *event;

	begin(&f, 0, 0, true);
	sampled(&f, 0, 10, 2 * MS, SWITCH_POINT, 0, 0x100, 0);
	out(&f, 0, 10, 2 * MS, PREEMPTED);
	in(&f, 0, 10, 5 * MS);
	event = nth(&f, SYSPROF_EVENT, 0);
	g_assert_cmpuint(event->value, ==, 0);
	g_assert_cmpuint(event->duration, ==, 3 * MS);
	g_assert_cmpuint(event->state, ==, SYSPROF_STATE_PREEMPTED);
	sampled(&f, 0, 10, 6 * MS, SWITCH_POINT, 0, 0x01, 0);
	out(&f, 0, 10, 6 * MS, OUT);
	sampled(&f, 0, 77, 7 * MS, WAKING_POINT, IRQ, 0, 10);
	in(&f, 0, 10, 7 * MS + 5);
	event = nth(&f, SYSPROF_EVENT, 2);
	g_assert_cmpuint(event->state, ==, SYSPROF_STATE_SLEEP);
	g_assert_cmpuint(part_of(event)->part.a, ==, SYSPROF_CONTEXT_IRQ);
	g_assert_cmpuint(part_of(event)->waker_tid, ==, 0);
	end(&f);
}

/* Without trace points, who was not preempted is blocked until it runs. */
static void test_without_points(void)
{
	struct fixture f;
	const struct sysprof_event *event;

	begin(&f, 0, 0, false);
	sampled(&f, 0, 10, 2 * MS, 0, 0, 0, 0);
	out(&f, 0, 10, 2 * MS, OUT);
	in(&f, 0, 10, 5 * MS);
	event = nth(&f, SYSPROF_EVENT, 0);
	g_assert_cmpuint(event->value, ==, 3 * MS);
	g_assert_cmpuint(event->state, ==, SYSPROF_STATE_OTHER);
	g_assert_cmpuint(event->n_kernel, ==, 1);
	g_assert_true(event->record.flags & SYSPROF_EVENT_NO_WAKE);
	end(&f);
}

/* From birth to death all time is known. */
static void test_life(void)
{
	struct fixture f;
	const struct sysprof_thread *thread;

	begin(&f, 0, 0, true);
	task(&f, PERF_RECORD_FORK, 10, 2 * MS);
	in(&f, 0, 10, 3 * MS);
	out(&f, 0, 10, 4 * MS, PREEMPTED);
	in(&f, 1, 10, 6 * MS);
	out(&f, 1, 10, 7 * MS, OUT);
	in(&f, 0, 10, 8 * MS);
	task(&f, PERF_RECORD_EXIT, 10, 9 * MS);
	/* It is preempted once more, and is no new thread when it goes on. */
	out(&f, 0, 10, 9 * MS + 10, PREEMPTED);
	in(&f, 0, 10, 9 * MS + 20);
	out(&f, 0, 10, 9 * MS + 30, OUT);
	/* The id is somebody else's now. */
	in(&f, 0, 10, 20 * MS);
	g_assert_null(nth(&f, SYSPROF_EVENT, 3));
	thread = nth(&f, SYSPROF_THREAD, 0);
	g_assert_cmpuint(thread->since, ==, 2 * MS);
	g_assert_cmpuint(thread->at, ==, 9 * MS);
	g_assert_cmpuint(thread->ns[SYSPROF_STATE_NEW], ==, MS);
	g_assert_cmpuint(thread->ns[SYSPROF_STATE_RUNNING], ==, 3 * MS);
	g_assert_cmpuint(thread->ns[SYSPROF_STATE_PREEMPTED], ==, 2 * MS);
	g_assert_cmpuint(thread->ns[SYSPROF_STATE_OTHER], ==, MS);
	g_assert_cmpuint(thread->voluntary, ==, 1);
	g_assert_cmpuint(thread->involuntary, ==, 1);
	g_assert_cmpuint(thread->flags, ==, SYSPROF_THREAD_ENDED);
	assert_sums(&f, 10);
	end(&f);
}

/* What an ended thread waits for is nobody's: it does not begin again, nor wait for ever. */
static void test_waits_after_its_end(void)
{
	struct fixture f;
	const struct sysprof_event *event;

	begin(&f, 0, 0, false);
	task(&f, PERF_RECORD_FORK, 10, 2 * MS);
	in(&f, 0, 10, 3 * MS);
	task(&f, PERF_RECORD_EXIT, 10, 4 * MS);
	out(&f, 0, 10, 5 * MS, OUT);
	spt_perf_waits_tell(f.waits, 6 * MS, &f.sink);
	in(&f, 1, 10, 7 * MS);
	out(&f, 1, 10, 8 * MS, OUT);
	/* Only that it was born and had to wait for a CPU. */
	g_assert_null(nth(&f, SYSPROF_EVENT, 1));
	/* Much later the id is a new thread's, whose birth was not seen. */
	spt_perf_waits_tell(f.waits, 5000 * MS, &f.sink);
	in(&f, 0, 10, 5001 * MS);
	out(&f, 0, 10, 5002 * MS, OUT);
	spt_perf_waits_finish(f.waits, 5010 * MS, &f.sink);
	event = nth(&f, SYSPROF_EVENT, 1);
	g_assert_cmpuint(event->duration, ==, 8 * MS);
	g_assert_null(nth(&f, SYSPROF_EVENT, 2));
	end(&f);
}

/* Threads that came and went are forgotten, whether or not they still had an id at the end. */
static void test_forgets_ended(void)
{
	struct fixture f;

	begin(&f, 0, 0, true);
	for (uint32_t tid = 10; tid < 13; tid++) {
		task(&f, PERF_RECORD_FORK, tid, tid * MS);
		in(&f, 0, tid, tid * MS + 10);
		sampled(&f, 0, tid, tid * MS + 20, SWITCH_POINT, 0, 1, 0);
		task(&f, PERF_RECORD_EXIT, tid, tid * MS + 30);
		if (tid < 12)
			out(&f, 0, tid == 10 ? UINT32_MAX : tid, tid * MS + 40, OUT);
	}
	g_assert_cmpuint(spt_perf_waits_n_threads(f.waits), ==, 3);
	spt_perf_waits_tell(f.waits, 1000 * MS, &f.sink);
	g_assert_cmpuint(spt_perf_waits_n_threads(f.waits), ==, 3);
	spt_perf_waits_tell(f.waits, 2500 * MS, &f.sink);
	g_assert_cmpuint(spt_perf_waits_n_threads(f.waits), ==, 1);
	/* The last switch of this one was lost. */
	spt_perf_waits_tell(f.waits, 9900 * MS, &f.sink);
	g_assert_cmpuint(spt_perf_waits_n_threads(f.waits), ==, 1);
	spt_perf_waits_tell(f.waits, 10500 * MS, &f.sink);
	g_assert_cmpuint(spt_perf_waits_n_threads(f.waits), ==, 0);
	end(&f);
}

/* What waits at the end is reported up to there. */
static void test_cut(void)
{
	struct fixture f;
	const struct sysprof_event *event;

	begin(&f, 0, 0, true);
	out(&f, 0, 10, 2 * MS, OUT);
	spt_perf_waits_finish(f.waits, 50 * MS, &f.sink);
	event = nth(&f, SYSPROF_EVENT, 0);
	g_assert_cmpuint(event->duration, ==, 48 * MS);
	assert_sums(&f, 10);
	end(&f);
}

/* The law of the source: each wait is reported, not picked or too short, with its time. */
static void assert_law(struct fixture *f)
{
	const struct sysprof_source_account_record *record;
	const struct sysprof_source_account *account;
	unsigned n = 0;

	spt_perf_waits_put_account(f->waits, 0, 1, &f->sink);
	while (nth(f, SYSPROF_SOURCE_ACCOUNT, n))
		n++;
	record = nth(f, SYSPROF_SOURCE_ACCOUNT, n - 1);
	account = &record->account;
	g_assert_cmpuint(account->seen.events, ==,
			 account->delivered.events + account->not_picked.events +
				 account->below.events + account->lost[0].events +
				 account->lost[SYSPROF_LOST_NO_SLOT].events);
	g_assert_cmpuint(account->seen.ns, ==,
			 account->delivered.ns + account->not_picked.ns + account->below.ns);
	g_assert_cmpuint(account->seen.value, ==,
			 account->delivered.value + account->not_picked.value +
				 account->below.value);
}

/* A wait whose end does not come is counted as lost, once, unless a lost record explains it. */
static void test_unended(void)
{
	struct fixture f;
	struct made lost = { .header = { PERF_RECORD_LOST, 0, 8 } };

	begin(&f, 0, 0, true);
	out(&f, 0, 10, 2 * MS, OUT);
	in(&f, 0, 10, 3 * MS);
	out(&f, 0, 10, 4 * MS, OUT);
	g_assert_cmpuint(spt_perf_waits_n_unended(f.waits), ==, 0);
	out(&f, 0, 10, 5 * MS, OUT);
	g_assert_cmpuint(spt_perf_waits_n_unended(f.waits), ==, 1);
	assert_law(&f);
	add(&lost, 0);
	add(&lost, 1);
	add_pair(&lost, 10, 10);
	add(&lost, 6 * MS);
	take(&f, 0, &lost);
	out(&f, 0, 10, 7 * MS, PREEMPTED);
	g_assert_cmpuint(spt_perf_waits_n_unended(f.waits), ==, 1);
	task(&f, PERF_RECORD_EXIT, 10, 8 * MS);
	g_assert_cmpuint(spt_perf_waits_n_unended(f.waits), ==, 2);
	assert_law(&f);
	end(&f);
}

/* Weight times period is the time waited, whatever lengths the waits have. */
static void test_grid(void)
{
	struct fixture f;
	const struct sysprof_event *event;
	uint64_t time = 1000 * MS, waited = 0, weight = 0;

	begin(&f, MS, 0, true);
	in(&f, 0, 10, time);
	for (unsigned i = 0; i < 20000; i++) {
		uint64_t length = i % 10 ? 30000 : 3 * MS + i;

		time += 200000;
		out(&f, 0, 10, time, OUT);
		time += length;
		waited += length;
		in(&f, 0, 10, time);
	}
	for (unsigned i = 0; (event = nth(&f, SYSPROF_EVENT, i)); i++)
		weight += event->weight;
	g_assert_cmpfloat((double)weight * MS, >, (double)waited * 0.98);
	g_assert_cmpfloat((double)weight * MS, <, (double)waited * 1.02);
	assert_law(&f);
	end(&f);
}

static void test_threshold(void)
{
	struct fixture f;

	begin(&f, 0, MS, true);
	in(&f, 0, 10, MS);
	out(&f, 0, 10, 2 * MS, OUT);
	in(&f, 0, 10, 3 * MS - 1);
	out(&f, 0, 10, 4 * MS, OUT);
	in(&f, 0, 10, 5 * MS);
	g_assert_cmpuint(((const struct sysprof_event *)nth(&f, SYSPROF_EVENT, 0))->duration, ==,
			 MS);
	g_assert_null(nth(&f, SYSPROF_EVENT, 1));
	assert_law(&f);
	end(&f);
}

static void test_lane(void)
{
	struct fixture f;
	const struct sysprof_lane *lane;

	begin(&f, 0, 0, true);
	in(&f, 1, 10, 5 * MS);
	out(&f, 1, 10, 6 * MS, PREEMPTED);
	in(&f, 1, 11, 6 * MS + 1);
	spt_perf_waits_tell(f.waits, 7 * MS, &f.sink);
	lane = nth(&f, SYSPROF_LANE, 0);
	g_assert_cmpuint(lane->record.cpu, ==, 1);
	g_assert_cmpuint(lane->begin, ==, 5 * MS);
	g_assert_cmpuint(lane->n, ==, 2);
	g_assert_cmpuint(lane->entries[0] & SYSPROF_LANE_TID_MASK, ==, 10);
	g_assert_cmpuint(lane->entries[1] & SYSPROF_LANE_TID_MASK, ==, 11);
	g_assert_cmpuint(lane->entries[1] >> SYSPROF_LANE_NS_SHIFT, ==, MS + 1);
	g_assert_cmpuint(lane->entries[1] >> SYSPROF_LANE_STATE_SHIFT & 63, ==,
			 SYSPROF_STATE_PREEMPTED);
	end(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perf-waits/woken", test_woken);
	g_test_add_func("/perf-waits/futex", test_futex);
	g_test_add_func("/perf-waits/preempted", test_preempted);
	g_test_add_func("/perf-waits/without-points", test_without_points);
	g_test_add_func("/perf-waits/life", test_life);
	g_test_add_func("/perf-waits/waits-after-its-end", test_waits_after_its_end);
	g_test_add_func("/perf-waits/forgets-ended", test_forgets_ended);
	g_test_add_func("/perf-waits/cut", test_cut);
	g_test_add_func("/perf-waits/unended", test_unended);
	g_test_add_func("/perf-waits/grid", test_grid);
	g_test_add_func("/perf-waits/threshold", test_threshold);
	g_test_add_func("/perf-waits/lane", test_lane);
	return g_test_run();
}
