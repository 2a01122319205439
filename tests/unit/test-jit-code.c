/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs report of the code they make: read as it grows, replaced in place, and not trusted.
 */
#include "symbols/jit-code.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "../gen/peak.h"

#define SINCE 100

struct fixture {
	SptJitCode *code;
	char *path;
	int fd;
	uint64_t at, budget;
};

static void set_up(struct fixture *fixture, const void *data)
{
	(void)data;
	*fixture = (struct fixture){ .code = spt_jit_code_new(SINCE), .budget = 1 << 20 };
	fixture->fd = g_file_open_tmp("jit-XXXXXX", &fixture->path, NULL);
	g_assert_cmpint(fixture->fd, >=, 0);
}

static void tear_down(struct fixture *fixture, const void *data)
{
	(void)data;
	g_unlink(fixture->path);
	g_free(fixture->path);
	close(fixture->fd);
	spt_jit_code_free(fixture->code);
}

static void append(struct fixture *fixture, const void *bytes, size_t n)
{
	g_assert_cmpint(pwrite(fixture->fd, bytes, n, lseek(fixture->fd, 0, SEEK_END)), ==, n);
}

static bool read_map_with(struct fixture *fixture, const char *text)
{
	append(fixture, text, strlen(text));
	return spt_jit_read_map(fixture->code, fixture->fd, SINCE + 50, &fixture->at,
				&fixture->budget);
}

/* @name NULL: there is nothing. */
static void expect(const struct fixture *fixture, uint64_t address, const char *name,
		   uint64_t start)
{
	SptJitFunction function;

	g_assert_cmpint(spt_jit_code_find(fixture->code, address, &function), ==, name != NULL);
	if (!name)
		return;
	g_assert_cmpstr(function.name, ==, name);
	g_assert_cmphex(function.start, ==, start);
}

static void test_replaced(struct fixture *fixture, const void *data)
{
	(void)data;
	for (unsigned i = 0; i < 8; i++)
		spt_jit_code_add(fixture->code, 5, 0x1000 + 0x100 * i, 0x100, "old", 3);
	spt_jit_code_add(fixture->code, 5, 0x1150, 0x100, "new", 3);
	expect(fixture, 0xfff, NULL, 0);
	expect(fixture, 0x10ff, "old", 0x1000);
	expect(fixture, 0x1100, NULL, 0);
	expect(fixture, 0x1150, "new", 0x1150);
	expect(fixture, 0x124f, "new", 0x1150);
	expect(fixture, 0x1250, NULL, 0);
	expect(fixture, 0x1300, "old", 0x1300);
	spt_jit_code_add(fixture->code, 5, 0, UINT64_MAX, "all", 3);
	expect(fixture, 0x1300, "all", 0);
	spt_jit_code_add(fixture->code, 5, UINT64_MAX, 2, "none", 4);
	spt_jit_code_add(fixture->code, 5, 5, 0, "none", 4);
	expect(fixture, UINT64_MAX, NULL, 0);
	expect(fixture, 5, "all", 0);
	/* Before anybody looked. */
	g_assert_cmpuint(spt_jit_code_epoch(fixture->code, UINT64_MAX), ==, 0);
}

/* What lay at @address at @time_ns; @name NULL: nothing. */
static void expect_at(const struct fixture *fixture, uint64_t address, uint64_t time_ns,
		      const char *name, uint64_t start)
{
	uint32_t generation = spt_jit_code_generation(fixture->code, address, time_ns);
	SptJitFunction function;

	g_assert_cmpint(spt_jit_code_find_generation(fixture->code, address, generation, &function),
			==, name != NULL);
	if (!name)
		return;
	g_assert_cmpstr(function.name, ==, name);
	g_assert_cmphex(function.start, ==, start);
}

