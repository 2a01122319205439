/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The choice of a source; everything else is the source's own. */
#include "trace/opener-private.h"
#include "trace/trace-private.h"

#include <errno.h>
#include <string.h>

#include "base/words.h"

G_DEFINE_QUARK(spt-trace-error-quark, spt_trace_error)

static SptTrace *open_either(GError **error)
{
	g_autoptr(GError) no_device = NULL;
	SptTrace *trace = spt_device_open(&no_device);

	if (trace)
		return trace;
	if (g_error_matches(no_device, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_DEVICE))
		return spt_perf_open(error);
	g_propagate_error(error, g_steal_pointer(&no_device));
	return NULL;
}

static const struct {
	const char *name;
	SptTrace *(*open)(GError **error);
} sources[] = {
	[SPT_TRACE_AUTO] = { "auto", open_either },
	[SPT_TRACE_MODULE] = { "module", spt_device_open },
	[SPT_TRACE_PERF] = { "perf", spt_perf_open },
	[SPT_TRACE_SYSTEM] = { "system", spt_perf_open_system },
};

bool spt_trace_source_called(const char *name, SptTraceSource *ret)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(sources); i++) {
		if (strcmp(name, sources[i].name))
			continue;
		*ret = i;
		return true;
	}
	return false;
}

SptTrace *spt_trace_open_source(SptTraceSource source, GError **error)
{
	return sources[source].open(error);
}

SptTrace *spt_trace_open(GError **error)
{
	return open_either(error);
}

bool spt_trace_may_ask(void)
{
	return spt_opener_is_installed(SPT_OPENER);
}

bool spt_trace_may_ask_for_system(void)
{
	return spt_perf_door_is_installed();
}

void spt_trace_free(SptTrace *trace)
{
	if (trace)
		trace->source->records.free(trace);
}

static bool check_config(const SptTrace *trace, const SptTraceConfig *config, GError **error)
{
	if (config->by_tables && !spt_trace_has_tables(trace)) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"Stacks by unwind tables (--stacks table) need the module of this release; --stacks dwarf does without");
		return false;
	}
	if (config->points && !config->point_sources && !trace->source->abilities.reports_points) {
		spt_set_error(
			error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			"The module does not report all of these events (--event): leave out --source module");
		return false;
	}
	return true;
}

bool spt_trace_can(SptTrace *trace, const SptTraceConfig *config, GError **error)
{
	if (!check_config(trace, config, error))
		return false;
	return trace->source->records.can(trace, config, error);
}

char *spt_trace_lacks_sources(SptTrace *trace, char **ret_fix)
{
	const struct spt_trace_services *services = &trace->source->services;

	*ret_fix = NULL;
	return services->lacks_sources ? services->lacks_sources(trace, ret_fix) : NULL;
}

char *spt_trace_sees_in_part(SptTrace *trace)
{
	const struct spt_trace_services *services = &trace->source->services;

	return services->sees_in_part ? services->sees_in_part(trace) : NULL;
}

bool spt_trace_start(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
		     GError **error)
{
	if (!check_config(trace, config, error))
		return false;
	memset(trace->events, 0, sizeof(trace->events));
	trace->hits_lost = 0;
	return trace->source->records.start(trace, config, ret, error);
}

const SptTraceEvents *spt_trace_events(const SptTrace *trace, unsigned *ret_n)
{
	*ret_n = G_N_ELEMENTS(trace->events);
	return trace->events;
}

bool spt_trace_stop(SptTrace *trace, GError **error)
{
	return trace->source->records.stop(trace, error);
}

void spt_trace_wait(SptTrace *trace, int timeout_ms)
{
	trace->source->records.wait(trace, timeout_ms);
}

bool spt_trace_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error)
{
	return trace->source->records.drain(trace, all, func, data, error);
}

uint64_t spt_trace_drained(const SptTrace *trace)
{
	return trace->drained_ns;
}

SptOnce *spt_trace_once(const SptTrace *trace)
{
	return trace->once;
}

const struct sysprof_record *spt_trace_whole(const SptTrace *trace,
					     const struct sysprof_record *record)
{
	return trace->once ? spt_once_whole(trace->once, record) : record;
}

bool spt_trace_snapshot(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			GError **error)
{
	return trace->source->records.snapshot(trace, func, data, ret_busy, error);
}

const SptTraceAbilities *spt_trace_abilities(const SptTrace *trace)
{
	return &trace->source->abilities;
}

const char *spt_trace_clock_name(const SptTrace *trace)
{
	return trace->clock ? trace->clock : trace->source->clock;
}

const char *spt_trace_notice(const SptTrace *trace)
{
	return trace->notice;
}

