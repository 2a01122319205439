/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the recorder's rows go: a file, a stream, or the memory of the last seconds.  It owns the
 * stash and the names, and keeps the recorder within the memory it is given.
 */
#ifndef SPT_OUTPUT_H
#define SPT_OUTPUT_H

#include "capture/capture.h"
#include "object/object.h"
#include "record/jit.h"
#include "record/recorder.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptOutput SptOutput;

/* @trace names kernel functions and outlives it. */
SptOutput *spt_output_new(const SptRecorderOptions *options, SptTrace *trace, GError **error);
void spt_output_free(SptOutput *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptOutput, spt_output_free)

/*
 * As those of the capture writer.  A map waits until its object was put; row->node of a sample is
 * of spt_output_stash().
 */
void spt_output_host(SptOutput *output, const char *key, const char *value);
void spt_output_put(SptOutput *output, SptRowKind kind, const void *row);
/* An object has a file to be held.  @pid: a process that has it mapped; 0 if none is known. */
void spt_output_object(SptOutput *output, const SptObjectRow *row, uint32_t pid);
/*
 * The file of an object, put or about to be, or the vdso's image; NULL: it could not be held.
 * Lives as long as the output.
 */
const SptObject *spt_output_file(SptOutput *output, uint32_t object);
/* The descriptor by which a file's object is held; -1: it is not. */
int spt_output_held(SptOutput *output, uint32_t object);
/* What it is called; NULL: it was not put. */
const char *spt_output_path(const SptOutput *output, uint32_t object);
/* The offset in the object SPT_STACKS_NAMED that is called @name. */
uint64_t spt_output_named(SptOutput *output, const char *name);
/*
 * Where nodes of samples are from.  *@ret_number: another one with each flush or write that
 * begins another stash.
 */
SptStash *spt_output_stash(SptOutput *output, unsigned *ret_number);

/* False: a flush now would write frames in objects that nobody has put, which nobody could read. */
bool spt_output_knows_objects(SptOutput *output);
/* To be called often, between flushes: holds what may soon be gone. */
void spt_output_keep(SptOutput *output);
/* What knows of code that programs make; the output's. */
const SptJit *spt_output_jit(const SptOutput *output);
/* Some times a second, with options->live: lets it have what came in, with names. */
bool spt_output_tell(SptOutput *output, GError **error);
/*
 * To be called about once a second: what has come in is in the file then, or what has become too
 * old is forgotten.
 */
bool spt_output_flush(SptOutput *output, uint64_t now, GError **error);
/* What is allowed for all of the recording. */
uint64_t spt_output_memory(const SptOutput *output);
/* So much has come since the last flush that the memory does not last until the next one is due. */
bool spt_output_is_full(const SptOutput *output);
/*
 * The last seconds into the next file of its name, which is put into @ret_path.  Only with
 * options->last_ns.
 */
bool spt_output_write_last(SptOutput *output, uint64_t now, char **ret_path, GError **error);
/* Completes the file, or writes the last seconds; see spt_capture_writer_keep_old(). */
bool spt_output_finish(SptOutput *output, uint64_t now, char **ret_path, GError **error);
uint64_t spt_output_bytes(const SptOutput *output);	/* of the file; of the last one */

G_END_DECLS

#endif
