/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles of pprof: what is exported comes back with the same functions, others' profiles come in
 * with their lines, and what is wrong in them is refused in words.
 */
#include "import/import.h"

#include <glib/gstdio.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../gen/capture-example.h"
#include "captures.h"
#include "exported.h"
#include "formats/pprof.pb-c.h"
#include "import/unpack.h"
#include "opened.h"

static int fd_of(const void *bytes, size_t n)
{
	int fd = memfd_create("pprof", MFD_CLOEXEC);

	g_assert_cmpint(write(fd, bytes, n), ==, (ssize_t)n);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* NULL: with an error. */
static SptCapture *import_bytes(const void *bytes, size_t n, GError **error)
{
	int to = memfd_create("capture", MFD_CLOEXEC);
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", to);
	SptCaptureWriter *writer = spt_capture_writer_new_stream(dup(to), "capture", error);
	const SptImportInput input = { fd_of(bytes, n), -1 };
	SptCapture *capture = NULL;
	bool ok;

	g_assert_true(spt_import_find(input.fd) == &spt_import_pprof);
	ok = spt_import_pprof.read(&input, writer, error);
	close(input.fd);
	spt_capture_writer_free(writer);
	if (ok)
		capture = open_sound(path);
	close(to);
	return capture;
}

static GString *export_pprof(const SptCapture *capture, SptSymbols *symbols,
			     const SptMetric *metric, const SptFilter *filter)
{
	GString *text = g_string_new(NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(capture, symbols, metric, filter);

	append_export_of(&spt_export_pprof,
			 &(SptExportInput){ .profile = profile,
					    .capture = capture,
					    .symbols = symbols,
					    .filter = filter },
			 text);
	return text;
}

static gint compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "function object self total" of all that have weight, sorted. */
static char *describe_functions(const SptProfile *profile)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (functions[i].total > 0)
			g_ptr_array_add(lines,
					g_strdup_printf("%s %s %" PRIu64 " %" PRIu64,
							functions[i].name, functions[i].object,
							functions[i].self, functions[i].total));
	g_ptr_array_sort(lines, compare_texts);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

static void check_round_trip(const SptCapture *capture, SptSymbols *symbols,
			     const SptFilter *filter)
{
	g_autoptr(GString) text = export_pprof(capture, symbols, NULL, filter);
	g_autoptr(SptProfile) before = spt_profile_new(capture, symbols, NULL, filter);
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) back = import_bytes(text->str, text->len, &error);

	g_assert_no_error(error);

	g_autoptr(SptSymbols) back_symbols = spt_symbols_new(back, NULL);
	g_autoptr(SptProfile) after = spt_profile_new(back, back_symbols, NULL, NULL);
	g_autofree char *expected = describe_functions(before), *got = describe_functions(after);

	g_assert_cmpstr(got, ==, expected);
	g_assert_cmpuint(spt_profile_total(after), ==, spt_profile_total(before));
	g_assert_cmpuint(spt_capture_period_ns(back), ==, spt_capture_period_ns(capture));
}

static void test_example_comes_back(void)
{
	g_autofree char *directory = g_dir_make_tmp("spt-pprof-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(directory, "example", NULL);

	g_assert_true(example_write_bundle(path, NULL));

	g_autoptr(SptCapture) capture = open_sound(path);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);

	check_round_trip(capture, symbols, NULL);
	check_round_trip(capture, symbols, &(SptFilter){ .object = "busy" });
	check_round_trip(capture, symbols, &(SptFilter){ .side = SPT_SIDE_KERNEL });
	check_round_trip(capture, symbols, &(SptFilter){ .thread = "worker" });
	g_unlink(path);
	g_rmdir(directory);
}

/* A period whose length is not known stays one. */
static void test_random_captures_come_back(void)
{
	for (unsigned i = 0; i < 20; i++) {
		struct fake fake;

		fake_init(&fake);
		fake_random_on_cpus(&fake, 200);

		g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);

		check_round_trip(&fake.capture, symbols, NULL);
		fake_clear(&fake);
	}
}

