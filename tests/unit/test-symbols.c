/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of places: from ELF files and their debug files, and for a capture's frames. */
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf-files.h"
#include "symbols/demangle.h"
#include "symbols/plain-names.h"

#define TEXT_OFFSET 0x1080

static char *debug_dir;

static SptSymtab *open_symtab(const char *name)
{
	const char *dirs[] = { debug_dir, NULL };
	g_autofree char *path = elf_file(name);
	g_autoptr(GError) error = NULL;
	g_autoptr(SptObject) object = spt_object_open(path, &error);

	g_assert_no_error(error);
	return spt_symtab_new(object, dirs);
}

static void expect(const SptSymtab *symtab, uint64_t in_text, const char *name, uint64_t distance)
{
	SptSymbol symbol;

	if (!name) {
		g_assert_false(spt_symtab_find(symtab, TEXT_OFFSET + in_text, &symbol));
		return;
	}
	g_assert_true(spt_symtab_find(symtab, TEXT_OFFSET + in_text, &symbol));
	g_assert_cmpstr(symbol.name, ==, name);
	g_assert_cmphex(symbol.distance, ==, distance);
	g_assert_cmpuint(distance, <, symbol.bytes);
}

static void expect_all(const SptSymtab *symtab)
{
	expect(symtab, 0, "main", 0);
	expect(symtab, 0x30, "main", 0x30);		/* a label inside is not a function */
	expect(symtab, 0x7f, "main", 0x7f);
	expect(symtab, 0x80, NULL, 0);
	expect(symtab, 0x110, "_global_a", 0x10);	/* of seven names */
	expect(symtab, 0x140, NULL, 0);
	expect(symtab, 0x27f, "_ZN5outer5innerEiPKc", 0x7f);
	expect(symtab, 0x2ff, NULL, 0);
	expect(symtab, 0x300, "assembly", 0);
	expect(symtab, 0x3ff, "assembly", 0xff);	/* reaches to the next one */
	expect(symtab, 0x400, "chosen", 0);
	expect(symtab, 0x48f, "versioned", 0xf);
	expect(symtab, 0x53f, "wide", 0x3f);
	expect(symtab, 0x540, "nested", 0);
	expect(symtab, 0x55f, "nested", 0x1f);
	expect(symtab, 0x560, "wide", 0x60);		/* resumes */
	expect(symtab, 0x5ff, "wide", 0xff);
	expect(symtab, 0x600, NULL, 0);
	expect(symtab, 0xf00, "last_assembly", 0);
	expect(symtab, 0xfff, "last_assembly", 0xff);	/* reaches to the end of the section */
	expect(symtab, 0x1000, NULL, 0);
	expect(symtab, -1, NULL, 0);
	expect(symtab, -TEXT_OFFSET, NULL, 0);
}

static void expect_source(const SptSymtab *symtab, SptSource source)
{
	SptSymbol symbol;

	g_assert_true(spt_symtab_find(symtab, TEXT_OFFSET, &symbol));
	g_assert_cmpstr(spt_source_name(symbol.source), ==, spt_source_name(source));
}

static void test_own_symbols(void)
{
	g_autoptr(SptSymtab) symtab = open_symtab("whole");

	expect_all(symtab);
	expect_source(symtab, SPT_SOURCE_SYMTAB);
	g_assert_false(spt_symtab_is_empty(symtab));
}

static void test_debug_file_by_build_id(void)
{
	g_autoptr(SptSymtab) symtab = open_symtab("stripped");

	expect_all(symtab);
}

static void test_debug_file_by_link(void)
{
	g_autoptr(SptSymtab) symtab = open_symtab("linked");

	expect_all(symtab);
	expect_source(symtab, SPT_SOURCE_DEBUG_FILE);
}

static void test_packed_symbols(void)
{
	g_autoptr(SptSymtab) symtab = open_symtab("mini");

	expect_all(symtab);
	expect_source(symtab, SPT_SOURCE_MINI);
}

