/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that perf record has written, also one that it wrote into a pipe, and compressed ones.  It
 * is not trusted: every size is checked, and what is kept of it is bounded.  Its records are given
 * in order of time, as far as perf's own rounds allow.
 */
#ifndef SPT_PERF_DATA_FILE_H
#define SPT_PERF_DATA_FILE_H

#include <glib.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/points/format.h"

G_BEGIN_DECLS

#define SPT_PERF_DATA_ERROR (spt_perf_data_error_quark())
GQuark spt_perf_data_error_quark(void);
enum { SPT_PERF_DATA_ERROR_REFUSED };

/* An event of the file. */
struct spt_perf_data_event {
	struct perf_event_attr attr;
	char name[64];			/* "": it has none */
};

/* A trace point. */
struct spt_perf_data_point {
	char *name;			/* "sched:sched_switch" */
	SptPointFormat format;
};

typedef struct SptPerfData SptPerfData;

/* What a file has beside its records; strings NULL: it does not say. */
struct spt_perf_data_facts {
	char *host, *kernel, *arch, *perf, *cpus, *command;
};

struct spt_perf_data_sink {
	/*
	 * A record of the kernel, or one that perf made in its place, with the event it belongs to.
	 * False: no more is wanted.
	 */
	bool (*record)(const struct perf_event_header *record,
		       const struct spt_perf_data_event *event, void *data);
	/* A record of perf itself that is not read; counted by its type. */
	void (*unread)(unsigned type, void *data);
	void *data;
};

/* Maps @fd, which is borrowed, and reads its header.  NULL: a clause about the file. */
SptPerfData *spt_perf_data_open(int fd, GError **error);
/* The same with a file in memory, which is borrowed and begins where 64-bit words may. */
SptPerfData *spt_perf_data_new(const uint8_t *bytes, size_t n, GError **error);
void spt_perf_data_free(SptPerfData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfData, spt_perf_data_free)

/* Reads all records.  False: a clause about the file, unless the sink wanted no more. */
bool spt_perf_data_read(SptPerfData *data, const struct spt_perf_data_sink *sink, GError **error);
/* The @i-th that is known so far: of a pipe, once its record was read.  NULL: there is none. */
const struct spt_perf_data_event *spt_perf_data_events(const SptPerfData *data, unsigned i);
/*
 * The events that have samples, as a set.  It reads the file once more, up to the first sample of
 * @enough, so that others may be missing then.
 */
GHashTable *spt_perf_data_sampled(SptPerfData *data, const struct spt_perf_data_event *enough);
/* The trace point with that number; NULL: the file does not say what is in its records. */
const struct spt_perf_data_point *spt_perf_data_point(const SptPerfData *data, uint64_t id);
const struct spt_perf_data_facts *spt_perf_data_facts(const SptPerfData *data);
/* The build-id of a file by its path, of *@ret_bytes; NULL: it is not in the file's list. */
const uint8_t *spt_perf_data_build_id(const SptPerfData *data, const char *path,
				      unsigned *ret_bytes);
/*
 * The user part of a stack that the kernel took later, when it went back to the program, with its
 * context in front (Linux 6.19): by the last word of a sample's stack, behind
 * SPT_PERF_CONTEXT_LATER.  The first call reads the whole file once more.  NULL: it is not there.
 */
#define SPT_PERF_CONTEXT_LATER ((uint64_t)-640)
const uint64_t *spt_perf_data_later_stack(SptPerfData *data, uint64_t cookie, uint64_t *ret_n);
/* Whether the first @bytes of a file are those of perf's. */
bool spt_perf_data_is(const void *begin, size_t bytes);

G_END_DECLS

#endif
