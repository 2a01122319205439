/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers and stacks of perf's samples, as the device has them; what makes no sense is none. */
#include "trace/perf/raw.h"

#include <string.h>

#include "perf-made.h"

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

/* A stack that begins with the first instruction of a function, and what is in its register. */
static void check_caller(const uint64_t *frames, unsigned n, uint64_t address,
			 const uint64_t *wanted, unsigned n_wanted)
{
	g_autoptr(GByteArray) record = g_byte_array_new();
	struct made made;
	uint64_t time;

	memset(&made, 0, sizeof(made));
	made.header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = 8 };
	add_pair(&made, 5, 6);
	add(&made, 7);
	add(&made, n);
	for (unsigned i = 0; i < n; i++)
		add(&made, frames[i]);
	add(&made, 0xda7a);
	g_byte_array_append(record, (const uint8_t *)&made, made.header.size);
	spt_perf_sample_add_caller(record, address);
	memcpy(&made, record->data, record->len);
	g_assert_cmpuint(made.header.size, ==, record->len);
	g_assert_true(spt_perf_record_time(&made.header, &time));
	g_assert_cmpuint(time, ==, 7);
	g_assert_cmpmem(made.words + 4, n_wanted * 8, wanted, n_wanted * 8);
	g_assert_cmpuint(made.words[3], ==, n_wanted);
	/* What was behind the frames still is. */
	g_assert_cmpuint(made.words[4 + n_wanted], ==, 0xda7a);
}

static void test_caller(void)
{
	static const uint64_t kernel = PERF_CONTEXT_KERNEL, user = PERF_CONTEXT_USER;
	const uint64_t whole[] = { kernel, 0xa1, 0xa3, user, 0x11 };
	const uint64_t wanted[] = { kernel, 0xa1, 0xa2, 0xa3, user, 0x11 };

	check_caller(whole, G_N_ELEMENTS(whole), 0xa2, wanted, G_N_ELEMENTS(wanted));
	check_caller(whole, 2, 0xa2, wanted, 3);
	/* It is there. */
	check_caller(whole, G_N_ELEMENTS(whole), 0xa3, whole, G_N_ELEMENTS(whole));
	/* The kernel's frames were not asked for. */
	check_caller(whole + 3, 2, 0xa2, whole + 3, 2);
	check_caller(whole, 0, 0xa2, whole, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perf-raw/whole", test_whole);
	g_test_add_func("/perf-raw/none", test_none);
	g_test_add_func("/perf-raw/direct-caller", test_caller);
	return g_test_run();
}
