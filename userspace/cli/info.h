/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data that info shows beyond the summary, counted once for text and JSON. */
#ifndef SPT_INFO_H
#define SPT_INFO_H

#include "capture/maps.h"
#include "profile/coverage.h"
#include "profile/summary.h"

struct spt_info {
	const SptCapture *capture;
	SptSummary summary;
	uint64_t *thread_samples;	/* by thread */
	uint64_t *thread_weight;
	uint64_t user_ends[UINT8_MAX + 1];	/* weight, by why the user part ends */
	double bytes_per_sample;
	GArray *coverage;		/* SptCoverageRow */
	GArray *finders;		/* SptFinderCount; NULL with has_maps as text */
	bool has_maps;			/* mappings were requested, */
	const char *maps_of;		/* ... of processes with this name or pid; NULL: of all */
};

/* Number of recorded ones, without the holes between ids. */
uint32_t spt_info_processes(const struct spt_info *info);
uint32_t spt_info_objects(const struct spt_info *info);
const char *spt_info_stream_kind(uint32_t kind);

/* Whether the ends of user stacks are known: they were unwound. */
bool spt_info_has_ends(const struct spt_info *info);
/* The percentage of whole stacks in the weight of user stacks whose ends are known. */
double spt_info_whole_pct(const struct spt_info *info);
/* The name of an end for scripts and for people; NULL: there is no such number. */
const char *spt_info_end_key(unsigned end);
const char *spt_info_end_text(unsigned end);

/*
 * Calls @func for each requested mapping, process by process.  @begins: for the first mapping of a
 * process, "" or a clause about all of them; else NULL.
 */
typedef void (*SptInfoMapFunc)(const struct spt_info *info, const SptProcessRow *process,
			       const SptMapSpan *span, const char *begins, void *data);
void spt_info_each_map(const struct spt_info *info, SptInfoMapFunc func, void *data);
/* The build-id in hexadecimal; "": there is none.  The caller frees it. */
char *spt_info_build_id(const SptObjectRow *object);

void spt_info_print_maps(const struct spt_info *info);
void spt_info_print_text(const struct spt_info *info);
void spt_info_print_json(const struct spt_info *info);

#endif
