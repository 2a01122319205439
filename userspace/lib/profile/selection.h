/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a filter about thread, CPU and time, in a form that is fast for millions of samples.
 */
#ifndef SPT_SELECTION_H
#define SPT_SELECTION_H

#include "profile/profile.h"

struct spt_selection {
	uint64_t begin_ns, end_ns;	/* [begin, end) */
	const SptMoments *moments;	/* as in SptFilter */
	bool *threads;			/* by id: wanted; NULL for all */
	const bool *cpus;		/* as in SptFilter */
	uint32_t n_cpus;
	uint32_t least_parallelism, most_parallelism;	/* likewise; 0: any */
};

/* @filter NULL: everything. */
void spt_selection_init(struct spt_selection *selection, const SptCapture *capture,
			const SptFilter *filter);
void spt_selection_clear(struct spt_selection *selection);

static inline bool spt_selection_has_time(const struct spt_selection *selection, uint32_t thread,
					  uint64_t time)
{
	return time >= selection->begin_ns && time < selection->end_ns &&
	       (!selection->moments || spt_moments_have(selection->moments, thread, time));
}

/* The part of spt_selection_part() that only weights with a duration need. */
bool spt_selection_spread(const struct spt_selection *selection, uint32_t thread, uint64_t time,
			  uint64_t duration_ns, uint64_t *weight);

/*
 * Whether a part of @weight, spread over the @duration_ns before @time, is selected; sets @weight
 * to it.  The parts of consecutive times add up to the part of the whole.
 */
static inline bool spt_selection_part(const struct spt_selection *selection, uint32_t thread,
				      uint64_t time, uint64_t duration_ns, uint64_t *weight)
{
	return duration_ns == 0 ?
		       spt_selection_has_time(selection, thread, time) :
		       spt_selection_spread(selection, thread, time, duration_ns, weight);
}

static inline bool spt_selection_has_place(const struct spt_selection *selection, uint32_t thread,
					   uint32_t cpu)
{
	return (!selection->threads || selection->threads[thread]) &&
	       (!selection->cpus || (cpu < selection->n_cpus && selection->cpus[cpu]));
}

/* @detail: SptWeightRow's, of metrics that have SPT_METRIC_HAS_PARALLELISM. */
static inline bool spt_selection_has_detail(const struct spt_selection *selection, uint32_t detail)
{
	return !selection->most_parallelism || (detail >= selection->least_parallelism &&
						detail <= selection->most_parallelism);
}

/*
 * Whether a row is selected; sets @weight, which is the row's, to the selected part of it.
 * @detail NULL: rows have none.
 */
static inline bool spt_selection_has_row(const struct spt_selection *selection, uint32_t thread,
					 uint32_t cpu, const uint32_t *detail, uint64_t time,
					 uint64_t duration_ns, uint64_t *weight)
{
	return spt_selection_has_place(selection, thread, cpu) &&
	       (!detail || spt_selection_has_detail(selection, *detail)) &&
	       spt_selection_part(selection, thread, time, duration_ns, weight);
}

/*
 * Whether @filter is only about process and stack, and the capture has the sums of the leaves for
 * that.
 */
bool spt_filter_is_of_leaves(const SptFilter *filter, const SptCapture *capture);
/* Whether @filter is about the stack: its functions, or the object of its innermost function. */
bool spt_filter_is_about_stacks(const SptFilter *filter);
/* Whether @filter is about time. */
bool spt_filter_is_about_time(const SptFilter *filter);
/* Whether @filter wants this process image; NULL wants all. */
bool spt_filter_has_process(const SptFilter *filter, const SptCapture *capture,
			    const SptProcessRow *process);
/*
 * The name of its executable, by its command line or by what it has mapped; NULL: not known.  The
 * capture owns it.
 */
const char *spt_process_executable(const SptCapture *capture, const SptProcessRow *process,
				   bool is_mapped);

/* Perf events' pid and tid of a thread that is past its end; not a thread of its own. */
#define SPT_ID_EXITED UINT32_MAX

/* The row of a thread; NULL: not known. */
const SptThreadRow *spt_thread_of_id(const SptCapture *capture, uint32_t thread);
/* The process image of a thread; NULL: not known. */
const SptProcessRow *spt_process_of_thread(const SptCapture *capture, uint32_t thread);
/* The name of a process in profiles; never NULL. */
const char *spt_process_label(const SptProcessRow *process);

#endif
