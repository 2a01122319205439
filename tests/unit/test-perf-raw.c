/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers and stacks of perf's samples, as the device has them; what makes no sense is none. */
#include "trace/perf/raw.h"

#include <string.h>

#define STACK_BYTES 64

static uint64_t words[128];

static unsigned n_registers(void)
{
	return __builtin_popcountll(spt_perf_raw_registers());
}

/* What lies behind the frames; returns its bytes. */
static size_t make(uint64_t abi, uint64_t wanted, uint64_t copied)
{
	unsigned n = 0;

	memset(words, 0, sizeof(words));
	words[n++] = abi;
	for (unsigned i = 0; i < n_registers(); i++)
		words[n++] = 100 + i;
	words[n++] = wanted;
	for (unsigned i = 0; i < STACK_BYTES / 8; i++)
		words[n++] = 1000 + i;
	words[n++] = copied;
	return n * 8;
}

static uint32_t take(size_t bytes, GByteArray *to)
{
	g_byte_array_set_size(to, 0);
	return spt_perf_raw_take(words, bytes, to);
}

static void test_whole(void)
{
	g_autoptr(GByteArray) to = g_byte_array_new();
	size_t bytes = make(PERF_SAMPLE_REGS_ABI_64, STACK_BYTES, 24);
	uint32_t made = take(bytes, to);
	const struct sysprof_raw *raw = (const void *)to->data;
	unsigned seen = 0;

	g_assert_cmpuint(made, ==, to->len);
	g_assert_cmpuint(made, ==, sizeof(*raw) + raw->n_regs * 8 + 24);
	g_assert_cmpuint(raw->stack_bytes, ==, 24);
	g_assert_cmpuint(raw->wanted_bytes, ==, STACK_BYTES);
	/* Each at the place of its number, 0 where none was asked for. */
	for (unsigned i = 0; i < raw->n_regs; i++)
		g_assert_cmpuint(raw->regs[i], ==,
				 spt_perf_raw_registers() >> i & 1 ? 100 + seen++ : 0);
	g_assert_cmpuint(seen, ==, n_registers());
	for (unsigned i = 0; i < 3; i++)
		g_assert_cmpuint(raw->regs[raw->n_regs + i], ==, 1000 + i);
	/* An odd number of bytes is filled up. */
	made = take(make(PERF_SAMPLE_REGS_ABI_64, STACK_BYTES, 17), to);
	g_assert_cmpuint(made % 8, ==, 0);
	g_assert_cmpuint(((const struct sysprof_raw *)to->data)->stack_bytes, ==, 17);
}

static void test_none(void)
{
	g_autoptr(GByteArray) to = g_byte_array_new();
	size_t bytes = make(PERF_SAMPLE_REGS_ABI_64, STACK_BYTES, 24);

	/* Of a kernel thread there are no registers, of a 32-bit program other ones. */
	words[0] = PERF_SAMPLE_REGS_ABI_NONE;
	g_assert_cmpuint(take(16, to), ==, 0);
	g_assert_cmpuint(take(make(PERF_SAMPLE_REGS_ABI_32, STACK_BYTES, 24), to), ==, 0);
	g_assert_cmpuint(take(make(PERF_SAMPLE_REGS_ABI_64, 0, 0), to), ==, 0);
	/* Cut anywhere, or with sizes that lie. */
	bytes = make(PERF_SAMPLE_REGS_ABI_64, STACK_BYTES, 24);
	for (size_t less = 0; less < bytes; less += 8)
		g_assert_cmpuint(take(less, to), ==, 0);
	g_assert_cmpuint(take(make(PERF_SAMPLE_REGS_ABI_64, STACK_BYTES + 8, 24), to), ==, 0);
	g_assert_cmpuint(take(make(PERF_SAMPLE_REGS_ABI_64, UINT64_MAX - 7, 24), to), ==, 0);
	g_assert_cmpuint(take(make(PERF_SAMPLE_REGS_ABI_64, STACK_BYTES - 4, 24), to), ==, 0);
	g_assert_cmpuint(take(make(PERF_SAMPLE_REGS_ABI_64, STACK_BYTES, STACK_BYTES + 1), to), ==,
			 0);
	g_assert_cmpuint(to->len, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perf-raw/whole", test_whole);
	g_test_add_func("/perf-raw/none", test_none);
	return g_test_run();
}
