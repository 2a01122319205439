/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reader reads what the writer wrote; errors in between are reported; unknown blocks are
 * skipped.
 */
#include "capture/capture.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../gen/capture-example.h"
#include "capture/crc32c.h"
#include "capture/writer-private.h"
#include "opened.h"

typedef struct {
	char *directory, *path, *part_path;
	SptStash *stash;
	SptCaptureWriter *writer;
} Fixture;

static void set_up(Fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	fixture->directory = g_dir_make_tmp("spt-capture-XXXXXX", &error);
	g_assert_no_error(error);
	fixture->path = g_build_filename(fixture->directory, data ? data : "a.capture", NULL);
	fixture->part_path = g_strconcat(fixture->path, ".part", NULL);
	fixture->stash = spt_stash_new();
	fixture->writer = spt_capture_writer_new(fixture->path, &error);
	g_assert_no_error(error);
}

static void tear_down(Fixture *fixture, gconstpointer data)
{
	(void)data;
	spt_capture_writer_free(fixture->writer);
	spt_stash_free(fixture->stash);
	g_unlink(fixture->path);
	g_unlink(fixture->part_path);
	g_assert_cmpint(g_rmdir(fixture->directory), ==, 0);
	g_free(fixture->path);
	g_free(fixture->part_path);
	g_free(fixture->directory);
}

static SptCapture *open_whole(const char *path)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture = spt_capture_open(path, &error);

	g_assert_no_error(error);
	g_assert_nonnull(capture);
	g_assert_cmpstr(capture->damage, ==, NULL);
	g_assert_cmpstr(capture->path, ==, path);
	return capture;
}

static void flush(Fixture *fixture)
{
	g_autoptr(GError) error = NULL;

	g_assert_true(spt_capture_writer_flush(fixture->writer, fixture->stash, &error));
	g_assert_no_error(error);
}

static SptCapture *finish(Fixture *fixture)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture;

	g_assert_true(spt_capture_writer_finish(fixture->writer, fixture->stash, 99, &error));
	g_assert_no_error(error);
	g_assert_false(g_file_test(fixture->part_path, G_FILE_TEST_EXISTS));
	capture = open_whole(fixture->path);
	g_assert_true(capture->finished);
	g_assert_cmpuint(capture->end_time, ==, 99);
	g_assert_cmpuint(capture->file_bytes, ==, spt_capture_writer_bytes(fixture->writer));
	return capture;
}

static void test_crc(void)
{
	static const char digits[] = "123456789";

	g_assert_cmphex(spt_crc32c(0, digits, 9), ==, 0xe3069283);
	for (unsigned split = 0; split <= 9; split++)
		g_assert_cmphex(spt_crc32c(spt_crc32c(0, digits, split), digits + split, 9 - split),
				==, 0xe3069283);
}

/* Every coding, at the limits of 64 bits. */
static void test_codings(void)
{
	static const uint64_t sets[][4] = {
		{ 0, 0, 0, 0 },
		{ UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX },
		{ 1, 0x80, 0x4000, UINT64_MAX },
		{ 0, UINT64_MAX, 1, (uint64_t)-2 },
		{ UINT64_MAX - 1, UINT64_MAX, 0, 1 },
		{ 1ull << 63, 1ull << 62, 0, 1ull << 63 },
		{ 1000000000, 1000000100, 1000000050, 1000000200 },
	};
	SptTableBuilder builder;

	spt_table_builder_init(&builder);
	for (unsigned i = 0; i < G_N_ELEMENTS(sets); i++) {
		uint64_t read[4] = { 0 };
		const SptColumn *column;
		SptColumnCursor cursor;
		SptTable table;

		spt_table_begin(&builder, 4);
		spt_table_add_numbers(&builder, 7, sets[i]);
		spt_table_end(&builder);
		g_assert_true(spt_table_parse(&table, builder.payload->data,
					      builder.payload->len, NULL));
		g_assert_cmpuint(table.rows, ==, 4);
		column = spt_table_column(&table, 7);
		if (i == 0) {
			g_assert_null(column);
			continue;
		}
		g_assert_true(spt_column_begin(&cursor, column, 4));
		g_assert_true(spt_column_next_numbers(&cursor, read, 4));
		g_assert_true(spt_column_done(&cursor));
		g_assert_cmpmem(read, sizeof(read), sets[i], sizeof(sets[i]));
	}
	spt_table_builder_clear(&builder);
}

