/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a filter that asks who, where and when a sample was taken, made quick to ask a
 * million times.
 */
#ifndef SPT_SELECTION_H
#define SPT_SELECTION_H

#include "profile/profile.h"

struct spt_selection {
	uint64_t begin_ns, end_ns;	/* [begin, end) */
	bool *threads;			/* by id: wanted; NULL for all */
	const bool *cpus;		/* as in SptFilter */
	uint32_t n_cpus;
};

/* @filter NULL: everything. */
void spt_selection_init(struct spt_selection *selection, const SptCapture *capture,
			const SptFilter *filter);
void spt_selection_clear(struct spt_selection *selection);

static inline bool spt_selection_has_time(const struct spt_selection *selection, uint64_t time)
{
	return time >= selection->begin_ns && time < selection->end_ns;
}

static inline bool spt_selection_has_place(const struct spt_selection *selection, uint32_t thread,
					   uint32_t cpu)
{
	return (!selection->threads || selection->threads[thread]) &&
	       (!selection->cpus || (cpu < selection->n_cpus && selection->cpus[cpu]));
}

/*
 * Whether @filter asks no more of a sample than its process and stack, and the sums of the leaves
 * are there to tell.
 */
bool spt_filter_is_of_leaves(const SptFilter *filter, const SptCapture *capture);
/*
 * Whether @filter asks anything of the stack: which functions are on it, or where its innermost
 * lies.
 */
bool spt_filter_is_about_stacks(const SptFilter *filter);
/* Whether @filter wants this process image; NULL wants all. */
bool spt_filter_has_process(const SptFilter *filter, const SptProcessRow *process);

/* The image a thread belongs to; NULL if that is not known. */
const SptProcessRow *spt_process_of_thread(const SptCapture *capture, uint32_t thread);
/* What a process is called in profiles; never NULL. */
const char *spt_process_label(const SptProcessRow *process);

#endif
