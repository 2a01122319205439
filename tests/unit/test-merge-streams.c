/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams that a merger does not understand: all their rows are in the result, and mean what they
 * meant.
 */
#include "rewrite/merge.h"

#include <string.h>
#include <unistd.h>

#include "../gen/capture-example.h"
#include "capture/events.h"
#include "opened.h"

#define OTHER_ROWS 3000
#define LARGE_BYTES (3u << 20)

static char *directory;

static char *path_of(const char *name)
{
	return g_build_filename(directory, name, NULL);
}

static SptCapture *open_capture(const char *name)
{
	g_autofree char *path = path_of(name);

	return open_sound(path);
}

/*
 * Marks as the example declares them, counters that it declares otherwise, rows that fill more than
 * a block, a file; and ids that are not the example's.
 */
static void write_other(const char *name)
{
	static const SptStreamRow marks = {
		.kind = SPT_STREAM_MARKS, .name = "marks", .metric = "", .unit = ""
	};
	static const SptStreamRow counters = { .kind = SPT_STREAM_COUNTER,
					       .name = "counters",
					       .metric = "temperature",
					       .unit = "mK" };
	static const SptStreamColumnRow mark_columns[] = {
		{ .column = 1, .role = SPT_ROLE_TIME, .name = "" },
		{ .column = 2, .role = SPT_ROLE_DURATION, .name = "" },
		{ .column = 3, .role = SPT_ROLE_THREAD, .name = "" },
		{ .column = 4, .role = SPT_ROLE_TEXT, .name = "" },
	};
	static const SptStreamColumnRow counter_columns[] = {
		{ .column = 1, .role = SPT_ROLE_TIME, .name = "" },
		{ .column = 2, .role = SPT_ROLE_VALUE, .name = "" },
		{ .column = 3, .role = SPT_ROLE_NODE, .name = "" },
		{ .column = 4, .role = SPT_ROLE_COOKIE, .name = "" },
	};
	g_autofree char *path = path_of(name);
	g_autofree char *large = g_malloc0(LARGE_BYTES);
	g_autoptr(GError) error = NULL;
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, &error);
	uint64_t times[OTHER_ROWS], numbers[OTHER_ROWS], threads[OTHER_ROWS], nodes[OTHER_ROWS];
	SptBytes texts[OTHER_ROWS];
	uint32_t id, node;

	spt_capture_writer_host(writer, "period_ns", "1000000");
	spt_capture_writer_object(writer, &(SptObjectRow){ .id = 7,
							   .kind = SPT_OBJECT_FILE,
							   .path = "/usr/bin/other" });
	spt_capture_writer_process(writer,
				   &(SptProcessRow){ .id = 5, .pid = 500, .name = "other" });
	spt_capture_writer_thread(
		writer, &(SptThreadRow){ .id = 9, .process = 5, .tid = 501, .name = "worker" });
	node = spt_stash_child(stash, 0, &(SptFrame){ .object = 7, .offset = 0x77 });
	g_assert_true(spt_capture_writer_flush(writer, stash, &error));
	for (unsigned i = 0; i < OTHER_ROWS; i++) {
		times[i] = EXAMPLE_BEGIN_NS - 1000 + i * 2 * EXAMPLE_PERIOD_NS / 1000;
		numbers[i] = i;
		/* Some lead nowhere. */
		threads[i] = i % 3 ? 9 : i % 2 ? 8 : 4000000000;
		nodes[i] = i % 3 ? node : 77;
		texts[i] = (SptBytes){ large + i,
				       i == 10 || i == 20 || i == 30 ? LARGE_BYTES - i : i % 5 };
	}
	id = spt_capture_writer_stream(writer, &marks, mark_columns, 4);
	for (unsigned from = 0; from < OTHER_ROWS; from += from < 40 ? 10 : OTHER_ROWS) {
		const SptEventColumn columns[] = { { 1, times + from, NULL },
						   { 3, threads + from, NULL },
						   { 4, NULL, texts + from } };

		g_assert_true(spt_capture_writer_events(writer, id, columns, 3,
							from < 40 ? 10 : OTHER_ROWS - from,
							times + from, &error));
	}
	id = spt_capture_writer_stream(writer, &counters, counter_columns, 4);
	g_assert_true(spt_capture_writer_events(writer, id,
						(const SptEventColumn[]){ { 1, times, NULL },
									  { 2, numbers, NULL },
									  { 3, nodes, NULL },
									  { 4, numbers, NULL } },
						4, OTHER_ROWS, times, &error));
	g_assert_true(spt_capture_writer_events(
		writer, 0,
		(const SptEventColumn[]){ { 1, (const uint64_t[]){ 7 }, NULL },
					  { 3, NULL, &(SptBytes){ "ELF of other", 12 } } },
		2, 1, NULL, &error));
	g_assert_true(spt_capture_writer_finish(writer, stash, EXAMPLE_BEGIN_NS, &error));
	g_assert_no_error(error);
}