static void test_generations(struct fixture *fixture, const void *data)
{
	(void)data;
	spt_jit_code_add(fixture->code, SINCE + 10, 0x1000, 0x100, "first", 5);
	spt_jit_code_add(fixture->code, SINCE + 20, 0x1100, 0x2000, "beside", 6);
	spt_jit_code_add(fixture->code, SINCE + 30, 0x1000, 0x80, "second", 6);
	spt_jit_code_add(fixture->code, SINCE + 35, 0x1000, 0x80, "second", 6);
	spt_jit_code_add(fixture->code, SINCE + 40, 0x1040, 0x100, "third", 5);
	g_assert_cmpuint(spt_jit_code_epoch(fixture->code, SINCE + 29), ==, 0);
	g_assert_cmpuint(spt_jit_code_epoch(fixture->code, SINCE + 39), ==, 1);
	g_assert_cmpuint(spt_jit_code_epoch(fixture->code, SINCE + 40), ==, 3);
	expect_at(fixture, 0x1010, SINCE + 29, "first", 0x1000);
	expect_at(fixture, 0x1010, SINCE + 30, "second", 0x1000);
	expect_at(fixture, 0x1010, SINCE + 40, NULL, 0);
	expect_at(fixture, 0x1050, SINCE + 39, "second", 0x1000);
	expect_at(fixture, 0x1050, SINCE + 40, "third", 0x1040);
	expect_at(fixture, 0x10f0, SINCE + 29, "first", 0x1000);
	/* Nothing was reported to be there; then something is, and it may have been there. */
	expect_at(fixture, 0x10f0, SINCE + 39, "third", 0x1040);
	/* On another page than it began. */
	expect_at(fixture, 0x3000, SINCE + 39, "beside", 0x1100);
	expect_at(fixture, 0x3000, SINCE + 40, NULL, 0);
	/* Late. */
	spt_jit_code_add(fixture->code, SINCE + 5, 0x1040, 0x100, "fourth", 6);
	expect_at(fixture, 0x1050, SINCE + 39, "second", 0x1000);
	expect_at(fixture, 0x1050, SINCE + 50, "fourth", 0x1040);
}

/* A map says nothing of times: what is added is of now. */
static void test_map_generations(struct fixture *fixture, const void *data)
{
	(void)data;
	g_assert_true(read_map_with(fixture, "1000 20 before\n1000 20 first\n"));
	g_assert_true(read_map_with(fixture, "1000 20 second\n"));
	expect_at(fixture, 0x1000, SINCE + 49, "first", 0x1000);
	expect_at(fixture, 0x1000, SINCE + 50, "second", 0x1000);
}

static void test_map(struct fixture *fixture, const void *data)
{
	(void)data;
	g_assert_true(read_map_with(
		fixture,
		"1000 20 first\n1020 10 second one; /a/b.js:1\nnothing\n\n 5 \n10 20\nzz 1 x\n30"));
	expect(fixture, 0x101f, "first", 0x1000);
	expect(fixture, 0x1020, "second one; /a/b.js:1", 0x1020);
	expect(fixture, 0x5, NULL, 0);
	g_assert_false(read_map_with(fixture, "00 8 thi"));
	expect(fixture, 0x3000, NULL, 0);
	g_assert_true(read_map_with(fixture, "rd\n0x4000 0x10 \xff\x01\n"));
	expect(fixture, 0x3007, "third", 0x3000);
	expect(fixture, 0x400f, "\xef\xbf\xbd", 0x4000);
	g_assert_false(read_map_with(fixture, ""));

	/* Begun anew. */
	g_assert_cmpint(ftruncate(fixture->fd, 0), ==, 0);
	g_assert_true(read_map_with(fixture, "1000 20 again\n"));
	expect(fixture, 0x1000, "again", 0x1000);
	expect(fixture, 0x1020, "second one; /a/b.js:1", 0x1020);
}

/*
 * As python -X perf writes it, from 3.12 on: what the interpreter has of its own has a place in
 * angle brackets.
 */
static void test_map_of_python(struct fixture *fixture, const void *data)
{
	(void)data;
	g_assert_true(read_map_with(
		fixture,
		"7f5a8a000010 b py::<module>:/srv/me/burn this.py\n7f5a8a000020 b py::work.<locals>.<lambda>:/srv/me/burn this.py\n"
		"7f5a8a000030 b py::_find_and_load:<frozen importlib._bootstrap>\n"));
	expect(fixture, 0x7f5a8a000014, "py::<module>:/srv/me/burn this.py", 0x7f5a8a000010);
	expect(fixture, 0x7f5a8a00002a, "py::work.<locals>.<lambda>:/srv/me/burn this.py",
	       0x7f5a8a000020);
	expect(fixture, 0x7f5a8a00002b, NULL, 0);
	expect(fixture, 0x7f5a8a000030, "py::_find_and_load:<frozen importlib._bootstrap>",
	       0x7f5a8a000030);
}

static void test_map_without_end(struct fixture *fixture, const void *data)
{
	g_autofree char *line = g_strnfill(600 << 10, 'x');

	(void)data;
	g_assert_false(read_map_with(fixture, line));
	g_assert_true(read_map_with(fixture, "\n7000 10 after\n"));
	expect(fixture, 0x7000, "after", 0x7000);
	g_assert_cmpuint(fixture->budget, <, (1 << 20) - (600 << 10));
	g_assert_false(read_map_with(fixture, line));
	g_assert_cmpuint(fixture->budget, <=, 256 << 10);
	fixture->budget = 0;
	g_assert_false(read_map_with(fixture, "\n8000 10 too late\n"));
	expect(fixture, 0x8000, NULL, 0);
}

