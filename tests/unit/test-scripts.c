/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is made of interpreters and of what was copied of scripts: line tables of CPython against
 * the lines that each version itself gives for them, hostile copies, and the chain for this
 * machine's own Python.
 */
#include "scripts/interpreter.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/script-lines.h"
#include "record/script-names.h"
#include "scripts/cpython-code.h"
#include "scripts/ruby-code.h"
#include "scripts/v8-code.h"

#define TAG(minor) SPT_TAG(1, 3, minor)

/* The line table of one function, and the lines of some positions, as co_lines() has them. */
static const struct {
	unsigned minor, first_line;
	const char *table;
	struct {
		uint16_t position, line;
	} lines[40];
} tables[] = {
	{ 9,
	  10,
	  "000104010c010201020102ff02ff0403080102010201040102ff08020c010802",
	  { { 0, 11 },
	    { 12, 12 },
	    { 24, 13 },
	    { 36, 17 },
	    { 48, 19 },
	    { 60, 21 },
	    { 64, 21 },
	    { 68, 22 },
	    { 72, 22 },
	    { 76, 24 } } },
	{ 10,
	  10,
	  "04010c0102010201020102ff04ff0803020102010401020108ff0c02040102ff0403",
	  { { 0, 11 },
	    { 6, 12 },
	    { 12, 13 },
	    { 18, 17 },
	    { 24, 19 },
	    { 30, 21 },
	    { 32, 21 },
	    { 34, 22 },
	    { 36, 24 } } },
	{ 11,
	  10,
	  "8000d808098041dd0d12903189588c58f0000a0511f0000a05118801d80809d80c0dd80e0ff10301"
	  "0d10f1030209118801f006000c0d88718a358835d80c14f002040911dd10119021d81213f1030111"
	  "15f40001111588418841f8e50f19f000010911f000010911f000010911d80c108844f003010911f8"
	  "f8f8f006000c0d8048",
	  { { 0, 10 },	{ 6, 12 },  { 12, 12 }, { 18, 12 }, { 24, 14 }, { 30, 16 },
	    { 32, 16 }, { 34, 17 }, { 36, 19 }, { 38, 19 }, { 40, 19 }, { 42, 19 },
	    { 44, 19 }, { 46, 19 }, { 48, 19 }, { 50, 19 }, { 52, 19 }, { 54, 21 },
	    { 56, 21 }, { 58, 21 }, { 60, 21 }, { 62, 21 }, { 64, 22 }, { 70, 24 } } },
	{ 12,
	  10,
	  "8000d808098041dc0d1290318b58f2000a05118801d80809d80c0dd80e0ff103010d10f103020911"
	  "8801f006000c0d88718a35d80c14f002040911dc10119021d81213f3030111158941f00f0a0511f0"
	  "18000c0d8048f8f40700101af200010911d90c10f003010911fa",
	  { { 0, 10 },
	    { 6, 12 },
	    { 12, 12 },
	    { 18, 14 },
	    { 24, 13 },
	    { 30, 17 },
	    { 32, 19 },
	    { 34, 19 },
	    { 36, 19 },
	    { 38, 20 },
	    { 40, 19 },
	    { 42, 19 },
	    { 44, 19 },
	    { 46, 24 },
	    { 50, 21 },
	    { 52, 21 },
	    { 54, 21 },
	    { 56, 21 },
	    { 58, 22 } } },
	{ 13,
	  10,
	  "8000d808098041dc0d1290318e588801d80809d80c0dd80e0ff103010d10f1030209118801f00600"
	  "0c0d88718b35d90c14f002040911dc10119021d81213f3030111158a41f10f000e16f018000c0d80"
	  "48f8f40700101af300010911da0c10f003010911fa",
	  { { 0, 10 },	{ 6, 12 },  { 12, 12 }, { 18, 14 }, { 24, 13 }, { 30, 16 },
	    { 32, 17 }, { 34, 19 }, { 36, 19 }, { 38, 19 }, { 40, 20 }, { 42, 19 },
	    { 44, 19 }, { 46, 19 }, { 48, 12 }, { 50, 24 }, { 54, 21 }, { 56, 21 },
	    { 58, 21 }, { 60, 21 }, { 62, 22 }, { 64, 22 } } },
};