static void test_debug_files_of_others(void)
{
	static const char *const names[] = { "badlink", "otherid", "badmini", "bare" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autoptr(SptSymtab) symtab = open_symtab(names[i]);

		expect(symtab, 0x10, NULL, 0);
		g_assert_true(spt_symtab_is_empty(symtab));
	}
}

/*
 * The linker's and compiler's own work, with nm as the oracle: every function of this very program.
 */
static void test_against_nm(void)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *command = g_strdup_printf("nm -S --defined-only '%s'", program);
	g_autofree char *output = NULL;
	g_auto(GStrv) lines = NULL;
	g_autoptr(SptObject) object = spt_object_open(program, NULL);
	g_autoptr(SptSymtab) symtab = spt_symtab_new(object, NULL);
	unsigned checked = 0;

	if (!g_spawn_command_line_sync(command, &output, NULL, NULL, NULL)) {
		g_test_skip("there is no nm");
		return;
	}
	lines = g_strsplit(output, "\n", -1);
	for (char **line = lines; *line; line++) {
		uint64_t address, bytes, offset;
		char type, name[200];
		SptSymbol symbol;

		if (sscanf(*line, "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x %c %199s",
			   &address, &bytes, &type, name) != 4 ||
		    !strchr("tTwWi", type) || bytes == 0)
			continue;
		g_assert_true(spt_object_address_to_offset(object, address, &offset));
		g_assert_true(spt_symtab_find(symtab, offset + bytes / 2, &symbol));
		g_assert_cmphex(symbol.distance, ==, bytes / 2);
		checked++;
	}
	g_assert_cmpuint(checked, >, 10);
}

/* The stubs of this very program, with objdump as the oracle. */
static void test_stubs(void)
{
	g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *command =
		g_strdup_printf("sh -c \"objdump -d -j .plt -j .plt.got '%s' | grep '@plt>:'\"",
				program);
	g_autofree char *output = NULL;
	g_auto(GStrv) lines = NULL;
	g_autoptr(SptObject) object = spt_object_open(program, NULL);
	g_autoptr(SptSymtab) symtab = spt_symtab_new(object, NULL);
	unsigned checked = 0;

	g_assert_true(g_spawn_command_line_sync(command, &output, NULL, NULL, NULL));
	lines = g_strsplit(output, "\n", -1);
	for (char **line = lines; *line; line++) {
		uint64_t address, offset;
		char name[200];
		SptSymbol symbol;

		if (sscanf(*line, "%" G_GINT64_MODIFIER "x <%199[^>]", &address, name) != 2)
			continue;
		g_assert_true(spt_object_address_to_offset(object, address, &offset));
		g_assert_true(spt_symtab_find(symtab, offset + 6, &symbol));
		g_assert_cmpstr(symbol.name, ==, name);
		g_assert_cmpuint(symbol.source, ==, SPT_SOURCE_PLT);
		g_assert_cmphex(symbol.distance, ==, 6);
		checked++;
	}
	g_assert_cmpuint(checked, >, 10);
}

static void test_damage(void)
{
	g_autofree char *path = elf_file("whole");
	const char *dirs[] = { debug_dir, NULL };
	g_autofree char *text = NULL;
	gsize n;

	g_assert_true(g_file_get_contents(path, &text, &n, NULL));
	for (unsigned round = 0; round < 3000; round++) {
		g_autofree char *copy = g_memdup2(text, n);
		SptSymbol symbol;

		for (unsigned i = 0; i < 1 + round % 5; i++) {
			static const int ranges[][2] = { { 0, 0xb0 },
							 { 0x3000, 0x3400 },
							 { 0x6000, 0x6200 } };
			const int *range = ranges[g_test_rand_int_range(0, 3)];

			copy[g_test_rand_int_range(range[0], range[1])] = g_test_rand_int();
		}

		g_autoptr(GBytes) bytes = g_bytes_new(copy, n);
		g_autoptr(SptObject) object = spt_object_open_bytes(bytes, "damaged", NULL);
		g_autoptr(SptSymtab) symtab = object ? spt_symtab_new(object, dirs) : NULL;

		for (uint64_t at = 0; symtab && at < 0x3000; at += 0x20) {
			if (spt_symtab_find(symtab, at, &symbol))
				g_assert_cmpuint(strlen(symbol.name), >, 0);
		}
	}
}

