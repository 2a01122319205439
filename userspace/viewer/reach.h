/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the system a recording has, in words: what this user may record, or what one has. */
#ifndef SPT_REACH_H
#define SPT_REACH_H

#include "capture/capture.h"

typedef enum {
	SPT_REACH_ALL,			/* every process, and the kernel */
	SPT_REACH_USER,			/* every process, in user mode only */
	SPT_REACH_KERNEL,		/* only the kernel */
	SPT_REACH_OWN,			/* the user's own processes, and the kernel for them */
	SPT_REACH_OWN_USER,		/* the same, in user mode only */
	SPT_REACH_UNKNOWN,		/* an older or foreign recording does not say */
} SptReach;

/* What this user can record here. */
SptReach spt_reach_here(void);
SptReach spt_reach_of(const SptCapture *capture);
/* Of a recording of no command or process: "Whole system", "One user's processes, user code" */
const char *spt_reach_title(SptReach reach);
/* Of what is to be recorded here: "Whole system, kernel included" */
const char *spt_reach_promise(SptReach reach);
/* What a recording of a single process or command has of it: "kernel included" */
const char *spt_reach_sides(SptReach reach);

#endif
