/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures that are cut off, damaged or made to hurt.  Each gives a clear error, or exactly what
 * the whole file held before the damage: never a wrong row, a crash, or more memory than the file
 * is worth.
 */
#include "capture/stream-rows.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "hostile.h"
#include "opened.h"

/* A small capture of three flushes. */
static GByteArray *make_small(void)
{
	g_autofree char *directory = g_dir_make_tmp("spt-damage-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(directory, "small", NULL);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	char *data;
	gsize bytes;

	spt_capture_writer_host(writer, "period_ns", "1000");
	spt_capture_writer_object(writer, &(SptObjectRow){ .id = 1,
							   .kind = SPT_OBJECT_FILE,
							   .path = "/usr/bin/true" });
	for (uint32_t round = 1; round <= 3; round++) {
		spt_capture_writer_process(writer, &(SptProcessRow){ .id = round,
								     .pid = 10 + round,
								     .parent = round - 1,
								     .name = "p" });
		spt_capture_writer_thread(writer, &(SptThreadRow){ .id = round,
								   .process = round,
								   .tid = round,
								   .name = "t" });
		for (uint32_t i = 0; i < 5; i++)
			spt_capture_writer_sample(
				writer,
				&(SptSampleRow){
					.time = 1000 * round + 100 * i,
					.thread = round,
					.weight = 1 + i,
					.delay_ns = 40 + i * i,
					.cpu = i & 1,
					.node = spt_stash_child(stash, i,
								&(SptFrame){ .offset = 300 * round,
									     .object = 1 }),
				});
		spt_capture_writer_name(writer, &(SptNameRow){ .object = 1,
							       .offset = 300 * round,
							       .symbol = "symbol" });
		for (uint32_t level = 3; level-- > 0;)
			spt_capture_writer_bundled(writer,
						   &(SptBundledRow){
							   .object = 1,
							   .offset = 300 * round,
							   .level = level,
							   .function = level ? "inlined" : "symbol",
							   .file = "file.c",
							   .line = round,
							   .is_symbol = !level,
							   .distance = level ? 0 : round,
							   .symbol_bytes = 50,
						   });
		spt_capture_writer_account(writer, &(SptAccountRow){ .time = round,
								     .grid = round,
								     .delivered = round });
		g_assert_true(spt_capture_writer_flush(writer, stash, NULL));
	}
	g_assert_true(spt_capture_writer_finish(writer, stash, 9, NULL));
	g_assert_true(g_file_get_contents(path, &data, &bytes, NULL));
	g_unlink(path);
	g_rmdir(directory);
	return g_byte_array_new_take((guint8 *)data, bytes);
}

/* Everything in @part is in @whole, at the same place. */
static void assert_prefix(const SptCapture *part, const SptCapture *whole)
{
	g_autofree SptSampleRow *part_samples = samples_of(part);
	g_autofree SptSampleRow *whole_samples = samples_of(whole);
	GHashTableIter iterator;
	gpointer key, value;
	uint64_t weight = 0;

	g_hash_table_iter_init(&iterator, part->host);
	while (g_hash_table_iter_next(&iterator, &key, &value))
		g_assert_cmpstr(value, ==, spt_capture_host(whole, key));
	g_assert_cmpuint(part->n_objects, <=, whole->n_objects);
	for (uint32_t id = 1; id < part->n_objects; id++)
		g_assert_cmpstr(part->objects[id].path, ==, whole->objects[id].path);
	g_assert_cmpuint(part->n_processes, <=, whole->n_processes);
	for (uint32_t id = 1; id < part->n_processes; id++) {
		g_assert_cmpuint(part->processes[id].pid, ==, whole->processes[id].pid);
		g_assert_cmpuint(part->processes[id].parent, ==, whole->processes[id].parent);
	}
	g_assert_cmpuint(part->n_threads, <=, whole->n_threads);
	for (uint32_t id = 1; id < part->n_threads; id++)
		g_assert_cmpuint(part->threads[id].process, ==, whole->threads[id].process);
	g_assert_cmpuint(part->n_nodes, <=, whole->n_nodes);
	g_assert_cmpint(memcmp(part->nodes, whole->nodes, part->n_nodes * sizeof(*part->nodes)), ==,
			0);
	g_assert_cmpuint(part->n_samples, <=, whole->n_samples);
	for (uint64_t i = 0; i < part->n_samples; i++) {
		g_assert_cmpmem(&part_samples[i], sizeof(*part_samples), &whole_samples[i],
				sizeof(*whole_samples));
		weight += part_samples[i].weight;
	}
	g_assert_cmpuint(part->weight, ==, weight);
	g_assert_true(part->has_leaves);
	for (uint64_t i = 0; i < part->n_leaves; i++)
		weight -= part->leaves[i].weight;
	g_assert_cmpuint(weight, ==, 0);
	g_assert_cmpuint(part->n_names, <=, whole->n_names);
	for (uint64_t i = 0; i < part->n_names; i++)
		g_assert_cmpuint(part->names[i].offset, ==, whole->names[i].offset);
	g_assert_cmpuint(part->n_bundled, <=, whole->n_bundled);
	g_assert_cmpuint(part->n_bundled % 3, ==, 0);
	for (uint64_t i = 0; i < part->n_bundled; i++) {
		g_assert_cmpuint(part->bundled[i].offset, ==, whole->bundled[i].offset);
		g_assert_cmpstr(part->bundled[i].function, ==, whole->bundled[i].function);
		g_assert_cmpstr(part->bundled[i].file, ==, "file.c");
	}
	g_assert_cmpuint(part->n_accounts, <=, whole->n_accounts);
	for (uint64_t i = 0; i < part->n_accounts; i++)
		g_assert_cmpuint(part->accounts[i].grid, ==, whole->accounts[i].grid);
}

static void test_cut_anywhere(void)
{
	g_autoptr(GByteArray) file = make_small();
	g_autoptr(SptCapture) whole = open_bytes(file->data, file->len, NULL);
	uint64_t samples = 0;

	g_assert_cmpuint(whole->n_samples, ==, 15);
	for (guint bytes = 0; bytes < file->len; bytes++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(SptCapture) part = open_bytes(file->data, bytes, &error);

		if (!part) {
			g_assert_nonnull(strstr(error->message, "/proc/self/fd/"));
			g_assert_cmpuint(samples, ==, 0);
			continue;
		}
		g_assert_no_error(error);
		g_assert_false(part->finished);
		assert_prefix(part, whole);
		/* A longer prefix never holds less. */
		g_assert_cmpuint(part->n_samples, >=, samples);
		samples = part->n_samples;
		if (part->damage)
			g_assert_nonnull(strstr(part->damage, "are incomplete"));
	}
	g_assert_cmpuint(samples, ==, 15);
}

static void test_every_byte_wrong(void)
{
	static const uint8_t masks[] = { 0x01, 0x80, 0xff };
	g_autoptr(GByteArray) file = make_small();
	g_autoptr(SptCapture) whole = open_bytes(file->data, file->len, NULL);

	for (guint at = 0; at < file->len; at++) {
		for (unsigned i = 0; i < sizeof(masks); i++) {
			g_autoptr(GError) error = NULL;
			g_autoptr(SptCapture) part = NULL;

			file->data[at] ^= masks[i];
			part = open_bytes(file->data, file->len, &error);
			file->data[at] ^= masks[i];
			if (!part)
				continue;
			assert_prefix(part, whole);
			/* The header's last four bytes mean nothing yet; all others are covered. */
			if (at >= SPT_FILE_HEADER_BYTES)
				g_assert_nonnull(part->damage);
			else
				g_assert_cmpuint(at, >=, 12);
		}
	}
}

static void assert_refused(const char *path, int code, const char *why)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(spt_capture_open(path, &error));
	g_assert_error(error, SPT_CAPTURE_ERROR, code);
	g_assert_nonnull(strstr(error->message, path));
	g_assert_nonnull(strstr(error->message, why));
}