static void expect_demangled(const char *mangled, const char *plain)
{
	g_autofree char *text = spt_demangle(mangled);

	g_assert_cmpstr(text, ==, plain);
}

static void expect_short(const char *name, const char *brief)
{
	g_autofree char *text = spt_shorten_templates(name);

	g_assert_cmpstr(text, ==, brief);
}

static void test_short_templates(void)
{
	expect_short("main", "main");
	expect_short("", "");
	expect_short("std::vector<int, std::allocator<int> >::push_back(int const&)",
		     "std::vector<...>::push_back(int const&)");
	expect_short("f<int>(std::map<a, b<c>> const&)", "f<...>(std::map<...> const&)");
	expect_short("g<(1>0), (2<3)>()", "g<...>()");
	expect_short("h<decltype (p->q())>::i", "h<...>::i");
	expect_short("operator<(a, b)", "operator<(a, b)");
	expect_short("operator<< <char>(s<char>&)", "operator<< <char>(s<...>&)");
	expect_short("a::operator->()", "a::operator->()");
	expect_short("<alloc::vec::Vec<T> as core::Trait>::f",
		     "<alloc::vec::Vec<...> as core::Trait>::f");
	expect_short("broken<int", "broken<int");
}

static void expect_plain(const char *name, const char *expected)
{
	g_autofree char *plain = spt_plain_name(name);

	g_assert_cmpstr(plain ? plain : name, ==, expected);
}

