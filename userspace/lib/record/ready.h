/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the unwind tables of a program and its libraries before it begins, so that even its first
 * stack is whole.
 */
#ifndef SPT_READY_H
#define SPT_READY_H

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptReady SptReady;

/*
 * A thread finds or makes the tables, keeps them in the cache, and gives them to @trace (NULL: to
 * nobody).  @program: a path.
 */
SptReady *spt_ready_new(const char *program, SptTrace *trace);
/* Waits until all are there, at most @most_ms; the rest is made later. */
void spt_ready_wait(SptReady *ready, unsigned most_ms);
/* Stops making tables. */
void spt_ready_free(SptReady *ready);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptReady, spt_ready_free)

G_END_DECLS

#endif
