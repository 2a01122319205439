/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where code returns to that does so straight away, and that nothing is said of other code. */
#include "unwind/straight.h"

#include <glib.h>
#include <string.h>

#define CODE(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define BX (1u << 3)

static const struct {
	const char *what;
	const uint8_t *code;
	size_t n;
	SptStraight is;
} known[] = {
	{ "ret", CODE(0xc3), { .keeps_fp = true } },
	{ "add $8, %rsp; ret", CODE(0x48, 0x83, 0xc4, 0x08, 0xc3),
	  { .keeps_fp = true, .return_offset = 8 } },
	{ "pop %rbp; ret", CODE(0x5d, 0xc3), { .has_fp = true, .return_offset = 8 } },
	{ "leave; ret", CODE(0xc9, 0xc3),
	  { .from_fp = true, .has_fp = true, .return_offset = 8 } },
	{ "lea -8(%rbp), %rsp; pop %rbx; pop %rbp; ret",
	  CODE(0x48, 0x8d, 0x65, 0xf8, 0x5b, 0x5d, 0xc3),
	  { .from_fp = true, .has_fp = true, .return_offset = 8, .writes = BX } },
	{ "mov %rax, %rcx; nopl; mov 16(%rsp), %rbp; add $24, %rsp; ret",
	  CODE(0x48, 0x89, 0xc1, 0x0f, 0x1f, 0x00, 0x48, 0x8b, 0x6c, 0x24, 0x10, 0x48, 0x83, 0xc4,
	       0x18, 0xc3),
	  { .has_fp = true, .return_offset = 24, .fp_offset = 16 } },
	{ "xor %ebp, %ebp; ret", CODE(0x31, 0xed, 0xc3), { .return_offset = 0 } },
};

static const struct {
	const char *what;
	const uint8_t *code;
	size_t n;
} unknown[] = {
	{ "nothing", CODE(0x90) },
	{ "push %rax; ret", CODE(0x50, 0xc3) },
	{ "push %rax; pop %rcx; ret", CODE(0x50, 0x59, 0xc3) },
	{ "jmp", CODE(0xeb, 0x00, 0xc3) },
	{ "jne", CODE(0x75, 0x00, 0xc3) },
	{ "call", CODE(0xe8, 0x00, 0x00, 0x00, 0x00, 0xc3) },
	{ "ret $8", CODE(0xc2, 0x08, 0x00) },
	{ "pushf; popf; ret", CODE(0x9c, 0x9d, 0xc3) },
	{ "mov %rax, %rsp; ret", CODE(0x48, 0x89, 0xc4, 0xc3) },
	{ "pop %rsp; ret", CODE(0x5c, 0xc3) },
	{ "and $-16, %rsp; ret", CODE(0x48, 0x83, 0xe4, 0xf0, 0xc3) },
	{ "add $8, %esp; ret", CODE(0x83, 0xc4, 0x08, 0xc3) },
	{ "xchg %rax, %rsp; ret", CODE(0x48, 0x94, 0xc3) },
	{ "pop %rbp; leave; ret", CODE(0x5d, 0xc9, 0xc3) },
	{ "int3", CODE(0xcc, 0xc3) },
};

static void test_known(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
		SptStraight straight;

		g_test_message("%s", known[i].what);
		g_assert_true(spt_straight_find(known[i].code, known[i].n, &straight));
		g_assert_true(straight.from_fp == known[i].is.from_fp);
		g_assert_true(straight.keeps_fp == known[i].is.keeps_fp);
		g_assert_true(straight.has_fp == known[i].is.has_fp);
		g_assert_cmpint(straight.return_offset, ==, known[i].is.return_offset);
		if (straight.has_fp)
			g_assert_cmpint(straight.fp_offset, ==, known[i].is.fp_offset);
		g_assert_cmpuint(straight.writes & BX, ==, known[i].is.writes & BX);
		/* Without its return. */
		g_assert_false(spt_straight_find(known[i].code, known[i].n - 1, &straight));
	}
}

static void test_unknown(void)
{
	SptStraight straight;

	for (unsigned i = 0; i < G_N_ELEMENTS(unknown); i++) {
		g_test_message("%s", unknown[i].what);
		g_assert_false(spt_straight_find(unknown[i].code, unknown[i].n, &straight));
	}
}

/* Whatever the bytes are, it ends, and reads no others. */
static void test_any_bytes(void)
{
	for (unsigned round = 0; round < 20000; round++) {
		size_t n = round % (SPT_STRAIGHT_BYTES + 1);
		g_autofree uint8_t *code = g_malloc(n);
		SptStraight straight;

		for (size_t i = 0; i < n; i++)
			code[i] = (uint8_t)g_test_rand_int();
		if (spt_straight_find(code, n, &straight))
			g_assert_cmpint(straight.return_offset, >=, 0);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/straight/known", test_known);
	g_test_add_func("/straight/unknown", test_unknown);
	g_test_add_func("/straight/any-bytes", test_any_bytes);
	return g_test_run();
}
