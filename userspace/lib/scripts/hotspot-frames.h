/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes HotSpot's chain: the program of steps, and the parts of a program. */
#ifndef SPT_HOTSPOT_FRAMES_H
#define SPT_HOTSPOT_FRAMES_H

#include "scripts/hotspot-vm.h"
#include "scripts/program.h"

G_BEGIN_DECLS

#define SPT_HOTSPOT_WORD_SHIFT 3

typedef struct {
	SptProgram *program;
	SptHotspotVm *vm;
	const SptObject *file;
	unsigned version;		/* of OpenJDK */
	const char *missing;		/* what the file does not say; NULL: nothing */
} SptHotspot;

static inline unsigned spt_hotspot_add(SptHotspot *h, enum sysprof_chain_op op, unsigned dst,
				       unsigned src, int64_t imm)
{
	return spt_program_add(h->program, op, dst, src, imm);
}

/* The offset called @name. */
int32_t spt_hotspot_at(SptHotspot *h, const char *name);
/* Sets @to to what the member called @name of the struct at @from is. */
void spt_hotspot_load(SptHotspot *h, enum sysprof_chain_op op, unsigned to, unsigned from,
		      const char *name);
/* The program of steps. */
void spt_hotspot_add_frame(SptHotspot *h);

G_END_DECLS

#endif