/* Enough rows for planes: of every width, and with what each transformation is good for. */
static void test_planes(void)
{
	enum { ROWS = 700 };
	g_autoptr(GRand) random = g_rand_new_with_seed(3);
	SptTableBuilder builder;

	spt_table_builder_init(&builder);
	for (unsigned bits = 1; bits <= 64; bits++) {
		for (unsigned kind = 0; kind < 6; kind++) {
			uint64_t values[ROWS], read[ROWS], highest = 0;
			const SptColumn *column;
			SptColumnCursor cursor;
			SptTable table;

			for (unsigned i = 0; i < ROWS; i++) {
				values[i] =
					((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >>
					(64 - bits);
				if (kind == 1 && i % 2)
					values[i] = -values[i];
				else if (kind == 2 && i > 0)
					values[i] += values[i - 1];
				else if (kind == 3 && i % 3)
					values[i] = highest + 1 + i % 200;
				else if (kind == 4)
					values[i] = values[i] % 1000000 * 37;
				else if (kind == 5)
					values[i] = highest + (values[i] % 2 ? 255 : 1);
				highest = MAX(highest, values[i]);
			}
			spt_table_begin(&builder, ROWS);
			spt_table_add_numbers(&builder, 7, values);
			spt_table_end(&builder);
			g_assert_cmpuint(builder.payload->len, <,
					 30 + ROWS * ((MAX(bits, kind == 4 ? 20 :
								 kind == 3 ? 18 :
									     1) +
						       9) /
						      8));
			g_assert_true(spt_table_parse(&table, builder.payload->data,
						      builder.payload->len, NULL));
			column = spt_table_column(&table, 7);
			g_assert_true(spt_column_begin(&cursor, column, ROWS));
			g_assert_true(spt_column_next_numbers(&cursor, read, 1));
			/* Of numbers that only rise, nothing is left but steps. */
			g_assert_true(kind == 5 || !spt_column_done(&cursor));
			g_assert_true(spt_column_next_numbers(&cursor, read + 1, ROWS - 1));
			g_assert_true(spt_column_done(&cursor));
			g_assert_cmpmem(read, sizeof(read), values, sizeof(values));
		}
	}
	spt_table_builder_clear(&builder);
}

static void test_round_trip(Fixture *fixture, gconstpointer data)
{
	const SptObjectRow object = {
		.id = 7,
		.kind = SPT_OBJECT_FILE,
		.path = "/usr/bin/\xff (deleted)",
		.build_id = { 1, 2, 3 },
		.build_id_bytes = 64,
		.dev_major = UINT32_MAX,
		.dev_minor = 2,
		.generation = 3,
		.inode = UINT64_MAX,
		.bytes = 5,
		.mtime_ns = 6,
		.language = "Python",
	};
	const SptProcessRow process = { 3, 42, 0, SPT_PROCESS_KTHREAD, 11000, 12345, "a process" };
	const SptThreadRow thread = { 5, 3, 43, 13999, 14000, "a thread", NULL };
	const SptNameRow name = { 7, UINT64_MAX - 5, "symbol", 1, 2, "module" };
	const SptLossRow loss = { 1, 2, UINT64_MAX, 3, 1 };
	SptAccountRow account = { .time = 1,
				  .grid = 36,
				  .delivered = 1,
				  .idle = 2,
				  .offline = 3,
				  .excluded = 4,
				  .pending = 5,
				  .cpu = 9 };
	g_autoptr(SptCapture) capture = NULL;

	(void)data;
	account.lost[0] = account.lost[7] = 10;
	account.filtered = 8;
	spt_capture_writer_host(fixture->writer, "period_ns", "12345");
	spt_capture_writer_host(fixture->writer, "host", "first");
	spt_capture_writer_host(fixture->writer, "host", "second");
	spt_capture_writer_object(fixture->writer, &object);
	spt_capture_writer_process(fixture->writer, &process);
	spt_capture_writer_thread(fixture->writer, &thread);
	spt_capture_writer_name(fixture->writer, &name);
	spt_capture_writer_account(fixture->writer, &account);
	spt_capture_writer_loss(fixture->writer, &loss);
	capture = finish(fixture);

	g_assert_cmpuint(spt_capture_period_ns(capture), ==, 12345);
	g_assert_cmpstr(spt_capture_host(capture, "host"), ==, "second");
	g_assert_null(spt_capture_host(capture, "nothing"));
	g_assert_cmpuint(capture->n_objects, ==, 8);
	g_assert_cmpuint(capture->objects[7].id, ==, 7);
	g_assert_cmpstr(capture->objects[7].path, ==, object.path);
	g_assert_cmpmem(capture->objects[7].build_id, 65, object.build_id, 65);
	g_assert_cmpuint(capture->objects[7].dev_major, ==, UINT32_MAX);
	g_assert_cmpuint(capture->objects[7].inode, ==, UINT64_MAX);
	g_assert_cmpuint(capture->objects[7].mtime_ns, ==, 6);
	g_assert_cmpstr(capture->objects[7].language, ==, "Python");
	g_assert_cmpuint(capture->objects[6].id, ==, 0);
	g_assert_cmpstr(capture->objects[6].path, ==, "");
	g_assert_cmpstr(capture->processes[3].name, ==, "a process");
	g_assert_cmpuint(capture->processes[3].flags, ==, SPT_PROCESS_KTHREAD);
	g_assert_cmpuint(capture->processes[3].start_time, ==, 11000);
	g_assert_cmpuint(capture->processes[3].end_time, ==, 12000);
	g_assert_cmpstr(capture->threads[5].name, ==, "a thread");
	g_assert_cmpuint(capture->threads[5].process, ==, 3);
	g_assert_cmpuint(capture->threads[5].tid, ==, 43);
	g_assert_cmpuint(capture->threads[5].start_time, ==, 13000);
	g_assert_cmpuint(capture->threads[5].end_time, ==, 14000);
	g_assert_cmpuint(capture->n_names, ==, 1);
	g_assert_cmpuint(capture->names[0].offset, ==, UINT64_MAX - 6);
	g_assert_cmpstr(capture->names[0].symbol, ==, "symbol");
	g_assert_cmpstr(capture->names[0].module, ==, "module");
	g_assert_cmpuint(capture->n_accounts, ==, 1);
	g_assert_cmpmem(&capture->accounts[0], sizeof(account), &account, sizeof(account));
	g_assert_cmpint(spt_account_residue(&capture->accounts[0]), ==, 1);
	g_assert_cmpuint(spt_account_lost(&capture->accounts[0]), ==, 20);
	g_assert_cmpuint(capture->n_losses, ==, 1);
	g_assert_cmpmem(&capture->losses[0], sizeof(loss), &loss, sizeof(loss));
	g_assert_cmpuint(capture->n_samples, ==, 0);
	g_assert_cmpuint(capture->weight, ==, 0);
}

/* Delays but for the last of five bits. */
static void assert_samples(const SptCapture *capture, const SptSampleRow *wanted, uint64_t n)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	g_autofree uint64_t *by_node = g_new0(uint64_t, capture->n_nodes);
	const SptSampleRow *rows;
	uint32_t n_rows;
	uint64_t at = 0;

	while ((rows = spt_samples_next(samples, &n_rows))) {
		for (uint32_t i = 0; i < n_rows; i++, at++) {
			SptSampleRow row = rows[i];

			g_assert_cmpuint(at, <, n);
			g_assert_cmpuint(row.delay_ns * 33, >=, wanted[at].delay_ns * 32);
			g_assert_cmpuint(row.delay_ns * 31, <=, wanted[at].delay_ns * 32);
			row.delay_ns = wanted[at].delay_ns;
			g_assert_cmpmem(&row, sizeof(row), &wanted[at], sizeof(row));
			by_node[row.node] += row.weight;
		}
	}
	g_assert_cmpuint(at, ==, n);
	/* The leaves' sums are those of the samples. */
	for (uint64_t i = 0; i < capture->n_leaves; i++) {
		g_assert_cmpuint(capture->leaves[i].samples, >, 0);
		by_node[capture->leaves[i].node] -= capture->leaves[i].weight;
	}
	for (uint32_t i = 0; i < capture->n_nodes; i++)
		g_assert_cmpuint(by_node[i], ==, 0);
}

/* Rows may come in any order between two flushes, and in many blocks; samples keep theirs. */
static void test_many_samples(Fixture *fixture, gconstpointer data)
{
	enum { SAMPLES = 150000 };
	g_autofree SptSampleRow *samples = g_new0(SptSampleRow, SAMPLES);
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	g_autoptr(SptCapture) capture = NULL;
	uint64_t time = 1ull << 50, weight = 0, first_time = UINT64_MAX, last_time = 0;

	(void)data;
	for (unsigned i = 0; i < SAMPLES; i++) {
		const SptFrame frames[] = {
			{ (uint64_t)g_rand_int(random) << 12, 1, SPT_FRAME_EXACT },
			{ g_rand_int(random) & 0xfff, 2, SPT_FRAME_CALL },
		};

		time += (uint64_t)g_rand_int_range(random, -1000, 1000000);
		samples[i] = (SptSampleRow){
			.time = time,
			.delay_ns = (uint64_t)g_rand_int_range(random, 500, 5000),
			.cpu = (uint32_t)g_rand_int_range(random, 0, 4),
			.thread = (uint32_t)g_rand_int_range(random, 1, 50),
			.node = spt_stash_add(fixture->stash, 0, frames, 2),
			.weight = (uint32_t)g_rand_int_range(random, 1, 3),
			.kernel_end = 1,
			.user_end = (uint8_t)(i & 3),
			.context = (uint8_t)(i & 1),
		};
		weight += samples[i].weight;
		spt_capture_writer_sample(fixture->writer, &samples[i]);
		/* What a capture keeps of it. */
		samples[i].time -= time % SPT_CAPTURE_TIME_UNIT_NS;
		first_time = MIN(first_time, samples[i].time);
		last_time = MAX(last_time, samples[i].time);
	}
	for (uint32_t id = 50; --id > 0;) {
		spt_capture_writer_thread(fixture->writer,
					  &(SptThreadRow){ .id = id, .process = id, .tid = id });
		spt_capture_writer_process(
			fixture->writer, &(SptProcessRow){ .id = id, .pid = id, .parent = id + 1 });
	}
	spt_capture_writer_process(fixture->writer, &(SptProcessRow) { .id = 50, .pid = 50 });
	for (uint32_t id = 1; id <= 2; id++)
		spt_capture_writer_object(fixture->writer,
					  &(SptObjectRow){ .id = id, .kind = SPT_OBJECT_ANON });
	capture = finish(fixture);
	g_assert_cmpuint(capture->n_samples, ==, SAMPLES);
	assert_samples(capture, samples, SAMPLES);
	g_assert_cmpuint(capture->first_time, ==, first_time);
	g_assert_cmpuint(capture->last_time, ==, last_time);
	g_assert_cmpuint(capture->last_cpu, ==, 3);
	g_assert_cmpuint(capture->weight, ==, weight);
	g_assert_cmpuint(capture->n_nodes, ==, spt_stash_n_nodes(fixture->stash));
	for (uint32_t id = 1; id < capture->n_nodes; id++) {
		const SptNode *node = spt_stash_node(fixture->stash, id);

		g_assert_cmpuint(capture->nodes[id].parent, ==, node->parent);
		g_assert_cmpmem(&capture->nodes[id].frame, sizeof(node->frame), &node->frame,
				sizeof(node->frame));
	}
}

/*
 * A recorder that has forgotten its stacks begins another stash: in the file they are all one tree.
 */
static void test_next_stash(Fixture *fixture, gconstpointer data)
{
	const SptFrame frames[] = { { 1, 1, SPT_FRAME_EXACT },
				    { 2, 1, SPT_FRAME_CALL },
				    { 3, 1, SPT_FRAME_CALL } };
	g_autofree SptSampleRow *samples = NULL;
	g_autoptr(SptCapture) capture = NULL;

	(void)data;
	spt_capture_writer_thread(fixture->writer, &(SptThreadRow) { .id = 1 });
	spt_capture_writer_object(fixture->writer,
				  &(SptObjectRow){ .id = 1, .kind = SPT_OBJECT_ANON });
	for (unsigned round = 0; round < 3; round++) {
		if (round)
			spt_capture_writer_next_stash(fixture->writer);
		spt_stash_free(fixture->stash);
		fixture->stash = spt_stash_new();
		spt_capture_writer_sample(fixture->writer,
					  &(SptSampleRow){
						  .time = round,
						  .thread = 1,
						  .weight = 1,
						  .node = spt_stash_add(fixture->stash, 0, frames,
									3),
					  });
		flush(fixture);
	}
	capture = finish(fixture);
	samples = samples_of(capture);
	g_assert_cmpuint(capture->n_nodes, ==, 10);
	for (unsigned i = 0; i < 3; i++) {
		uint32_t node = samples[i].node;

		for (unsigned n = 0; n < 3; n++, node = capture->nodes[node].parent)
			g_assert_cmpuint(capture->nodes[node].frame.offset, ==, frames[n].offset);
		g_assert_cmpuint(node, ==, 0);
	}
}

/* Into a pipe goes what would be in a file. */
static void test_stream(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptCaptureWriter) writer = NULL;
	g_autofree char *received = g_malloc(65536);
	g_autoptr(SptCapture) capture = NULL;
	int fds[2];
	ssize_t n;

	(void)data;
	g_assert_cmpint(pipe(fds), ==, 0);
	writer = spt_capture_writer_new_stream(fds[1], "a pipe", NULL);
	spt_capture_writer_host(writer, "host", "h");
	g_assert_true(spt_capture_writer_finish(writer, NULL, 5, NULL));
	n = read(fds[0], received, 65536);
	close(fds[0]);
	g_assert_true(g_file_set_contents(fixture->path, received, n, NULL));
	capture = open_whole(fixture->path);
	g_assert_true(capture->finished);
	g_assert_cmpstr(spt_capture_host(capture, "host"), ==, "h");
}