/* jitdump, as its specification has it. */

static void append_words(struct fixture *fixture, unsigned n, const uint64_t *words)
{
	append(fixture, words, n * sizeof(*words));
}

static void append_header(struct fixture *fixture)
{
	const uint32_t header[] = { 0x4a695444, 1, 48, 62, 0, 1, 0, 0, 0, 0, 0, 0 };

	append(fixture, header, sizeof(header));
}

static uint64_t id_and_bytes(uint32_t id, uint32_t bytes)
{
	return id | (uint64_t)bytes << 32;
}

static void append_load(struct fixture *fixture, uint64_t start, uint64_t bytes, const char *name)
{
	g_autofree char *code = g_malloc0(bytes);
	size_t name_bytes = strlen(name) + 1;

	append_words(fixture, 7,
		     (uint64_t[]){ id_and_bytes(0, 56 + name_bytes + bytes), 5, 1, start, start,
				   bytes, 1 });
	append(fixture, name, name_bytes);
	append(fixture, code, bytes);
}

static bool read_dump(struct fixture *fixture)
{
	return spt_jit_read_dump(fixture->code, fixture->fd, &fixture->at, &fixture->budget);
}

static void test_dump(struct fixture *fixture, const void *data)
{
	g_autofree char *long_name = g_strnfill(3000, 'n');

	(void)data;
	g_assert_false(read_dump(fixture));
	append_header(fixture);
	g_assert_false(read_dump(fixture));
	append_load(fixture, 0x1000, 0x40, "loaded");
	append_words(fixture, 3, (uint64_t[]){ id_and_bytes(4, 24), 6, 7 });
	append_load(fixture, 0x2000, 3000, long_name);
	g_assert_true(read_dump(fixture));
	g_assert_false(read_dump(fixture));
	expect(fixture, 0x103f, "loaded", 0x1000);
	long_name[1024] = '\0';
	expect(fixture, 0x2000, long_name, 0x2000);

	append_words(fixture, 8,
		     (uint64_t[]){ id_and_bytes(1, 64), 7, 1, 0x1000, 0x1000, 0x5000, 0x40, 1 });
	g_assert_true(read_dump(fixture));
	expect(fixture, 0x1000, NULL, 0);
	expect(fixture, 0x5000, "loaded", 0x5000);
	/* From where there is nothing. */
	append_words(fixture, 8,
		     (uint64_t[]){ id_and_bytes(1, 64), 7, 1, 0x5001, 0x5001, 0x6000, 0x40, 1 });
	g_assert_false(read_dump(fixture));
	expect(fixture, 0x6000, NULL, 0);

	/* Half a record is read when it is whole; nothing behind the end. */
	append_words(fixture, 2, (uint64_t[]){ id_and_bytes(0, 60), 8 });
	g_assert_false(read_dump(fixture));
	append_words(fixture, 5, (uint64_t[]){ 1, 0x7000, 0x7000, 0x10, 2 });
	append(fixture, "abc", 4);
	g_assert_true(read_dump(fixture));
	expect(fixture, 0x7000, "abc", 0x7000);
	append_words(fixture, 2, (uint64_t[]){ id_and_bytes(3, 16), 9 });
	append_load(fixture, 0x8000, 16, "behind");
	g_assert_false(read_dump(fixture));
	expect(fixture, 0x8000, NULL, 0);
}

static void test_bad_dump(struct fixture *fixture, const void *data)
{
	(void)data;
	append_words(fixture, 6, (uint64_t[]){ id_and_bytes(0x4454694a, 1), 40, 0, 0, 0, 0 });
	append_load(fixture, 0x1000, 16, "swapped");
	g_assert_false(read_dump(fixture));

	g_assert_cmpint(ftruncate(fixture->fd, 0), ==, 0);
	append_header(fixture);
	append_words(fixture, 2, (uint64_t[]){ id_and_bytes(0, 0), 0 });
	append_load(fixture, 0x1000, 16, "behind a record without bytes");
	g_assert_false(read_dump(fixture));
	expect(fixture, 0x1000, NULL, 0);
}

/*
 * A file of 57 bytes a record that says of 4 MiB of code, again and again, that it was replaced:
 * what is kept of it is in proportion to the file.
 */
