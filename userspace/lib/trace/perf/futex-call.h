/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The futex of a wait: perf events report no system call, but a stack that was copied has the
 * registers in which the call's arguments are, and the kernel's frames say which call it is.
 */
#ifndef SPT_PERF_FUTEX_CALL_H
#define SPT_PERF_FUTEX_CALL_H

#include "sysprof-event.h"
#include "trace/kallsyms.h"

G_BEGIN_DECLS

typedef struct SptPerfFutexCall SptPerfFutexCall;

/* @kallsyms outlives the result. */
SptPerfFutexCall *spt_perf_futex_call_new(SptKallsyms *kallsyms);
void spt_perf_futex_call_free(SptPerfFutexCall *futexes);
/* Whether the kernel's frames of @event are in a wait for a futex. */
bool spt_perf_futex_call_is_in(SptPerfFutexCall *futexes, const struct sysprof_event *event);
/* Its address, the first argument of the call; 0: @event has no registers. */
uint64_t spt_perf_futex_call_address(const struct sysprof_event *event);

G_END_DECLS

#endif