static GBytes *bytes_of(const char *hex)
{
	GByteArray *bytes = g_byte_array_new();

	for (; *hex; hex += 2) {
		uint8_t byte =
			(uint8_t)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));

		g_byte_array_append(bytes, &byte, 1);
	}
	return g_byte_array_free_to_bytes(bytes);
}

static void test_lines(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autoptr(GBytes) lines = bytes_of(tables[i].table);
		const SptScriptFunction function = { .first_line = tables[i].first_line,
						     .lines = lines };

		for (unsigned k = 0; k < G_N_ELEMENTS(tables[i].lines) && tables[i].lines[k].line;
		     k++)
			g_assert_cmpuint(spt_cpython_line(TAG(tables[i].minor), &function,
							  tables[i].lines[k].position),
					 ==, tables[i].lines[k].line);
		g_assert_cmpuint(spt_cpython_line(TAG(tables[i].minor), &function,
						  SYSPROF_POSITION_NOT_TOLD),
				 ==, tables[i].first_line);
	}
}

/* A string object of 3.11 or 3.12. */
static void put_string(uint8_t *to, unsigned minor, unsigned unit, bool is_ascii, const void *text,
		       uint64_t length)
{
	uint32_t state = unit << 2 | 1 << 5 | (uint32_t)is_ascii << 6;

	memset(to, 0, 72);
	memcpy(to + 16, &length, sizeof(length));
	memcpy(to + 32, &state, sizeof(state));
	memcpy(to + (minor < 12 ? (is_ascii ? 48 : 72) : (is_ascii ? 40 : 56)), text,
	       length * unit);
}

static void test_names(void)
{
	static const uint16_t wide[] = { 'f', 0x444, 0xd800, 'x' };
	uint8_t code[SPT_CPYTHON_CODE_BYTES] = { 0 }, name[256] = { 0 }, file[256] = { 0 };
	SptSpan spans[SYSPROF_CHAIN_MAX_SPANS] = { { code, sizeof(code) },
						   { name, sizeof(name) },
						   { file, sizeof(file) } };

	for (unsigned minor = 11; minor <= 12; minor++) {
		g_auto(SptScriptFunction) function = { 0 }, other = { 0 };

		memcpy(code + (minor < 12 ? 72 : 68), &(uint32_t){ 7 }, 4);
		put_string(name, minor, 1, true, "Reader.parse", 12);
		put_string(file, minor, 1, true, "/a/b.py", 7);
		g_assert_true(spt_cpython_read(TAG(minor), spans, &function));
		g_assert_cmpstr(function.name, ==, "Reader.parse");
		g_assert_cmpstr(function.file, ==, "/a/b.py");
		g_assert_cmpuint(function.first_line, ==, 7);
		put_string(name, minor, 2, false, wide, 4);
		g_assert_true(spt_cpython_read(TAG(minor), spans, &other));
		g_assert_cmpstr(other.name, ==, "f\xd1\x84\xef\xbf\xbdx");
	}
	/* Nothing could be copied. */
	memset(spans, 0, sizeof(spans));
	g_assert_false(spt_cpython_read(TAG(12), spans, &(SptScriptFunction){ 0 }));
}

/* As copies of all the other interpreters. */
static void read_as_others(const SptSpan *spans, uint32_t position)
{
	static const uint32_t tags[] = { SPT_TAG(2, 3, 1), SPT_TAG(2, 3, 3), SPT_TAG(3, 5, 36),
					 SPT_TAG(4, 8, 2), SPT_TAG(4, 8, 4) };

	for (unsigned i = 0; i < G_N_ELEMENTS(tags); i++) {
		const SptInterpreter *interpreter = spt_interpreter_of_tag(tags[i]);
		g_auto(SptScriptFunction) function = { 0 };

		if (!interpreter->read(tags[i], spans, &function))
			continue;
		g_assert_true(g_utf8_validate(function.name, -1, NULL));
		interpreter->line(tags[i], &function, position);
		interpreter->line(tags[i], &function, SYSPROF_POSITION_NOT_TOLD);
	}
}

