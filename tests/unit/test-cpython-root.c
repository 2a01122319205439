/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where CPython keeps a thread's state, by instructions as compilers of arm64 write them. */
#include <glib.h>

#include "scripts/cpython-root.c"

/* Where it is in Debian's python3.11. */
#define RUNTIME	 0xa35ff8
#define ADDRESS	 0x4714a4
#define RET	 0xd65f03c0
#define BRANCH	 0x17feb9aa
#define BTI	 0xd503245f
#define CBZ_X1	 0xb4000061
#define CBZ_W0	 0x34000080
#define MRS_X0	 0xd53bd040

static bool find_in(const uint32_t *words, size_t n, uint64_t address, uint64_t runtime,
		    SptCpythonRoot *ret)
{
	struct getter getter = {
		.bytes = n * sizeof(*words),
		.address = address,
		.runtime = { runtime, 0x45320 },
	};

	*ret = (SptCpythonRoot){ 0 };
	g_assert_cmpuint(getter.bytes, <=, GETTER_MAX_BYTES);
	memcpy(getter.code, words, getter.bytes);
	return cpython_find_root_arm64(&getter, ret);
}

/* The key is loaded, and handed to pthread_getspecific(). */
static void test_loaded(void)
{
	static const uint32_t of_11[] = {
		0x90002e20,		/* adrp x0, 0xa35000 */
		0x913fe000,		/* add x0, x0, #0xff8 */
		0xf9412c01,		/* ldr x1, [x0, #600] */
		CBZ_X1,
		0xb9426400,		/* ldr w0, [x0, #612] */
		BRANCH,
		RET,
	}, of_13[] = {
		BTI,
		0x90002d40,		/* adrp x0, 0xa27000 */
		0x911a6000,		/* add x0, x0, #0x698 */
		0xb9487001,		/* ldr w1, [x0, #2160] */
		0x34000061,		/* cbz w1 */
		0xb9487400,		/* ldr w0, [x0, #2164] */
		0x17fe8556,
	};
	SptCpythonRoot root;

	g_assert_true(find_in(of_11, G_N_ELEMENTS(of_11), ADDRESS, RUNTIME, &root));
	g_assert_cmphex(root.key, ==, RUNTIME + 612);
	g_assert_true(find_in(of_13, G_N_ELEMENTS(of_13), 0x47f420, 0xa27698, &root));
	g_assert_cmphex(root.key, ==, 0xa27698 + 2164);
	/* Of something else. */
	g_assert_false(find_in(of_13, G_N_ELEMENTS(of_13), 0x47f420, 0x100000, &root));
	g_assert_cmphex(root.key, ==, 0);
	/* It calls nothing. */
	g_assert_false(find_in(of_11, 5, ADDRESS, RUNTIME, &root));
}

/* What is handed over is the struct with the key; another word of it is looked at before. */
static void test_struct(void)
{
	static const uint32_t of_14[] = {
		BTI,
		0xf0003920,		/* adrp x0, 0xb4c000 */
		0xb946a000,		/* ldr w0, [x0, #1696] */
		CBZ_W0,
		0xf0003920,
		0x911a8000,		/* add x0, x0, #0x6a0 */
		0x14023e06,
	};
	SptCpythonRoot root;

	g_assert_true(find_in(of_14, G_N_ELEMENTS(of_14), 0x425658, 0xb4bd80, &root));
	g_assert_cmphex(root.key, ==, 0xb4c6a4);
}

/* A variable of the thread. */
static void test_variable(void)
{
	static const uint32_t words[] = {
		MRS_X0,
		0x91400400,		/* add x0, x0, #1, lsl #12 */
		0x9100a000,		/* add x0, x0, #0x28 */
		0xf9400400,		/* ldr x0, [x0, #8] */
		RET,
	};
	SptCpythonRoot root;

	g_assert_true(find_in(words, G_N_ELEMENTS(words), ADDRESS, RUNTIME, &root));
	g_assert_cmphex(root.key, ==, 0);
	g_assert_cmpint(root.variable, ==, 0x1030);
}

/* Whatever the instructions are, what is found is in the struct. */
static void test_anything(void)
{
	GRand *rand = g_rand_new_with_seed(7);
	uint32_t words[GETTER_MAX_BYTES / 4];
	SptCpythonRoot root;

	for (unsigned i = 0; i < 200000; i++) {
		for (unsigned k = 0; k < G_N_ELEMENTS(words); k++)
			words[k] = g_rand_int(rand);
		if (find_in(words, G_N_ELEMENTS(words), ADDRESS, RUNTIME, &root) && root.key)
			g_assert_cmphex(root.key - RUNTIME, <, 0x45320);
	}
	g_rand_free(rand);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cpython-root/loaded", test_loaded);
	g_test_add_func("/cpython-root/struct", test_struct);
	g_test_add_func("/cpython-root/variable", test_variable);
	g_test_add_func("/cpython-root/anything", test_anything);
	return g_test_run();
}
