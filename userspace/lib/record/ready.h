/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind tables of a program and its libraries before it begins: its first stack is whole, too. */
#ifndef SPT_READY_H
#define SPT_READY_H

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptReady SptReady;

/*
 * A thread finds or makes them, keeps them, and gives them to @trace; NULL: only keeps them.
 * @program: a path.
 */
SptReady *spt_ready_new(const char *program, SptTrace *trace);
/* Until all are there, @most_ms at the most; what is missing then is still made. */
void spt_ready_wait(SptReady *ready, unsigned most_ms);
/* Makes no more. */
void spt_ready_free(SptReady *ready);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptReady, spt_ready_free)

G_END_DECLS

#endif
