/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of programs of all users that run already, by the module's node (mark-node.h).  The
 * programs of each user share memory that no other user's have; so who writes into it at will, or
 * without end, costs others nothing.  Marks count only as those of the user's own processes.
 */
#ifndef SPT_MARK_USERS_H
#define SPT_MARK_USERS_H

#include "record/marks.h"

G_BEGIN_DECLS

typedef struct SptMarkUsers SptMarkUsers;

/* @own: the memory for this user's programs.  NULL: there is no node.  All outlive it. */
SptMarkUsers *spt_mark_users_new(SptMarks *own, SptSaid *said, const SptThreadIds *threads,
				 const SptTraceFilter *filter);
void spt_mark_users_free(SptMarkUsers *users);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMarkUsers, spt_mark_users_free)

/* As spt_marks_watch_slow(). */
void spt_mark_users_watch_slow(SptMarkUsers *users, const char *name, uint64_t least_ns);
/* Rings: from now on programs ask.  False and errno: it cannot; EBUSY: somebody else does. */
bool spt_mark_users_begin(SptMarkUsers *users);
bool spt_mark_users_are_used(const SptMarkUsers *users);
/* Answers those that have asked, and takes what is in the rings, for at most some milliseconds. */
void spt_mark_users_step(SptMarkUsers *users, const SptTasks *tasks);
void spt_mark_users_finish(SptMarkUsers *users);
/* Adds to @ret, which has what is @own's. */
void spt_mark_users_status(const SptMarkUsers *users, SptMarksStatus *ret);

/* How many slots the next user gets, of those that are left. */
uint32_t spt_mark_users_slots(uint32_t left);

G_END_DECLS

#endif