/*
 * Lines of Ruby: a table of two entries; of positions, one of the small ones and one of the second
 * block has a new line.
 */
static void test_lines_of_ruby(void)
{
	uint8_t body[SPT_RUBY_BODY_BYTES] = { 0 }, lines[3 * SPT_RUBY_LINE_BYTES] = { 0 };
	uint8_t positions[SPT_RUBY_POSITIONS_HEAD + 80] = { 0 };
	SptSpan spans[SYSPROF_CHAIN_MAX_SPANS] = { [SPT_RUBY_BODY] = { body, sizeof(body) },
						   [SPT_RUBY_LABEL] = { "each", 4 },
						   [SPT_RUBY_LINES] = { lines, sizeof(lines) },
						   [SPT_RUBY_POSITIONS] = { positions,
									    sizeof(positions) } };
	const uint32_t tag = SPT_TAG(2, 3, 3), block = 48 + 80, numbers[] = { 5, 8, 9 };
	uint64_t ranks = 0;
	static const struct {
		uint32_t position, line;
	} expected[] = { { 1, 5 }, { 10, 5 }, { 11, 8 }, { 54, 8 }, { 586, 8 }, { 587, 9 },
			 { 700, 9 } };
	g_auto(SptScriptFunction) function = { 0 };

	for (unsigned i = 0; i < 3; i++)
		memcpy(lines + i * SPT_RUBY_LINE_BYTES, &numbers[i], sizeof(numbers[i]));
	/* Ranks of 54 positions in 7 bits each: from 10 on the second entry. */
	for (unsigned i = 0; i < 54; i++) {
		uint64_t word;

		memcpy(&word, positions + i / 9 * 8, 8);
		word |= (uint64_t)(i < 10 ? 1 : 2) << i % 9 * 7;
		memcpy(positions + i / 9 * 8, &word, 8);
	}
	/* Both blocks begin with rank 2; in the second one position 54 + 512 + 20 is the third. */
	memcpy(positions + 48, &(uint32_t){ 2 }, 4);
	memcpy(positions + block, &(uint32_t){ 2 }, 4);
	memcpy(positions + block + 16, &(uint64_t){ 1ull << 20 }, 8);
	for (unsigned i = 0; i < 7; i++)
		ranks |= 1ull << i * 9;
	memcpy(positions + block + 8, &ranks, 8);
	g_assert_true(spt_ruby_read(tag, spans, &function));
	g_assert_cmpstr(function.name, ==, "each");
	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++)
		g_assert_cmpuint(spt_ruby_line(tag, &function, expected[i].position), ==,
				 expected[i].line);
}

