/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stage is an optional part of the recorder: what it does, and when.  The recorder calls its
 * stages in the order in which they were added, and frees them in the reverse order.  A function
 * that is NULL has nothing to do then.  A false result, with an error, ends the recording.
 */
#ifndef SPT_RECORD_STAGE_H
#define SPT_RECORD_STAGE_H

#include "capture/capture.h"
#include "process/tasks.h"

G_BEGIN_DECLS

typedef struct SptOutput SptOutput;

typedef struct {
	const SptTasks *tasks;
	uint64_t time_ns;		/* now, CLOCK_MONOTONIC */
} SptStageStep;

typedef struct {
	/* The source has been started. */
	void (*begin)(void *part);
	/* The source's first snapshot was taken. */
	void (*settle)(void *part);
	/* The row of a process was put: it is new, has changed, or has ended. */
	void (*process)(void *part, const SptProcess *process);
	/* The same of a thread. */
	void (*thread)(void *part, const SptThread *thread);
	/* An object that may be mapped was reported. */
	void (*object)(void *part, const SptObjectRow *row);
	/* How long the recorder may wait before the next step, at most @timeout_ms. */
	int (*step_ms)(const void *part, int timeout_ms);
	/* The records of a step were taken. */
	bool (*step)(void *part, const SptStageStep *step, GError **error);
	/* Rows will be written, about once a second. */
	bool (*flush)(void *part, GError **error);
	/* They were. */
	bool (*flushed)(void *part, GError **error);
	/* The source has stopped: takes the rest. */
	bool (*finish)(void *part, GError **error);
	/* After that, when all objects are known: puts facts about the recording. */
	void (*note)(void *part, SptOutput *output);
	GDestroyNotify free;
} SptStage;

/* The stages of a recorder. */
typedef struct SptStages SptStages;
SptStages *spt_stages_new(void);
/* Frees the parts, too. */
void spt_stages_free(SptStages *stages);
/* @part NULL: it is not wanted. */
void spt_stages_add(SptStages *stages, const SptStage *stage, void *part);
/* Each does this for all stages; the first error ends it. */
void spt_stages_begin(const SptStages *stages);
void spt_stages_settle(const SptStages *stages);
void spt_stages_process(const SptStages *stages, const SptProcess *process);
void spt_stages_thread(const SptStages *stages, const SptThread *thread);
void spt_stages_object(const SptStages *stages, const SptObjectRow *row);
int spt_stages_step_ms(const SptStages *stages, int timeout_ms);
bool spt_stages_step(const SptStages *stages, const SptTasks *tasks, GError **error);
bool spt_stages_flush(const SptStages *stages, GError **error);
bool spt_stages_flushed(const SptStages *stages, GError **error);
bool spt_stages_finish(const SptStages *stages, GError **error);
void spt_stages_note(const SptStages *stages, SptOutput *output);

G_END_DECLS

#endif
