/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of perf: data.c has what describes it, data-read.c its records in order. */
#ifndef SPT_PERF_DATA_PRIVATE_H
#define SPT_PERF_DATA_PRIVATE_H

#include <string.h>

#include "import/perf-data-file.h"

G_BEGIN_DECLS

/* Records that perf makes itself, by its own numbers. */
enum {
	PERF_MADE = 64,			/* the first of them */
	PERF_HEADER_ATTR = 64,
	PERF_TRACING_DATA = 66,		/* more bytes follow it */
	PERF_BUILD_ID = 67,
	PERF_FINISHED_ROUND = 68,
	PERF_ID_INDEX = 69,
	PERF_AUXTRACE = 71,		/* more bytes follow it */
	PERF_THREAD_MAP = 73,
	PERF_CPU_MAP = 74,
	PERF_EVENT_UPDATE = 78,
	PERF_TIME_CONV = 79,
	PERF_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_FINISHED_INIT = 82,
	PERF_COMPRESSED2 = 83,
};

struct SptPerfData {
	const uint8_t *bytes;		/* the file */
	bool is_mapped;
	uint64_t n_bytes;
	uint64_t begin, end;		/* of its records */
	bool is_pipe;
	GPtrArray *events;		/* struct spt_perf_data_event */
	GHashTable *by_id;		/* id -> event */
	GHashTable *build_ids;		/* path -> GBytes */
	GHashTable *formats;		/* id of a trace point -> struct spt_perf_data_point */
	GHashTable *chains;		/* user stacks by their cookie; NULL: not read yet */
	size_t chains_bytes;
	struct spt_perf_data_facts facts;
};

/* What is left of a part of the file. */
struct spt_perf_section {
	const uint8_t *at;
	uint64_t left;
};

/* The next @bytes.  NULL: fewer were left, and now none are. */
static inline const uint8_t *spt_perf_section_take(struct spt_perf_section *section, uint64_t bytes)
{
	const uint8_t *at = section->at;

	if (bytes > section->left) {
		section->left = 0;
		return NULL;
	}
	section->at += bytes;
	section->left -= bytes;
	return at;
}

/* The next number, of up to 8 bytes; 0 where nothing is left. */
static inline uint64_t spt_perf_section_number(struct spt_perf_section *section, unsigned bytes)
{
	const uint8_t *at = spt_perf_section_take(section, bytes);
	uint64_t number = 0;

	if (at)
		memcpy(&number, at, bytes);
	return number;
}

/* data-points.c: the formats of trace points, as perf has copied them from tracefs. */
void spt_perf_data_take_points(SptPerfData *data, struct spt_perf_section section);
void spt_perf_data_free_point(gpointer point);
bool spt_perf_data_refuse(GError **error, const char *why);
/* Of a pipe: takes what describes the file; false: it is damaged. */
bool spt_perf_data_take_attr(SptPerfData *data, const struct perf_event_header *record);
void spt_perf_data_take_update(SptPerfData *data, const struct perf_event_header *record);
void spt_perf_data_take_feature(SptPerfData *data, const struct perf_event_header *record);
/* A record of the list of build-ids, of @bytes, at any address. */
void spt_perf_data_take_build_id(SptPerfData *data, const void *record, uint64_t bytes);

G_END_DECLS

#endif