/* A later row with the same id replaces the earlier one, in the same flush or in another. */
static void test_replace(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptCapture) capture = NULL;

	(void)data;
	spt_capture_writer_process(fixture->writer,
				   &(SptProcessRow){ .id = 1, .pid = 10, .name = "sh" });
	spt_capture_writer_process(fixture->writer,
				   &(SptProcessRow){ .id = 1, .pid = 10, .name = "make" });
	spt_capture_writer_thread(fixture->writer,
				  &(SptThreadRow){ .id = 1, .process = 1, .tid = 10 });
	spt_capture_writer_process(fixture->writer, &(SptProcessRow){ .id = 2,
								      .pid = 11,
								      .parent = 1,
								      .start_time = 7000,
								      .name = "cc" });
	spt_capture_writer_thread(fixture->writer, &(SptThreadRow){ .id = 2,
								    .process = 2,
								    .tid = 11,
								    .start_time = 7000,
								    .name = "cc" });
	spt_capture_writer_object(fixture->writer,
				  &(SptObjectRow){ .id = 1, .kind = SPT_OBJECT_FILE });
	flush(fixture);
	/* Only the end is new, and only the process has it. */
	spt_capture_writer_process(fixture->writer, &(SptProcessRow){ .id = 2,
								      .pid = 11,
								      .parent = 1,
								      .start_time = 7000,
								      .end_time = 9500,
								      .name = "cc" });
	spt_capture_writer_thread(fixture->writer, &(SptThreadRow){ .id = 2,
								    .process = 2,
								    .tid = 11,
								    .start_time = 7000,
								    .end_time = 9500,
								    .name = "cc" });
	spt_capture_writer_thread(fixture->writer, &(SptThreadRow){ .id = 1,
								    .process = 1,
								    .tid = 10,
								    .name = "make",
								    .end_time = 5000 });
	spt_capture_writer_object(fixture->writer, &(SptObjectRow){ .id = 1,
								    .kind = SPT_OBJECT_FILE,
								    .path = "/bin/make" });
	capture = finish(fixture);
	g_assert_cmpuint(capture->processes[2].start_time, ==, 7000);
	g_assert_cmpuint(capture->processes[2].end_time, ==, 9000);
	g_assert_cmpstr(capture->processes[2].name, ==, "cc");
	g_assert_cmpuint(capture->threads[2].start_time, ==, 7000);
	g_assert_cmpuint(capture->threads[2].end_time, ==, 9000);
	g_assert_cmpstr(capture->threads[2].name, ==, "cc");
	g_assert_cmpstr(capture->processes[1].name, ==, "make");
	g_assert_cmpstr(capture->threads[1].name, ==, "make");
	g_assert_cmpuint(capture->threads[1].end_time, ==, 5000);
	g_assert_cmpstr(capture->objects[1].path, ==, "/bin/make");
	g_assert_cmpuint(capture->n_objects, ==, 2);
}