/* Names of Ruby's methods, by their labels and classes. */
static void test_names_of_ruby(void)
{
	static const struct {
		const char *label, *class, *singleton, *name;
	} expected[] = {
		{ "call", "Rack::Builder", NULL, "Rack::Builder#call" },
		{ "open", NULL, "File", "File.open" },
		{ "block (2 levels) in call", "App", NULL, "block (2 levels) in App#call" },
		{ "rescue in block in call", "App", NULL, "rescue in block in App#call" },
		{ "ensure in open", NULL, "File", "ensure in File.open" },
		{ "<=>", "Version", NULL, "Version#<=>" },
		{ "<main>", "Object", NULL, "<main>" },
		{ "block in <class:App>", "App", NULL, "block in <class:App>" },
		{ "<top (required)>", "Object", NULL, "<top (required)>" },
		{ "call", "#<Class:0x00007f0d4c0a0f60>", NULL, "call" },
		{ "call", NULL, NULL, "call" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
		const char *class = expected[i].class ?: "", *single = expected[i].singleton ?: "";
		SptSpan spans[SYSPROF_CHAIN_MAX_SPANS] = {
			[SPT_RUBY_LABEL] = { expected[i].label,
					     (unsigned)strlen(expected[i].label) },
			[SPT_RUBY_CLASS] = { class, (unsigned)strlen(class) },
			[SPT_RUBY_SINGLETON] = { single, (unsigned)strlen(single) },
		};
		g_auto(SptScriptFunction) function = { 0 };

		g_assert_true(spt_ruby_read(SPT_TAG(2, 3, 3), spans, &function));
		g_assert_cmpstr(function.name, ==, expected[i].name);
	}
}

static void test_hostile(void)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(51);

	for (unsigned round = 0; round < 20000; round++) {
		unsigned minor = 9 + round % 5, n = (unsigned)g_rand_int_range(random, 0, 200);
		g_autofree uint8_t *data = g_malloc(n + 1);
		SptSpan spans[SYSPROF_CHAIN_MAX_SPANS] = { 0 };
		g_auto(SptScriptFunction) function = { 0 };

		for (unsigned i = 0; i < n; i++)
			data[i] = (uint8_t)(g_rand_int(random) & (round & 1 ? 0xff : 0x87));
		for (unsigned i = 0; i < SYSPROF_CHAIN_MAX_SPANS; i++)
			spans[i] = (SptSpan){ data, n };
		read_as_others(spans, g_rand_int(random) % 1000);
		if (spt_cpython_read(TAG(minor), spans, &function)) {
			g_assert_true(g_utf8_validate(function.name, -1, NULL));
			spt_cpython_line(TAG(minor), &function, g_rand_int(random) % 1000);
		}
	}
}

/* A file whose name alone is an interpreter's. */
static void test_describe(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autoptr(SptObject) file = spt_object_open(self, NULL);
	g_autoptr(GError) error = NULL;

	g_assert_null(spt_interpreter_cpython.describe(file, &error));
	g_assert_no_error(error);
	g_assert_true(spt_interpreter_of_path("/usr/bin/python3.11") == &spt_interpreter_cpython);
	g_assert_true(spt_interpreter_of_path("/lib/libpython3.12.so.1.0") ==
		      &spt_interpreter_cpython);
	g_assert_null(spt_interpreter_of_path("/opt/python/bin/ls"));
	g_assert_true(spt_interpreter_of_path("/usr/lib/libruby-3.1.so.3.1") ==
		      &spt_interpreter_ruby);
	g_assert_true(spt_interpreter_of_path("/usr/lib/libperl.so.5.36") ==
		      &spt_interpreter_perl);
	g_assert_true(spt_interpreter_of_path("/usr/sbin/php-fpm8.2") == &spt_interpreter_php);
	g_assert_true(spt_interpreter_of_tag(TAG(9)) == &spt_interpreter_cpython);
	g_assert_null(spt_interpreter_of_tag(SPT_TAG(200, 1, 1)));
}

/* A string of V8 as its three parts are copied; @text NULL: the text could not be read. */
static void put_v8_string(SptSpan *spans, uint8_t header[2][SPT_V8_HEADER_BYTES], uint32_t length,
			  bool is_one_byte, const void *text)
{
	memset(header, 0, 2 * SPT_V8_HEADER_BYTES);
	memcpy(header[0] + SPT_V8_LENGTH_AT, &length, sizeof(length));
	header[1][SPT_V8_TYPE_AT - SPT_V8_TAG] = is_one_byte ? SPT_V8_IS_ONE_BYTE : 0;
	spans[SPT_V8_STRING] = (SptSpan){ header[0], SPT_V8_HEADER_BYTES };
	spans[SPT_V8_MAP] = (SptSpan){ header[1], SPT_V8_HEADER_BYTES };
	spans[SPT_V8_TEXT] = (SptSpan){ text, text ? length * (is_one_byte ? 1 : 2) : 0 };
}

static void check_v8(const SptSpan *spans, const char *name, const char *file)
{
	g_auto(SptScriptFunction) function = { 0 };

	g_assert_true(spt_v8_read(SPT_TAG(5, 11, 3), spans, &function));
	g_assert_cmpstr(function.name, ==, name);
	g_assert_cmpstr(function.file, ==, file);
}

