/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of HotSpot's program of steps share: its registers, and how it jumps. */
#ifndef SPT_HOTSPOT_PRIVATE_H
#define SPT_HOTSPOT_PRIVATE_H

#include "scripts/hotspot-frames.h"

G_BEGIN_DECLS

#define WORD 8

enum {
	R_T,
	R_BIAS,
	R_FP,
	R_SP,
	R_IP,
	R_IS_EXACT,
	R_U,
	R_BLOB,
	R_METHOD,
	R_IDENTITY,
	R_METADATA,
	R_NEXT_SP,
	R_NEXT_FP,
	R_NEXT_IP,
	R_PLACE,
	R_COUNT,
	R_HALF,
	R_SCOPES,
	R_AT,
	R_VALUE,
	R_BITS,
	R_SENDER,
	R_BCI,
	R_STATE,
	/* These are kept from frame to frame.  The heap of the last one: */
	R_LOW,
	R_HIGH,
	R_SEGMENTS,
	R_SHIFT,
	/* Code of the interpreter, and all that is made at run time. */
	R_LOOP_LOW,
	R_LOOP_HIGH,
	R_CACHE_LOW,
	R_CACHE_HIGH,
};

static inline void hotspot_jump_if(SptHotspot *h, enum sysprof_chain_op op, unsigned dst,
				   unsigned src, int64_t imm, SptProgramJumps *to)
{
	spt_program_jump(h->program, op, dst, src, imm, to);
}

static inline void hotspot_jump(SptHotspot *h, SptProgramJumps *to)
{
	hotspot_jump_if(h, SYSPROF_CHAIN_JEQ, R_T, R_T, 0, to);
}

static inline void hotspot_land(SptHotspot *h, const SptProgramJumps *jumps)
{
	spt_program_land_all(h->program, jumps);
}

static inline void hotspot_end(SptHotspot *h)
{
	spt_hotspot_add(h, SYSPROF_CHAIN_END, 0, 0, 0);
}

static inline bool hotspot_has(const SptHotspot *h, const char *name)
{
	return spt_hotspot_vm_has(h->vm, name);
}

static inline int32_t hotspot_get(SptHotspot *h, const char *name)
{
	return spt_hotspot_vm_get(h->vm, name);
}

/*
 * Sets @to to a place in the code of R_BLOB: the member @address is it, or, where there is none,
 * @offset, which @load loads, is how far it is behind register @from.
 */
static inline void hotspot_load_place(SptHotspot *h, unsigned to, const char *address,
				      enum sysprof_chain_op load, const char *offset, unsigned from)
{
	if (hotspot_has(h, address)) {
		spt_hotspot_load(h, SYSPROF_CHAIN_LD8, to, R_BLOB, address);
		return;
	}
	spt_hotspot_load(h, load, to, R_BLOB, offset);
	spt_hotspot_add(h, SYSPROF_CHAIN_ADD, to, from, 0);
}

/* One frame of R_METHOD; @position is a register.  Returns where that begins. */
unsigned spt_hotspot_add_method(SptHotspot *h, unsigned position);
/* Sets @to to where the code of R_BLOB begins. */
void spt_hotspot_find_code(SptHotspot *h, unsigned to);
/* The methods of the compiled code at R_BLOB; these are the same until it has another number. */
void spt_hotspot_add_methods(SptHotspot *h);

G_END_DECLS

#endif
