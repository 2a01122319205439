/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of programs that use spt/mark.h: shared memory that a command finds by its environment, and
 * what comes out of its rings, as rows of declared kinds (said.h).
 */
#ifndef SPT_MARKS_H
#define SPT_MARKS_H

#include "record/recorder.h"
#include "record/said.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

typedef struct SptMarks SptMarks;

/* @said and @threads must outlive it. */
SptMarks *spt_marks_new(SptSaid *said, const SptThreadIds *threads, GError **error);
/*
 * Memory of @n_slots for the programs of another user.  What they say counts only as that of the
 * user's processes.
 */
SptMarks *spt_marks_new_for_user(SptSaid *said, const SptThreadIds *threads, uint32_t uid,
				 uint32_t n_slots, GError **error);
void spt_marks_free(SptMarks *marks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMarks, spt_marks_free)

/* The value of SPT_MARKS_VARIABLE for the command. */
const char *spt_marks_path(const SptMarks *marks);
/*
 * Also those of programs that run already, if @filter lets them be recorded (mark-door.h).  False:
 * they cannot be reached.
 */
bool spt_marks_reach_running(SptMarks *marks, const SptTraceFilter *filter, GError **error);
/* The memory; it stays that of @marks. */
int spt_marks_fd(const SptMarks *marks);
/*
 * Programs get it that the recorder has not looked at: with @by_process, those are dropped that are
 * not wanted.
 */
void spt_marks_expect_others(SptMarks *marks, bool by_process);
/* Answers programs that have asked meanwhile. */
void spt_marks_admit(SptMarks *marks, const SptTasks *tasks);
/* Marks @name that last longer than @least_ns are counted in the status. */
void spt_marks_watch_slow(SptMarks *marks, const char *name, uint64_t least_ns);
/* The recording has begun; marks from before are dropped. */
void spt_marks_begin(SptMarks *marks);
/*
 * Names of marks, or NULL: the status says whether they have come.  A span of @start_at counts when
 * it begins.
 */
void spt_marks_watch(SptMarks *marks, const char *start_at, const char *stop_at);
/* Whether a program has used it, so that its rings have to be read often. */
bool spt_marks_is_used(const SptMarks *marks);
/* Takes what is in the rings, for at most some milliseconds. */
void spt_marks_step(SptMarks *marks);
/* The same for at most @most_ns, and on average at most that many bytes of rings a second. */
void spt_marks_step_for(SptMarks *marks, uint64_t most_ns, uint64_t bytes_a_second);
/* Ends the recording while programs continue, and takes the rest. */
void spt_marks_finish(SptMarks *marks);
void spt_marks_finish_for(SptMarks *marks, uint64_t most_ns);
void spt_marks_status(const SptMarks *marks, SptMarksStatus *ret);

G_END_DECLS

#endif
