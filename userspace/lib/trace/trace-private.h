/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a source of records fills in: what it can do, its records, and its services.  The contracts
 * are those of trace.h.  Nothing else distinguishes sources.
 */
#ifndef SPT_TRACE_PRIVATE_H
#define SPT_TRACE_PRIVATE_H

#include "trace/trace.h"

G_BEGIN_DECLS

/* A session and its records; all of them are necessary. */
struct spt_trace_records {
	void (*free)(SptTrace *trace);
	bool (*can)(SptTrace *trace, const SptTraceConfig *config, GError **error);
	bool (*start)(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
		      GError **error);
	bool (*stop)(SptTrace *trace, GError **error);
	void (*wait)(SptTrace *trace, int timeout_ms);
	bool (*drain)(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error);
	bool (*snapshot)(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			 GError **error);
	bool (*has_cpu)(const SptTrace *trace, unsigned cpu);
	bool (*stats)(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error);
	bool (*make_room)(SptTrace *trace);
};

/* What else a source can be asked for; NULL: it does not have that, and trace.c answers so. */
struct spt_trace_services {
	char *(*lacks_sources)(SptTrace *trace, char **ret_fix);
	char *(*sees_in_part)(SptTrace *trace);
	bool (*names)(SptTrace *trace, struct sysprof_name *names, unsigned n, GError **error);
	bool (*raw_request)(SptTrace *trace, const char *comm, uint32_t bytes);
	bool (*slow_down)(SptTrace *trace, unsigned part);
	bool (*has_tables)(const SptTrace *trace);
	bool (*has_chains)(const SptTrace *trace);
	bool (*has_thread_chains)(const SptTrace *trace);	/* NULL: not */
	int (*give_chain)(SptTrace *trace, const uint8_t *build_id, unsigned n, const void *chain,
			  size_t bytes);
	int (*give_chain_of_file)(SptTrace *trace, int fd, const void *chain, size_t bytes);
	bool (*copies_instead)(const SptTrace *trace);
	int (*give_table)(SptTrace *trace, const uint8_t *build_id, unsigned n, const void *table,
			  size_t bytes);
	int (*give_table_of_file)(SptTrace *trace, int fd, const void *table, size_t bytes,
				  uint32_t *ret_object);
	int (*map_fd)(SptTrace *trace, uint32_t object);
	bool (*region_start)(SptTrace *trace, uint32_t object, uint64_t *ret);
	bool (*count)(SptTrace *trace, unsigned point, SptTraceCount *ret);
	char *(*limited)(SptTrace *trace, uint64_t start_ns);
};

struct spt_trace_source {
	SptTraceAbilities abilities;
	const char *clock;
	struct spt_trace_records records;
	struct spt_trace_services services;
};

/* The first member of every source's own struct. */
struct SptTrace {
	const struct spt_trace_source *source;
	unsigned n_cpus;
	const char *clock;	/* if it is not the source's */
	const char *notice;
	bool lacks_wait_stacks;
	bool lacks_copies;		/* of stacks, which would be memory of others */
	bool only_own, only_user;	/* what this user is shown: own processes, user mode */
	SptTraceEvents events[SYSPROF_SOURCES_MAX + 2];	/* by id */
	uint64_t hits_lost;		/* of points */
	uint64_t drained_ns;		/* see spt_trace_drained() */
	SptOnce *once;			/* NULL: each stack comes as a whole */
};

/*
 * Default bytes of the ring of each of @n_cpus for raw stacks: a second of copies of 16 KiB, or
 * less to keep all rings within @all_bytes.
 */
uint32_t spt_trace_raw_ring_bytes(unsigned n_cpus, uint64_t all_bytes);

SptTrace *spt_device_open(GError **error);
SptTrace *spt_perf_open(GError **error);
/* The whole system, by events that root opens for a user whom polkit authorises. */
SptTrace *spt_perf_open_system(GError **error);
/* Whether root's opener is there for that. */
bool spt_perf_door_is_installed(void);

G_END_DECLS

#endif
