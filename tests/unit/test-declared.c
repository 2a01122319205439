/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kinds of events that are declared at run time: what is declared and written is read again, within
 * the bounds, and joined captures have it once.
 */
#include <string.h>

#include "capture/stream-rows.h"
#include "declared.h"
#include "rewrite/merge.h"
#include "written.h"

#define MANY 100000u

static void set_up(Fixture *fixture, gconstpointer data)
{
	(void)data;
	begin_file(fixture, 2);
}

static void put_request(Fixture *fixture, unsigned i, uint64_t time, uint32_t thread, uint32_t node)
{
	SptDeclaredRow row = request_row(i, time, thread, node);

	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED, &row);
}

static void assert_request(const SptDeclaredRow *row, unsigned i, uint64_t time, uint32_t thread,
			   uint32_t node)
{
	SptDeclaredRow wanted = request_row(i, time, thread, node);

	g_assert_cmpuint(row->time, ==, wanted.time);
	g_assert_cmpuint(row->duration_ns, ==, wanted.duration_ns);
	g_assert_cmpuint(row->cpu, ==, wanted.cpu);
	g_assert_cmpuint(row->thread, ==, thread);
	g_assert_cmpuint(row->node, ==, node);
	g_assert_cmpstr(row->values[0].text, ==, wanted.values[0].text);
	g_assert_cmpuint(row->values[1].number, ==, wanted.values[1].number);
	g_assert_cmpint(row->values[2].integer, ==, wanted.values[2].integer);
}

static void assert_declaration(const SptDeclared *kind, const SptDeclarationRow *wanted)
{
	g_assert_cmpstr(kind->name, ==, wanted->name);
	g_assert_cmpstr(kind->title, ==, wanted->title ? wanted->title : wanted->name);
	g_assert_cmpint(kind->shape, ==, wanted->shape);
	g_assert_cmpuint(kind->n_fields, ==, wanted->n_fields);
	for (unsigned i = 0; i < kind->n_fields; i++) {
		unsigned found = 99;

		g_assert_cmpstr(kind->fields[i].name, ==, wanted->fields[i].name);
		g_assert_cmpstr(kind->fields[i].unit, ==, wanted->fields[i].unit);
		g_assert_cmpint(kind->fields[i].type, ==, wanted->fields[i].type);
		g_assert_true(spt_declared_find_field(kind, wanted->fields[i].name, &found));
		g_assert_cmpuint(found, ==, i);
	}
}

static void test_round_trip(Fixture *fixture, gconstpointer data)
{
	uint32_t node = spt_stash_child(fixture->stash, 0, &(SptFrame){ .offset = 1 });
	SptDeclarationRow again = request_kind;
	SptDeclaredRow load = load_row(3, 50), unknown = load;
	const SptDeclaredRow *rows;
	uint32_t n;

	(void)data;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &request_kind);
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &load_kind);
	put_request(fixture, 0, 5000000000, 1, node);
	g_assert_true(spt_capture_writer_flush(fixture->writer, fixture->stash, NULL));
	/* Another program's kind is the same one, though it has another number there. */
	again.id = 9;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &again);
	put_request(fixture, 1, 5000000001, 2, 0);
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED, &load);
	unknown.kind = 1234;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED, &unknown);
	open_again(fixture);

	assert_declaration(spt_declared(fixture->capture, 0), &request_kind);
	assert_declaration(spt_declared(fixture->capture, 1), &load_kind);
	g_assert_null(spt_declared(fixture->capture, 2));
	g_assert_true(spt_declared_find(fixture->capture, "load") ==
		      spt_declared(fixture->capture, 1));
	g_assert_null(spt_declared_find(fixture->capture, "samples"));
	g_assert_cmpuint(spt_declared(fixture->capture, 0)->rows, ==, 2);

	g_autoptr(SptDeclaredReader) requests = spt_declared_reader_new(
		fixture->capture, spt_declared(fixture->capture, 0));
	g_autoptr(SptDeclaredReader) loads = spt_declared_reader_new(
		fixture->capture, spt_declared(fixture->capture, 1));

	rows = spt_declared_reader_next(requests, &n);
	g_assert_cmpuint(n, ==, 1);
	assert_request(rows, 0, 5000000000, 1, node);
	rows = spt_declared_reader_next(requests, &n);
	g_assert_cmpuint(n, ==, 1);
	assert_request(rows, 1, 5000000001, 2, 0);
	g_assert_null(spt_declared_reader_next(requests, &n));
	rows = spt_declared_reader_next(loads, &n);
	g_assert_cmpuint(n, ==, 1);
	g_assert_cmpfloat(rows->values[0].real, ==, 0.75);
	g_assert_cmpuint(rows->values[1].number, ==, 3);
}

/* More rows than a block has: most are packed before the flush that writes their nodes. */
static void test_many(Fixture *fixture, gconstpointer data)
{
	const SptDeclaredRow *rows;
	unsigned at = 0;
	uint32_t n;

	(void)data;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &request_kind);
	for (unsigned i = 0; i < MANY; i++) {
		SptFrame frame = { .offset = i % 1000 };

		put_request(fixture, i, 1000 * i, 1 + i % 2,
			    spt_stash_child(fixture->stash, 0, &frame));
	}
	open_again(fixture);

	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(
		fixture->capture, spt_declared(fixture->capture, 0));

	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++, at++)
			assert_request(&rows[i], at, 1000 * at, 1 + at % 2, 1 + at % 1000);
	g_assert_cmpuint(at, ==, MANY);
	g_assert_cmpuint(fixture->capture->file_bytes, <, 8 * MANY);
}

