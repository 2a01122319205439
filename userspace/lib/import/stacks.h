/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of files that have names instead of addresses: names of processes, objects and functions
 * become ids, and rows of the capture.  Each kind is bounded.
 */
#ifndef SPT_IMPORT_STACKS_H
#define SPT_IMPORT_STACKS_H

#include "capture/capture.h"

G_BEGIN_DECLS

typedef struct SptImportStacks SptImportStacks;

/* @writer outlives it. */
SptImportStacks *spt_import_stacks_new(SptCaptureWriter *writer);
void spt_import_stacks_free(SptImportStacks *stacks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptImportStacks, spt_import_stacks_free)

/*
 * The object of this name, as a rule a path; "": it is not known.  The kernel's has kind
 * SPT_OBJECT_KERNEL, and those whose names are known from elsewhere SPT_OBJECT_UNKNOWN.
 */
uint32_t spt_import_stacks_object(SptImportStacks *stacks, SptObjectKind kind, const char *name);
/* A function of an object, as a frame that is exact; its offset is only a number. */
SptFrame spt_import_stacks_frame(SptImportStacks *stacks, uint32_t object, const char *name);
/* Where a function begins. */
typedef struct {
	const char *file;		/* "": not known */
	uint32_t line, column;		/* 0: not known */
} SptImportSource;

/* The same of one that is another one wherever @source differs. */
SptFrame spt_import_stacks_function(SptImportStacks *stacks, uint32_t object, const char *name,
				    const SptImportSource *source);
uint32_t spt_import_stacks_child(SptImportStacks *stacks, uint32_t parent, const SptFrame *frame);
/*
 * The thread @tid called @name, of the process @pid called @process; another name is another one.
 * With pid 0 a process is what has the name.
 */
uint32_t spt_import_stacks_thread(SptImportStacks *stacks, uint32_t pid, uint32_t tid,
				  const char *process, const char *name);
/* Number of processes so far. */
uint32_t spt_import_stacks_processes(const SptImportStacks *stacks);
/* @weight may exceed a sample's 32 bits: then it becomes several. */
void spt_import_stacks_sample(SptImportStacks *stacks, const SptSampleRow *row, uint64_t weight);
void spt_import_stacks_wait(SptImportStacks *stacks, const SptWaitRow *row);
/* A block of memory. */
void spt_import_stacks_allocation(SptImportStacks *stacks, const SptAllocationRow *row);
/* An event of a kind that @writer knows. */
void spt_import_stacks_event(SptImportStacks *stacks, const SptDeclaredRow *row);
/* Memory that was allocated in the place of a sample, and not freed. */
void spt_import_stacks_memory(SptImportStacks *stacks, const SptSampleRow *row, uint64_t bytes);
/* Of samples, waits, blocks and events. */
uint64_t spt_import_stacks_samples(const SptImportStacks *stacks);
/*
 * Called between samples: NULL, or which bound was exceeded, an end of the sentence "line 3 ...".
 */
const char *spt_import_stacks_excess(const SptImportStacks *stacks);
/* An error about the sample that would be the next one, with an end of a sentence: false. */
bool spt_import_stacks_refuse(const SptImportStacks *stacks, const char *wrong, GError **error);
/* Called between samples: writes what was put, if it is much. */
bool spt_import_stacks_flush(SptImportStacks *stacks, GError **error);
bool spt_import_stacks_finish(SptImportStacks *stacks, GError **error);
/* Appends "@n @what", if it is not 0, behind what is there. */
void spt_import_note_count(GString *note, uint64_t n, const char *what);
/* Notes that @n samples of events other than @event were skipped, if there are any. */
void spt_import_note_skipped(SptCaptureWriter *writer, const char *event, uint64_t n);

G_END_DECLS

#endif