/* They wait for each other, and the last one counts. */
static void test_command_lines(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptCapture) capture = NULL;
	g_autoptr(GHashTable) lines = NULL;
	uint64_t bytes;

	(void)data;
	for (uint32_t id = 1; id <= 3; id++)
		spt_capture_writer_process(fixture->writer,
					   &(SptProcessRow){ .id = id, .pid = id, .name = "sh" });
	flush(fixture);
	bytes = spt_capture_writer_bytes(fixture->writer);
	spt_capture_writer_command_line(fixture->writer, &(SptCommandLineRow) { .process = 1, .text = "sh -c 'a b'" });
	spt_capture_writer_command_line(fixture->writer, &(SptCommandLineRow) { .process = 2, .text = "cc1 a.c" });
	flush(fixture);
	g_assert_cmpuint(spt_capture_writer_bytes(fixture->writer), ==, bytes);
	for (unsigned i = 0; i < 1000; i++)
		spt_capture_writer_command_line(
			fixture->writer,
			&(SptCommandLineRow){
				.process = 1,
				.text = i < 999 ?
					"another one, quite long as command lines are, again and again" :
					"sh -x" });
	flush(fixture);
	g_assert_cmpuint(spt_capture_writer_bytes(fixture->writer), >, bytes);
	spt_capture_writer_command_line(fixture->writer, &(SptCommandLineRow) { .process = 2, .text = "" });
	capture = finish(fixture);
	g_assert_cmpuint(capture->n_command_lines, ==, 1003);
	lines = spt_capture_command_lines(capture);
	g_assert_cmpuint(g_hash_table_size(lines), ==, 1);
	g_assert_cmpstr(g_hash_table_lookup(lines, GUINT_TO_POINTER(1)), ==, "sh -x");
}

