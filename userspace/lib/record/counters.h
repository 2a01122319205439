/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters of the machine, once a second: files of /proc and /sys as rows of declared counters
 * (said.h).  A source is one file, counter-NAME.c, which reads what it knows and puts its values.
 * A file that is missing, or says what nobody understands, costs its values and nothing else.
 */
#ifndef SPT_COUNTERS_H
#define SPT_COUNTERS_H

#include "process/tasks.h"
#include "record/said.h"

G_BEGIN_DECLS

typedef struct SptCounters SptCounters;

/* Who reads: a source gets it, and gives it to the functions below. */
typedef struct SptCounting SptCounting;

struct spt_counter_source {
	const char *name;
	void (*read)(SptCounting *counting);
};

#define SPT_COUNTER_SOURCES(ROW) \
	ROW(cpu)                 \
	ROW(memory)              \
	ROW(pressure)            \
	ROW(disk)                \
	ROW(net)                 \
	ROW(process)             \
	ROW(cgroup)              \
	ROW(idle)                \
	ROW(power)               \
	ROW(temperature)         \
	ROW(gpu)                 \
	ROW(allocinfo)
#define SPT_COUNTER_DECLARE(name) extern const struct spt_counter_source spt_counter_##name;
SPT_COUNTER_SOURCES(SPT_COUNTER_DECLARE)

/* @said outlives it; @options: used in this call only.  NULL: a text of options->files is wrong. */
SptCounters *spt_counters_new(SptSaid *said, const SptCounterOptions *options, GError **error);
void spt_counters_free(SptCounters *counters);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCounters, spt_counters_free)
/* A process that is recorded, or has ended. */
void spt_counters_process(SptCounters *counters, const SptProcess *process);
/* Reads if a second has passed; @tasks name the threads of processes. */
void spt_counters_step(SptCounters *counters, const SptTasks *tasks, uint64_t now_ns);

/* For sources. */

/* A file below the root, up to a mebibyte; to be freed.  NULL: there is none. */
char *spt_counting_text(const SptCounting *counting, const char *path);
/* The same, up to @most bytes. */
char *spt_counting_large_text(const SptCounting *counting, const char *path, size_t most);
/* The names in a directory, to be freed; an empty list if there is none. */
char **spt_counting_names(const SptCounting *counting, const char *path);
/* The same number, but only how many; at most 65536. */
unsigned spt_counting_n_names(const SptCounting *counting, const char *path);
/* The number at the start of a file.  False: there is none. */
bool spt_counting_number(const SptCounting *counting, const char *path, double *ret);
/* Whether this is the first reading, or one of each @n: for what takes long to read. */
bool spt_counting_is_turn(const SptCounting *counting, unsigned n);
/* A level.  @unit: as of SptSaidCounter. */
void spt_counting_put(SptCounting *counting, const char *name, const char *unit, double value);
/* What @total, which grows, has grown by in a second, times @factor; from the second call on. */
void spt_counting_rate(SptCounting *counting, const char *name, const char *unit, double total,
		       double factor);
/* The same of a part of the time, in percent: what is counted in ticks may seem to be more. */
void spt_counting_share(SptCounting *counting, const char *name, double total, double factor);
/* The pids of recorded processes whose turn it is: uint32_t, some 64 at most. */
const GArray *spt_counting_pids(const SptCounting *counting);
/* Rows that follow are of this process; 0: of none. */
void spt_counting_set_pid(SptCounting *counting, uint32_t pid);

G_END_DECLS

#endif
