/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits and runs show the states of a thread to the nanosecond; samples show only on which side of
 * the system calls it ran.  Each bucket has sums: drawing costs the same for ten waits and a
 * million.
 */
#include <string.h>

#include "profile/lane-arrows.h"
#include "profile/row-walk.h"

struct picture {
	const SptLanes *lanes;
	SptLanesPicture *made;
	double bucket_ns;
	/* Nanoseconds of each bucket, for the row that is added up */
	double *ns; /* by bucket and kind */
	double *running;
	/* By row and bucket: samples in programs and in the kernel */
	float *sides;
	uint32_t *row_of_thread, *row_of_cpu; /* UINT32_MAX: none; by thread of the capture */
	uint32_t *row_of_process;
	double *lost; /* by bucket: something was recorded, on any CPU */
};

/* Adds the part of [from, to) that is in each bucket to the bucket's sum. */
static void add_span(const struct picture *picture, double *sums, unsigned stride, uint64_t from,
		     uint64_t to)
{
	const SptLanesPicture *made = picture->made;
	double begin, end;
	uint32_t first, last;

	from = MAX(from, made->begin_ns);
	to = MIN(to, made->end_ns);
	if (from >= to)
		return;
	begin = (double)(from - made->begin_ns) / picture->bucket_ns;
	end = (double)(to - made->begin_ns) / picture->bucket_ns;
	first = MIN((uint32_t)begin, made->n_buckets - 1);
	last = MIN((uint32_t)end, made->n_buckets - 1);
	if (first == last) {
		sums[(size_t)first * stride] += (double)(to - from);
		return;
	}
	sums[(size_t)first * stride] += (first + 1 - begin) * picture->bucket_ns;
	for (uint32_t i = first + 1; i < last; i++)
		sums[(size_t)i * stride] += picture->bucket_ns;
	sums[(size_t)last * stride] += (end - last) * picture->bucket_ns;
}

static void add_state(const struct picture *picture, SptLaneKind kind, uint64_t from, uint64_t to)
{
	if (kind < SPT_LANE_KINDS)
		add_span(picture, picture->ns + kind, SPT_LANE_KINDS, from, to);
}

static void add_wait(const struct picture *picture, const SptWaitRow *wait)
{
	uint64_t begin = spt_wait_begin(wait), woken = spt_wait_woken(wait);

	if (woken > begin)
		add_state(picture, spt_lane_kind_of_state(wait->state), begin, woken);
	add_state(picture, SPT_LANE_RUNNABLE, woken, wait->time);
}

/*
 * Between two runs a thread was off the CPU.  Where no wait shows more, as with those that a grid
 * did not pick, the switch has the state in which the thread left.
 */
static void add_gap(const struct picture *picture, uint32_t thread, uint64_t *at,
		    const SptLaneRun *run, const SptLaneRun *next)
{
	const SptWaitIndex *waits = picture->lanes->waits;

	while (*at < waits->first[thread + 1] && waits->waits[*at].time <= run->end)
		++*at;
	if (*at < waits->first[thread + 1] && spt_wait_begin(&waits->waits[*at]) < next->begin)
		return;
	add_state(picture, spt_lane_kind_of_state(run->left), run->end, next->begin);
}

static void add_thread(const struct picture *picture, const SptLaneThread *thread)
{
	const SptLanes *lanes = picture->lanes;
	const SptWaitIndex *waits = lanes->waits;
	uint64_t begin = picture->made->begin_ns, end = picture->made->end_ns;
	uint64_t first = spt_wait_index_after(waits, thread->thread, begin), at = first;

	for (uint64_t i = first; i < waits->first[thread->thread + 1]; i++) {
		if (spt_wait_begin(&waits->waits[i]) >= end)
			break;
		add_wait(picture, &waits->waits[i]);
	}
	for (uint64_t i = thread->n_runs ? spt_lanes_run_at(lanes, thread, begin) :
					   thread->first_run;
	     i < thread->first_run + thread->n_runs; i++) {
		const SptLaneRun *run = &lanes->runs[i];

		if (run->begin >= end)
			break;
		if (spt_lane_run_is_lost(run))
			add_state(picture, SPT_LANE_LOST, run->begin, run->end);
		else
			add_span(picture, picture->running, 1, run->begin, run->end);
		if (i + 1 < thread->first_run + thread->n_runs && run[1].begin > begin)
			add_gap(picture, thread->thread, &at, run, &run[1]);
	}
}

