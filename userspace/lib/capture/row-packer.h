/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packs rows: removes what a reader can derive from earlier rows (format.md).  A packer remembers
 * the earlier rows, so each file has its own.
 */
#ifndef SPT_ROW_PACKER_H
#define SPT_ROW_PACKER_H

#include "capture/schema.h"

G_BEGIN_DECLS

typedef struct SptPacker SptPacker;

SptPacker *spt_packer_new(void);
void spt_packer_free(SptPacker *packer);

/*
 * Each function turns the rows that wait for a flush into those that are written: fewer, and
 * packed.  Processes come before threads.
 */
/* @ends (SptProcessEndRow) gets processes of which only the end is new. */
void spt_pack_processes(SptPacker *packer, GArray *rows, GArray *ends);
void spt_pack_threads(SptPacker *packer, GArray *rows);
void spt_pack_names(SptPacker *packer, GArray *rows);
/* Names are written again from now on: for a writer that must not grow. */
void spt_packer_forget_names(SptPacker *packer);
void spt_pack_samples(GArray *rows);
/* Moves the nodes in @rows, of a stash, to where the capture has that stash. */
void spt_pack_nodes(const SptSampleColumn *columns, unsigned n, GArray *rows, uint32_t base);
void spt_pack_allocations(SptAllocationRow *rows, size_t n);
void spt_pack_maps(GArray *rows);

/* Unpack rows that were read.  @process: the thread's, all zero if it has none. */
void spt_unpack_process(SptProcessRow *row);
void spt_unpack_thread(SptThreadRow *row, const SptProcessRow *process);
void spt_unpack_allocation(SptAllocationRow *row);

G_END_DECLS

#endif