/* What a narrow column has of a name ends with the function's own. */
static void test_fitted_names(void)
{
	static const struct {
		const char *name;
		unsigned columns;
		const char *fitted;
	} cases[] = {
		{ "main", 2, "main" },
		{ "a_long_name_of_c", 10, "a_long_name_of_c" },
		{ "Store::put(int)", 15, "Store::put(int)" },
		{ "Store::put(int, std::string const&)", 20, "Store::put(...)" },
		{ "Store::put(int, std::string const&)", 12, "Store::put" },
		{ "Store::put(int, std::string const&)", 8, "put" },
		{ "Store::get(int, std::string const&) const", 26, "Store::get(...) const" },
		{ "std::map<int, std::vector<int>>::operator[](int const&)", 40,
		  "std::map<...>::operator[](int const&)" },
		{ "std::map<int, std::vector<int>>::operator[](int const&)", 25,
		  "std::map<...>::operator[]" },
		{ "std::map<int, std::vector<int>>::operator[](int const&)", 21,
		  "map<...>::operator[]" },
		{ "std::map<int, std::vector<int>>::operator[](int const&)", 12,
		  "map<...>::operator[]" },
		{ "std::less<int>::operator()(int const&, int const&) const", 30,
		  "std::less<...>::operator()" },
		{ "std::less<int>::operator()(int const&, int const&) const", 12,
		  "less<...>::operator()" },
		{ "(anonymous namespace)::serve(int, int, int)", 35,
		  "(anonymous namespace)::serve(...)" },
		{ "(anonymous namespace)::serve(int, int, int)", 10, "serve" },
		{ "operator new(unsigned long)", 14, "operator new" },
		{ "std::operator==(std::string const&, std::string const&)", 16,
		  "std::operator==" },
		{ "work(int, int) [clone .isra.0]", 12, "work(...)" },
		{ "<alloc::vec::Vec<T> as core::iter::Sum>::sum", 10, "sum" },
		{ "a::", 1, "a::" },
		{ "((((", 1, "" },
		{ "<<<<<", 1, "<<<<<" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *fitted = spt_fit_name(cases[i].name, cases[i].columns);

		g_assert_cmpstr(fitted, ==, cases[i].fitted);
	}
}

static void test_plain_names(void)
{
	g_autofree char *deep = g_strnfill(3000, '<'), *nested = g_strconcat("std::a", deep, NULL);
	g_autofree char *many = g_strnfill(1 << 16, 'x'), *huge = g_strconcat("std::", many, NULL);

	expect_plain("main", "main");
	expect_plain("", "");
	expect_plain("std::__cxx11::basic_string<char, std::char_traits<char>, "
		     "std::allocator<char> >::_M_mutate(unsigned long)",
		     "std::string::_M_mutate(unsigned long)");
	expect_plain("std::map<std::__cxx11::basic_string<char, std::char_traits<char>, "
		     "std::allocator<char> >, std::vector<int, std::allocator<int> >, "
		     "std::less<std::__cxx11::basic_string<char, std::char_traits<char>, "
		     "std::allocator<char> > >, std::allocator<std::pair<int const, int> > >::find()",
		     "std::map<std::string, std::vector<int>>::find()");
	expect_plain("std::__1::vector<int, std::__1::allocator<int> >::size()",
		     "std::vector<int>::size()");
	expect_plain("std::less<std::__cxx11::basic_string<char, std::char_traits<char>, "
		     "std::allocator<char> > >::operator()()",
		     "std::less<std::string>::operator()()");
	expect_plain("own::A<std::tuple<std::pair<int, int> > >::f()",
		     "own::A<std::tuple<std::pair<int, int>>>::f()");
	/* The arguments of an operator's function say what those of its template do. */
	expect_plain("std::operator< <char, std::char_traits<char>, std::allocator<char> >"
		     "(std::__cxx11::basic_string<char, std::char_traits<char>, "
		     "std::allocator<char> > const&)",
		     "std::operator<(std::string const&)");
	expect_plain("std::operator==<char>(std::vector<int, std::allocator<int> > const&)",
		     "std::operator==(std::vector<int> const&)");
	expect_plain("std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
		     "std::operator<<(std::ostream&, char const*)");
	expect_plain("own::operator< <std::vector<int, std::allocator<int> > >(int)",
		     "own::operator< <std::vector<int>>(int)");
	expect_plain("std::operator< <char", "std::operator< <char");
	/* What differs stays different. */
	expect_plain("std::map<int, int, std::greater<int>, std::allocator<int> >::find()",
		     "std::map<int, int, std::greater<int>>::find()");
	expect_plain("own::set<int, std::less<int> >::find()",
		     "own::set<int, std::less<int>>::find()");
	expect_plain("f(std::ostream&, std::less<int>)", "f(std::ostream&, std::less<int>)");
	expect_plain("std::less<int>::operator()(int, std::less<int>)",
		     "std::less<int>::operator()(int, std::less<int>)");
	/* Neither deep nor long names take long. */
	expect_plain(nested, nested);
	expect_plain(huge, huge);
	expect_plain("std::vector<int, std::allocator<int", "std::vector<int, std::allocator<int");
}

static void expect_bare(const char *mangled, const char *plain)
{
	g_autofree char *text = spt_demangle_bare(mangled);

	g_assert_cmpstr(text, ==, plain);
}

static void test_demangle(void)
{
	g_autoptr(GString) bomb = g_string_new("_Z1fSt4pairIiiE");

	expect_demangled("_ZN5outer5innerEiPKc", "outer::inner(int, char const*)");
	/* A narrow column shows the beginning of a name. */
	expect_demangled("_Z3addIiET_S0_S0_", "add<int>(int, int)");
	expect_bare("_Z3addIiET_S0_S0_", "add<int>");
	expect_bare("_ZN12_GLOBAL__N_15innerEi", "(anonymous namespace)::inner");
	expect_bare("_ZNK5outerclEi", "outer::operator()");
	expect_bare("_ZN5outer5innerEiPKc@plt", "outer::inner@plt");
	expect_bare("_ZN5Thing4nameB5cxx11Ei", "Thing::name");
	expect_bare("main", "main");
	expect_demangled("_ZN1aC1Ev", "a::a()");
	expect_demangled("_ZN1aC1Ev@plt", "a::a()@plt");
	expect_demangled("malloc@plt", "malloc@plt");
	expect_demangled("_@", "_@");
	expect_demangled("main", "main");
	expect_demangled("i", "i");
	expect_demangled("_Zgarbage", "_Zgarbage");
	expect_demangled("", "");
	expect_demangled("_ZN4core3ptr13drop_in_place17h0123456789abcdefE",
			 "core::ptr::drop_in_place");
	expect_demangled("_RNvC6_123foo3bar", "123foo::bar");
	expect_demangled("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
	expect_demangled("_Rgarbage", "_Rgarbage");
	expect_demangled("_D8demangle4testFaZv", "demangle.test(char)");
	expect_demangled("_Dmain", "D main");
	expect_demangled("_DYNAMIC", "_DYNAMIC");

	/* Each pair doubles: 60 levels would be 2^60 pairs. */
	for (unsigned i = 0; i < 60; i++) {
		unsigned id = 2 * i;
		char name[3] = { id >= 36 ? "0123"[id / 36] : 0 };

		name[id >= 36] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[id % 36];
		g_string_append_printf(bomb, "St4pairIS%s_S%s_E", name, name);
	}
	expect_demangled(bomb->str, bomb->str);
}

/* A Rust name whose parts each say the one before twice. */
static void test_demangle_rust_bomb(void)
{
	g_autoptr(GString) bomb = g_string_new("_RINvC1a1fTddE");
	unsigned before = 8;			/* where the last pair begins, behind "_R" */

	for (unsigned i = 0; i < 60; i++) {
		static const char digits[] =
			"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
		unsigned number = before - 1;	/* "_" is 0 */
		char reference[3] = { digits[number >= 62 ? number / 62 : number],
				      number >= 62 ? digits[number % 62] : 0 };

		before = bomb->len - 2;
		g_string_append_printf(bomb, "TB%s_B%s_E", reference, reference);
		if (i == 1) {
			g_autofree char *small = g_strconcat(bomb->str, "E", NULL);

			expect_demangled(small, "a::f::<(f64, f64), ((f64, f64), (f64, f64)), "
					 "(((f64, f64), (f64, f64)), ((f64, f64), (f64, f64)))>");
		}
	}
	g_string_append_c(bomb, 'E');
	expect_demangled(bomb->str, bomb->str);
}

/* A capture made by hand; objects by id, the file's identity filled in from the file. */
struct fixture {
	SptCapture capture;
	SptObjectRow objects[12];
	SptNameRow names[10];
	char *path;
};

static void identify(SptObjectRow *row)
{
	struct stat st;

	g_assert_cmpint(stat(row->path, &st), ==, 0);
	row->bytes = st.st_size;
	row->mtime_ns = st.st_mtim.tv_sec * 1000000000ull + st.st_mtim.tv_nsec;
}

static void setup(struct fixture *fixture, gconstpointer data)
{
	SptObjectRow *objects = fixture->objects;
	char *anonymous = elf_file("anonymous");

	(void)data;
	fixture->path = elf_file("whole");
	objects[1] = (SptObjectRow){ .id = 1, .kind = SPT_OBJECT_KERNEL };
	objects[2] = (SptObjectRow){ .id = 2, .kind = SPT_OBJECT_MODULES };
	objects[3] = (SptObjectRow){ .id = 3, .kind = SPT_OBJECT_ANON };
	objects[4] = (SptObjectRow){ .id = 4, .kind = SPT_OBJECT_VDSO };
	objects[5] = (SptObjectRow){ .id = 5,
				     .kind = SPT_OBJECT_FILE,
				     .path = fixture->path,
				     .build_id_bytes = 20,
				     .build_id = { 0xab } };
	for (unsigned i = 1; i < 20; i++)
		objects[5].build_id[i] = i * 7;
	objects[6] = objects[5];
	objects[6].id = 6;
	objects[6].build_id[3]++;
	objects[7] = (SptObjectRow){ .id = 7, .kind = SPT_OBJECT_FILE, .path = anonymous };
	identify(&objects[7]);
	objects[8] = objects[7];
	objects[8].id = 8;
	objects[8].mtime_ns++;
	objects[9] = (SptObjectRow){ .id = 9,
				     .kind = SPT_OBJECT_FILE,
				     .path = "/tmp/libgone.so (deleted)",
				     .bytes = 1,
				     .mtime_ns = 1 };
	objects[10] = (SptObjectRow){ .id = 10,
				      .kind = SPT_OBJECT_FILE,
				      .path = "/nonexistent/libfoo.so.1",
				      .bytes = 1,
				      .mtime_ns = 1 };
	fixture->names[0] = (SptNameRow){
		.object = 1, .offset = 0x40, .symbol = "do_syscall_64", .module = ""
	};
	fixture->names[1] = (SptNameRow){
		.object = 2, .offset = 0x40, .symbol = "ext4_read", .module = "ext4"
	};
	fixture->names[2] =
		(SptNameRow){ .object = 2, .offset = 0x80, .symbol = "", .module = "ext4" };
	fixture->names[3] = (SptNameRow){
		.object = 9, .offset = 0x99, .symbol = "_ZN5outer5innerEiPKc", .module = ""
	};
	fixture->names[4] = (SptNameRow){
		.object = 5, .offset = TEXT_OFFSET, .symbol = "recorded", .module = ""
	};
	fixture->names[5] =
		(SptNameRow){ .object = 4, .offset = 0x7, .symbol = "__vdso_time", .module = "" };
	/* Ranges: the one that begins last counts, and a place that is named by itself. */
	fixture->names[6] = (SptNameRow){ .object = 1,
					  .offset = 0x1000,
					  .symbol = "outside",
					  .module = "",
					  .symbol_bytes = 0x100 };
	fixture->names[7] = (SptNameRow){ .object = 1,
					  .offset = 0x1048,
					  .symbol = "within",
					  .module = "",
					  .distance = 8,
					  .symbol_bytes = 0x10 };
	fixture->names[8] =
		(SptNameRow){ .object = 1, .offset = 0x1060, .symbol = "alone", .module = "" };
	fixture->names[9] = (SptNameRow){ .object = 1,
					  .offset = 0x1000,
					  .symbol = "better",
					  .module = "",
					  .symbol_bytes = 0x100 };
	fixture->capture = (SptCapture){
		.path = "by hand",
		.objects = objects,
		.n_objects = 11,
		.names = fixture->names,
		.n_names = 10,
	};
}

static void teardown(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	g_free((char *)fixture->objects[7].path);
	g_free(fixture->path);
}

static void test_frames(struct fixture *fixture, gconstpointer data)
{
	const char *dirs[] = { debug_dir, NULL };
	g_autoptr(SptSymbols) symbols = spt_symbols_new(&fixture->capture, dirs);
	static const struct {
		uint32_t object;
		uint64_t offset;
		const char *function, *label;
		bool has_symbol;
	} expected[] = {
		{ 0, 0, "[unresolved]", "[unknown]", false },
		{ 77, 5, "[unresolved]", "[unknown]", false },
		{ 1, 0x40, "do_syscall_64", "[kernel]", true },
		{ 1, 0x44, "[unknown kernel]", "[kernel]", false },
		{ 1, 0xfff, "[unknown kernel]", "[kernel]", false },
		{ 1, 0x1000, "better", "[kernel]", true },
		{ 1, 0x103f, "better", "[kernel]", true },
		{ 1, 0x1040, "within", "[kernel]", true },
		{ 1, 0x104f, "within", "[kernel]", true },
		{ 1, 0x1050, "better", "[kernel]", true },
		{ 1, 0x1060, "alone", "[kernel]", true },
		{ 1, 0x10ff, "better", "[kernel]", true },
		{ 1, 0x1100, "[unknown kernel]", "[kernel]", false },
		{ 2, 0x40, "ext4_read", "[ext4]", true },
		{ 2, 0x80, "[unknown kernel]", "[ext4]", false },
		{ 2, 0x90, "[unknown kernel]", "[modules]", false },
		{ 3, 0x1234, "[anon]", "[anon]", false },
		{ 4, 0x7, "__vdso_time", "[vdso]", true },
		{ 4, 0x8, "[vdso]+0x8", "[vdso]", false },
		{ 5, TEXT_OFFSET, "recorded", "whole", true },
		{ 5, TEXT_OFFSET + 4, "main", "whole", true },
		{ 5, TEXT_OFFSET + 0x200, "outer::inner(int, char const*)", "whole", true },
		{ 5, TEXT_OFFSET + 0x80, "whole+0x1100", "whole", false },
		{ 6, TEXT_OFFSET + 4, "whole+0x1084", "whole", false },
		{ 7, TEXT_OFFSET + 4, "main", "anonymous", true },
		{ 8, TEXT_OFFSET + 4, "anonymous+0x1084", "anonymous", false },
		{ 9, 0x99, "outer::inner(int, char const*)", "libgone.so", true },
		{ 9, 0x9a, "libgone.so+0x9a", "libgone.so", false },
		{ 10, 0x1234, "libfoo.so.1+0x1234", "libfoo.so.1", false },
	};

	(void)data;
	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
		SptFrame frame = { .object = expected[i].object, .offset = expected[i].offset };
		SptName name = spt_symbols_name(symbols, &frame);

		g_assert_cmpstr(name.function, ==, expected[i].function);
		g_assert_cmpstr(name.object, ==, expected[i].label);
		g_assert_cmpint(name.has_symbol, ==, expected[i].has_symbol);
		/* Equal text, equal pointer. */
		g_assert_true(name.is_unique !=
			      (name.function == spt_symbols_name(symbols, &frame).function));
		if (!strstr(expected[i].function, "+0x"))
			g_assert_true(name.function ==
				      spt_symbols_intern(symbols, expected[i].function));
		g_assert_true(name.object == spt_symbols_intern(symbols, expected[i].label));
	}
	g_assert_null(spt_symbols_problem(symbols, 5));
	g_assert_nonnull(strstr(spt_symbols_problem(symbols, 6), "its build-id differs"));
	g_assert_null(spt_symbols_problem(symbols, 7));
	g_assert_nonnull(strstr(spt_symbols_problem(symbols, 8), "changed since"));
	g_assert_nonnull(strstr(spt_symbols_problem(symbols, 9), "deleted"));
	g_assert_cmpstr(spt_symbols_problem(symbols, 10), ==, "no such file");
	g_assert_null(spt_symbols_problem(symbols, 1));
	g_assert_null(spt_symbols_problem(symbols, 77));
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	make_elf_files(argv[0]);
	debug_dir = elf_file("debug");
	g_test_add_func("/symtab/own", test_own_symbols);
	g_test_add_func("/symtab/debug-file-by-build-id", test_debug_file_by_build_id);
	g_test_add_func("/symtab/debug-file-by-link", test_debug_file_by_link);
	g_test_add_func("/symtab/packed-symbols", test_packed_symbols);
	g_test_add_func("/symtab/stubs", test_stubs);
	g_test_add_func("/symtab/debug-files-of-others", test_debug_files_of_others);
	g_test_add_func("/symtab/against-nm", test_against_nm);
	g_test_add_func("/symtab/damage", test_damage);
	g_test_add_func("/symbols/demangle", test_demangle);
	g_test_add_func("/symbols/short-templates", test_short_templates);
	g_test_add_func("/symbols/plain-names", test_plain_names);
	g_test_add_func("/symbols/fitted-names", test_fitted_names);
	g_test_add_func("/symbols/demangle-rust-bomb", test_demangle_rust_bomb);
	g_test_add("/symbols/frames", struct fixture, NULL, setup, test_frames, teardown);
	status = g_test_run();
	g_free(debug_dir);
	remove_elf_files();
	return status;
}