/* A small profile of another program; tests change it. */
struct foreign {
	SptPprofProfile profile;
	SptPprofType types[2], *type_list[2];
	SptPprofMapping mapping, *mapping_list[1];
	SptPprofFunction functions[3], *function_list[3];
	SptPprofLine lines[4], *first_lines[3], *second_lines[1];
	SptPprofLocation locations[2], *location_list[2];
	SptPprofLabel label, *label_list[1];
	SptPprofSample sample, *sample_list[1];
	uint64_t stack[2];
	int64_t values[2];
	char *texts[20];
};

enum {
	EMPTY,
	CPU,
	NANOSECONDS,
	BYTES,
	FILE_NAME,
	BUILD_ID,
	OUTER,
	INNER,
	INNERMOST,
	C_FILE,
	TID,
	COUNT,
	SPACE,
	TEXTS
};

static const char *const foreign_texts[] = {
	"",	 "cpu",	      "nanoseconds",  "bytes", "/opt/bin/other", "c0ffee",     "outer",
	"inner", "innermost", "/src/other.c", "tid",   "count",		 "inuse_space"
};

static void foreign_init_places(struct foreign *foreign)
{
	spt_pprof_mapping__init(&foreign->mapping);
	foreign->mapping.id = 7;
	foreign->mapping.memory_start = 0x400000;
	foreign->mapping.memory_limit = 0x500000;
	foreign->mapping.file_offset = 0x1000;
	foreign->mapping.filename = FILE_NAME;
	foreign->mapping.build_id = BUILD_ID;
	foreign->mapping_list[0] = &foreign->mapping;
	for (unsigned i = 0; i < 3; i++) {
		spt_pprof_function__init(&foreign->functions[i]);
		foreign->functions[i].id = 11 + i;
		foreign->functions[i].name = OUTER + i;
		foreign->functions[i].filename = C_FILE;
		foreign->function_list[i] = &foreign->functions[i];
	}
	for (unsigned i = 0; i < 4; i++) {
		spt_pprof_line__init(&foreign->lines[i]);
		foreign->lines[i].function_id = i < 3 ? 13 - i : 11;
		foreign->lines[i].line = 100 + i;
		if (i < 3)
			foreign->first_lines[i] = &foreign->lines[i];
	}
	foreign->second_lines[0] = &foreign->lines[3];
	for (unsigned i = 0; i < 2; i++) {
		spt_pprof_location__init(&foreign->locations[i]);
		foreign->locations[i].id = 21 + i;
		foreign->locations[i].mapping_id = 7;
		foreign->locations[i].address = 0x400123 + i;
		foreign->locations[i].n_line = i ? 1 : 3;
		foreign->locations[i].line = i ? foreign->second_lines : foreign->first_lines;
		foreign->location_list[i] = &foreign->locations[i];
		foreign->stack[i] = 21 + i;
	}
}

/* innermost <- inner <- outer (one place) <- outer; 30 ms of thread 5. */
static void foreign_init(struct foreign *foreign)
{
	spt_pprof_profile__init(&foreign->profile);
	foreign_init_places(foreign);
	for (unsigned i = 0; i < 2; i++) {
		spt_pprof_type__init(&foreign->types[i]);
		foreign->type_list[i] = &foreign->types[i];
	}
	foreign->types[0] = (SptPprofType){ foreign->types[0].base, CPU, NANOSECONDS };
	foreign->types[1] = (SptPprofType){ foreign->types[1].base, SPACE, BYTES };
	spt_pprof_label__init(&foreign->label);
	foreign->label.key = TID;
	foreign->label.num = 5;
	foreign->label_list[0] = &foreign->label;
	spt_pprof_sample__init(&foreign->sample);
	foreign->values[0] = 30000000;
	foreign->values[1] = 4096;
	foreign->sample.n_location_id = 2;
	foreign->sample.location_id = foreign->stack;
	foreign->sample.n_value = 1;
	foreign->sample.value = foreign->values;
	foreign->sample.n_label = 1;
	foreign->sample.label = foreign->label_list;
	foreign->sample_list[0] = &foreign->sample;
	for (unsigned i = 0; i < TEXTS; i++)
		foreign->texts[i] = (char *)foreign_texts[i];
	foreign->profile.n_sample_type = 1;
	foreign->profile.sample_type = foreign->type_list;
	foreign->profile.n_sample = 1;
	foreign->profile.sample = foreign->sample_list;
	foreign->profile.n_mapping = 1;
	foreign->profile.mapping = foreign->mapping_list;
	foreign->profile.n_location = 2;
	foreign->profile.location = foreign->location_list;
	foreign->profile.n_function = 3;
	foreign->profile.function = foreign->function_list;
	foreign->profile.n_string_table = TEXTS;
	foreign->profile.string_table = foreign->texts;
	foreign->profile.period_type = &foreign->types[0];
	foreign->profile.period = 10000000;
}

