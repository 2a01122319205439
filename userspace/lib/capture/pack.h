/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the writer leaves out: rows shrink to what a reader cannot know by what came before
 * (format.md).  A packer remembers what it has let through, so one goes with each file.
 */
#ifndef SPT_CAPTURE_PACK_H
#define SPT_CAPTURE_PACK_H

#include "capture/schema.h"

G_BEGIN_DECLS

typedef struct SptPacker SptPacker;

SptPacker *spt_packer_new(void);
void spt_packer_free(SptPacker *packer);

/*
 * Each turns the rows that wait for a flush into those that are written: fewer, and packed.
 * Processes come before threads.
 */
/* @ends (SptProcessEndRow) is what is all that is new of a process. */
void spt_pack_processes(SptPacker *packer, GArray *rows, GArray *ends);
void spt_pack_threads(SptPacker *packer, GArray *rows);
void spt_pack_names(SptPacker *packer, GArray *rows);
/* What was named is named again: for a writer that must not grow. */
void spt_packer_forget_names(SptPacker *packer);
void spt_pack_samples(GArray *rows);
void spt_pack_maps(GArray *rows);

/* The way back, for rows that were read.  @process: the thread's, all zero if it has none. */
void spt_unpack_process(SptProcessRow *row);
void spt_unpack_thread(SptThreadRow *row, const SptProcessRow *process);

G_END_DECLS

#endif