static void test_names_of_v8(void)
{
	static const uint16_t two_bytes[] = { 0x438, 0xd83d, 0xde00, 0xd800 };
	SptSpan spans[SYSPROF_CHAIN_MAX_SPANS] = { 0 };
	uint8_t name[2][SPT_V8_HEADER_BYTES], file[2][SPT_V8_HEADER_BYTES],
		prefix[SPT_V8_HEADER_BYTES + 7] = { [SPT_V8_LENGTH_AT] = 7 };
	SptScriptFunction none;

	memcpy(prefix + SPT_V8_HEADER_BYTES, "Module.", 7);
	put_v8_string(spans + SPT_V8_NAME, name, 5, true, "na\xefve");
	put_v8_string(spans + SPT_V8_SCRIPT, file, 13, true, "file:///a%20b");
	check_v8(spans, "na\303\257ve", "/a b");
	spans[SPT_V8_PREFIX] = (SptSpan){ prefix, sizeof(prefix) };
	check_v8(spans, "Module.na\303\257ve", "/a b");
	spans[SPT_V8_PREFIX].bytes -= 1;
	check_v8(spans, "na\303\257ve", "/a b");
	put_v8_string(spans + SPT_V8_NAME, name, 4, false, two_bytes);
	put_v8_string(spans + SPT_V8_SCRIPT, file, 11, true, "file:///%ff");
	check_v8(spans, "\320\270\360\237\230\200\357\277\275", "/\357\277\275");
	put_v8_string(spans + SPT_V8_NAME, name, 0, true, "");
	check_v8(spans, "(anonymous)", "/\357\277\275");
	/* There is a name, and nobody knows which. */
	put_v8_string(spans + SPT_V8_NAME, name, 5, true, NULL);
	g_assert_false(spt_v8_read(SPT_TAG(5, 11, 3), spans, &none));
	/* As long as it says, and no longer. */
	put_v8_string(spans + SPT_V8_NAME, name, 3, true, "abc");
	memset(name[0] + SPT_V8_LENGTH_AT, 0xff, 4);
	check_v8(spans, "abc", "/\357\277\275");
}

#define SOURCE	     "\xef\xbb\xbf// \xc3\xbc \xf0\x9f\x98\x80\n\nfunction f() {\r\n}\n"
#define SOURCE_CHARS 27

/* The line of character @at of the file at @path, whatever length it has. */
static uint32_t line_at(SptScriptLines *lines, const char *path, uint32_t at, uint32_t n)
{
	return spt_script_lines_find(lines, (uint32_t)getpid(), path, at, n);
}

/* Characters are those of UTF-16, and lines those of an editor. */
static void test_lines_of_sources(void)
{
	static const uint32_t begins[] = { 0, 8, 9, 25 };
	g_autoptr(SptScriptLines) lines = spt_script_lines_new();
	g_autofree char *dir = g_dir_make_tmp("lines-XXXXXX", NULL),
			*path = g_build_filename(dir, "a.js", NULL),
			*link = g_build_filename(dir, "link.js", NULL),
			*fifo = g_build_filename(dir, "fifo.js", NULL);

	g_assert_true(g_file_set_contents(path, SOURCE, -1, NULL));
	g_assert_false(symlink("a.js", link) || mkfifo(fifo, 0600));
	for (unsigned i = 0; i < G_N_ELEMENTS(begins); i++) {
		g_assert_cmpuint(line_at(lines, path, begins[i], SOURCE_CHARS), ==, i + 1);
		if (begins[i])
			g_assert_cmpuint(line_at(lines, link, begins[i] - 1, SOURCE_CHARS), ==, i);
	}
	g_assert_cmpuint(line_at(lines, path, SOURCE_CHARS, SOURCE_CHARS), ==, 5);
	/* It was another one, there is no such place, or nothing to read. */
	g_assert_cmpuint(line_at(lines, path, 0, SOURCE_CHARS + 1), ==, 0);
	g_assert_cmpuint(line_at(lines, path, SOURCE_CHARS + 1, SOURCE_CHARS), ==, 0);
	g_assert_cmpuint(line_at(lines, path, 0, 0), ==, 0);
	g_assert_cmpuint(line_at(lines, fifo, 0, 1), ==, 0);
	g_assert_cmpuint(line_at(lines, dir, 0, 1), ==, 0);
	g_assert_cmpuint(line_at(lines, "/dev/zero", 0, 1), ==, 0);
	g_assert_cmpuint(line_at(lines, "a.js", 0, SOURCE_CHARS), ==, 0);
	/* It has become what is asked for. */
	g_assert_true(g_file_set_contents(path, "\n\n", -1, NULL));
	g_usleep(1100000);
	g_assert_cmpuint(line_at(lines, path, 1, 2), ==, 2);
	g_assert_false(unlink(path) || unlink(link) || unlink(fifo) || rmdir(dir));
}