static void describe_node(GString *text, const SptCapture *capture, uint64_t node)
{
	for (; node != 0; node = capture->nodes[node].parent) {
		const SptFrame *frame = &capture->nodes[node].frame;

		g_string_append_printf(text, " %s+%" G_GUINT64_FORMAT,
				       capture->objects[frame->object].path, frame->offset);
	}
}

static uint32_t role_of(const SptCapture *capture, uint32_t stream, uint32_t column)
{
	for (uint64_t i = 0; i < capture->n_columns; i++) {
		if (capture->columns[i].stream == stream && capture->columns[i].column == column)
			return capture->columns[i].role;
	}
	return UINT32_MAX;
}

static void describe_number(GString *text, const SptCapture *capture, uint32_t role, uint64_t value)
{
	if (role == SPT_ROLE_THREAD)
		g_string_append_printf(text, " tid %u",
				       value < capture->n_threads ? capture->threads[value].tid :
								    0);
	else if (role == SPT_ROLE_NODE || role == SPT_ROLE_OTHER_NODE ||
		 role == SPT_ROLE_KERNEL_NODE)
		describe_node(text, capture, value < capture->n_nodes ? value : 0);
	else if (role == UINT32_MAX)		/* of an embedded file */
		g_string_append_printf(text, " %s", capture->objects[value].path);
	else if (role != SPT_ROLE_COOKIE && role != SPT_ROLE_HANDLE)
		g_string_append_printf(text, " %u=%" G_GUINT64_FORMAT, role, value);
	else
		g_string_append(text, value ? " cookie" : " no cookie");
}

/*
 * Rows of a stream (0: of embedded files) as texts that do not depend on ids; a time that is less
 * than the one before is an error.
 */
static void describe(GPtrArray *lines, const SptCapture *capture, uint32_t stream, bool in_order)
{
	g_autoptr(SptEvents) events =
		spt_events_new(capture, stream ? SPT_BLOCK_EVENT : SPT_BLOCK_FILE, stream);
	g_autoptr(GError) error = NULL;
	const SptTable *table;
	uint64_t latest = 0;

	while ((table = spt_events_next(events, &error))) {
		unsigned first = lines->len;

		for (uint32_t i = 0; i < table->rows; i++)
			g_ptr_array_add(lines, g_string_new(stream ? capture->streams[stream].name :
								     "file"));
		for (unsigned id = 1; id < 60; id++) {
			const SptColumn *column = spt_table_column(table, id);
			uint32_t role = stream ? role_of(capture, stream, id) : UINT32_MAX;
			SptColumnCursor cursor;

			if (column)
				g_assert_true(spt_column_begin(&cursor, column, table->rows));
			for (uint32_t i = 0; i < table->rows; i++) {
				GString *text = lines->pdata[first + i];
				uint64_t value = 0;
				SptBytes bytes;

				if (column && column->coding == SPT_CODING_BYTES) {
					g_autofree char *sum = NULL;

					g_assert_true(spt_column_next_bytes(&cursor, &bytes));
					sum = g_compute_checksum_for_data(G_CHECKSUM_MD5,
									  bytes.data, bytes.bytes);
					if (bytes.bytes > 0)
						g_string_append_printf(text, " %u=%s", role, sum);
					continue;
				}
				if (column)
					g_assert_true(spt_column_next_numbers(&cursor, &value, 1));
				if (role == SPT_ROLE_TIME && in_order) {
					g_assert_cmpuint(value, >=, latest);
					latest = value;
				}
				if (column || (role != UINT32_MAX && role != SPT_ROLE_TEXT &&
					       role != SPT_ROLE_RAW_STACK && role < 200))
					describe_number(text, capture, role, value);
			}
		}
	}
	g_assert_no_error(error);
}

static int compare_lines(gconstpointer a, gconstpointer b)
{
	return strcmp((*(GString *const *)a)->str, (*(GString *const *)b)->str);
}

static void free_line(gpointer line)
{
	g_string_free(line, TRUE);
}

static void describe_all(GPtrArray *lines, const SptCapture *capture, bool in_order)
{
	for (uint32_t i = 0; i < capture->n_streams; i++) {
		if (i == 0 || (capture->streams[i].id && i != capture->samples_stream))
			describe(lines, capture, i, in_order);
	}
	g_ptr_array_sort(lines, compare_lines);
}

static SptCapture *merge(const char *a, const char *b)
{
	g_autoptr(SptCapture) first = open_capture(a);
	g_autoptr(SptCapture) second = open_capture(b);
	g_autofree char *out = path_of("merged");
	g_autoptr(GError) error = NULL;

	g_assert_true(
		spt_merge_captures((const SptCapture *const[]){ first, second }, 2, out, &error));
	g_assert_no_error(error);
	return open_capture("merged");
}

