/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches the machine for what is worth a capture: load, pressure and late ticks, once a second in
 * a thread of its own.  A condition that holds starts one capture, and the next one when it has not
 * held for a while.
 */
#ifndef SPT_AGENT_WATCH_H
#define SPT_AGENT_WATCH_H

#include "agent/agent.h"

G_BEGIN_DECLS

typedef enum {
	SPT_WATCH_LOAD,			/* the first number of /proc/loadavg, by CPU */
	SPT_WATCH_CPU,			/* percent in which something waited for it: PSI, 10 s */
	SPT_WATCH_IO,
	SPT_WATCH_MEMORY,
	SPT_WATCH_LATE,			/* a tick of the recorder, in ns */
	SPT_WATCH_KINDS,
} SptWatchKind;

typedef struct {
	double limits[SPT_WATCH_KINDS];	/* 0: not watched */
} SptWatchOptions;

/* "load=4", "cpu=50", "io=20", "memory=10" or "late=5ms".  False: it is none. */
bool spt_watch_parse(SptWatchOptions *options, const char *text);
bool spt_watch_is_on(const SptWatchOptions *options);
/*
 * The value of a kind by the file's text; negative: it has none.  @n_cpus: for SPT_WATCH_LOAD.
 */
double spt_watch_value(SptWatchKind kind, const char *text, unsigned n_cpus);

typedef struct SptWatch SptWatch;

/* @agent outlives it.  NULL: a file of the kernel is not there; a sentence. */
SptWatch *spt_watch_new(const SptWatchOptions *options, SptAgent *agent, SptSenderTell tell,
			void *tell_data, GError **error);
/* After the agent's end has begun. */
void spt_watch_free(SptWatch *watch);
/* From the recorder's thread: the latest tick that was late. */
void spt_watch_late(SptWatch *watch, uint64_t late_ns);
/* How often a condition began to hold. */
uint64_t spt_watch_count(SptWatch *watch);

G_END_DECLS

#endif
