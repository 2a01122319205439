/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each thread did at each time, and which thread ran on each CPU: running (in a program or in
 * the kernel, by samples), runnable, blocked.  It is exact if the recording has every switch.  A
 * recording with samples only shows when they found a thread running.
 */
#ifndef SPT_LANES_H
#define SPT_LANES_H

#include "events/facts.h"
#include "profile/profile.h"
#include "profile/wait-index.h"

G_BEGIN_DECLS

/* In the order in which they are stacked in a lane, from below. */
typedef enum {
	SPT_LANE_USER,
	SPT_LANE_KERNEL,
	SPT_LANE_IRQ, /* handlers of interrupts and soft interrupts, of CPUs only */
	SPT_LANE_RUNNABLE,
	SPT_LANE_DISK,
	SPT_LANE_BLOCKED,
	SPT_LANE_LOST, /* samples or switches were lost then, and nothing is known */
	SPT_LANE_KINDS,
} SptLaneKind;

/*
 * The colour as 0xrrggbb, the same in the window and in files.  Idle time has the colour of the
 * background.
 */
uint32_t spt_lane_color(SptLaneKind kind);
/* "user", "kernel", "runnable", ...: marked for translation. */
const char *spt_lane_kind_name(SptLaneKind kind);
/* How a state (SPT_STATE_*) is shown; SPT_LANE_KINDS: not at all. */
SptLaneKind spt_lane_kind_of_state(uint8_t state);

typedef struct {
	uint32_t thread;	    /* of the capture */
	uint32_t process;	    /* in SptLanes.processes */
	uint64_t busy_ns;	    /* running or runnable */
	uint64_t first_run, n_runs; /* in SptLanes.runs */
} SptLaneThread;

typedef struct {
	uint32_t process;  /* of the capture */
	uint32_t first, n; /* in SptLanes.threads */
	uint64_t busy_ns;
} SptLaneProcess;

/*
 * A thread ran on a CPU, or began to, and the switches after that were lost: what the CPU did until
 * the end is not known then.
 */
typedef struct {
	uint64_t begin, end;
	uint32_t thread, cpu; /* thread 0: the CPU was idle, of a run that is lost */
	uint8_t left; /* the state in which it left the CPU; SPT_STATE_UNKNOWN: it is lost */
} SptLaneRun;

static inline bool spt_lane_run_is_lost(const SptLaneRun *run)
{
	return run->left == SPT_STATE_UNKNOWN;
}

/* A CPU took no interrupts. */
typedef struct {
	uint64_t begin, end;
	uint32_t cpu;
} SptLaneOff;

/* A CPU handled an interrupt. */
typedef struct {
	uint64_t time;	    /* of its end */
	uint64_t duration_ns;
	uint64_t weight_ns; /* it represents others, too, that were not recorded */
	uint32_t cpu;
	bool was_idle;	    /* until then */
} SptLaneIrq;

typedef struct {
	const SptProfile *base;
	const SptCapture *capture;
	SptWaitIndex *waits;
	/*
	 * Processes that did anything: first those of a command that was recorded, then the
	 * others, each the busiest first.
	 */
	SptLaneProcess *processes;
	uint32_t n_processes;
	bool begins_with_command; /* the first process is one of those */
	SptLaneThread *threads;
	uint32_t n_threads; /* those of one process are side by side */
	uint32_t *lane_of;  /* by thread of the capture: index in threads; UINT32_MAX: none */
	/*
	 * Thread after thread, each in the order of time; none: only samples show which thread ran.
	 */
	SptLaneRun *runs;
	uint64_t n_runs;
	uint64_t *run_order; /* numbers of runs, by CPU and time */
	uint64_t *cpu_first; /* by CPU, and one more: index in run_order */
	uint32_t n_cpus;     /* 0: it is not known exactly which thread ran */
	GArray *offs;	     /* SptLaneOff: stretches with interrupts off that were recorded */
	GArray *irqs;	     /* SptLaneIrq, by CPU and time */
} SptLanes;

/* @base is from spt_profile_new_base(), for CPU time.  It must outlive the lanes. */
SptLanes *spt_lanes_new(const SptProfile *base);
void spt_lanes_free(SptLanes *lanes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptLanes, spt_lanes_free)

typedef enum {
	SPT_LANE_OF_PROCESS, /* all its threads, running ones below the others */
	SPT_LANE_OF_THREAD,
	SPT_LANE_OF_CPU,
} SptLaneOf;

typedef struct {
	SptLaneOf of;
	uint32_t number; /* index in processes or threads, or a CPU's number */
} SptLaneWanted;

typedef struct {
	uint64_t begin_ns, end_ns;
	uint32_t n_buckets; /* > 0, equal parts of the time */
	uint32_t n_rows;
	const SptLaneWanted *rows;
} SptLanesRequest;

typedef struct {
	uint64_t begin_ns, end_ns;
	uint32_t n_buckets, n_rows;
	SptLaneWanted *rows;
	/*
	 * Row by row and bucket by bucket, SPT_LANE_KINDS fractions of the time, together at most
	 * 1.
	 */
	float *shares;
	/*
	 * For CPUs, row by row and bucket by bucket: the thread of the capture that ran most; 0:
	 * none.
	 */
	uint32_t *owners;
	/* Likewise: the fraction of the time in which the CPU is known to take no interrupts. */
	float *offs;
	/* SptLaneArrow between the rows; empty if there are more than SPT_LANE_ARROWS_MOST. */
	GArray *arrows;
	uint64_t n_arrows; /* all there are */
} SptLanesPicture;

/* One pass over the events of that time; @request->rows are copied. */
SptLanesPicture *spt_lanes_picture(const SptLanes *lanes, const SptLanesRequest *request);
void spt_lanes_picture_free(SptLanesPicture *picture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptLanesPicture, spt_lanes_picture_free)

/* What a thread did at a time. */
typedef struct {
	uint64_t begin, end;
	uint8_t state;		/* SPT_STATE_* */
	const SptWaitRow *wait; /* NULL: it ran, or no more is known */
	const SptLaneRun *run;	/* NULL: it did not run */
} SptLaneMoment;

/*
 * For @lane (index in threads), the longest wait within @near_ns of @time, or else what the thread
 * did at @time.  False: that is not known.
 */
bool spt_lanes_at(const SptLanes *lanes, uint32_t lane, uint64_t time, uint64_t near_ns,
		  SptLaneMoment *ret);
/* The number of the last run of @thread that began at @time or before, or of its first one. */
uint64_t spt_lanes_run_at(const SptLanes *lanes, const SptLaneThread *thread, uint64_t time);
/* The place in run_order of the first run of @cpu that ends after @time. */
uint64_t spt_lanes_cpu_run_after(const SptLanes *lanes, uint32_t cpu, uint64_t time);
/* The run of @cpu at @time, which may be lost; NULL: it was idle, or it is not known. */
const SptLaneRun *spt_lanes_on_cpu(const SptLanes *lanes, uint32_t cpu, uint64_t time);

G_END_DECLS

#endif