static SptCapture *import_foreign(const struct foreign *foreign, GError **error)
{
	size_t n = spt_pprof_profile__get_packed_size(&foreign->profile);
	g_autofree uint8_t *bytes = g_malloc(n);

	spt_pprof_profile__pack(&foreign->profile, bytes);
	return import_bytes(bytes, n, error);
}

static void test_lines_and_objects_come_in(void)
{
	struct foreign foreign;
	SptNamedPlace places[SPT_INLINES_MAX];
	g_autoptr(GError) error = NULL;

	foreign_init(&foreign);

	g_autoptr(SptCapture) capture = import_foreign(&foreign, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(spt_capture_period_ns(capture), ==, 10000000);
	g_assert_cmpuint(capture->weight, ==, 3);
	g_assert_cmpuint(capture->n_nodes, ==, 3);
	g_assert_cmpuint(capture->nodes[2].frame.offset, ==, 0x1123);
	g_assert_cmpstr(capture->objects[1].path, ==, "/opt/bin/other");
	g_assert_cmpuint(capture->objects[1].build_id_bytes, ==, 3);
	g_assert_cmpuint(capture->objects[1].build_id[0], ==, 0xc0);
	g_assert_cmpuint(capture->threads[1].tid, ==, 5);
	g_assert_cmpstr(capture->processes[1].name, ==, "other");

	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);

	g_assert_cmpuint(spt_symbols_places(symbols, &capture->nodes[2].frame, places), ==, 3);
	g_assert_cmpstr(places[0].name.function, ==, "innermost");
	g_assert_cmpstr(places[1].name.function, ==, "inner");
	g_assert_cmpstr(places[2].name.function, ==, "outer");
	g_assert_cmpstr(places[2].name.object, ==, "other");
	g_assert_cmpstr(places[0].file, ==, "/src/other.c");
	g_assert_cmpuint(places[0].line, ==, 100);
	g_assert_cmpuint(places[2].line, ==, 102);
}

/* The last type is shown, unless the profile names another. */
static void test_types_are_chosen(void)
{
	struct foreign foreign;
	uint64_t sum = 0;

	foreign_init(&foreign);
	foreign.profile.n_sample_type = foreign.sample.n_value = 2;

	g_autoptr(SptCapture) memory = import_foreign(&foreign, NULL);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(memory, NULL);
	g_autoptr(SptProfile) live =
		spt_profile_new(memory, symbols, spt_metric_find("live"), NULL);

	sum = spt_profile_total(live);
	g_assert_cmpuint(memory->n_samples, ==, 0);
	g_assert_cmpuint(sum, ==, 4096);

	foreign.profile.default_sample_type = CPU;

	g_autoptr(SptCapture) cpu = import_foreign(&foreign, NULL);

	g_assert_cmpuint(cpu->weight, ==, 3);
}

/* Values that are no multiples of the period keep their sum. */
static void test_odd_values_keep_their_sum(void)
{
	struct foreign foreign;

	foreign_init(&foreign);
	foreign.values[0] = 12345678;

	g_autoptr(SptCapture) capture = import_foreign(&foreign, NULL);

	g_assert_cmpuint(capture->weight * spt_capture_period_ns(capture), ==, 12345678);
}

static void refuse_location(struct foreign *foreign)
{
	foreign->stack[1] = 99;
}

