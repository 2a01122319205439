/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinds the copied stacks of an imported file by the tables of this machine's files, where they
 * are the recorded ones.
 */
#ifndef SPT_IMPORT_PERF_UNWINDING_H
#define SPT_IMPORT_PERF_UNWINDING_H

#include "process/spaces.h"
#include "sysprof.h"
#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct SptImportUnwinding SptImportUnwinding;

/* The table of an object of the capture, a new reference; NULL: there is none. */
typedef SptUnwindTable *(*SptImportTables)(uint32_t object, void *data, bool *ret_is_file);

/* @spaces outlives it.  @tables is called once for each object that is on a stack. */
SptImportUnwinding *spt_import_unwinding_new(const SptSpaces *spaces, SptImportTables tables,
					     void *data);
void spt_import_unwinding_free(SptImportUnwinding *unwinding);

/*
 * @sample with the addresses of its unwound stack in place of registers and stack, valid until the
 * next call; without either if its mappings are not known.
 */
const struct sysprof_sample *spt_import_unwinding_take(SptImportUnwinding *unwinding,
						       const struct sysprof_sample *sample);
/* Stacks that were unwound, and how many of them are not whole. */
void spt_import_unwinding_counts(const SptImportUnwinding *unwinding, uint64_t *ret_all,
				 uint64_t *ret_cut);
/* Objects on stacks whose file is not on this machine, or is another one. */
unsigned spt_import_unwinding_missing(const SptImportUnwinding *unwinding);

G_END_DECLS

#endif
