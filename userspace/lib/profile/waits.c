/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of waits as rows of weight, in the order of the file. */
#include "profile/waits.h"

#include "base/words.h"
#include "events/facts.h"

/* detail: the waker's thread, its context, the state, from bit 0 on. */
#define WAKER_BITS 25
#define CONTEXT_BITS 3
#define CONTEXT_AT WAKER_BITS
#define STATE_AT (WAKER_BITS + CONTEXT_BITS)

/* The rows of each source. */
enum {
	RUNNING = 1 << 0,
	BLOCKED = 1 << 1,
	RUNNABLE = 1 << 2,
};

struct cursor {
	unsigned parts;
	uint64_t period_ns;
	SptSamples *samples;		/* NULL: all have been returned */
	const SptSampleRow *sample;
	uint32_t n_samples;
	SptStreamReader *reader;
	const SptWaitRow *wait;
	uint32_t n_waits;
};

uint8_t spt_wait_detail_state(uint32_t detail)
{
	return detail >> STATE_AT;
}

bool spt_wait_detail_is_disk(uint32_t detail)
{
	uint8_t state = spt_wait_detail_state(detail);

	return state == SPT_STATE_DISK || state == SPT_STATE_IOWAIT;
}

uint8_t spt_wait_detail_context(uint32_t detail)
{
	return detail >> CONTEXT_AT & ((1u << CONTEXT_BITS) - 1);
}

uint32_t spt_wait_detail_waker(uint32_t detail)
{
	return detail & ((1u << WAKER_BITS) - 1);
}

static uint32_t detail_of(uint8_t state, uint8_t context, uint32_t waker)
{
	return (uint32_t)MIN(state, 15) << STATE_AT |
	       (uint32_t)MIN(context, (1u << CONTEXT_BITS) - 1) << CONTEXT_AT |
	       (waker < 1u << WAKER_BITS ? waker : 0);
}

uint32_t spt_wait_detail(const SptWaitRow *wait)
{
	return detail_of(wait->state, wait->waker_context, wait->waker);
}

const char *spt_wait_state_name(uint8_t state)
{
	static const char *const names[SPT_STATES] = {
		[SPT_STATE_RUNNING] = SPT_WORDS("running"),
		[SPT_STATE_PREEMPTED] = SPT_WORDS("runnable, preempted"),
		[SPT_STATE_WOKEN] = SPT_WORDS("runnable, woken"),
		[SPT_STATE_SLEEP] = SPT_WORDS("sleeping"),
		[SPT_STATE_DISK] = SPT_WORDS("uninterruptible"),
		[SPT_STATE_IOWAIT] = SPT_WORDS("waiting for I/O"),
		[SPT_STATE_STOPPED] = SPT_WORDS("stopped"),
		[SPT_STATE_LOCK] = SPT_WORDS("waiting for a spin lock"),
		[SPT_STATE_OTHER] = SPT_WORDS("blocked"),
		[SPT_STATE_NEW] = SPT_WORDS("runnable, new"),
	};

	return state < SPT_STATES && names[state] ? names[state] : SPT_WORDS("not known");
}

const char *spt_wait_waker_name(uint32_t detail)
{
	static const char *const names[] = {
		[SPT_IN_SOFTIRQ] = "[soft interrupt]",
		[SPT_IN_IRQ] = "[interrupt]",
		[SPT_IN_NMI] = "[interrupt]",
		[SPT_IN_IDLE] = "[idle]",
	};
	uint8_t state = spt_wait_detail_state(detail), context = spt_wait_detail_context(detail);

	if (state < SPT_STATE_SLEEP || state > SPT_STATE_OTHER)
		return "[runnable]";
	return context < G_N_ELEMENTS(names) && names[context] ? names[context] : "[not known]";
}

static bool has_waits(const SptCapture *capture)
{
	return spt_capture_has_stream(capture, SPT_ROW_WAIT) ||
	       spt_capture_has_stream(capture, SPT_ROW_THREAD_TIME);
}

static uint64_t count_waits(const SptCapture *capture)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < capture->n_streams; i++)
		if (spt_stream_type_of(&capture->streams[i]) == &spt_stream_waits)
			n = MAX(n, capture->streams[i].rows);
	return n;
}

