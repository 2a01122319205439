/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of code made at run time.  The files in which programs describe it are held open from when
 * they are first seen, for a program may remove them when it ends, or be the last to reach them:
 * /tmp/perf-PID.map below the program's own root, under the id it has in its own namespace, and
 * jitdump files, which a program maps as a sign.
 *
 * Code may be replaced: the offset of a place has in its upper bits the generation of the code that
 * was there at the time of the sample, as far as that was known when the sample was taken from the
 * ring.
 */
#ifndef SPT_JIT_H
#define SPT_JIT_H

#include "capture/capture.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptJit SptJit;

SptJit *spt_jit_new(void);
void spt_jit_free(SptJit *jit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptJit, spt_jit_free)

/* @object is a region of @pid's. */
void spt_jit_region(SptJit *jit, SptTrace *trace, uint32_t object, uint32_t pid);
/* @pid has mapped the file @row; ignored unless its name is that of a jitdump. */
void spt_jit_file(SptJit *jit, SptTrace *trace, const SptObjectRow *row, uint32_t pid);
/*
 * Opens and reads what has appeared since, up to a bound; to be called before samples are taken,
 * costs little.
 */
void spt_jit_keep(SptJit *jit);
/* Differs where something of @pid's was replaced in between; 0: nothing was. */
uint32_t spt_jit_epoch(const SptJit *jit, uint32_t pid, uint64_t time_ns);
/* @offset in @object with its generation. */
uint64_t spt_jit_offset(const SptJit *jit, uint32_t object, uint64_t offset, uint64_t time_ns);
/* A place in @object to be named; ignored if that is no region that can be. */
void spt_jit_want(SptJit *jit, uint32_t object, uint64_t offset);
/*
 * Reads what was written since, and puts names of wanted places that have one into @writer.  @last:
 * reads all of it, where there is more than should be read at one time.
 */
void spt_jit_flush(SptJit *jit, bool last, SptCaptureWriter *writer);
/* Nothing is wanted any more. */
void spt_jit_forget(SptJit *jit);

G_END_DECLS

#endif
