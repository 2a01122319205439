/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of functions that have begun and not returned.  A thread's calls end in the reverse order,
 * except those whose return the kernel did not see: so a return belongs to the latest call of the
 * function with its stack pointer, and calls after that one have no end.
 */
#ifndef SPT_OPEN_CALLS_H
#define SPT_OPEN_CALLS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/points/point.h"

G_BEGIN_DECLS

typedef struct SptOpenCalls SptOpenCalls;

typedef struct {
	uint64_t time, sp;
	uint64_t inner_ns;		/* of recorded calls that it made itself */
	uint32_t function, cpu, thread, node;
	uint64_t caller;		/* where it returns to; 0: not known */
	SptValue arguments[SPT_POINT_ARGUMENTS];
	char *texts;			/* where those that are texts are; NULL: none is */
} SptOpenCall;

SptOpenCalls *spt_open_calls_new(void);
void spt_open_calls_free(SptOpenCalls *calls);
/* A CPU's idle thread has tid 0: there the CPU is who calls.  Takes call->texts. */
void spt_open_calls_begin(SptOpenCalls *calls, uint32_t tid, const SptOpenCall *call);
/*
 * A return at @time, from the function and with the stack pointer of @ret, on its CPU.  Fills in
 * the rest of @ret, whose texts are to be freed.  False: the call began before the recording.
 */
bool spt_open_calls_end(SptOpenCalls *calls, uint32_t tid, uint64_t time, SptOpenCall *ret);
/*
 * The kernel has replaced return addresses in the stack of a program, to see the returns.  Puts
 * those of @tid back into a copy of @bytes of its stack from @sp on.
 */
void spt_open_calls_mend(const SptOpenCalls *calls, uint32_t tid, uint64_t sp, uint8_t *copy,
			 size_t bytes);
/* How many have not ended, or nobody saw their end. */
uint64_t spt_open_calls_count(const SptOpenCalls *calls);

G_END_DECLS

#endif
