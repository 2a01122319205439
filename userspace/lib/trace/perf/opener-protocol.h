/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recorder asks of root's opener of perf events, over the socket that is the opener's
 * standard input: one struct a message, each answered by one.
 *
 * The recorder never holds an event that shows anything.  Of each ring it gets an event that counts
 * nothing and that it maps; the opener's own events write there (PERF_EVENT_IOC_SET_OUTPUT).  So
 * the recorder can neither change nor keep them: all ends with the opener.
 */
#ifndef SPT_PERF_DOOR_PROTOCOL_H
#define SPT_PERF_DOOR_PROTOCOL_H

#include <stdint.h>

#include "trace/perf/tracepoints.h"

#define SPT_PERF_OPENER "/usr/libexec/sysprof-trace-perf-opener"
/* A file for each of a user's openers, which it locks: SPT_PERF_OPENER_RUN/UID.0 and so on. */
#define SPT_PERF_OPENER_RUN   "/run/sysprof-trace-perf"
#define SPT_PERF_OPENERS_MOST 4

/* The least and the longest time between two samples of a CPU. */
#define SPT_DOOR_LEAST_NS 20000ULL
#define SPT_DOOR_MOST_NS  10000000000ULL

enum spt_door_what {
	SPT_DOOR_BEGIN,			/* closes all that is open */
	SPT_DOOR_RING,			/* opens the events of a ring; answer: what to map */
	SPT_DOOR_JOIN,			/* the ring is mapped: the event writes there */
	SPT_DOOR_ENABLE,
	SPT_DOOR_DISABLE,
	SPT_DOOR_PERIOD,		/* @number: the new period */
	SPT_DOOR_KALLSYMS,		/* answer: /proc/kallsyms, with addresses */
	SPT_DOOR_MAPS,			/* answer: /proc/PID/maps of process @number */
	SPT_DOOR_TRACEPOINTS,		/* answer: ids, and offsets of fields */
};

enum spt_door_kind {
	SPT_DOOR_TICKS,			/* samples, and reports of tasks */
	SPT_DOOR_SWITCHES,		/* a record of each switch */
	SPT_DOOR_WAKINGS,		/* samples of who wakes whom */
	SPT_DOOR_STACKS,		/* samples of threads that are switched out */
	SPT_DOOR_KINDS,
};

/* Flags of SPT_DOOR_TICKS. */
#define SPT_DOOR_WANTED	     (1u << 0)	/* this CPU is sampled */
#define SPT_DOOR_ONLY_USER   (1u << 1)
#define SPT_DOOR_ONLY_KERNEL (1u << 2)
#define SPT_DOOR_NO_USER     (1u << 3)	/* no frames of user mode */
#define SPT_DOOR_FLAGS	     0xfu

struct spt_door_request {
	uint32_t what, kind, cpu, flags;
	uint64_t number;		/* RING: the period in ns */
	uint32_t watermark_bytes, reserved;
};

struct spt_door_answer {
	int32_t number;			/* 0, or errno */
	struct spt_perf_tracepoints points; /* TRACEPOINTS */
};

#endif
