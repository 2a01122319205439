/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of perf's records: how they are made, and the records that come of them. */
#ifndef SPT_PERF_MADE_H
#define SPT_PERF_MADE_H

#include "trace/perf/records.h"

/* The records made, as copies, in a GPtrArray. */
static void keep(const struct sysprof_record *record, void *data)
{
	g_ptr_array_add(data, g_memdup2(record, record->size * 8));
}

/* A record under construction. */
struct made {
	union {
		struct perf_event_header header;
		uint64_t words[64];
	};
};

static void add(struct made *made, uint64_t word)
{
	made->words[made->header.size / 8] = word;
	made->header.size += 8;
}

static void add_pair(struct made *made, uint32_t first, uint32_t second)
{
	add(made, first | (uint64_t)second << 32);
}

#endif
