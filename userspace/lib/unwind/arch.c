/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machines: x86-64 and AArch64. */
#include "unwind/arch.h"

#include <elf.h>

static const SptUnwindArch archs[] = {
	{
		.machine = EM_X86_64,
		.n_registers = 16, /* ax dx cx bx si di bp sp r8 ... r15 */
		.sp = 7,
		.fp = 6,
		.ra = 16,
		.n_saved = 6,
		.saved = { 3, 6, 12, 13, 14, 15 },
		.n_raw = 24,
		.raw_ip = 8,
		.raw = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23 },
		/* DW_OP_breg7 (rsp) 168 */
		.signal_expression = { 0x77, 0xa8, 0x01 },
		/* struct ucontext: 40 bytes, then struct sigcontext. */
		.signal = { 144, 136, 152, 128, 112, 104, 120, 160, 40, 48, 56, 64, 72, 80, 88,
			    96 },
		.signal_ip = 168,
		.address_mask = UINT64_MAX,
		.calls_push = true,
	},
	{
		.machine = EM_AARCH64,
		.n_registers = 32, /* x0 ... x30 sp */
		.sp = 31,
		.fp = 29,
		.ra = 30,
		.n_saved = 11,
		.saved = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 },
		.n_raw = 33,
		.raw_ip = 32,
		.raw = { 0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15,
			 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 },
		/*
		 * struct siginfo: 128 bytes, 176 of struct ucontext, the address of a fault, then
		 * the registers.
		 */
		.signal = { 312, 320, 328, 336, 344, 352, 360, 368, 376, 384, 392,
			    400, 408, 416, 424, 432, 440, 448, 456, 464, 472, 480,
			    488, 496, 504, 512, 520, 528, 536, 544, 552, 560 },
		.signal_ip = 568,
		/*
		 * User space has at most 52 bits of address; pointer authentication uses those
		 * above 48 unless a program asks for more.
		 */
		.address_mask = (1ULL << 48) - 1,
	},
};

const SptUnwindArch *spt_unwind_arch(unsigned machine)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(archs); i++)
		if (archs[i].machine == machine)
			return &archs[i];
	return NULL;
}
