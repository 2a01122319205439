/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What formats with a timeline have in common: the use of each CPU over time, and the rows of a
 * capture that are one thread.
 */
#ifndef SPT_EXPORT_CPU_USE_H
#define SPT_EXPORT_CPU_USE_H

#include "export/export.h"

G_BEGIN_DECLS

/* From @time on @cpu ran programs and the kernel, in per cent. */
typedef void (*SptCpuUse)(gpointer data, uint32_t cpu, uint64_t time, unsigned user,
			  unsigned kernel);

/*
 * Calls @use wherever it changes, CPU by CPU, at most 1,000 times each and 100,000 times in all.
 * Not at all if the metric is not CPU time, or its period is not known.
 */
void spt_cpu_use_walk(const SptExportInput *input, SptCpuUse use, gpointer data);

/*
 * By thread of @capture: the first one with its numbers.  A thread has several rows if it execs.
 * The caller frees it.
 */
uint32_t *spt_first_threads(const SptCapture *capture);

G_END_DECLS

#endif
