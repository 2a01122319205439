/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target of the recorder's rows: a file, a stream, or the memory of the last seconds.  It owns
 * the stash and the names, and keeps the recorder within its memory.
 */
#ifndef SPT_OUTPUT_H
#define SPT_OUTPUT_H

#include "capture/capture.h"
#include "object/object.h"
#include "record/jit.h"
#include "record/recorder.h"
#include "record/script-names.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptOutput SptOutput;

/* @trace names kernel functions and outlives it. */
SptOutput *spt_output_new(const SptRecorderOptions *options, SptTrace *trace, GError **error);
void spt_output_free(SptOutput *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptOutput, spt_output_free)

/*
 * As the capture writer's functions.  A map waits until its object was put.  The node of a sample's
 * row is from spt_output_stash().
 */
void spt_output_host(SptOutput *output, const char *key, const char *value);
void spt_output_put_rows(SptOutput *output, SptRowKind kind, const void *rows, size_t n);
static inline void spt_output_put(SptOutput *output, SptRowKind kind, const void *row)
{
	spt_output_put_rows(output, kind, row, 1);
}
/*
 * Reports an object with a file that is to be held.  @pid: a process that has it mapped; 0: none is
 * known.
 */
void spt_output_object(SptOutput *output, const SptObjectRow *row, uint32_t pid);
/*
 * The file of an object that was put or is about to be, or the image of the vdso; NULL: it could
 * not be held.  Valid as long as the output.
 */
const SptObject *spt_output_file(SptOutput *output, uint32_t object);
/* The descriptor of an object's file that is held; -1: it is not held. */
int spt_output_held(SptOutput *output, uint32_t object);
/* The path of an object; NULL: it was not put. */
const char *spt_output_path(const SptOutput *output, uint32_t object);
/* The offset of @name in the object SPT_STACKS_NAMED. */
uint64_t spt_output_named(SptOutput *output, const char *name);
/*
 * The stash of the samples' nodes.  *@ret_number changes with each flush or write that begins
 * another stash.
 */
SptStash *spt_output_stash(SptOutput *output, unsigned *ret_number);

/*
 * False: a flush now would write frames in objects that were not put yet, which nobody could read.
 */
bool spt_output_knows_objects(SptOutput *output);
/* Called often between flushes: holds files that may soon be deleted. */
void spt_output_keep(SptOutput *output);
/* The functions of scripts; owned by the output. */
SptScriptNames *spt_output_scripts(SptOutput *output);
/* The descriptions of code that programs make; owned by the output. */
const SptJit *spt_output_jit(const SptOutput *output);
/* Called some times a second with options->live: publishes what came in, with names. */
bool spt_output_tell(SptOutput *output, GError **error);
/*
 * Called about once a second: writes what has come in to the file, or drops what has become too
 * old.
 */
bool spt_output_flush(SptOutput *output, uint64_t now, GError **error);
/* The memory that the whole recording may use, and whether nobody has chosen it. */
uint64_t spt_output_memory(const SptOutput *output);
bool spt_output_has_default_memory(const SptOutput *output);
/* @bytes of this process's memory have a budget of their own. */
void spt_output_set_reserved(SptOutput *output, uint64_t bytes);
/*
 * Whether so much has come in since the last flush that the memory will not last until the next
 * one.
 */
bool spt_output_is_full(const SptOutput *output);
/*
 * Writes the last seconds to the next file of the name, which @ret_path gets.  Only with
 * options->last_ns.
 */
bool spt_output_write_last(SptOutput *output, uint64_t now, char **ret_path, GError **error);
/*
 * Writes what has come since the last window to @path.  Only with options->by_windows.  Without a
 * sample there is no file, and an error SPT_CAPTURE_ERROR_EMPTY.
 */
bool spt_output_write_window(SptOutput *output, uint64_t now, const char *path, GError **error);
/* Completes the file, or writes the last seconds; see spt_capture_writer_keep_old(). */
bool spt_output_finish(SptOutput *output, uint64_t now, char **ret_path, GError **error);
uint64_t spt_output_bytes(const SptOutput *output);	/* of the file, or of the last one */

G_END_DECLS

#endif