static void refuse_negative(struct foreign *foreign)
{
	foreign->values[0] = -1;
}

static void refuse_huge(struct foreign *foreign)
{
	foreign->values[0] = INT64_MAX;
}

static void refuse_values(struct foreign *foreign)
{
	foreign->sample.n_value = 2;
}

static void refuse_types(struct foreign *foreign)
{
	foreign->profile.n_sample_type = foreign->sample.n_value = 0;
}

static void test_what_is_wrong_is_refused(void)
{
	static const struct {
		void (*change)(struct foreign *foreign);
		const char *sentence;
	} cases[] = {
		{ refuse_location, "sample 1 has a location that is not there" },
		{ refuse_negative, "sample 1 has a negative value, as in a comparison" },
		{ refuse_huge, "sample 1 has a value that is too large" },
		{ refuse_values, "sample 1 does not have a value of each type" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct foreign foreign;
		g_autoptr(GError) error = NULL;

		foreign_init(&foreign);
		cases[i].change(&foreign);
		g_assert_null(import_foreign(&foreign, &error));
		g_assert_cmpstr(error->message, ==, cases[i].sentence);
	}
}

/* A stack without end, and a message cut off. */
static void test_bounds(void)
{
	g_autofree uint64_t *stack = g_new(uint64_t, SPT_IMPORT_FRAMES + 1);
	struct foreign foreign;
	g_autoptr(GError) error = NULL, other = NULL, third = NULL;

	foreign_init(&foreign);
	for (unsigned i = 0; i <= SPT_IMPORT_FRAMES; i++)
		stack[i] = 21;
	foreign.sample.location_id = stack;
	foreign.sample.n_location_id = SPT_IMPORT_FRAMES + 1;
	g_assert_null(import_foreign(&foreign, &error));
	g_assert_cmpstr(error->message, ==, "sample 1 has too many frames");

	g_assert_null(import_bytes("\x0a\x04\x08\x01\x10\x02\x12\x70", 8, &other));
	g_assert_cmpstr(other->message, ==, "it is damaged, or no profile of pprof");

	foreign_init(&foreign);
	refuse_types(&foreign);
	foreign.texts[EMPTY] = (char *)"";
	g_assert_null(import_bytes("\x32\0\x32\0", 4, &third));
	g_assert_cmpstr(third->message, ==, "it does not say what its samples count");
}

/* What a small file becomes is bounded, and what is cut off is refused. */
static void test_packed_files(void)
{
	struct fake fake;

	fake_init(&fake);
	fake_random(&fake, 500);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(GString) text = export_pprof(&fake.capture, symbols, NULL, NULL);
	g_autoptr(GError) large = NULL, cut = NULL, torn = NULL;
	int fd = fd_of(text->str, text->len), short_fd = fd_of(text->str, text->len / 2), torn_fd;

	g_assert_null(spt_import_unpack(fd, 1000, &large));
	g_assert_cmpstr(large->message, ==, "it is too large, unpacked");
	g_assert_null(spt_import_unpack(short_fd, 1 << 20, &cut));
	g_assert_cmpstr(cut->message, ==, "it is cut off");
	text->str[text->len / 2] ^= 0x55;
	torn_fd = fd_of(text->str, text->len);
	g_assert_null(spt_import_unpack(torn_fd, 1 << 20, &torn));
	g_assert_cmpstr(torn->message, ==, "its packed data is damaged");
	close(fd);
	close(short_fd);
	close(torn_fd);
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/pprof/example-comes-back", test_example_comes_back);
	g_test_add_func("/pprof/random-captures-come-back", test_random_captures_come_back);
	g_test_add_func("/pprof/lines-and-objects", test_lines_and_objects_come_in);
	g_test_add_func("/pprof/types", test_types_are_chosen);
	g_test_add_func("/pprof/odd-values", test_odd_values_keep_their_sum);
	g_test_add_func("/pprof/wrong", test_what_is_wrong_is_refused);
	g_test_add_func("/pprof/bounds", test_bounds);
	g_test_add_func("/pprof/packed", test_packed_files);
	return g_test_run();
}