static void test_not_a_capture(void)
{
	g_autofree char *directory = g_dir_make_tmp("spt-damage-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(directory, "file", NULL);
	uint8_t header[SPT_FILE_HEADER_BYTES] = SPT_FILE_MAGIC;

	assert_refused(directory, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, "directory");
	assert_refused("/dev/null", SPT_CAPTURE_ERROR_NOT_A_CAPTURE, "not a regular file");
	assert_refused(path, SPT_CAPTURE_ERROR_IO, "No such file");
	g_assert_cmpint(mkfifo(path, 0600), ==, 0);
	assert_refused(path, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, "not a regular file");
	g_unlink(path);
	g_assert_true(g_file_set_contents(path, "", 0, NULL));
	assert_refused(path, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, "empty");
	g_assert_true(g_file_set_contents(path, "\x7f" "ELF is something else", -1, NULL));
	assert_refused(path, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, "not a capture");
	g_assert_true(g_file_set_contents(path, "\x5e\x97\xca\xfd\x01", -1, NULL));
	assert_refused(path, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, "GNOME's Sysprof");
	g_assert_true(g_file_set_contents(path, (char *)header, 10, NULL));
	assert_refused(path, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, "cut off");
	header[8] = SPT_FILE_VERSION + 1;
	g_assert_true(g_file_set_contents(path, (char *)header, sizeof(header), NULL));
	assert_refused(path, SPT_CAPTURE_ERROR_VERSION, "version 3");
	header[8] = SPT_FILE_VERSION;
	g_assert_true(g_file_set_contents(path, (char *)header, sizeof(header), NULL));
	assert_refused(path, SPT_CAPTURE_ERROR_DAMAGED, "no whole block");
	g_unlink(path);
	g_rmdir(directory);
}

/* Ends the capture and expects damage whose text holds @why. */
static void end_hostile(Blocks *blocks, const char *why)
{
	g_autoptr(SptCapture) capture = open_blocks(blocks);

	g_assert_cmpstr(spt_capture_host(capture, "host"), ==, "hostile");
	g_assert_nonnull(capture->damage);
	g_test_message("damage: %s", capture->damage);
	g_assert_nonnull(strstr(capture->damage, why));
	blocks_clear(blocks);
}

static void test_bad_references(void)
{
	static const struct {
		unsigned type, column;
		uint64_t value;
		const char *why;
	} cases[] = {
		{ SPT_BLOCK_OBJECT, 2, 5, "id 0" },
		{ SPT_BLOCK_THREAD, 3, 5, "id 0" },
		{ SPT_BLOCK_STREAM, 2, 1, "id 0" },
		{ SPT_BLOCK_OBJECT, 1, 1ull << 32, "column 1" },
		{ SPT_BLOCK_OBJECT, 1, UINT32_MAX, "far more" },
		{ SPT_BLOCK_NODE, 1, 1, "no parent" },
		{ SPT_BLOCK_NODE, 1, 2, "no parent" },
		{ SPT_BLOCK_NODE, 2, SPT_NODE_NEW_FRAME, "new frame, which is not there" },
		{ SPT_BLOCK_NODE, 2, SPT_NODE_OLD_FRAME, "frame that was not written" },
		{ SPT_BLOCK_NODE, 2, SPT_NODE_FOLLOWER, "was not met" },
		{ SPT_BLOCK_NODE, 2, UINT32_MAX, "was not met" },
		{ SPT_BLOCK_NAME, 1, 1, "object 1" },
		{ SPT_BLOCK_PROCESS_END, 1, 3, "process 3 ended" },
		{ SPT_BLOCK_PROCESS_END, 2, 3, "process 0 ended" },
		{ SPT_BLOCK_COMMAND_LINE, 1, 3, "process 3 has a command line" },
		{ SPT_BLOCK_MAP, 1, 3, "a mapping of process 3" },
		{ SPT_BLOCK_STREAM_COLUMN, 2, 1, "stream 0" },
		{ SPT_BLOCK_BUNDLED, 1, 1, "object 1" },
		{ SPT_BLOCK_BUNDLED, 4, 1, "a text that is not there" },
		{ SPT_BLOCK_BUNDLED, 5, UINT32_MAX, "a text that is not there" },
		{ SPT_BLOCK_BUNDLED, 6, 1, "a text that is not there" },
		{ SPT_BLOCK_BUNDLED, 3, SPT_MOST_LEVELS, "is not due" },
		{ SPT_BLOCK_BUNDLED, 10, 1, "a symbol without a name" },
		{ SPT_BLOCK_EVENT, 1, 1, "do not name their stream" },
		{ SPT_BLOCK_EVENT, 0, 1, "stream 1" },
		{ SPT_BLOCK_EVENT, 0, 1ull << 32, "is not there" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		Blocks blocks;

		begin_hostile(&blocks);
		blocks_begin(&blocks, 1);
		ADD_NUMBERS(&blocks, cases[i].column, cases[i].value);
		blocks_end(&blocks, cases[i].type);
		end_hostile(&blocks, cases[i].why);
	}
}

static void test_bad_frames(void)
{
	static const struct {
		uint64_t distance, object, parent, how, epoch;
		const char *why;
	} cases[] = {
		{ 1, 5, 0, SPT_NODE_NEW_FRAME, 0, "in object 5" },
		{ 0, 0, 0, SPT_NODE_OLD_FRAME, 0, "before the first" },
		{ 2, 0, 0, SPT_NODE_OLD_FRAME, 0, "before the first" },
		{ 1, 0, 1, SPT_NODE_NEW_FRAME, 7, "no parent" },
		{ 1, 0, 0, SPT_NODE_OLD_FRAME, 7, "before the first" },
		{ 1, 0, 0, SPT_NODE_FOLLOWER, 7, "was not met" },
		{ 1, 0, 0, SPT_NODE_FOLLOWER + 1, 0, "was not met" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		Blocks blocks;

		begin_hostile(&blocks);
		blocks_begin(&blocks, 1);
		ADD_NUMBERS(&blocks, 1, cases[i].distance);
		blocks_end(&blocks, SPT_BLOCK_OLD_FRAME);
		blocks_begin(&blocks, 2);
		ADD_NUMBERS(&blocks, 1, 0, cases[i].object);
		blocks_end(&blocks, SPT_BLOCK_FRAME);
		blocks_begin(&blocks, 2);
		ADD_NUMBERS(&blocks, 1, 0, cases[i].parent);
		ADD_NUMBERS(&blocks, 2, 0, cases[i].how);
		ADD_NUMBERS(&blocks, 3, 0, cases[i].epoch);
		blocks_end(&blocks, SPT_BLOCK_NODE);
		end_hostile(&blocks, cases[i].why);
	}
}

/*
 * Of a place that is in two blocks the second is missing, or has another place; what is
 * whole is there.
 */
static void test_half_places(void)
{
	static const struct {
		uint64_t offset, level;
		const char *why;
	} cases[] = { { 16, 0, NULL },
		      { 17, 0, "is not due" },
		      { 16, 1, "is not due" },
		      { 16, 2, "is not due" } };

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(SptCapture) capture = NULL;
		Blocks blocks;

		begin_hostile(&blocks);
		blocks_begin(&blocks, 1);
		ADD_TEXTS(&blocks, 1, TEXT("f"));
		blocks_end(&blocks, SPT_BLOCK_TEXT);
		blocks_begin(&blocks, 2);
		ADD_NUMBERS(&blocks, 2, 8, 16);
		ADD_NUMBERS(&blocks, 3, 0, 1);
		ADD_NUMBERS(&blocks, 4, 1, 0);
		blocks_end(&blocks, SPT_BLOCK_BUNDLED);
		blocks_begin(&blocks, 1);
		ADD_NUMBERS(&blocks, 2, cases[i].offset);
		ADD_NUMBERS(&blocks, 3, cases[i].level);
		blocks_end(&blocks, SPT_BLOCK_BUNDLED);
		capture = open_blocks(&blocks);
		g_assert_cmpuint(capture->n_bundled, ==, cases[i].why ? 1 : 3);
		g_assert_cmpstr(capture->bundled[0].function, ==, "f");
		g_assert_cmpstr(capture->bundled[0].file, ==, "");
		if (cases[i].why)
			g_assert_nonnull(strstr(capture->damage, cases[i].why));
		else
			g_assert_null(capture->damage);
		blocks_clear(&blocks);
	}
}

static void test_bad_samples(void)
{
	for (unsigned column = 20; column <= 30; column += 10) {
		Blocks blocks;

		begin_hostile(&blocks);
		declare_samples(&blocks);
		blocks_begin_events(&blocks, 1, 2);
		ADD_NUMBERS(&blocks, column, 0, 1);
		blocks_end(&blocks, SPT_BLOCK_EVENT);
		end_hostile(&blocks, "row 1");
	}
}

/* Whatever column is missing is 0, and what is 0 may be followed. */
static void test_missing_columns(void)
{
	g_autoptr(SptCapture) capture = NULL;
	g_autofree SptSampleRow *samples = NULL;
	Blocks blocks;

	begin_hostile(&blocks);
	blocks_begin(&blocks, 1);
	ADD_NUMBERS(&blocks, 1, 2);
	blocks_end(&blocks, SPT_BLOCK_THREAD);
	declare_samples(&blocks);
	blocks_begin_events(&blocks, 1, 3);
	ADD_NUMBERS(&blocks, 10, 5, 6, 7);
	blocks_end(&blocks, SPT_BLOCK_EVENT);
	blocks_begin_events(&blocks, 1, 1000);
	blocks_end(&blocks, SPT_BLOCK_EVENT);
	blocks_begin(&blocks, 0);
	blocks_end(&blocks, SPT_BLOCK_PROCESS);
	capture = open_blocks(&blocks);
	g_assert_null(capture->damage);
	g_assert_cmpuint(capture->n_samples, ==, 1003);
	samples = samples_of(capture);
	g_assert_cmpuint(samples[1].time, ==, 6);
	g_assert_cmpuint(samples[3].time, ==, 0);
	g_assert_cmpuint(samples[1].weight, ==, 0);
	g_assert_cmpstr(capture->threads[2].name, ==, "");
	g_assert_cmpstr(capture->threads[samples[1].thread].name, ==, "");
	g_assert_cmpstr(capture->processes[capture->threads[2].process].name, ==, "");
	blocks_clear(&blocks);
}

static void test_empty_tables(void)
{
	g_autoptr(SptCapture) capture = NULL;
	Blocks blocks;

	begin_hostile(&blocks);
	declare_samples(&blocks);
	for (unsigned type = SPT_BLOCK_HOST; type <= SPT_BLOCK_MAP + 1; type++) {
		if (type == SPT_BLOCK_EVENT)
			blocks_begin_events(&blocks, 1, 0);
		else
			blocks_begin(&blocks, 0);
		blocks_end(&blocks, type);
	}
	capture = open_blocks(&blocks);
	g_assert_cmpstr(capture->damage, ==, NULL);
	g_assert_cmpuint(capture->n_samples, ==, 0);
	blocks_clear(&blocks);
}

/*
 * A row costs nothing in the file if all columns are constant: 2^24 of them in 40 bytes, again and
 * again.
 */
static void test_constant_rows(void)
{
	g_autoptr(SptCapture) capture = NULL;
	Blocks blocks;

	begin_hostile(&blocks);
	declare_samples(&blocks);
	for (unsigned i = 0; i < 100; i++) {
		blocks_begin_events(&blocks, 1, 1 << 20);
		spt_table_add_const(&blocks.builder, 10, 1);
		blocks_end(&blocks, SPT_BLOCK_EVENT);
	}
	capture = open_blocks(&blocks);
	g_assert_nonnull(strstr(capture->damage, "far more"));
	g_assert_cmpuint(capture->n_samples, >, 0);
	g_assert_cmpuint(capture->n_leaves, ==, 1);
	blocks_clear(&blocks);
}

/* Events are not kept, but read again: what opens is read to its end. */
static void test_constant_events(void)
{
	g_autoptr(SptCapture) capture = NULL;
	Blocks blocks;
	uint64_t n;

	begin_hostile(&blocks);
	blocks_begin(&blocks, 1);
	ADD_NUMBERS(&blocks, 1, 1);
	ADD_NUMBERS(&blocks, 2, SPT_STREAM_SPANS);
	ADD_TEXTS(&blocks, 3, TEXT("waits"));
	ADD_TEXTS(&blocks, 4, TEXT("off-cpu"));
	ADD_TEXTS(&blocks, 5, TEXT("ns"));
	blocks_end(&blocks, SPT_BLOCK_STREAM);
	blocks_begin(&blocks, 1);
	ADD_NUMBERS(&blocks, 1, 1);
	ADD_NUMBERS(&blocks, 2, 10);
	ADD_NUMBERS(&blocks, 3, SPT_ROLE_TIME);
	blocks_end(&blocks, SPT_BLOCK_STREAM_COLUMN);
	for (unsigned i = 0; i < 10; i++) {
		blocks_begin_events(&blocks, 1, 300000);
		spt_table_add_const(&blocks.builder, 10, 1);
		blocks_end(&blocks, SPT_BLOCK_EVENT);
	}
	capture = open_blocks(&blocks);
	g_assert_nonnull(strstr(capture->damage, "far more"));
	g_free(spt_stream_rows(capture, SPT_ROW_WAIT, &n));
	g_assert_cmpuint(n, ==, 900000);
	g_assert_cmpuint(capture->streams[1].rows, ==, n);
	blocks_clear(&blocks);
}

/* Work without memory: rows that replace one another, and payloads of nothing but zeros. */
static void test_endless_work(void)
{
	g_autofree uint8_t *zeros = g_malloc0(4 << 20);
	Blocks blocks;

	begin_hostile(&blocks);
	for (unsigned i = 0; i < 200; i++) {
		blocks_begin(&blocks, SPT_TABLE_MAX_ROWS);
		spt_table_add_const(&blocks.builder, 1, 1);
		blocks_end(&blocks, SPT_BLOCK_OBJECT);
	}
	end_hostile(&blocks, "far more");

	begin_hostile(&blocks);
	declare_samples(&blocks);
	for (unsigned i = 0; i < 80; i++) {
		blocks_begin_events(&blocks, 1, 1);
		spt_table_add_bytes(&blocks.builder, 17, &(SptBytes) { zeros, 4 << 20 });
		blocks_end(&blocks, SPT_BLOCK_EVENT);
	}
	end_hostile(&blocks, "far more");
}

static void test_broken_tables(void)
{
	static const struct {
		SptBytes payload;
		const char *why;
	} cases[] = {
		{ { "", 0 }, "no head" },
		{ { "\x81\x80\x80\x08\x00", 5 }, "more rows" },
		{ { "\x01\x41", 2 }, "more columns" },
		{ { "\x01\x01\x01", 3 }, "column's head" },
		{ { "\x01\x01\x01\x00\x05\x01", 6 }, "longer than its block" },
		{ { "\x01\x00\x00", 3 }, "after its table" },
		{ { "\x01\x02\x01\x00\x01\x01\x01\x00\x01\x01", 10 }, "twice" },
		/* Too few */
		{ { "\x02\x01\x01\x00\x01\x01", 6 }, "column 1" },
		/* Too many */
		{ { "\x01\x01\x01\x00\x02\x01\x01", 7 }, "column 1" },
		/* Text for a number */
		{ { "\x01\x01\x01\x04\x02\x01\x41", 7 }, "column 1" },
		/* A number for text */
		{ { "\x01\x01\x03\x00\x01\x01", 6 }, "column 3" },
		/* Text ends early */
		{ { "\x01\x01\x03\x04\x02\x05\x41", 7 }, "column 3" },
		/* Unknown coding */
		{ { "\x01\x01\x01\x09\x01\x01", 6 }, "column 1" },
		{ { "\x01\x01\x07\x00\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 16 },
		  "column 7" },
		{ { "\x01\x01\x07\x00\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 15 },
		  "column 7" },
		/* Planes without a head */
		{ { "\x01\x01\x07\x05\x01\x01", 6 }, "column 7" },
		{ { "\x01\x01\x07\x05\x02\x00\x00", 7 }, "column 7" }, /* no planes */
		/* Too many planes */
		{ { "\x01\x01\x07\x05\x0b\x09\x00"
		    "123456789",
		    16 },
		  "column 7" },
		/* Planes of constants */
		{ { "\x01\x01\x07\x05\x03\x01\x03\x01", 8 }, "column 7" },
		/* Planes too short */
		{ { "\x02\x01\x07\x05\x03\x01\x00\x01", 8 }, "column 7" },
		/* Planes for text */
		{ { "\x01\x01\x03\x05\x03\x01\x00\x01", 8 }, "column 3" },
		/* Too few steps */
		{ { "\x02\x01\x07\x06\x01\x01", 6 }, "column 7" },
		/* Steps without a rest */
		{ { "\x01\x01\x07\x06\x01\x05", 6 }, "column 7" },
		/* A rest that is too short */
		{ { "\x01\x01\x07\x06\x02\x00\x00", 7 }, "column 7" },
		/* A rest of constants */
		{ { "\x01\x01\x07\x06\x03\x00\x03\x05", 8 }, "column 7" },
		/* Rising inside of rising */
		{ { "\x01\x01\x07\x06\x04\x00\x06\x00\x00", 9 }, "column 7" },
		{ { "\x01\x01\x07\x07\x00", 5 }, "column 7" }, /* no factor */
		/* Nothing to multiply */
		{ { "\x01\x01\x07\x07\x01\x05", 6 }, "column 7" },
		{ { "\x01\x01\x07\x07\x04\x05\x07\x05\x00", 9 }, "column 7" }, /* scaled twice */
		/* Scaled text */
		{ { "\x01\x01\x03\x07\x03\x01\x04\x00", 8 }, "column 3" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		Blocks blocks;

		begin_hostile(&blocks);
		blocks_add_raw(&blocks, SPT_BLOCK_OBJECT, cases[i].payload.data,
			       cases[i].payload.bytes);
		end_hostile(&blocks, cases[i].why);
	}
}

static void test_circle_of_processes(void)
{
	g_autoptr(SptCapture) capture = NULL;
	Blocks blocks;

	begin_hostile(&blocks);
	blocks_begin(&blocks, 5);
	ADD_NUMBERS(&blocks, 1, 1, 2, 3, 4, 5);
	ADD_NUMBERS(&blocks, 3, 2, 3, 1, 4, 3);
	blocks_end(&blocks, SPT_BLOCK_PROCESS);
	capture = open_blocks(&blocks);
	g_assert_nonnull(strstr(capture->damage, "ancestor"));
	for (uint32_t id = 1; id <= 5; id++) {
		unsigned steps = 0;

		for (uint32_t at = id; at != 0; at = capture->processes[at].parent)
			g_assert_cmpuint(steps++, <, 5);
	}
	blocks_clear(&blocks);
}

int main(int argc, char **argv)
{
	peak_watch();
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/capture-damage/cut-anywhere", test_cut_anywhere);
	g_test_add_func("/capture-damage/every-byte-wrong", test_every_byte_wrong);
	g_test_add_func("/capture-damage/not-a-capture", test_not_a_capture);
	g_test_add_func("/capture-damage/bad-references", test_bad_references);
	g_test_add_func("/capture-damage/bad-frames", test_bad_frames);
	g_test_add_func("/capture-damage/bad-samples", test_bad_samples);
	g_test_add_func("/capture-damage/half-places", test_half_places);
	g_test_add_func("/capture-damage/missing-columns", test_missing_columns);
	g_test_add_func("/capture-damage/empty-tables", test_empty_tables);
	g_test_add_func("/capture-damage/constant-rows", test_constant_rows);
	g_test_add_func("/capture-damage/constant-events", test_constant_events);
	g_test_add_func("/capture-damage/endless-work", test_endless_work);
	g_test_add_func("/capture-damage/broken-tables", test_broken_tables);
	g_test_add_func("/capture-damage/circle-of-processes", test_circle_of_processes);
	return g_test_run();
}