/* Names that a hostile program chooses, ids that lead nowhere, more than there is room for. */
static void test_bounds(Fixture *fixture, gconstpointer data)
{
	g_autofree char *long_text = g_strnfill(5000, 'x');
	SptDeclarationRow strange = request_kind;
	SptDeclaredRow row = request_row(0, UINT64_MAX - 1, 77, 1234567);
	const SptDeclaredRow *rows;
	uint32_t n;

	(void)data;
	strange.name = "\033[31mred\n\xff";
	strange.title = long_text;
	strange.fields[1].name = strange.fields[0].name;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &strange);
	row.values[0].text = long_text;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED, &row);
	/* The same name, but other fields. */
	strange.n_fields = 1;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &strange);
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED, &row);
	for (unsigned i = 0; i < SPT_DECLARED_KINDS + 10; i++) {
		g_autofree char *name = g_strdup_printf("kind %u", i);

		spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION,
				       &(SptDeclarationRow){ .id = 1000 + i, .name = name });
		spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED,
				       &(SptDeclaredRow){ .kind = 1000 + i });
	}
	open_again(fixture);

	g_assert_nonnull(spt_declared(fixture->capture, SPT_DECLARED_KINDS - 1));
	g_assert_null(spt_declared(fixture->capture, SPT_DECLARED_KINDS));

	const SptDeclared *first = spt_declared(fixture->capture, 0);
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(fixture->capture, first);

	g_assert_cmpstr(first->name, ==, "\xef\xbf\xbd[31mred\xef\xbf\xbd\xef\xbf\xbd");
	g_assert_cmpuint(strlen(first->title), ==, SPT_DECLARED_NAME_BYTES);
	/* Of two fields with one name only the first is there. */
	g_assert_cmpuint(first->n_fields, ==, 2);
	g_assert_cmpstr(first->fields[1].name, ==, "delta");
	g_assert_true(g_str_has_prefix(spt_declared(fixture->capture, 1)->name, first->name));
	g_assert_true(strchr(spt_declared(fixture->capture, 1)->name, '~'));
	rows = spt_declared_reader_next(reader, &n);
	g_assert_cmpuint(n, ==, 1);
	g_assert_cmpuint(rows->thread, ==, 0);
	g_assert_cmpuint(rows->node, ==, 0);
	g_assert_cmpuint(rows->duration_ns, ==, 1);
	g_assert_cmpuint(strlen(rows->values[0].text), ==, SPT_DECLARED_TEXT_BYTES);
	g_assert_cmpint(rows->values[1].integer, ==, 0);
}

/* Two captures with the same kind have it once; one with other fields stays what it is. */
static void test_merge(Fixture *fixture, gconstpointer data)
{
	g_autofree char *path = g_build_filename(fixture->directory, "b.capture", NULL),
			*merged_path = g_build_filename(fixture->directory, "merged", NULL);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	SptDeclarationRow other = request_kind, load = load_kind;
	SptDeclaredRow row = request_row(5, 500, 0, 0);
	GError *error = NULL;
	const SptDeclaredRow *rows;
	uint32_t n;

	(void)data;
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &request_kind);
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARATION, &load_kind);
	put_request(fixture, 1, 1000, 2, spt_stash_child(fixture->stash, 0, &(SptFrame){ 0 }));
	spt_capture_writer_put(fixture->writer, SPT_ROW_DECLARED,
			       &(SptDeclaredRow){ .kind = load.id });
	open_again(fixture);
	other.id = 1;
	other.title = "Other title";
	load.fields[0].unit = "per mille";
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &other);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &load);
	row.kind = 1;
	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &(SptDeclaredRow){ .kind = load.id });
	g_assert_true(spt_capture_writer_finish(writer, stash, 99, NULL));

	g_autoptr(SptCapture) second = spt_capture_open(path, NULL);
	const SptCapture *both[] = { second, fixture->capture };

	g_assert_true(spt_merge_captures(both, 2, merged_path, &error));
	g_assert_no_error(error);

	g_autoptr(SptCapture) merged = spt_capture_open(merged_path, NULL);
	const SptDeclared *kind = spt_declared_find(merged, "request");
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(merged, kind);

	g_assert_cmpstr(kind->title, ==, "Other title");
	g_assert_cmpuint(kind->rows, ==, 2);
	rows = spt_declared_reader_next(reader, &n);
	g_assert_cmpuint(n, ==, 2);
	assert_request(&rows[0], 5, 500, 0, 0);
	g_assert_cmpuint(rows[1].thread, >, 0);
	g_assert_cmpuint(rows[1].node, >, 0);
	g_assert_cmpstr(rows[1].values[0].text, ==, "/a");
	g_assert_cmpstr(spt_declared_find(merged, "load")->fields[0].unit, ==, "per mille");
	g_assert_nonnull(spt_declared(merged, 2));
	g_assert_null(spt_declared(merged, 3));
	g_unlink(path);
	g_unlink(merged_path);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, function) \
	g_test_add("/declared/" name, Fixture, NULL, set_up, function, tear_down)
	ADD("round-trip", test_round_trip);
	ADD("many", test_many);
	ADD("bounds", test_bounds);
	ADD("merge", test_merge);
	return g_test_run();
}
