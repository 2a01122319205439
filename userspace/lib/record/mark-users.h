/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks (marks.h) of all that may be recorded: what the recorder starts finds its memory by the
 * environment, what runs already by a bell (mark-door.h).  Root's recorder reaches the programs of
 * all users.  Each user's share memory with each other alone, so that nobody sees or changes what
 * another user's say, or takes their room.
 */
#ifndef SPT_MARK_USERS_H
#define SPT_MARK_USERS_H

#include "record/marks.h"

G_BEGIN_DECLS

typedef struct SptMarkUsers SptMarkUsers;

/* @output, @said (of this user) and @threads must outlive it. */
SptMarkUsers *spt_mark_users_new(SptOutput *output, SptSaid *said, const SptThreadIds *threads,
				 GError **error);
void spt_mark_users_free(SptMarkUsers *users);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMarkUsers, spt_mark_users_free)

/* This user's: of what the recorder starts, too.  They alone begin or end a recording. */
SptMarks *spt_mark_users_own(const SptMarkUsers *users);
/*
 * Also those of programs that run already, if @filter lets them be recorded.  Returns why those of
 * this user cannot be reached, to be freed; NULL: they can.
 */
char *spt_mark_users_reach_running(SptMarkUsers *users, const SptTraceFilter *filter);
/* Whether running programs may ask at any time. */
bool spt_mark_users_may_be_asked(const SptMarkUsers *users);
void spt_mark_users_begin(SptMarkUsers *users);
/* Whether a program has used it, so that its rings have to be read often. */
bool spt_mark_users_are_used(const SptMarkUsers *users);
/* Answers programs that have asked meanwhile, and takes some of what is in the rings. */
void spt_mark_users_admit(SptMarkUsers *users, const SptTasks *tasks);
void spt_mark_users_step(SptMarkUsers *users);
/* Ends the recording while programs continue, and takes the rest. */
void spt_mark_users_finish(SptMarkUsers *users);
/* Of all together. */
void spt_mark_users_status(const SptMarkUsers *users, SptMarksStatus *ret);

G_END_DECLS

#endif
