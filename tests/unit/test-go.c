/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Go walks its stacks by, read: a table made here, in both forms, and then damaged. */
#include <string.h>

#include "unwind/go.h"

#define TEXT 0x401000
#define HEAD 72
#define NAMES HEAD
#define VALUES (NAMES + 128)
#define FUNCTIONS (VALUES + 64)
#define FUNCTIONS_N 6
#define RECORD 48
#define BYTES (FUNCTIONS + 8 * FUNCTIONS_N + 8 + FUNCTIONS_N * RECORD)
#define TOP 1
#define SETS_SP 2

static const struct {
	const char *name;
	uint32_t start;
	uint8_t values;			/* where they are */
	uint8_t flags;
} functions[FUNCTIONS_N] = {
	{ "runtime.rt0_go.abi0", 0x00, 1, TOP },
	{ "main.main", 0x20, 1, 0 },
	{ "runtime.systemstack.abi0", 0x60, 10, SETS_SP },
	{ "runtime.mcall", 0x80, 10, SETS_SP },
	{ "main.last", 0x90, 1, 0 },
	{ "runtime.sigreturn", 0xc0, 10, 0 },
};

/* At 1: 0 for 4 bytes, 24 for 20, 0 for the rest; at 10: 0 for all. */
static const uint8_t values[] = { 0, 2, 4, 48, 20, 47, 100, 0, 0, 0, 2, 32, 0 };

struct seen {
	GString *text;
	unsigned rows;
};

static void put(uint8_t *bytes, unsigned at, uint64_t number, unsigned n)
{
	memcpy(bytes + at, &number, n);
}

static void make_table(uint8_t bytes[BYTES], uint32_t magic)
{
	unsigned name = 1, record = 8 * FUNCTIONS_N + 8;
	unsigned flags_at = magic == 0xfffffff1 ? 41 : 37;

	memset(bytes, 0, BYTES);
	put(bytes, 0, magic, 4);
	bytes[6] = 1;
	bytes[7] = 8;
	put(bytes, 8, FUNCTIONS_N, 8);
	put(bytes, 24, TEXT, 8);
	put(bytes, 32, NAMES, 8);
	put(bytes, 56, VALUES, 8);
	put(bytes, 64, FUNCTIONS, 8);
	memcpy(bytes + VALUES, values, sizeof(values));
	for (unsigned i = 0; i < FUNCTIONS_N; i++, record += RECORD) {
		strcpy((char *)bytes + NAMES + name, functions[i].name);
		put(bytes, FUNCTIONS + 8 * i, functions[i].start, 4);
		put(bytes, FUNCTIONS + 8 * i + 4, record, 4);
		put(bytes, FUNCTIONS + record, functions[i].start, 4);
		put(bytes, FUNCTIONS + record + 4, name, 4);
		put(bytes, FUNCTIONS + record + 16, functions[i].values, 4);
		bytes[FUNCTIONS + record + flags_at] = functions[i].flags;
		name += strlen(functions[i].name) + 1;
	}
	put(bytes, FUNCTIONS + 8 * FUNCTIONS_N, 0xe0, 4);
}

static bool on_function(uint64_t start, uint64_t end, void *data)
{
	struct seen *seen = data;

	g_assert_cmpuint(start, <, end);
	g_string_append_printf(seen->text, "%s%x..%x:", seen->text->len ? " " : "",
			       (unsigned)(start - TEXT), (unsigned)(end - TEXT));
	return true;
}

static void on_row(uint64_t address, const SptUnwindRule *rule, void *data)
{
	static const char *const kinds[] = { "?", "register", "?", "?", "?", "signal", "switch" };
	struct seen *seen = data;

	seen->rows++;
	g_assert_cmpuint(rule->cfa, <, G_N_ELEMENTS(kinds));
	if (rule->cfa == SYSPROF_CFA_SIGNAL || rule->ra == SYSPROF_RA_NONE)
		g_string_append_printf(seen->text, "%x=%s", (unsigned)(address - TEXT),
				       rule->ra == SYSPROF_RA_NONE &&
						       rule->cfa != SYSPROF_CFA_SIGNAL ?
					       "top" :
					       "signal");
	else
		g_string_append_printf(seen->text, "%x=%s%u+%d%s,", (unsigned)(address - TEXT),
				       kinds[rule->cfa], rule->cfa_register, rule->cfa_offset,
				       rule->at_cfa ? "fp" : "");
}

static char *read_all(const uint8_t *bytes, size_t n, uint64_t text, bool *ret_ok)
{
	struct seen seen = { g_string_new(NULL), 0 };

	*ret_ok = spt_go_read(bytes, n, text, &(SptGoSink){ on_function, on_row, &seen });
	g_assert_cmpuint(seen.rows, <=, n + FUNCTIONS_N);
	return g_string_free(seen.text, FALSE);
}

#define EXPECTED                                                                                   \
	"0..20:0=top4=top18=top 20..60:20=register7+8,24=register7+32fp,38=register7+8, "          \
	"60..80:60=switch6+16fp, 80..90:80=top 90..bf:90=register7+8,94=register7+32fp,"           \
	"a8=register7+8, bf..e0:bf=signal"

static void test_forms(void)
{
	static const uint32_t magics[] = { 0xfffffff0, 0xfffffff1 };

	for (unsigned i = 0; i < G_N_ELEMENTS(magics); i++) {
		g_autofree char *seen = NULL, *moved = NULL;
		uint8_t bytes[BYTES];
		bool ok;

		make_table(bytes, magics[i]);
		seen = read_all(bytes, sizeof(bytes), 0, &ok);
		g_assert_true(ok);
		g_assert_cmpstr(seen, ==, EXPECTED);
		/* A program whose code may lie anywhere does not say where it does. */
		put(bytes, 24, 0, 8);
		moved = read_all(bytes, sizeof(bytes), TEXT, &ok);
		g_assert_true(ok);
		g_assert_cmpstr(moved, ==, EXPECTED);
	}
}

static void test_others(void)
{
	uint8_t bytes[BYTES];
	bool ok;

	make_table(bytes, 0xfffffff0);
	for (size_t n = 0; n < HEAD; n++) {
		g_free(read_all(bytes, n, TEXT, &ok));
		g_assert_false(ok);
	}
	put(bytes, 0, 0xfffffffa, 4);
	g_free(read_all(bytes, sizeof(bytes), TEXT, &ok));
	g_assert_false(ok);
	make_table(bytes, 0xfffffff0);
	put(bytes, 8, UINT64_MAX, 8);
	g_free(read_all(bytes, sizeof(bytes), TEXT, &ok));
	g_assert_false(ok);
}

static void test_damaged(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);
	unsigned read = 0;

	for (unsigned round = 0; round < 50000; round++) {
		size_t n = g_rand_int_range(rand, HEAD, BYTES + 1);
		g_autofree uint8_t *bytes = g_malloc(BYTES), *exact = NULL;
		bool ok;

		make_table(bytes, round % 2 ? 0xfffffff0 : 0xfffffff1);
		for (int i = g_rand_int_range(rand, 1, 9); i > 0; i--)
			bytes[g_rand_int_range(rand, 6, BYTES)] = g_rand_int(rand);
		exact = g_memdup2(bytes, n);
		g_free(read_all(exact, n, TEXT, &ok));
		read += ok;
	}
	g_assert_cmpuint(read, >, 5000);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/go/forms", test_forms);
	g_test_add_func("/go/others", test_others);
	g_test_add_func("/go/damaged", test_damaged);
	return g_test_run();
}
