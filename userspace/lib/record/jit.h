/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of code made at run time.  The files in which programs describe it are opened when they are
 * first seen and stay open, since a program may remove them when it ends, or be the last one with
 * access.  They are /tmp/perf-PID.map below the program's own root, with its id in its own
 * namespace, and jitdump files, which a program maps as a sign.
 *
 * Code may be replaced.  So the upper bits of an offset have the generation of the code that was
 * there when the sample was taken, as far as it was known when the sample was read from the ring.
 */
#ifndef SPT_JIT_H
#define SPT_JIT_H

#include "capture/sink.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct SptJit SptJit;

/* The first member of SptJit. */
struct spt_jit_head {
	bool has_replaced;		/* some process's code was replaced */
};

SptJit *spt_jit_new(void);
void spt_jit_free(SptJit *jit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptJit, spt_jit_free)

/* Reports that @object is a region of @pid. */
void spt_jit_region(SptJit *jit, SptTrace *trace, uint32_t object, uint32_t pid);
/* @pid has mapped the file @row; ignored unless its name is that of a jitdump. */
void spt_jit_file(SptJit *jit, SptTrace *trace, const SptObjectRow *row, uint32_t pid);
/*
 * Opens new files and reads new records, up to a limit.  Called before samples are taken; costs
 * little.
 */
void spt_jit_keep(SptJit *jit);
/* A number that changes when code of @pid is replaced; 0: none was. */
uint32_t spt_jit_epoch_of(const SptJit *jit, uint32_t pid, uint64_t time_ns);
static inline uint32_t spt_jit_epoch(const SptJit *jit, uint32_t pid, uint64_t time_ns)
{
	return ((const struct spt_jit_head *)jit)->has_replaced ?
		       spt_jit_epoch_of(jit, pid, time_ns) : 0;
}
/* @offset in @object with its generation. */
uint64_t spt_jit_offset(const SptJit *jit, uint32_t object, uint64_t offset, uint64_t time_ns);
/* Requests the name of a place in @object; ignored if that is not a region with names. */
void spt_jit_want(SptJit *jit, uint32_t object, uint64_t offset);
/*
 * Reads what was written since, and puts the names of requested places into @to.  @last: reads
 * all of it, even if it is more than should be read at one time.
 */
void spt_jit_flush(SptJit *jit, bool last, SptSink *to);
/* Drops all requests. */
void spt_jit_forget(SptJit *jit);

G_END_DECLS

#endif
