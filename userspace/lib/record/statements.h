/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs and the machine say of themselves, beside what is sampled: marks (marks.h), those
 * by GNOME's socket (control.h), counters (counters.h) and logs (logs.h).
 */
#ifndef SPT_STATEMENTS_H
#define SPT_STATEMENTS_H

#include "process/tasks.h"
#include "record/output.h"
#include "record/recorder.h"
#include "record/stage.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

typedef struct SptStatements SptStatements;

/* As @options request; @threads and @output outlive it. */
SptStatements *spt_statements_new(const SptRecorderOptions *options, const SptThreadIds *threads,
				  SptOutput *output, GError **error);
void spt_statements_free(SptStatements *statements);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptStatements, spt_statements_free)

/* Adds the variables that the command needs, names and values in turn. */
void spt_statements_add_environment(const SptStatements *statements, GPtrArray *environment);
/* Whether processes that are recorded are to be marked as measured, and reported here. */
bool spt_statements_want_processes(const SptStatements *statements);
/* How long the recorder may wait before the next step: rings fill within milliseconds. */
int spt_statements_step_ms(const SptStatements *statements, int timeout_ms);
/* After the source, which reports threads. */
void spt_statements_step(SptStatements *statements, const SptTasks *tasks, uint64_t now_ns);
void spt_statements_status(const SptStatements *statements, SptMarksStatus *ret);

extern const SptStage spt_statements_stage;

G_END_DECLS

#endif