/* The thread with most of a bucket: the lead of a vote. */
static void add_cpu(const struct picture *picture, uint32_t cpu, uint32_t *owners)
{
	const SptLanes *lanes = picture->lanes;
	const SptLanesPicture *made = picture->made;
	g_autofree double *lead = g_new0(double, made->n_buckets);

	for (uint64_t i = spt_lanes_cpu_run_after(lanes, cpu, made->begin_ns);
	     i < lanes->cpu_first[cpu + 1]; i++) {
		const SptLaneRun *run = &lanes->runs[lanes->run_order[i]];
		uint64_t from = MAX(run->begin, made->begin_ns), to = MIN(run->end, made->end_ns);

		if (run->begin >= made->end_ns)
			break;
		if (spt_lane_run_is_lost(run))
			add_state(picture, SPT_LANE_LOST, from, to);
		if (spt_lane_run_is_lost(run) || from >= to)
			continue;
		add_span(picture, picture->running, 1, from, to);
		for (uint32_t k = (uint32_t)((double)(from - made->begin_ns) / picture->bucket_ns);
		     k < made->n_buckets &&
		     (double)k * picture->bucket_ns < (double)(to - made->begin_ns);
		     k++) {
			double part = MIN((double)(to - from), picture->bucket_ns);

			if (owners[k] == run->thread) {
				lead[k] += part;
			} else if (lead[k] >= part) {
				lead[k] -= part;
			} else {
				lead[k] = part - lead[k];
				owners[k] = run->thread;
			}
		}
	}
}