/* A source on a file system that never answers costs some time, and nothing of what comes later. */
static void test_lines_unanswered(void)
{
	g_autoptr(SptScriptLines) lines = spt_script_lines_new();
	g_autofree char *dir = g_dir_make_tmp("lines-XXXXXX", NULL),
			*path = g_build_filename(dir, "a.js", NULL),
			*other = g_strconcat(dir, ".js", NULL);
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	g_autofree char *options =
		g_strdup_printf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	gint64 begin;

	g_assert_true(g_file_set_contents(other, SOURCE, -1, NULL));
	if (fuse < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("never", dir, "fuse", MS_NODEV | MS_NOSUID, options)) {
		g_test_skip("this needs root, and a kernel with FUSE");
	} else {
		begin = g_get_monotonic_time();
		g_assert_cmpuint(line_at(lines, path, 0, SOURCE_CHARS), ==, 0);
		g_assert_cmpint(g_get_monotonic_time() - begin, >=, 200000);
		/* The time is paid for. */
		g_usleep(2600000);
		g_assert_cmpuint(line_at(lines, other, 8, SOURCE_CHARS), ==, 2);
		umount2(dir, MNT_DETACH);
	}
	close(fuse);
	g_assert_false(unlink(other) || rmdir(dir));
}

#define V8_TAG SPT_TAG(5, 11, 3)
#define NODE 40
#define SCRIPT_FRAME(code, position)                                                               \
	(SYSPROF_FRAME_SCRIPT | (uint64_t)(code) << SYSPROF_FRAME_CODE_SHIFT | (position))
#define ADDED(code) SCRIPT_FRAME(code, SPT_V8_INLINED)
#define OWN(code) SCRIPT_FRAME(code, SYSPROF_POSITION_NOT_TOLD)
#define NATIVE(object) ((uint64_t)(object) << SYSPROF_FRAME_OBJECT_SHIFT | 64)

/* A function of V8's called "abc", if it is there. */
static void take_v8(SptScriptNames *names, uint64_t number, SptScriptLack lack)
{
	SptSpan spans[SYSPROF_CHAIN_MAX_SPANS] = { 0 };
	uint8_t name[2][SPT_V8_HEADER_BYTES], prefix[SPT_V8_PREFIX_BYTES] = { 0 };
	struct {
		struct sysprof_code code;
		uint64_t room[32];
	} record = { .code = { .code = number, .tag = V8_TAG, .object = NODE } };
	SptObjectRow row;
	uint64_t *at = record.room;

	if (lack)
		spans[SPT_V8_PREFIX] = (SptSpan){ prefix, sizeof(prefix) };
	else
		put_v8_string(spans + SPT_V8_NAME, name, 3, true, "abc");
	if (lack == SPT_SCRIPT_IS_SPARE)
		spans[SPT_V8_POSITIONS] = (SptSpan){ prefix, 16 };
	for (unsigned i = 0; i < SYSPROF_CHAIN_MAX_SPANS; i++) {
		record.code.bytes[i] = (uint16_t)spans[i].bytes;
		if (spans[i].bytes)
			memcpy(at, spans[i].data, spans[i].bytes);
		at += (spans[i].bytes + 7) / 8;
	}
	record.code.record.size = (uint16_t)(at - (uint64_t *)&record);
	spt_script_names_take(names, &record.code, &row);
}