static uint64_t count_both(const SptCapture *capture)
{
	return 2 * count_waits(capture);
}

static uint64_t count_all(const SptCapture *capture)
{
	return count_both(capture) + capture->n_samples;
}

static gpointer begin(const SptCapture *capture, unsigned parts)
{
	struct cursor *cursor = g_new0(struct cursor, 1);

	cursor->parts = parts;
	cursor->period_ns = spt_capture_period_ns(capture);
	cursor->reader = spt_stream_reader_new(capture, SPT_ROW_WAIT);
	if (parts & RUNNING)
		cursor->samples = spt_samples_new(capture);
	return cursor;
}

static gpointer begin_wall(const SptCapture *capture)
{
	return begin(capture, RUNNING | BLOCKED | RUNNABLE);
}

static gpointer begin_off_cpu(const SptCapture *capture)
{
	return begin(capture, BLOCKED | RUNNABLE);
}

static gpointer begin_blocked(const SptCapture *capture)
{
	return begin(capture, BLOCKED);
}

static gpointer begin_runnable(const SptCapture *capture)
{
	return begin(capture, RUNNABLE);
}

static void end(gpointer data)
{
	struct cursor *cursor = data;

	spt_samples_free(cursor->samples);
	spt_stream_reader_free(cursor->reader);
	g_free(cursor);
}

static SptWeightRow row_of_sample(const struct cursor *cursor, const SptSampleRow *sample)
{
	uint64_t ns = sample->weight * cursor->period_ns;

	return (SptWeightRow){ .time = sample->time,
			       .duration_ns = MIN(ns, sample->time),
			       .weight = ns,
			       .thread = sample->thread,
			       .cpu = sample->cpu,
			       .node = sample->node,
			       .detail = detail_of(SPT_STATE_RUNNING, 0, 0) };
}

/* The next samples, as many as fit; 0 after the last one. */
static uint32_t next_samples(struct cursor *cursor, SptWeightRow *rows)
{
	uint32_t n;

	if (cursor->samples && !cursor->n_samples)
		cursor->sample = spt_samples_next(cursor->samples, &cursor->n_samples);
	if (!cursor->sample) {
		g_clear_pointer(&cursor->samples, spt_samples_free);
		cursor->n_samples = 0;
	}
	n = MIN(cursor->n_samples, SPT_WEIGHTS_BATCH);
	for (uint32_t i = 0; i < n; i++)
		rows[i] = row_of_sample(cursor, cursor->sample++);
	cursor->n_samples -= n;
	return n;
}

/* The part of a weight that belongs to @part of @whole. */
static uint64_t share_of(uint64_t weight, uint64_t part, uint64_t whole)
{
	if (part >= whole)
		return weight;
	return (uint64_t)((long double)weight * part / whole);
}

static bool is_runnable(uint8_t state)
{
	return state == SPT_STATE_PREEMPTED || state == SPT_STATE_NEW;
}

uint64_t spt_wait_blocked_weight(const SptWaitRow *wait)
{
	return share_of(wait->weight_ns,
			wait->duration_ns - MIN(wait->runnable_ns, wait->duration_ns),
			MAX(wait->duration_ns, 1));
}

/* The requested rows of a wait, at most two. */
static uint32_t rows_of_wait(const struct cursor *cursor, const SptWaitRow *wait,
			     SptWeightRow *rows)
{
	uint64_t runnable_ns = MIN(wait->runnable_ns, wait->duration_ns),
		 blocked_ns = wait->duration_ns - runnable_ns,
		 blocked = spt_wait_blocked_weight(wait);
	const SptWeightRow row = { .thread = wait->thread, .cpu = wait->cpu, .node = wait->node };
	uint32_t n = 0;

	if (cursor->parts & BLOCKED && blocked_ns) {
		rows[n] = row;
		rows[n].time = wait->time - MIN(runnable_ns, wait->time);
		rows[n].duration_ns = MIN(blocked_ns, rows[n].time);
		rows[n].weight = blocked;
		rows[n++].detail = spt_wait_detail(wait);
	}
	if (cursor->parts & RUNNABLE && runnable_ns) {
		rows[n] = row;
		rows[n].time = wait->time;
		rows[n].duration_ns = MIN(runnable_ns, wait->time);
		rows[n].weight = wait->weight_ns - (blocked_ns ? blocked : 0);
		rows[n++].detail = detail_of(
			is_runnable(wait->state) ? wait->state : SPT_STATE_WOKEN, 0, 0);
	}
	return n;
}

