/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the time that passed a command, or a process, ran at all. */
#ifndef SPT_WALL_H
#define SPT_WALL_H

#include "capture/capture.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t wall_ns; /* how long it took */
	/* The share of it in which at least one of its threads ran; it waited for the rest */
	double running;
	double cpus; /* that it had meanwhile, on average; 1 if threads took turns */
} SptWall;

/* From this number of CPUs on average on, it is more than one. */
#define SPT_WALL_MANY 1.05
/* What runs for so much of the time, or more, did not wait. */
#define SPT_WALL_ALL 0.995

/*
 * Of what was recorded, a command with all it started or some processes.  False: it was the whole
 * system, or is not known.
 */
bool spt_wall_find(SptWall *wall, const SptCapture *capture);
/* Of all samples of @capture, which represent @ran_ns of CPU time in @wall_ns. */
void spt_wall_of(SptWall *wall, const SptCapture *capture, uint64_t ran_ns, uint64_t wall_ns);

G_END_DECLS

#endif
