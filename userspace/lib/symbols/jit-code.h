/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code made at run time, as its makers describe it: lines "START BYTES NAME" (hexadecimal) in
 * /tmp/perf-PID.map, or records in a jitdump file.  Both grow while the program runs and are read
 * on from where the last reading ended.  They are not trusted.
 */
#ifndef SPT_JIT_CODE_H
#define SPT_JIT_CODE_H

#include <stdbool.h>

#include "symbols/jit-past.h"

G_BEGIN_DECLS

/*
 * What lies where: code that overlaps older code has replaced it.  How often that happened at a
 * place until some time is the generation of what lay there then.  Before @since_ns nobody looked,
 * and all replaced code is forgotten.
 */
typedef struct SptJitCode SptJitCode;

SptJitCode *spt_jit_code_new(uint64_t since_ns);
void spt_jit_code_free(SptJitCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptJitCode, spt_jit_code_free)

/*
 * At @time_ns.  @name needs no nul at @name_bytes; what is no text in it is replaced.  No-op for
 * places that cannot be.
 */
void spt_jit_code_add(SptJitCode *code, uint64_t time_ns, uint64_t start, uint64_t bytes,
		      const char *name, size_t name_bytes);
/* What lies there now. */
bool spt_jit_code_find(const SptJitCode *code, uint64_t address, SptJitFunction *ret);
/* How often code was replaced until then, anywhere; and at a place. */
uint32_t spt_jit_code_epoch(const SptJitCode *code, uint64_t time_ns);
uint32_t spt_jit_code_generation(const SptJitCode *code, uint64_t address, uint64_t time_ns);
/* What lay there. */
bool spt_jit_code_find_generation(const SptJitCode *code, uint64_t address, uint32_t generation,
				  SptJitFunction *ret);

/*
 * Read on from @at (0 at first) and move it.  @budget: how many bytes of memory this may still
 * take, lowered by what it took and a little for all that was passed over; at 0 nothing is read.
 * The time it takes goes with it.  True: something was added.  A map that was cut or begun anew
 * is read from its start.  Its lines have no times: those that were there at first are older than
 * anything, those that are added are of @now_ns.
 */
bool spt_jit_read_map(SptJitCode *code, int fd, uint64_t now_ns, uint64_t *at, uint64_t *budget);
/* A file that is no jitdump of this machine's byte order, or is damaged, ends where that shows. */
bool spt_jit_read_dump(SptJitCode *code, int fd, uint64_t *at, uint64_t *budget);

G_END_DECLS

#endif