static void test_large_functions(struct fixture *fixture, const void *data)
{
	g_autoptr(GByteArray) records = g_byte_array_new();
	size_t begin;

	(void)data;
	append_header(fixture);
	for (unsigned i = 0; i < 20000; i++) {
		const uint64_t load[] = { id_and_bytes(0, 57),  SINCE + 1 + i,	1, 0,
					  0x10000000 + i % 16, 1023ull << 12, 1 };

		g_byte_array_append(records, (const uint8_t *)load, sizeof(load));
		g_byte_array_append(records, (const uint8_t *)"", 1);
	}
	append(fixture, records->data, records->len);
	fixture->budget = 64 << 20;
	begin = peak_begin();
	g_assert_true(read_dump(fixture));
	g_assert_cmpuint(peak_since(begin), <=, 8 << 20);
	g_assert_cmpuint(fixture->at, ==, 48 + records->len);
	/* So is what a look-up has to pass. */
	g_assert_cmpuint(spt_jit_code_generation(fixture->code, 0x10000100, UINT64_MAX), <=,
			 SPT_JIT_PAST_STEPS);
}

/* Small ones on one page, of which each is in the way of every look-up there. */
static void test_replaced_often(struct fixture *fixture, const void *data)
{
	uint32_t generation;

	(void)data;
	for (unsigned i = 0; i < 50000; i++)
		spt_jit_code_add(fixture->code, SINCE + 1 + i, 0x1000 + i % 2, 16, "a", 1);
	generation = spt_jit_code_generation(fixture->code, 0x1008, UINT64_MAX);
	g_assert_cmpuint(generation, >, 500);
	g_assert_cmpuint(generation, <=, SPT_JIT_PAST_STEPS);
	expect_at(fixture, 0x1008, SINCE + 1 + 500, "a", 0x1000);
}

/* A program that has more to say than is read at one time is read on from there. */
static void test_budget(struct fixture *fixture, const void *data)
{
	unsigned n_calls = 0;

	(void)data;
	append_header(fixture);
	for (unsigned i = 0; i < 1000; i++)
		append_load(fixture, 0x1000 + 16 * i, 16, "one");
	for (uint64_t at = 0;; at = fixture->at, n_calls++) {
		fixture->budget = 10000;
		read_dump(fixture);
		if (fixture->at == at)
			break;
		g_assert_cmpuint(fixture->at - at, <=, 48 + 10000);
	}
	g_assert_cmpuint(n_calls, >, 10);
	expect(fixture, 0x1000 + 16 * 999, "one", 0x1000 + 16 * 999);
	/* What is passed over takes of it, too. */
	for (unsigned i = 0; i < 1000; i++)
		append_words(fixture, 2, (uint64_t[]){ id_and_bytes(4, 16), 7 });
	fixture->budget = 10000;
	g_assert_false(read_dump(fixture));
	g_assert_cmpuint(fixture->budget, ==, 0);
}

/* Every place of both files cut off, and each byte damaged: an answer, and no more. */
static void test_damage(struct fixture *fixture, const void *data)
{
	g_autofree char *whole = NULL;
	size_t bytes;

	(void)data;
	append_header(fixture);
	append_load(fixture, 0x1000, 24, "one");
	append_words(fixture, 8,
		     (uint64_t[]){ id_and_bytes(1, 64), 7, 1, 0x1000, 0x1000, 0x5000, 0x40, 1 });
	append_load(fixture, 0x2000, 24, "two");
	append(fixture, "\n1000 20 three\n", 15);
	g_assert_true(g_file_get_contents(fixture->path, &whole, &bytes, NULL));
	for (size_t i = 0; i < 2 * bytes; i++) {
		g_autofree char *copy = g_memdup2(whole, bytes);

		copy[i % bytes] ^= i < bytes ? 0 : 0x81;
		g_assert_cmpint(ftruncate(fixture->fd, 0), ==, 0);
		append(fixture, copy, i < bytes ? i : bytes);
		fixture->at = 0;
		fixture->budget = 1 << 20;
		read_dump(fixture);
		fixture->at = 0;
		spt_jit_read_map(fixture->code, fixture->fd, SINCE + 50, &fixture->at,
				 &fixture->budget);
	}
}

int main(int argc, char **argv)
{
	static const struct {
		const char *path;
		void (*func)(struct fixture *fixture, const void *data);
	} tests[] = {
		{ "/jit/replaced", test_replaced },
		{ "/jit/generations", test_generations },
		{ "/jit/map-generations", test_map_generations },
		{ "/jit/map", test_map },
		{ "/jit/map-of-python", test_map_of_python },
		{ "/jit/map-without-end", test_map_without_end },
		{ "/jit/dump", test_dump },
		{ "/jit/bad-dump", test_bad_dump },
		{ "/jit/large-functions", test_large_functions },
		{ "/jit/replaced-often", test_replaced_often },
		{ "/jit/budget", test_budget },
		{ "/jit/damage", test_damage },
	};

	g_test_init(&argc, &argv, NULL);
	peak_watch();
	for (unsigned i = 0; i < G_N_ELEMENTS(tests); i++)
		g_test_add(tests[i].path, struct fixture, NULL, set_up, tests[i].func, tear_down);
	return g_test_run();
}
