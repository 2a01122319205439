/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that are counted, by perf's names. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "trace/points/point.h"

#define CYCLES	    1000000u		/* some thousand hits a second */
#define RARER	    100000u
#define MOST_PRECISE 3			/* of perf_event_attr */
#define NS	    1000000u		/* a millisecond */
#define CACHE(cache, operation, result)                                                            \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##operation << 8 |                   \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

struct counted {
	const char *name, *help;
	uint32_t type;
	uint64_t config;
	uint64_t period;
};

#define SOFTWARE(name, config, period, help)                                                       \
	{ name, help, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##config, period }
#define HARDWARE(name, config, period, help)                                                       \
	{ name, help, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##config, period }
#define CACHED(name, cache, operation, result, help)                                               \
	{ name, help, PERF_TYPE_HW_CACHE, CACHE(cache, operation, result), RARER }

static const struct counted counted[] = {
	SOFTWARE("alignment-faults", ALIGNMENT_FAULTS, 1, "accesses that the kernel had to align"),
	SOFTWARE("cgroup-switches", CGROUP_SWITCHES, 1, "a CPU goes to a thread of another control group"),
	SOFTWARE("context-switches", CONTEXT_SWITCHES, 1, "a thread leaves a CPU to another one"),
	SOFTWARE("cpu-clock", CPU_CLOCK, NS, "time of CPUs, in ns"),
	SOFTWARE("cpu-migrations", CPU_MIGRATIONS, 1, "a thread goes to another CPU"),
	SOFTWARE("emulation-faults", EMULATION_FAULTS, 1, "instructions that the kernel emulated"),
	SOFTWARE("major-faults", PAGE_FAULTS_MAJ, 1, "page faults that waited for a disk"),
	SOFTWARE("minor-faults", PAGE_FAULTS_MIN, 1, "page faults that did not"),
	SOFTWARE("page-faults", PAGE_FAULTS, 1, "page faults, major and minor"),
	SOFTWARE("task-clock", TASK_CLOCK, NS, "time for which threads ran, in ns"),
	HARDWARE("branch-instructions", BRANCH_INSTRUCTIONS, CYCLES, "branches that retired"),
	HARDWARE("branch-misses", BRANCH_MISSES, RARER, "branches that were predicted wrong"),
	HARDWARE("bus-cycles", BUS_CYCLES, CYCLES, "cycles of the bus"),
	HARDWARE("cache-misses", CACHE_MISSES, RARER, "misses of the last cache"),
	HARDWARE("cache-references", CACHE_REFERENCES, RARER, "accesses to the last cache"),
	HARDWARE("cycles", CPU_CYCLES, CYCLES, "cycles of the CPU"),
	HARDWARE("instructions", INSTRUCTIONS, CYCLES, "instructions that retired"),
	HARDWARE("ref-cycles", REF_CPU_CYCLES, CYCLES, "cycles at the nominal frequency"),
	HARDWARE("stalled-cycles-backend", STALLED_CYCLES_BACKEND, CYCLES, "cycles that waited for data or units"),
	HARDWARE("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, CYCLES, "cycles that waited for instructions"),
	CACHED("L1-dcache-load-misses", L1D, READ, MISS, "loads that missed the first cache"),
	CACHED("L1-dcache-loads", L1D, READ, ACCESS, "loads"),
	CACHED("L1-icache-load-misses", L1I, READ, MISS, "instructions that missed the first cache"),
	CACHED("LLC-load-misses", LL, READ, MISS, "loads that missed the last cache"),
	CACHED("LLC-loads", LL, READ, ACCESS, "loads from the last cache"),
	CACHED("dTLB-load-misses", DTLB, READ, MISS, "loads whose address was in no TLB"),
	CACHED("dTLB-loads", DTLB, READ, ACCESS, "loads that looked for their address in a TLB"),
	CACHED("iTLB-load-misses", ITLB, READ, MISS, "instructions whose address was in no TLB"),
};

/* Other names of perf's. */
static const char *const aliases[][2] = {
	{ "cs", "context-switches" },	{ "migrations", "cpu-migrations" },
	{ "faults", "page-faults" },	{ "branches", "branch-instructions" },
	{ "cpu-cycles", "cycles" },
};

static SptPointType type_of(uint32_t perf_type)
{
	return perf_type == PERF_TYPE_SOFTWARE ? SPT_POINT_SOFTWARE : SPT_POINT_HARDWARE;
}

static SptPoint *names_make(const char *name, uint32_t type, uint64_t config, uint64_t period)
{
	SptPoint *point = g_new0(SptPoint, 1);

	point->type = type_of(type);
	point->name = g_strdup(name);
	point->perf_type = type;
	point->config = config;
	point->period = period;
	return point;
}

/* "r1a8": the CPU's own number. */
static SptPoint *raw(const char *name)
{
	char *end;
	uint64_t config = g_ascii_strtoull(name + 1, &end, 16);

	if (*name != 'r' || !g_ascii_isxdigit(name[1]) || *end)
		return NULL;
	return names_make(name, PERF_TYPE_RAW, config, RARER);
}

static SptPoint *named_counted(const char *name)
{
	const char *known = name;

	for (unsigned i = 0; i < G_N_ELEMENTS(aliases); i++)
		if (strcmp(name, aliases[i][0]) == 0)
			known = aliases[i][1];
	for (unsigned i = 0; i < G_N_ELEMENTS(counted); i++)
		if (strcmp(known, counted[i].name) == 0)
			return names_make(known, counted[i].type, counted[i].config,
					  counted[i].period);
	return raw(name);
}

/* "u", "k", "ukpp": where it counts, and how precise the place is.  False: it is something else. */
static bool names_modify(SptPoint *point, const char *letters)
{
	bool user = strchr(letters, 'u'), kernel = strchr(letters, 'k');

	if (!*letters || letters[strspn(letters, "ukp")])
		return false;
	for (const char *letter = letters; *letter; letter++)
		point->precise += *letter == 'p';
	point->no_kernel = user && !kernel;
	point->no_user = kernel && !user;
	return point->precise <= MOST_PRECISE;
}

SptPoint *spt_point_counted(const char *name)
{
	const char *colon = strchr(name, ':');
	g_autofree char *bare = g_strndup(name, colon ? (size_t)(colon - name) : strlen(name));
	g_autoptr(SptPoint) point = named_counted(bare);

	if (!point || !colon)
		return g_steal_pointer(&point);
	if (!names_modify(point, colon + 1))
		return NULL;
	g_free(point->name);
	point->name = g_strdup(name);
	return g_steal_pointer(&point);
}

void spt_point_list_counted(GPtrArray *names, const char *glob)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(counted); i++) {
		SptPointName *name;

		if (glob && !g_pattern_match_simple(glob, counted[i].name))
			continue;
		name = g_new0(SptPointName, 1);
		name->type = type_of(counted[i].type);
		name->name = g_strdup(counted[i].name);
		name->help = g_strdup(counted[i].help);
		g_ptr_array_add(names, name);
	}
}
