/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the unwind tables of a program and its libraries before it begins, and the chains of
 * interpreters among them, so that even its first stack is whole.
 */
#ifndef SPT_TABLE_PREFETCH_H
#define SPT_TABLE_PREFETCH_H

#include "record/script-chains.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptTablePrefetch SptTablePrefetch;

/*
 * A thread finds or makes the tables, if there are to be any, keeps them in the cache, and gives
 * them to @trace; chains also to @programs (NULL: to nobody).  @program: a path.
 */
SptTablePrefetch *spt_table_prefetch_new(const char *program, bool has_tables, SptTrace *trace,
					 SptScriptChains *programs);
/* Waits until all are there, at most @most_ms; the rest is made later. */
void spt_table_prefetch_wait(SptTablePrefetch *prefetch, unsigned most_ms);
/* Stops making tables. */
void spt_table_prefetch_free(SptTablePrefetch *prefetch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTablePrefetch, spt_table_prefetch_free)

G_END_DECLS

#endif
