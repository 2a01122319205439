/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code made at run time, as programs describe it: lines "START BYTES NAME" (hexadecimal) in
 * /tmp/perf-PID.map, or records in a jitdump file.  Both grow while the program runs; each reading
 * continues where the last one ended.  They are not trusted.
 */
#ifndef SPT_JIT_CODE_H
#define SPT_JIT_CODE_H

#include <stdbool.h>

#include "symbols/jit-past.h"

G_BEGIN_DECLS

/*
 * Which code is where.  Code that overlaps older code has replaced it.  The generation of a place
 * at a time is how often that had happened there.  Nothing was known before @since_ns, and code
 * that was replaced before it is forgotten.
 */
typedef struct SptJitCode SptJitCode;

SptJitCode *spt_jit_code_new(uint64_t since_ns);
void spt_jit_code_free(SptJitCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptJitCode, spt_jit_code_free)

/*
 * Adds code at @time_ns.  @name needs no nul at @name_bytes; bytes that are no text are replaced.
 * Impossible places are ignored.
 */
void spt_jit_code_add(SptJitCode *code, uint64_t time_ns, uint64_t start, uint64_t bytes,
		      const char *name, size_t name_bytes);
/* The code at @address now. */
bool spt_jit_code_find(const SptJitCode *code, uint64_t address, SptJitFunction *ret);
/* How often code was replaced up to @time_ns: anywhere, and at a place. */
uint32_t spt_jit_code_epoch(const SptJitCode *code, uint64_t time_ns);
uint32_t spt_jit_code_generation(const SptJitCode *code, uint64_t address, uint64_t time_ns);
/* The code of that generation at @address. */
bool spt_jit_code_find_generation(const SptJitCode *code, uint64_t address, uint32_t generation,
				  SptJitFunction *ret);

/*
 * Continue reading at @at (0 at first) and advance it.  @budget: bytes of memory that this may
 * still use; it is reduced by the memory used, and a little for everything that was skipped.  At 0
 * nothing is read.  This also limits the time.  True: something was added.  A map that was cut or
 * begun anew is read from its start.  Its lines have no times: those of the first reading count as
 * older than everything, later ones are of @now_ns.
 */
bool spt_jit_read_map(SptJitCode *code, int fd, uint64_t now_ns, uint64_t *at, uint64_t *budget);
/*
 * Reading ends where a file is damaged, or turns out not to be a jitdump of this machine's byte
 * order.
 */
bool spt_jit_read_dump(SptJitCode *code, int fd, uint64_t *at, uint64_t *budget);

G_END_DECLS

#endif