/* The first one of @cpu that ends after @time. */
static unsigned irq_after(const GArray *irqs, uint32_t cpu, uint64_t time)
{
	unsigned low = 0, high = irqs->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		const SptLaneIrq *irq = &g_array_index(irqs, SptLaneIrq, middle);

		if (irq->cpu < cpu || (irq->cpu == cpu && irq->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * An interrupt is as long as all those that it represents, except where that would be seen: then it
 * has its own length.
 */
static void add_irqs(const struct picture *picture, uint32_t cpu)
{
	const GArray *irqs = picture->lanes->irqs;

	for (unsigned i = irq_after(irqs, cpu, picture->made->begin_ns); i < irqs->len; i++) {
		const SptLaneIrq *irq = &g_array_index(irqs, SptLaneIrq, i);
		uint64_t ns = (double)irq->weight_ns <= picture->bucket_ns ? irq->weight_ns :
									     irq->duration_ns,
			 begin = irq->time - MIN(ns, irq->time);

		if (irq->cpu != cpu || begin >= picture->made->end_ns)
			break;
		add_state(picture, SPT_LANE_IRQ, begin, irq->time);
		if (irq->was_idle)
			add_span(picture, picture->running, 1, begin, irq->time);
	}
}

/* Sides. */

static void add_side(const struct picture *picture, uint32_t row, uint32_t bucket, bool is_kernel,
		     float weight)
{
	if (row != UINT32_MAX)
		picture->sides[((size_t)row * picture->made->n_buckets + bucket) * 2 + is_kernel] +=
			weight;
}

static void add_samples(const struct picture *picture)
{
	const SptProfile *base = picture->lanes->base;
	const SptTreeNode *nodes = (const SptTreeNode *)base->tree->data;
	const SptLanesPicture *made = picture->made;
	const SptThreadRow *threads = base->capture->threads;
	uint32_t n_threads = base->capture->n_threads;
	g_autoptr(SptRowWalk) walk = spt_row_walk_new(base, made->begin_ns);
	const struct spt_base_row *row;

	while ((row = spt_row_walk_next(walk)) && row->time < made->end_ns) {
		bool is_kernel =
			g_array_index(base->functions, SptFunction, nodes[row->leaf].function)
				.is_kernel;
		float weight = (float)row->weight;
		uint32_t bucket;

		if (row->time < made->begin_ns)
			continue;
		bucket = MIN((uint32_t)((double)(row->time - made->begin_ns) / picture->bucket_ns),
			     made->n_buckets - 1);
		if (row->thread < n_threads) {
			add_side(picture, picture->row_of_thread[row->thread], bucket, is_kernel,
				 weight);
			add_side(picture, picture->row_of_process[threads[row->thread].process],
				 bucket, is_kernel, weight);
		}
		if (row->cpu < picture->lanes->n_cpus)
			add_side(picture, picture->row_of_cpu[row->cpu], bucket, is_kernel, weight);
	}
}

/*
 * A sample represents the time before it: a bucket without one is on the side of the next that has
 * some, or of the last.  Where none has, it is taken for the program's.
 */
static void spread_sides(const struct picture *picture, float *sides)
{
	uint32_t n = picture->made->n_buckets;
	float user = 0, kernel = 0;
	bool is_known = false;

	for (uint32_t i = n; i-- > 0;) {
		if (sides[2 * i] + sides[2 * i + 1] > 0) {
			user = sides[2 * i];
			kernel = sides[2 * i + 1];
			for (uint32_t k = i + 1; !is_known && k < n; k++) {
				sides[2 * k] = user;
				sides[2 * k + 1] = kernel;
			}
			is_known = true;
		} else if (is_known) {
			sides[2 * i] = user;
			sides[2 * i + 1] = kernel;
		}
	}
}

/* Without recorded runs, the thread ran where samples found it. */
static void run_by_samples(const struct picture *picture, const float *sides)
{
	double period_ns = (double)MAX(spt_capture_period_ns(picture->lanes->capture), 1);
	double left = 0;

	for (uint32_t i = picture->made->n_buckets; i-- > 0;) {
		/* The part that does not fit was before. */
		left += (double)(sides[2 * i] + sides[2 * i + 1]) * period_ns;
		picture->running[i] = MIN(left, picture->bucket_ns);
		left -= picture->running[i];
	}
}

/* Rows. */

static void finish_bucket(const struct picture *picture, const double *ns, double running,
			  const float *sides, double lost, float *shares)
{
	double whole = picture->bucket_ns, room = whole;
	double all = (double)sides[0] + (double)sides[1],
	       irq = MIN(ns[SPT_LANE_IRQ], running),
	       user = all > 0 ? running * (double)sides[0] / all : running,
	       /* Ticks, which show the sides, see little of interrupts. */
	       kernel = running - user - MIN(irq, running - user);
	const double parts[SPT_LANE_KINDS] = {
		[SPT_LANE_USER] = running - irq - kernel,
		[SPT_LANE_KERNEL] = kernel,
		[SPT_LANE_IRQ] = irq,
		[SPT_LANE_RUNNABLE] = ns[SPT_LANE_RUNNABLE],
		[SPT_LANE_DISK] = ns[SPT_LANE_DISK],
		[SPT_LANE_BLOCKED] = ns[SPT_LANE_BLOCKED],
		[SPT_LANE_LOST] = lost + ns[SPT_LANE_LOST],
	};

	/* Several threads at once are more than there is room for: running ones are shown first. */
	if (running > whole) {
		for (unsigned kind = 0; kind <= SPT_LANE_IRQ; kind++)
			shares[kind] = (float)(parts[kind] / running);
		return;
	}
	for (unsigned kind = 0; kind < SPT_LANE_KINDS; kind++) {
		double part = MIN(parts[kind], room);

		shares[kind] = (float)(part / whole);
		room -= part;
	}
}

static void add_offs(const struct picture *picture, uint32_t cpu, float *offs)
{
	const GArray *all = picture->lanes->offs;

	memset(picture->running, 0, picture->made->n_buckets * sizeof(*picture->running));
	for (unsigned i = 0; all && i < all->len; i++) {
		const SptLaneOff *off = &g_array_index(all, SptLaneOff, i);

		if (off->cpu == cpu)
			add_span(picture, picture->running, 1, off->begin, off->end);
	}
	for (uint32_t i = 0; i < picture->made->n_buckets; i++)
		offs[i] = (float)MIN(picture->running[i] / picture->bucket_ns, 1.0);
}

static void make_row(const struct picture *picture, uint32_t row)
{
	const SptLanes *lanes = picture->lanes;
	SptLanesPicture *made = picture->made;
	const SptLaneWanted *wanted = &made->rows[row];
	size_t first = (size_t)row * made->n_buckets;
	float *sides = picture->sides + 2 * first;

	memset(picture->ns, 0, made->n_buckets * SPT_LANE_KINDS * sizeof(*picture->ns));
	memset(picture->running, 0, made->n_buckets * sizeof(*picture->running));
	if (wanted->of == SPT_LANE_OF_CPU) {
		add_cpu(picture, wanted->number, made->owners + first);
		add_irqs(picture, wanted->number);
	} else if (wanted->of == SPT_LANE_OF_THREAD) {
		add_thread(picture, &lanes->threads[wanted->number]);
	} else {
		const SptLaneProcess *process = &lanes->processes[wanted->number];

		for (uint32_t i = 0; i < process->n; i++)
			add_thread(picture, &lanes->threads[process->first + i]);
	}
	if (!lanes->n_cpus)
		run_by_samples(picture, sides);
	spread_sides(picture, sides);
	for (uint32_t i = 0; i < made->n_buckets; i++)
		finish_bucket(picture, picture->ns + (size_t)i * SPT_LANE_KINDS,
			      picture->running[i], sides + 2 * i, picture->lost[i],
			      made->shares + (first + i) * SPT_LANE_KINDS);
	if (wanted->of == SPT_LANE_OF_CPU)
		add_offs(picture, wanted->number, made->offs + first);
}

static uint32_t *none(uint32_t n)
{
	uint32_t *rows = g_new(uint32_t, (size_t)n + 1);

	for (uint32_t i = 0; i <= n; i++)
		rows[i] = UINT32_MAX;
	return rows;
}

static void find_rows(struct picture *picture)
{
	const SptLanes *lanes = picture->lanes;

	picture->row_of_thread = none(lanes->capture->n_threads);
	picture->row_of_process = none(lanes->capture->n_processes);
	picture->row_of_cpu = none(lanes->n_cpus);
	for (uint32_t i = 0; i < picture->made->n_rows; i++) {
		const SptLaneWanted *row = &picture->made->rows[i];

		if (row->of == SPT_LANE_OF_THREAD)
			picture->row_of_thread[lanes->threads[row->number].thread] = i;
		else if (row->of == SPT_LANE_OF_PROCESS)
			picture->row_of_process[lanes->processes[row->number].process] = i;
		else
			picture->row_of_cpu[row->number] = i;
	}
}

SptLanesPicture *spt_lanes_picture(const SptLanes *lanes, const SptLanesRequest *request)
{
	SptLanesPicture *made = g_new0(SptLanesPicture, 1);
	struct picture picture = { .lanes = lanes, .made = made };
	uint32_t n = MAX(request->n_buckets, 1);
	size_t cells = (size_t)n * MAX(request->n_rows, 1);

	made->begin_ns = request->begin_ns;
	made->end_ns = MAX(request->end_ns, request->begin_ns + 1);
	made->n_buckets = n;
	made->n_rows = request->n_rows;
	made->rows = g_memdup2(request->rows, request->n_rows * sizeof(*request->rows));
	made->shares = g_new0(float, cells *SPT_LANE_KINDS);
	made->owners = g_new0(uint32_t, cells);
	made->offs = g_new0(float, cells);
	picture.bucket_ns = (double)(made->end_ns - made->begin_ns) / n;
	picture.ns = g_new(double, (size_t)n *SPT_LANE_KINDS);
	picture.running = g_new(double, n);
	picture.sides = g_new0(float, 2 * cells);
	picture.lost = g_new0(double, n);
	find_rows(&picture);
	for (uint64_t i = 0; i < lanes->capture->n_losses; i++)
		add_span(&picture, picture.lost, 1, lanes->capture->losses[i].first_time,
			 lanes->capture->losses[i].last_time + 1);
	add_samples(&picture);
	for (uint32_t i = 0; i < made->n_rows; i++)
		make_row(&picture, i);
	spt_lane_arrows_find(lanes, made);
	g_free(picture.ns);
	g_free(picture.running);
	g_free(picture.sides);
	g_free(picture.lost);
	g_free(picture.row_of_thread);
	g_free(picture.row_of_process);
	g_free(picture.row_of_cpu);
	return made;
}

void spt_lanes_picture_free(SptLanesPicture *picture)
{
	if (!picture)
		return;
	g_free(picture->rows);
	g_free(picture->shares);
	g_free(picture->owners);
	g_free(picture->offs);
	g_array_unref(picture->arrows);
	g_free(picture);
}
