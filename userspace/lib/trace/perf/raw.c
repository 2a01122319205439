/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perf excludes registers that were not requested; the device has a place for all of them. */
#include "trace/perf/raw.h"

#include <elf.h>
#include <string.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#define MACHINE_NAME "x86_64"
#define N_REGISTERS 24
#define REGISTERS 0xff0fffULL		/* without the segment registers ds es fs gs */
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#define MACHINE_NAME "aarch64"
#define N_REGISTERS 33
#define REGISTERS 0x1ffffffffULL
#else
#define MACHINE EM_NONE
#define MACHINE_NAME ""
#define N_REGISTERS 0
#define REGISTERS 0ULL
#endif

const char *spt_perf_raw_machine(void)
{
	return MACHINE_NAME;
}

uint64_t spt_perf_raw_registers(void)
{
	return REGISTERS;
}

uint32_t spt_perf_raw_take(const void *from, size_t bytes, GByteArray *to)
{
	const uint64_t *words = from;
	size_t n = bytes / 8, n_regs = __builtin_popcountll(REGISTERS), made;
	uint64_t wanted, copied;
	guint at = to->len;
	struct sysprof_raw *raw;

	if (n < 2 + n_regs || words[0] != PERF_SAMPLE_REGS_ABI_64)
		return 0;
	wanted = words[1 + n_regs];
	/* The bytes, and how many of them were really copied. */
	if (!wanted || wanted % 8 || wanted / 8 > n || 2 + n_regs + wanted / 8 + 1 > n)
		return 0;
	copied = words[2 + n_regs + wanted / 8];
	if (copied > wanted)
		return 0;
	made = sizeof(*raw) + N_REGISTERS * 8 + (copied + 7) / 8 * 8;
	g_byte_array_set_size(to, at + made);
	raw = (void *)(to->data + at);
	memset(raw, 0, sizeof(*raw) + N_REGISTERS * 8);
	raw->arch = MACHINE;
	raw->n_regs = N_REGISTERS;
	raw->stack_bytes = copied;
	raw->wanted_bytes = wanted;
	for (unsigned i = 0, next = 1; i < N_REGISTERS; i++)
		if (REGISTERS >> i & 1)
			raw->regs[i] = words[next++];
	memcpy(&raw->regs[N_REGISTERS], &words[2 + n_regs], copied);
	memset((uint8_t *)&raw->regs[N_REGISTERS] + copied, 0, -copied % 8);
	return made;
}
