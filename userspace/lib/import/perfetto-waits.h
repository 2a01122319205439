/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Switches of threads in a trace of Perfetto: those of the kernel's sched_switch, and states of
 * tasks.  They come in any order, and become waits in that of time.
 */
#ifndef SPT_IMPORT_PERFETTO_WAITS_H
#define SPT_IMPORT_PERFETTO_WAITS_H

#include "import/perfetto-state.h"

#ifdef SPT_HAS_PPROF

G_BEGIN_DECLS

typedef struct SptPftraceWaits SptPftraceWaits;

SptPftraceWaits *spt_pftrace_waits_new(void);
void spt_pftrace_waits_free(SptPftraceWaits *waits);
/* Takes the kernel's switches of a packet, and names of threads in it.  NULL, or what is wrong. */
const char *spt_pftrace_waits_note(SptPftraceWaits *waits, SptPftraceState *state,
				   const SptPerfettoPacket *packet);
/* The times of the kernel's switches. */
void spt_pftrace_waits_span(const SptPftraceWaits *waits, uint64_t *begin_ns, uint64_t *end_ns);
/* Takes the state of a task from @time on. */
const char *spt_pftrace_waits_take(SptPftraceWaits *waits, const SptPerfettoTask *task,
				   uint64_t time);
/* Puts all of them, their times from @begin_ns on. */
const char *spt_pftrace_waits_put(SptPftraceWaits *waits, const SptPftraceState *state,
				  SptImportStacks *stacks, uint64_t begin_ns);

G_END_DECLS

#endif

#endif
