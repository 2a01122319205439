/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command and its children report themselves: the memory that they allocate, and where
 * they wait.  libspt-memory.so and libspt-io.so fill rings in them (rings/layout.h), which become
 * rows of allocations and waits, with stacks in the recorder's own numbers of objects and
 * threads.
 *
 * Records of all rings are taken in the order of their stamps, up to a moment before their heads
 * were read.  An address is allocated and freed in turn.  If two threads' stamps are so close that
 * they contradict that, the alternation counts.
 */
#ifndef SPT_MEMORY_H
#define SPT_MEMORY_H

#include "record/output.h"
#include "record/recorder.h"
#include "record/script-chains.h"
#include "record/stage.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

typedef struct SptMemory SptMemory;

/* @options, @waits: NULL if that is not recorded.  @threads outlives it. */
SptMemory *spt_memory_new(const SptMemoryOptions *options, const SptTraceWaits *waits,
			  const SptThreadIds *threads, SptOutput *output, GError **error);
void spt_memory_free(SptMemory *memory);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptMemory, spt_memory_free)

/* The variables that the command needs: names and values in turn, NULL at the end. */
const char *const *spt_memory_environment(const SptMemory *memory);
/* Where its programs look for chains; NULL: nowhere. */
SptScriptChains *spt_memory_chains(const SptMemory *memory);
/* The native frames that execute those of scripts are recorded, too. */
void spt_memory_keep_loops(SptMemory *memory);
/* Whether a library can be loaded into @program; if not, @error says why. */
bool spt_memory_check_program(const char *program, GError **error);

/* Whether LD_PRELOAD can have @path; if not, @error says why. */
bool spt_memory_check_library(const char *path, GError **error);

/* Reports of the source, which give the rings' addresses a meaning. */
/* The command, or what it has started, has become program @name. */
void spt_memory_exec(SptMemory *memory, uint32_t pid, uint64_t time, const char *name);
void spt_memory_object(SptMemory *memory, const SptObjectRow *row);

/* Takes the available records; @all: all records to the end.  *@ret_is_busy: there were many. */
bool spt_memory_step(SptMemory *memory, bool all, bool *ret_is_busy, GError **error);
/* Called before a flush: puts rows for blocks that are in use. */
bool spt_memory_flush(SptMemory *memory, GError **error);
/* Called before the output is flushed: whether the blocks in use fit into their budget. */
bool spt_memory_has_room(SptMemory *memory, GError **error);
/* Ends the recording, while the programs continue, and writes facts into the file. */
bool spt_memory_finish(SptMemory *memory, GError **error);
void spt_memory_status(const SptMemory *memory, SptMemoryStatus *ret);

extern const SptStage spt_memory_stage;

G_END_DECLS

#endif
