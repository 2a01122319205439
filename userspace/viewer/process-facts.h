/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about processes besides their samples: their command lines, and the code that they ran. */
#ifndef SPT_PROCESS_FACTS_H
#define SPT_PROCESS_FACTS_H

#include "capture/capture.h"

typedef struct {
	const char *command_line;	/* the capture's; NULL: not known */
	char *objects; /* "cc1 92 %, libc.so.6 5 %", of all its samples in the recording; NULL: not known */
} SptProcessFacts;

/* For spt_process_facts_find(). */
GHashTable *spt_process_facts_new(const SptCapture *capture);
/* NULL: no facts. */
const SptProcessFacts *spt_process_facts_find(GHashTable *facts, uint32_t pid, const char *name);

#endif