static void check_rows(const char *a, const char *b)
{
	g_autoptr(GPtrArray) expected = g_ptr_array_new_with_free_func(free_line);
	g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(free_line);
	g_autoptr(SptCapture) first = open_capture(a);
	g_autoptr(SptCapture) second = open_capture(b);
	g_autoptr(SptCapture) merged = merge(a, b);

	describe_all(expected, first, false);
	describe_all(expected, second, false);
	describe_all(found, merged, true);
	g_assert_cmpuint(found->len, ==, expected->len);
	for (unsigned i = 0; i < found->len; i++)
		g_assert_cmpstr(((GString *)found->pdata[i])->str, ==,
				((GString *)expected->pdata[i])->str);
}

static uint32_t find_stream(const SptCapture *capture, const char *name, unsigned *ret_n)
{
	uint32_t found = 0;

	*ret_n = 0;
	for (uint32_t i = 1; i < capture->n_streams; i++) {
		if (capture->streams[i].id == 0 || strcmp(capture->streams[i].name, name) != 0)
			continue;
		found = found ? found : i;
		(*ret_n)++;
	}
	return found;
}

static void test_rows(void)
{
	check_rows("example", "other");
	check_rows("other", "example");
	check_rows("example", "example");
	check_rows("other", "other");
}

/* What is declared alike is one stream, in the order of time; what is not stays apart. */
static void test_declarations(void)
{
	g_autoptr(SptCapture) merged = merge("example", "other");
	unsigned n;
	uint32_t stream = find_stream(merged, "marks", &n);

	g_assert_cmpuint(n, ==, 1);
	g_assert_cmpuint(merged->streams[stream].rows, ==, OTHER_ROWS + 2);
	find_stream(merged, "counters", &n);
	g_assert_cmpuint(n, ==, 2);
	stream = find_stream(merged, "quantum", &n);
	g_assert_cmpuint(merged->streams[stream].kind, ==, 77);
	g_assert_cmpstr(merged->streams[stream].unit, ==, "hbar");
	g_assert_cmpuint(merged->n_samples, ==, 305);
}

/* How many different numbers a column of the example merged with itself has. */
static unsigned n_different(const char *name, uint32_t column_id)
{
	g_autoptr(SptCapture) merged = merge("example", "example");
	g_autoptr(GHashTable) seen =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	unsigned n;
	uint32_t stream = find_stream(merged, name, &n);
	g_autoptr(SptEvents) events = spt_events_new(merged, SPT_BLOCK_EVENT, stream);
	const SptTable *table;

	while ((table = spt_events_next(events, NULL))) {
		const SptColumn *column = spt_table_column(table, column_id);
		SptColumnCursor cursor;

		g_assert_true(spt_column_begin(&cursor, column, table->rows));
		for (uint32_t i = 0; i < table->rows; i++) {
			uint64_t value;

			g_assert_true(spt_column_next_numbers(&cursor, &value, 1));
			g_hash_table_add(seen, g_memdup2(&value, sizeof(value)));
		}
	}
	return g_hash_table_size(seen);
}

/* The same cookies in two captures are those of different stacks, the same handles of blocks. */
static void test_cookies(void)
{
	g_assert_cmpuint(n_different("user-stacks", 2), ==, 4);
	g_assert_cmpuint(n_different("allocations", 4), ==, 4);
}

/* A file that was cut meanwhile, or has rows that cannot be, is an error and no result. */
static void test_damage(void)
{
	g_autofree char *path = path_of("cut"), *out = path_of("none");
	g_autoptr(GError) error = NULL;

	write_other("cut");

	g_autoptr(SptCapture) capture = open_capture("cut");

	g_assert_cmpint(truncate(path, (off_t)capture->places[capture->n_places - 1].position + 10),
			==, 0);
	g_assert_false(spt_merge_captures((const SptCapture *const[]){ capture, capture }, 2, out,
					  &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED);
	g_assert_nonnull(strstr(error->message, "changed while it was open"));
	g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "example", "other", "merged", "cut", "none.part" };
	g_autofree char *example = NULL;
	int status;

	g_test_init(&argc, &argv, NULL);
	directory = g_dir_make_tmp("spt-streams-XXXXXX", NULL);
	example = path_of("example");
	g_assert_true(example_write(example, NULL));
	write_other("other");
	g_test_add_func("/merge-streams/rows", test_rows);
	g_test_add_func("/merge-streams/declarations", test_declarations);
	g_test_add_func("/merge-streams/cookies", test_cookies);
	g_test_add_func("/merge-streams/damage", test_damage);
	status = g_test_run();
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = path_of(names[i]);

		g_unlink(path);
	}
	g_rmdir(directory);
	g_free(directory);
	return status;
}