static uint32_t next(gpointer data, SptWeightRow *rows)
{
	struct cursor *cursor = data;
	uint32_t n = cursor->samples ? next_samples(cursor, rows) : 0;

	if (n)
		return n;
	while (n + 2 <= SPT_WEIGHTS_BATCH) {
		if (!cursor->n_waits)
			cursor->wait = spt_stream_reader_next(cursor->reader, &cursor->n_waits);
		if (!cursor->n_waits)
			break;
		n += rows_of_wait(cursor, cursor->wait++, rows + n);
		cursor->n_waits--;
	}
	return n;
}

const SptWeightSource spt_weights_wall = {
	.is_in = has_waits,
	.count = count_all,
	.begin = begin_wall,
	.next = next,
	.end = end,
};

const SptWeightSource spt_weights_off_cpu = {
	.is_in = has_waits,
	.count = count_both,
	.begin = begin_off_cpu,
	.next = next,
	.end = end,
};

const SptWeightSource spt_weights_blocked = {
	.is_in = has_waits,
	.count = count_waits,
	.begin = begin_blocked,
	.next = next,
	.end = end,
};

const SptWeightSource spt_weights_runnable = {
	.is_in = has_waits,
	.count = count_waits,
	.begin = begin_runnable,
	.next = next,
	.end = end,
};

/* Sums of threads. */

static SptThreadTime time_of(const SptThreadTimeRow *row)
{
	SptThreadTime time = { .row = row };

	for (unsigned state = 0; state < SPT_THREAD_STATES; state++) {
		if (state == SPT_STATE_RUNNING)
			time.running_ns += row->ns[state];
		else if (is_runnable(state) || state == SPT_STATE_WOKEN)
			time.runnable_ns += row->ns[state];
		else if (state <= SPT_STATE_OTHER)
			time.blocked_ns += row->ns[state];
		else
			time.unknown_ns += row->ns[state];
	}
	return time;
}

static int busiest_first(gconstpointer a, gconstpointer b)
{
	const SptThreadTime *x = a, *y = b;
	uint64_t left = x->running_ns + x->runnable_ns, right = y->running_ns + y->runnable_ns;

	if (left != right)
		return left > right ? -1 : 1;
	return x->row->thread < y->row->thread ? -1 : x->row->thread > y->row->thread;
}

/* A thread that execs becomes another thread; its sums continue, and count for the last. */
static guint64 key_of(const SptCapture *capture, const SptThreadTimeRow *row)
{
	return (guint64)capture->threads[row->thread].tid << 32 ^ row->since;
}

GArray *spt_thread_times(const SptCapture *capture, SptThreadTimeRow **ret_rows)
{
	uint64_t n;
	SptThreadTimeRow *rows = spt_stream_rows(capture, SPT_ROW_THREAD_TIME, &n);
	GArray *times = g_array_new(FALSE, FALSE, sizeof(SptThreadTime));
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
							    NULL);

	for (uint64_t i = 0; i < n; i++) {
		guint64 key = key_of(capture, &rows[i]);
		guint at = GPOINTER_TO_UINT(g_hash_table_lookup(known, &key));
		SptThreadTime time = time_of(&rows[i]);

		if (!rows[i].thread)
			continue;
		if (!at) {
			g_array_append_val(times, time);
			g_hash_table_insert(known, g_memdup2(&key, sizeof(key)),
					    GUINT_TO_POINTER(times->len));
		} else if (g_array_index(times, SptThreadTime, at - 1).row->time <= rows[i].time) {
			g_array_index(times, SptThreadTime, at - 1) = time;
		}
	}
	g_array_sort(times, busiest_first);
	*ret_rows = rows;
	return times;
}