/* @frames, up to a 0, after the removal are @kept. */
static void check_fold(SptScriptNames *names, const uint64_t *frames, bool with_loops,
		       const uint64_t *kept)
{
	struct {
		struct sysprof_sample sample;
		uint64_t frames[16];
	} room = { .sample = { .record = { .size = sizeof(room) / 8,
					   .flags = SYSPROF_SAMPLE_SCRIPT } } };
	const struct sysprof_sample *folded;
	unsigned n = 0;

	for (; frames[room.sample.n_user]; room.sample.n_user++)
		room.frames[room.sample.n_user] = frames[room.sample.n_user];
	folded = spt_script_names_fold(names, &room.sample, with_loops);
	for (; kept[n]; n++)
		g_assert_cmphex(folded->frames[n], ==, kept[n]);
	g_assert_cmpuint(folded->n_user, ==, n);
}

#define FRAMES(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

/* Functions that come in addition are all there, or none of them. */
static void test_additions(void)
{
	g_autoptr(SptScriptNames) names = spt_script_names_new();
	uint64_t native = NATIVE(NODE), other = NATIVE(NODE + 4);

	take_v8(names, 1, SPT_SCRIPT_IS_THERE);
	take_v8(names, 2, SPT_SCRIPT_IS_THERE);
	take_v8(names, 3, SPT_SCRIPT_IS_NOTHING);
	take_v8(names, 5, SPT_SCRIPT_IS_SPARE);
	check_fold(names, FRAMES(other, ADDED(1), OWN(2), native, other), false,
		   FRAMES(other, ADDED(1), OWN(2), other));
	check_fold(names, FRAMES(other, ADDED(1), OWN(2), native, other), true,
		   FRAMES(other, ADDED(1), OWN(2), native, other));
	/* One is none, or has no name yet. */
	check_fold(names, FRAMES(other, ADDED(1), ADDED(3), OWN(2), native, other), false,
		   FRAMES(other, OWN(2), other));
	check_fold(names, FRAMES(ADDED(4), ADDED(1), OWN(2), native, other), true,
		   FRAMES(OWN(2), native, other));
	/* One is spare, which says nothing of the others. */
	check_fold(names, FRAMES(other, ADDED(1), ADDED(5), OWN(2), native, other), false,
		   FRAMES(other, ADDED(1), OWN(2), other));
	/* Those of another function are not concerned. */
	check_fold(names,
		   FRAMES(ADDED(1), ADDED(4), OWN(1), native, ADDED(2), OWN(2), native, other),
		   false, FRAMES(OWN(1), ADDED(2), OWN(2), other));
	/* A function without a name is not removed, whatever its position. */
	check_fold(names, FRAMES(ADDED(4), ADDED(4), other), false,
		   FRAMES(ADDED(4), ADDED(4), other));
	check_fold(names, FRAMES(ADDED(1), OWN(4), native, other), false,
		   FRAMES(ADDED(1), OWN(4), native, other));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/scripts/lines", test_lines);
	g_test_add_func("/scripts/lines-of-ruby", test_lines_of_ruby);
	g_test_add_func("/scripts/names/ruby", test_names_of_ruby);
	g_test_add_func("/scripts/names", test_names);
	g_test_add_func("/scripts/names-of-v8", test_names_of_v8);
	g_test_add_func("/scripts/lines-of-sources", test_lines_of_sources);
	g_test_add_func("/scripts/lines-unanswered", test_lines_unanswered);
	g_test_add_func("/scripts/additions", test_additions);
	g_test_add_func("/scripts/hostile", test_hostile);
	g_test_add_func("/scripts/describe", test_describe);
	return g_test_run();
}
