/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How programs that run already come to the memory for marks: a bell that they look at, and a
 * socket at which they ask for it (spt/mark.h says what happens when).  One recorder of a user has
 * the bell at a time.
 */
#ifndef SPT_MARK_DOOR_H
#define SPT_MARK_DOOR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct SptMarkDoor SptMarkDoor;

/* Whether the process is one of the recording, as far as is known. */
typedef bool (*SptMarkDoorIsAdmitted)(uint32_t pid, void *data);

/* Where another recorder has the door, or the module's (mark-node.h). */
void spt_mark_door_set_taken(GError **error);
/* @marks_fd: the memory; it stays the caller's.  Nothing rings yet. */
SptMarkDoor *spt_mark_door_new(int marks_fd, GError **error);
/* Rings: from now on programs ask. */
void spt_mark_door_open(SptMarkDoor *door);
/* Answers those that have asked; who is not admitted for a while is refused. */
void spt_mark_door_step(SptMarkDoor *door, uint64_t now_ns, SptMarkDoorIsAdmitted is_admitted,
			void *data);
/* Nobody rings any more. */
void spt_mark_door_close(SptMarkDoor *door);
void spt_mark_door_free(SptMarkDoor *door);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMarkDoor, spt_mark_door_free)

G_END_DECLS

#endif
