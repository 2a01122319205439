/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of logs as rows of the declared kind "log" (said.h): those that the recorded command
 * writes to its standard error, and the kernel's own where they may be read.
 */
#ifndef SPT_LOGS_H
#define SPT_LOGS_H

#include "record/recorder.h"
#include "record/said.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

typedef struct SptLogs SptLogs;

/* A packet of options->lines_fd: when a line was written, and its text, which need not end. */
#define SPT_LOGS_TEXT 1024
struct spt_log_packet {
	uint64_t time_ns;		/* CLOCK_MONOTONIC */
	char text[SPT_LOGS_TEXT];
};

/*
 * @lines_fd: a socket of such packets, then owned, of process @pid; -1: there is none.  @said and
 * @threads outlive it.
 */
SptLogs *spt_logs_new(SptSaid *said, const SptThreadIds *threads, int lines_fd, uint32_t pid);
void spt_logs_free(SptLogs *logs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptLogs, spt_logs_free)
/* Whether the kernel's log may be read. */
bool spt_logs_has_kernel(const SptLogs *logs);
/* Takes what there is.  Returns the number of lines. */
uint64_t spt_logs_step(SptLogs *logs);
/* Likewise, at the end: lines that wait are put, too. */
void spt_logs_finish(SptLogs *logs);

G_END_DECLS

#endif
