/* SPDX-License-Identifier: GPL-2.0-only */
/* The present tasks, mappings and objects, as records for a session that begins. */
#ifndef _SYSPROF_SNAPSHOT_H
#define _SYSPROF_SNAPSHOT_H

#include <linux/types.h>

struct sysprof_session;
struct sysprof_snapshot;
struct sysprof_snapshot_walk;

/* The processes whose mappings a snapshot reports. */
enum sysprof_maps {
	SYSPROF_MAPS_NONE,
	SYSPROF_MAPS_TRACEABLE,		/* processes that the opener could trace */
	SYSPROF_MAPS_ALL,
};

/*
 * SYSPROF_IOC_SNAPSHOT: fills the caller's buffer from @arg->cursor on.  @walk belongs to the
 * session.  It is made at cursor 0, and freed at the end of the tasks or by end(), which accepts
 * NULL.  @session is for SYSPROF_MAPS_TRACEABLE.  Process context, hooks armed, may sleep.
 */
int sysprof_snapshot_take(struct sysprof_snapshot_walk **walk, struct sysprof_snapshot *arg,
			  enum sysprof_maps maps, const struct sysprof_session *session);
void sysprof_snapshot_end(struct sysprof_snapshot_walk *walk);

#endif /* _SYSPROF_SNAPSHOT_H */