bool spt_trace_shows_only_own(const SptTrace *trace)
{
	return trace->only_own;
}

bool spt_trace_shows_only_user(const SptTrace *trace)
{
	return trace->only_user;
}

bool spt_trace_copies_stacks(const SptTrace *trace)
{
	return !trace->lacks_copies;
}

bool spt_trace_has_wait_stacks(const SptTrace *trace)
{
	return !trace->lacks_wait_stacks;
}

unsigned spt_trace_n_cpus(const SptTrace *trace)
{
	return trace->n_cpus;
}

bool spt_trace_has_cpu(const SptTrace *trace, unsigned cpu)
{
	return trace->source->records.has_cpu(trace, cpu);
}

bool spt_trace_stats(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error)
{
	return trace->source->records.stats(trace, cpu, ret, error);
}

bool spt_trace_names(SptTrace *trace, struct sysprof_name *names, unsigned n, GError **error)
{
	return !trace->source->services.names ||
	       trace->source->services.names(trace, names, n, error);
}

bool spt_trace_region_start(SptTrace *trace, uint32_t object, uint64_t *ret)
{
	return trace->source->services.region_start &&
	       trace->source->services.region_start(trace, object, ret);
}

uint32_t spt_trace_raw_ring_bytes(unsigned n_cpus, uint64_t all_bytes)
{
	uint32_t bytes = 16u << 20;

	while (bytes > 1 << 20 && (uint64_t)bytes * n_cpus > all_bytes)
		bytes /= 2;
	return bytes;
}

bool spt_trace_has_chains(const SptTrace *trace)
{
	return trace->source->services.give_chain && trace->source->services.has_chains(trace);
}

bool spt_trace_has_thread_chains(const SptTrace *trace)
{
	return spt_trace_has_chains(trace) && trace->source->services.has_thread_chains &&
	       trace->source->services.has_thread_chains(trace);
}

int spt_trace_give_chain(SptTrace *trace, const uint8_t *build_id, unsigned n, const void *chain,
			 size_t bytes)
{
	return spt_trace_has_chains(trace) ?
		       trace->source->services.give_chain(trace, build_id, n, chain, bytes) :
		       EOPNOTSUPP;
}

int spt_trace_give_chain_of_file(SptTrace *trace, int fd, const void *chain, size_t bytes)
{
	return spt_trace_has_chains(trace) && trace->source->services.give_chain_of_file ?
		       trace->source->services.give_chain_of_file(trace, fd, chain, bytes) :
		       EOPNOTSUPP;
}

bool spt_trace_has_tables(const SptTrace *trace)
{
	return trace->source->services.has_tables && trace->source->services.has_tables(trace);
}

bool spt_trace_copies_instead(const SptTrace *trace)
{
	return trace->source->services.copies_instead &&
	       trace->source->services.copies_instead(trace);
}

int spt_trace_give_table(SptTrace *trace, const uint8_t *build_id, unsigned n, const void *table,
			 size_t bytes)
{
	return trace->source->services.give_table ?
		       trace->source->services.give_table(trace, build_id, n, table, bytes) :
		       ENOTTY;
}

int spt_trace_give_table_of_file(SptTrace *trace, int fd, const void *table, size_t bytes,
				 uint32_t *ret_object)
{
	return trace->source->services.give_table_of_file ?
		       trace->source->services.give_table_of_file(trace, fd, table, bytes,
								  ret_object) :
		       EOPNOTSUPP;
}

bool spt_trace_raw_request(SptTrace *trace, const char *comm, uint32_t bytes)
{
	return trace->source->services.raw_request &&
	       trace->source->services.raw_request(trace, comm, bytes);
}

bool spt_trace_slow_down(SptTrace *trace, unsigned part)
{
	return trace->source->services.slow_down && trace->source->services.slow_down(trace, part);
}

bool spt_trace_count(SptTrace *trace, unsigned point, SptTraceCount *ret)
{
	return trace->source->services.count && trace->source->services.count(trace, point, ret);
}

char *spt_trace_limited(SptTrace *trace, uint64_t start_ns)
{
	return trace->source->services.limited ? trace->source->services.limited(trace, start_ns) :
						 NULL;
}

uint64_t spt_trace_hits_lost(const SptTrace *trace)
{
	return trace->hits_lost;
}

bool spt_trace_make_room(SptTrace *trace)
{
	return trace->source->records.make_room(trace);
}

int spt_trace_map_fd(SptTrace *trace, uint32_t object)
{
	if (trace->source->services.map_fd)
		return trace->source->services.map_fd(trace, object);
	errno = ENOTTY;
	return -1;
}
