/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command and its children allocate: rings that libspt-memory.so fills there
 * (rings/layout.h) become rows of allocations, with stacks in the recorder's own numbers of objects
 * and threads.
 *
 * Records of all rings are taken in the order of their stamps, up to a moment before their heads
 * were read.  An address is allocated and freed in turns: where two threads' stamps are so close
 * that they say otherwise, the turns count.
 */
#ifndef SPT_MEMORY_H
#define SPT_MEMORY_H

#include "process/tasks.h"
#include "record/output.h"

G_BEGIN_DECLS

typedef struct SptMemory SptMemory;

/* @mean_bytes: of the distance between allocations that are picked; 0: every one. */
SptMemory *spt_memory_new(uint64_t mean_bytes, SptOutput *output, GError **error);
void spt_memory_free(SptMemory *memory);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMemory, spt_memory_free)

/* Names and values in turn, NULL behind the last: what the command has to have. */
const char *const *spt_memory_environment(const SptMemory *memory);
/* Whether a library can be loaded into @program; else a sentence why not. */
bool spt_memory_check_program(const char *program, GError **error);

/* What the source reports: it makes the rings' addresses and threads known. */
void spt_memory_thread(SptMemory *memory, const SptThread *thread);
void spt_memory_object(SptMemory *memory, const SptObjectRow *row);

/* Takes what is there; @all: to the end.  *@ret_is_busy: there was much. */
bool spt_memory_step(SptMemory *memory, bool all, bool *ret_is_busy, GError **error);
/* Before a flush: blocks that live get their rows. */
bool spt_memory_flush(SptMemory *memory, GError **error);
/* The programs go on without being recorded; facts for the file. */
bool spt_memory_finish(SptMemory *memory, GError **error);
void spt_memory_status(const SptMemory *memory, SptMemoryStatus *ret);

G_END_DECLS

#endif
