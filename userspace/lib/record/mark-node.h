/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's side of /dev/sysprof-mark (the uapi header sysprof-mark.h). */
#ifndef SPT_MARK_NODE_H
#define SPT_MARK_NODE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

#define SPT_MARK_NODE_PATH "/dev/sysprof-mark"

typedef struct SptMarkNode SptMarkNode;

typedef struct {
	uint32_t uid;
	uint32_t pid;			/* who asked first; 0: not of this PID namespace */
	uint64_t cookie;
} SptMarkRequest;

/* Whether there is one that this user can open. */
bool spt_mark_node_is_there(void);
/*
 * Rings: for all users, or if that is not this user's to do and @may_own, for the own one.  NULL
 * and errno: it cannot; EBUSY: somebody else does.
 */
SptMarkNode *spt_mark_node_new(bool may_own);
/* Nobody rings any more. */
void spt_mark_node_free(SptMarkNode *node);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMarkNode, spt_mark_node_free)

/* The next user whose programs ask; false: there is none. */
bool spt_mark_node_next(SptMarkNode *node, SptMarkRequest *ret);
/* @fd: the memory; -1: there is none for that user. */
void spt_mark_node_answer(SptMarkNode *node, uint64_t cookie, int fd);
/* For how many users somebody else rang meanwhile. */
uint32_t spt_mark_node_others(SptMarkNode *node);

G_END_DECLS

#endif