static void test_part_and_rename(Fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	uint64_t bytes;

	(void)data;
	g_assert_true(g_file_set_contents(fixture->path, "older", -1, NULL));
	g_assert_true(g_file_test(fixture->part_path, G_FILE_TEST_EXISTS));
	bytes = spt_capture_writer_bytes(fixture->writer);
	flush(fixture);
	g_assert_cmpuint(spt_capture_writer_bytes(fixture->writer), ==, bytes);
	g_assert_null(spt_capture_open(fixture->part_path, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED);
	g_clear_error(&error);
	spt_capture_writer_host(fixture->writer, "host", "h");
	flush(fixture);
	g_assert_null(spt_capture_open(fixture->path, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_NOT_A_CAPTURE);
	g_clear_error(&error);
	spt_capture_free(finish(fixture));
	g_assert_false(spt_capture_writer_flush(fixture->writer, fixture->stash, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO);
}

static void test_unfinished(Fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	(void)data;
	g_clear_pointer(&fixture->writer, spt_capture_writer_free);
	g_assert_false(g_file_test(fixture->part_path, G_FILE_TEST_EXISTS));

	fixture->writer = spt_capture_writer_new(fixture->path, NULL);
	spt_capture_writer_host(fixture->writer, "host", "h");
	flush(fixture);
	g_clear_pointer(&fixture->writer, spt_capture_writer_free);
	g_assert_true(g_file_test(fixture->part_path, G_FILE_TEST_EXISTS));
	g_assert_null(spt_capture_open(fixture->path, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO);
	g_assert_nonnull(strstr(error->message, ".part"));
}

/* Files in the directory decide neither which file is overwritten nor who may read. */
static void test_part_is_new(Fixture *fixture, gconstpointer data)
{
	g_autofree char *victim = g_build_filename(fixture->directory, "victim", NULL),
			*text = NULL;
	mode_t mask = umask(0);
	struct stat found;

	(void)data;
	g_clear_pointer(&fixture->writer, spt_capture_writer_free);
	g_assert_true(g_file_set_contents(victim, "kept", -1, NULL));
	g_assert_cmpint(symlink(victim, fixture->part_path), ==, 0);
	fixture->writer = spt_capture_writer_new(fixture->path, NULL);
	g_assert_nonnull(fixture->writer);
	g_assert_cmpint(lstat(fixture->part_path, &found), ==, 0);
	g_assert_true(S_ISREG(found.st_mode));
	g_assert_cmpuint(found.st_mode & 0777, ==, 0600);
	spt_capture_free(finish(fixture));
	g_assert_cmpint(lstat(fixture->path, &found), ==, 0);
	g_assert_cmpuint(found.st_mode & 0777, ==, 0600);
	g_assert_true(g_file_get_contents(victim, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "kept");
	umask(mask);
	g_unlink(victim);
}

/* The recorder is killed: what it flushed is there, what it had not flushed is not. */
static void test_killed(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptCapture) capture = NULL;
	pid_t child = fork();
	int status;

	(void)data;
	if (child == 0) {
		spt_capture_writer_thread(fixture->writer, &(SptThreadRow){ .id = 1, .name = "t" });
		spt_capture_writer_sample(fixture->writer,
					  &(SptSampleRow){ .time = 1, .thread = 1, .weight = 3 });
		spt_capture_writer_flush(fixture->writer, fixture->stash, NULL);
		spt_capture_writer_sample(fixture->writer,
					  &(SptSampleRow){ .time = 2, .thread = 1, .weight = 5 });
		raise(SIGKILL);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_true(WIFSIGNALED(status));
	capture = open_whole(fixture->part_path);
	g_assert_false(capture->finished);
	g_assert_cmpuint(capture->n_samples, ==, 1);
	g_assert_cmpuint(capture->weight, ==, 3);
}

static void assert_not_writable(const char *path, const char *why)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(spt_capture_writer_new(path, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO);
	g_assert_nonnull(strstr(error->message, why));
	g_assert_nonnull(strstr(error->message, path));
}

static void test_unwritable(Fixture *fixture, gconstpointer data)
{
	g_autofree char *nowhere =
		g_build_filename(fixture->directory, "no", "such", "directory", NULL);
	g_autoptr(GError) error = NULL;
	struct rlimit before;
	struct stat status;

	(void)data;
	/* While it has the name, nobody else does. */
	g_assert_null(spt_capture_writer_new(fixture->path, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_BUSY);
	g_clear_pointer(&fixture->writer, spt_capture_writer_free);
	assert_not_writable(fixture->directory, "is a directory");
	assert_not_writable(nowhere, "No such file or directory");
	assert_not_writable("", "empty");
	assert_not_writable("/dev/null", "not a regular file");
	g_assert_cmpint(stat("/dev/null", &status), ==, 0);
	g_assert_true(S_ISCHR(status.st_mode));
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 4, before.rlim_max });
	assert_not_writable(fixture->path, "File too large");
	setrlimit(RLIMIT_FSIZE, &before);
}

/* The disk becomes full in the middle of a block: what was flushed before is whole. */
static void test_disk_full(Fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) first = NULL, again = NULL;
	g_autoptr(SptCapture) capture = NULL;
	struct rlimit before, limit;
	uint64_t bytes;

	(void)data;
	spt_capture_writer_host(fixture->writer, "host", "h");
	flush(fixture);
	bytes = spt_capture_writer_bytes(fixture->writer);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit) { bytes + 10, before.rlim_max };
	setrlimit(RLIMIT_FSIZE, &limit);
	spt_capture_writer_host(fixture->writer, "kernel", "k");
	g_assert_false(spt_capture_writer_flush(fixture->writer, fixture->stash, &first));
	setrlimit(RLIMIT_FSIZE, &before);
	g_assert_error(first, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO);
	g_assert_nonnull(strstr(first->message, fixture->part_path));
	g_assert_false(spt_capture_writer_finish(fixture->writer, fixture->stash, 1, &again));
	g_assert_cmpstr(again->message, ==, first->message);
	g_assert_cmpuint(spt_capture_writer_bytes(fixture->writer), ==, bytes);
	capture = spt_capture_open(fixture->part_path, NULL);
	g_assert_nonnull(capture);
	g_assert_cmpstr(spt_capture_host(capture, "host"), ==, "h");
	g_assert_cmpstr(capture->damage, ==, NULL);
}

static void assert_stream(const SptCapture *capture, uint32_t id, const char *name, uint64_t rows)
{
	g_assert_cmpuint(id, <, capture->n_streams);
	g_assert_cmpstr(capture->streams[id].name, ==, name);
	g_assert_cmpuint(capture->streams[id].rows, ==, rows);
}

static void test_the_future(Fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) capture = NULL;
	uint64_t by_node[5] = { 0 };

	(void)data;
	g_clear_pointer(&fixture->writer, spt_capture_writer_free);
	g_assert_true(example_write(fixture->path, &error));
	g_assert_no_error(error);
	capture = open_whole(fixture->path);
	g_assert_true(capture->finished);
	g_assert_cmpuint(capture->n_samples, ==, 305);
	g_assert_cmpuint(capture->weight, ==, 305);
	g_assert_cmpuint(capture->n_nodes, ==, 5);
	for (uint64_t i = 0; i < capture->n_leaves; i++)
		by_node[capture->leaves[i].node] += capture->leaves[i].weight;
	g_assert_cmpuint(by_node[1], ==, 35);
	g_assert_cmpuint(by_node[3], ==, 180);
	g_assert_cmpuint(by_node[4], ==, 90);
	g_assert_cmpuint(capture->n_streams, ==, 10);
	assert_stream(capture, 1, "samples", 305);
	assert_stream(capture, 2, "raw-stacks", 2);
	assert_stream(capture, 3, "table-stacks", 3);
	assert_stream(capture, 4, "user-stacks", 2);
	assert_stream(capture, 5, "off-cpu", 2);
	assert_stream(capture, 6, "allocations", 3);
	assert_stream(capture, 7, "marks", 2);
	assert_stream(capture, 8, "counters", 4);
	assert_stream(capture, 9, "quantum", 1);
	g_assert_cmpuint(capture->streams[1].factor, ==, 1000000);
	g_assert_cmpuint(capture->objects[3].kind, ==, SPT_OBJECT_UNKNOWN);
	g_assert_cmpstr(capture->objects[3].path, ==, "code on another processor");
	g_assert_cmpstr(spt_capture_host(capture, "future-key"), ==, "shown as it is");
	for (uint64_t i = 0; i < capture->n_accounts; i++)
		g_assert_cmpint(spt_account_residue(&capture->accounts[i]), ==, 0);
	g_assert_cmpstr(spt_lost_reason_name(0), ==, "ring full");
	g_assert_cmpstr(spt_lost_reason_name(7), ==, "reason 7");
}

/* Similar recordings that were merged pack far better than a budget by the file's size allows. */
static void test_similar(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptCapture) capture = NULL;
	const SptProcessRow process = { .id = 1, .pid = 10, .name = "p" };
	const SptMapRow map = { .process = 1, .start = 1 << 20, .bytes = 4096 };

	(void)data;
	spt_capture_writer_process(fixture->writer, &process);
	for (unsigned i = 0; i < 2 << 20; i++)
		spt_capture_writer_map(fixture->writer, &map);
	capture = finish(fixture);
	g_assert_cmpuint(capture->file_bytes, <, 1 << 20);
	g_assert_cmpuint(capture->n_maps, ==, 2 << 20);
}

