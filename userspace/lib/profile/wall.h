/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the elapsed time a command, or a process, ran. */
#ifndef SPT_WALL_H
#define SPT_WALL_H

#include "capture/capture.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t wall_ns; /* elapsed time */
	/* Fraction of that in which at least one of its threads ran; the rest is waiting. */
	double running;
	/*
	 * Fraction in which none ran, but one could have; negative: that is not known, and the rest
	 * is waiting or this.  It is known if waits were recorded, or for a single thread.
	 */
	double ready;
	double cpus; /* average number of CPUs while it ran; 1 if threads took turns */
	/*
	 * Number of threads that were there at the same time, have a good part of the CPU time
	 * each, and hardly ever ran at the same time; else 0.
	 */
	unsigned turns;
} SptWall;

/* From this average number of CPUs on, it counts as more than one. */
#define SPT_WALL_MANY 1.05
/* This part of the CPU time is a good part. */
#define SPT_WALL_PART 0.05
/* A process that runs for this fraction of the time, or more, did not wait. */
#define SPT_WALL_ALL 0.995

/*
 * For a recording of a command (with all it started) or of some processes.  Without the recorder's
 * count of a command's time, its samples are counted.  False: it is of the whole system, or that is
 * not known.
 */
bool spt_wall_find(SptWall *wall, const SptCapture *capture);
/* For all samples of @capture, which represent @ran_ns of CPU time in @wall_ns. */
void spt_wall_of(SptWall *wall, const SptCapture *capture, uint64_t ran_ns, uint64_t wall_ns);

G_END_DECLS

#endif
