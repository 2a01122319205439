/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instructions of chains compute (the uapi header sysprof-chain.h), for who runs them outside
 * of the kernel: the libraries in programs, and the recorder.  No calls, no memory but what is
 * given.
 */
#ifndef SPT_RINGS_CHAIN_OPS_H
#define SPT_RINGS_CHAIN_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "sysprof-chain.h"

static inline uint64_t spt_chain_mix(uint64_t a, uint64_t b)
{
	return (a ^ b) * 0x61c8864680b583ebULL;
}

/* @insn, which computes, on the values of its registers; others do nothing. */
static inline void spt_chain_compute(const struct sysprof_chain_insn *insn, uint64_t *dst,
				     uint64_t src)
{
	uint64_t imm = (uint64_t)(int64_t)insn->imm;

	switch (insn->op) {
	case SYSPROF_CHAIN_ADDI:
		*dst = src + imm;
		break;
	case SYSPROF_CHAIN_ADD:
		*dst += src;
		break;
	case SYSPROF_CHAIN_SUB:
		*dst -= src;
		break;
	case SYSPROF_CHAIN_ANDI:
		*dst = src & imm;
		break;
	case SYSPROF_CHAIN_SHLI:
		*dst = src << (imm & 63);
		break;
	case SYSPROF_CHAIN_SHRI:
		*dst = src >> (imm & 63);
		break;
	case SYSPROF_CHAIN_MOVI:
		*dst = imm;
		break;
	case SYSPROF_CHAIN_MIX:
		*dst = spt_chain_mix(*dst, src);
		break;
	case SYSPROF_CHAIN_SHL:
		*dst <<= src & 63;
		break;
	case SYSPROF_CHAIN_SHR:
		*dst >>= src & 63;
		break;
	}
}

/* Whether @insn, which is SYSPROF_CHAIN_JEQI to SYSPROF_CHAIN_JLT, skips instructions. */
static inline bool spt_chain_jumps(const struct sysprof_chain_insn *insn, uint64_t dst,
				   uint64_t src)
{
	uint64_t imm = (uint64_t)(int64_t)insn->imm;

	switch (insn->op) {
	case SYSPROF_CHAIN_JEQI:
		return src == imm;
	case SYSPROF_CHAIN_JNEI:
		return src != imm;
	case SYSPROF_CHAIN_JEQ:
		return src == dst;
	case SYSPROF_CHAIN_JNE:
		return src != dst;
	default:
		return dst < src;
	}
}

#endif