/* Numbers of nodes end some time.  What was written before can be read. */
static void test_most_nodes(Fixture *fixture, gconstpointer data)
{
	g_autoptr(SptCapture) capture = NULL;
	g_autoptr(GError) error = NULL;

	(void)data;
	spt_capture_writer_host(fixture->writer, "arch", "any");
	flush(fixture);
	spt_capture_writer_next_stash(fixture->writer);
	fixture->writer->node_base = UINT32_MAX - 1;
	spt_stash_child(fixture->stash, 0, &(SptFrame){ .offset = 1234567 });
	g_assert_false(spt_capture_writer_flush(fixture->writer, fixture->stash, &error));
	g_assert_nonnull(strstr(error->message, "as many stacks as a recording can have"));
	capture = spt_capture_open(fixture->part_path, NULL);
	g_assert_nonnull(capture);
	g_assert_null(capture->damage);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/capture/crc", test_crc);
	g_test_add_func("/capture/codings", test_codings);
	g_test_add_func("/capture/planes", test_planes);
#define ADD(name, function) g_test_add("/capture/" name, Fixture, NULL, set_up, function, tear_down)
	ADD("round-trip", test_round_trip);
	ADD("many-samples", test_many_samples);
	ADD("next-stash", test_next_stash);
	ADD("stream", test_stream);
	ADD("replace", test_replace);
	ADD("command-lines", test_command_lines);
	ADD("part-and-rename", test_part_and_rename);
	ADD("unfinished", test_unfinished);
	ADD("part-is-new", test_part_is_new);
	ADD("killed", test_killed);
	ADD("unwritable", test_unwritable);
	ADD("disk-full", test_disk_full);
	ADD("similar", test_similar);
	ADD("most-nodes", test_most_nodes);
	ADD("the-future", test_the_future);
	return g_test_run();
}
