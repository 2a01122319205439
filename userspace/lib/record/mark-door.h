/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How programs that run already come to the memory for marks: a bell that they look at, and a
 * socket at which they ask for it (spt/mark.h says what happens when).  One recorder has a bell at
 * a time.
 */
#ifndef SPT_MARK_DOOR_H
#define SPT_MARK_DOOR_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

G_BEGIN_DECLS

typedef struct SptMarkDoor SptMarkDoor;

enum { SPT_MARK_REFUSED = -1, SPT_MARK_NOT_YET = -2 };

/* Which memory the process @pid of @uid gets, a descriptor; or one of the above. */
typedef int (*SptMarkDoorAnswer)(uint32_t pid, uid_t uid, void *data);

/*
 * @bell: the file's path; it must be @owner's.  Our own is made where it is missing, another's is
 * not.  @is_for_all: who is let in besides @owner.  Nothing rings yet.
 */
SptMarkDoor *spt_mark_door_new(const char *bell, uid_t owner, bool is_for_all, GError **error);
const char *spt_mark_door_bell(const SptMarkDoor *door);
/* Rings: from now on programs ask. */
void spt_mark_door_open(SptMarkDoor *door);
/* Answers those that have asked; who is not answered for a while is refused. */
void spt_mark_door_step(SptMarkDoor *door, uint64_t now_ns, SptMarkDoorAnswer answer, void *data);
/* Nobody rings any more. */
void spt_mark_door_close(SptMarkDoor *door);
void spt_mark_door_free(SptMarkDoor *door);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMarkDoor, spt_mark_door_free)

G_END_DECLS

#endif
