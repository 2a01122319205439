/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merged captures: their folded stacks are those of all sources together, whatever ids, order and
 * accounts those had.
 */
#include "rewrite/merge.h"

#include <glib/gstdio.h>
#include <string.h>

#include "exported.h"
#include "opened.h"
#include "profile/command.h"
#include "profile/span.h"

static char *directory;

static char *path_of(const char *name)
{
	return g_build_filename(directory, name, NULL);
}

struct source {
	const char *name, *period_ns;
	uint64_t begin_ns;
	uint32_t shift;			/* of all ids */
	unsigned n_samples;
	const char *times;		/* NULL: it has times */
};

/*
 * Objects: the kernel, and a file that all sources share.  Functions are called "f" and a number in
 * either.
 */
static void write_source(const struct source *source)
{
	g_autofree char *path = path_of(source->name);
	g_autoptr(GError) error = NULL;
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, &error);
	g_autofree char *start = g_strdup_printf("%" G_GUINT64_FORMAT, source->begin_ns);
	uint32_t kernel = 1 + source->shift, file = 2 + source->shift;

	g_assert_no_error(error);
	spt_capture_writer_host(writer, "period_ns", source->period_ns);
	spt_capture_writer_host(writer, "start_time", start);
	spt_capture_writer_host(writer, "ticks", "100");
	spt_capture_writer_host(writer, "host", source->name);
	if (source->times)
		spt_capture_writer_host(writer, SPT_SPAN_TIMES, source->times);
	spt_capture_writer_object(writer,
				  &(SptObjectRow){ .id = kernel, .kind = SPT_OBJECT_KERNEL });
	spt_capture_writer_object(writer, &(SptObjectRow){
						  .id = file,
						  .kind = SPT_OBJECT_FILE,
						  .path = "/usr/bin/shared",
						  .build_id = { 1, 2, 3 },
						  .build_id_bytes = 20,
					  });
	spt_capture_writer_process(writer, &(SptProcessRow){ .id = 1 + source->shift,
							     .pid = 10,
							     .name = source->name });
	spt_capture_writer_process(writer, &(SptProcessRow) {
		.id = 2 + source->shift, .pid = 11, .parent = 1 + source->shift, .name = "common",
	});
	for (uint32_t i = 1; i <= 2; i++)
		spt_capture_writer_thread(writer, &(SptThreadRow){ .id = i + source->shift,
								   .process = i + source->shift,
								   .tid = 9 + i });
	for (unsigned i = 0; i < 8; i++) {
		g_autofree char *symbol = g_strdup_printf("f%u", i);

		spt_capture_writer_name(writer, &(SptNameRow){
							.object = i < 3 ? kernel : file,
							.offset = 16 * i,
							.symbol = symbol,
							.module = "",
						});
	}
	for (unsigned i = 0; i < source->n_samples; i++) {
		uint32_t node = 0;

		for (int n = g_test_rand_int_range(0, 6); n > 0; n--) {
			unsigned function = g_test_rand_int_range(0, 8);

			node = spt_stash_child(stash, node,
					       &(SptFrame){
						       .object = function < 3 ? kernel : file,
						       .offset = 16 * function,
						       .kind = function % 2,
					       });
		}
		/* Some have no thread that is known. */
		spt_capture_writer_sample(writer,
					  &(SptSampleRow){
						  .time = source->begin_ns + i * 1000,
						  .cpu = i % 2,
						  .thread = i % 7 ? 1 + i % 2 + source->shift : 0,
						  .node = node,
						  .weight = i == 5 ? 20000 : 1 + i % 3,
					  });
	}
	for (unsigned i = 1; i <= 2; i++)
		spt_capture_writer_account(writer, &(SptAccountRow){
							   .time = source->begin_ns + i * 1000,
							   .cpu = 0,
							   .grid = 10 * i,
							   .delivered = 6 * i,
							   .idle = 3 * i,
							   .lost = { i },
							   .samples = 6 * i,
						   });
	spt_capture_writer_loss(writer,
				&(SptLossRow){ .first_time = 1, .last_time = 2, .weight = 1 });
	g_assert_true(spt_capture_writer_finish(writer, stash, source->begin_ns + 1000000, &error));
	g_assert_no_error(error);
}

static SptCapture *open_capture(const char *name)
{
	g_autofree char *path = path_of(name);

	return open_sound(path);
}

/* stack -> weight */
static void add_folded(GHashTable *sums, const SptCapture *capture)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(capture, symbols, NULL, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	g_auto(GStrv) lines = NULL;

	append_export(&spt_export_folded, profile, text);
	lines = g_strsplit(text->str, "\n", -1);
	for (char **line = lines; *line && **line; line++) {
		char *weight = strrchr(*line, ' ');
		gsize sum;

		*weight = '\0';
		sum = GPOINTER_TO_SIZE(g_hash_table_lookup(sums, *line)) +
		      g_ascii_strtoull(weight + 1, NULL, 10);
		g_hash_table_replace(sums, g_strdup(*line), GSIZE_TO_POINTER(sum));
	}
}

static GHashTable *sums_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void check_sums(GHashTable *merged, GHashTable *expected)
{
	GHashTableIter iter;
	gpointer stack, weight;

	g_assert_cmpuint(g_hash_table_size(merged), ==, g_hash_table_size(expected));
	g_hash_table_iter_init(&iter, expected);
	while (g_hash_table_iter_next(&iter, &stack, &weight))
		g_assert_true(g_hash_table_lookup(merged, stack) == weight);
}

static void check_files(const SptCapture *merged, unsigned expected)
{
	unsigned files = 0;

	for (uint32_t i = 1; i < merged->n_objects; i++)
		files += merged->objects[i].id != 0 && merged->objects[i].kind == SPT_OBJECT_FILE;
	g_assert_cmpuint(files, ==, expected);
}

static void check_rows(const SptCapture *merged, const struct source *sources, unsigned n)
{
	const SptAccountRow *last = &merged->accounts[merged->n_accounts - 1];
	g_autofree SptSampleRow *samples = samples_of(merged);
	uint64_t n_samples = 0;

	for (unsigned i = 0; i < n; i++)
		n_samples += sources[i].n_samples;
	g_assert_cmpuint(merged->n_samples, ==, n_samples);
	for (uint64_t i = 1; i < n_samples; i++)
		g_assert_cmpuint(samples[i - 1].time, <=, samples[i].time);
	for (uint64_t i = 0; i < merged->n_accounts; i++)
		g_assert_cmpint(spt_account_residue(&merged->accounts[i]), ==, 0);
	g_assert_cmpuint(last->grid, ==, 20 * n);
	g_assert_cmpuint(last->lost[0], ==, 2 * n);
	g_assert_cmpuint(merged->n_losses, ==, n);
	g_assert_true(merged->finished);
	check_files(merged, 1);
}

static void test_together(void)
{
	static const struct source sources[] = {
		{ "first", "1000000", 5000000, 0, 300, NULL },
		{ "second", "1000000", 5050500, 40, 200, SPT_SPAN_NONE },
		{ "later", "1000000", 900000000, 3, 50, NULL },
	};
	g_autofree char *out = path_of("merged");
	g_autoptr(GPtrArray) captures =
		g_ptr_array_new_with_free_func((GDestroyNotify)spt_capture_free);
	g_autoptr(GHashTable) expected = sums_new();
	g_autoptr(GHashTable) found = sums_new();
	g_autoptr(SptCapture) merged = NULL;
	g_autoptr(GError) error = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(sources); i++) {
		write_source(&sources[i]);
		g_ptr_array_add(captures, open_capture(sources[i].name));
		add_folded(expected, captures->pdata[i]);
	}
	g_assert_true(spt_merge_captures((const SptCapture *const *)captures->pdata, captures->len,
					 out, &error));
	g_assert_no_error(error);
	merged = open_capture("merged");
	add_folded(found, merged);
	check_sums(found, expected);
	check_rows(merged, sources, G_N_ELEMENTS(sources));
	g_assert_cmpstr(spt_capture_host(merged, "start_time"), ==, "5000000");
	g_assert_cmpstr(spt_capture_host(merged, "ticks"), ==, "300");
	g_assert_cmpstr(spt_capture_host(merged, "host"), ==, "first + second + later");
	g_assert_true(spt_span_is_known(merged));
	g_assert_cmpuint(spt_capture_period_ns(merged), ==, 1000000);
	g_assert_cmpuint(merged->end_time, ==, 901000000);
}

/* The result may take the place of a source. */
static void test_onto_itself(void)
{
	static const struct source source = { "self", "1000000", 1000, 0, 20, SPT_SPAN_NONE };
	g_autofree char *out = path_of(source.name);
	g_autoptr(SptCapture) merged = NULL;
	g_autoptr(GError) error = NULL;

	write_source(&source);

	g_autoptr(SptCapture) capture = open_capture(source.name);

	g_assert_true(spt_merge_captures((const SptCapture *const[]){ capture, capture }, 2, out,
					 &error));
	g_assert_no_error(error);
	merged = open_capture(source.name);
	g_assert_cmpuint(merged->n_samples, ==, 40);
	g_assert_cmpuint(merged->weight, ==, 2 * capture->weight);
	g_assert_cmpuint(merged->n_nodes, >, capture->n_nodes);
	g_assert_false(spt_span_is_known(merged));
}

/* Samples that are there once each weight is @scale times as large. */
static uint64_t count_parts(const SptCapture *capture, uint64_t scale)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	const SptSampleRow *rows;
	uint64_t parts = 0;
	uint32_t n;

	while ((rows = spt_samples_next(samples, &n)))
		for (uint32_t i = 0; i < n; i++)
			parts += rows[i].weight * scale / UINT32_MAX + 1;
	return parts;
}

/* Weights that do not fit when they are scaled are written in parts: no time is lost. */
static void test_other_periods(void)
{
	static const struct source sources[] = { { "module", "1000000", 1, 0, 40, NULL },
						 { "perf", "1006172", 1, 0, 70, NULL } };
	g_autofree char *out = path_of("merged");
	g_autoptr(GError) error = NULL;
	uint64_t ns = 0, accounted_ns = 0, lost_ns = 0, n_parts = 0;

	write_source(&sources[0]);
	write_source(&sources[1]);

	g_autoptr(SptCapture) module = open_capture("module");
	g_autoptr(SptCapture) perf = open_capture("perf");
	const SptCapture *const captures[] = { module, perf };

	for (unsigned i = 0; i < 2; i++) {
		uint64_t period_ns = spt_capture_period_ns(captures[i]);

		ns += captures[i]->weight * period_ns;
		accounted_ns += captures[i]->accounts[captures[i]->n_accounts - 1].grid * period_ns;
		for (uint64_t k = 0; k < captures[i]->n_losses; k++)
			lost_ns += captures[i]->losses[k].weight * period_ns;
		n_parts += count_parts(captures[i], period_ns / 4);
	}
	g_assert_true(spt_merge_captures(captures, 2, out, &error));
	g_assert_no_error(error);

	g_autoptr(SptCapture) merged = open_capture("merged");

	g_assert_cmpuint(spt_capture_period_ns(merged), ==, 4);
	g_assert_cmpstr(spt_capture_host(merged, "periods_ns"), ==, "1000000 + 1006172");
	g_assert_cmpuint(merged->n_samples, ==, n_parts);
	g_assert_cmpuint(merged->weight * 4, ==, ns);
	g_assert_cmpuint(merged->accounts[merged->n_accounts - 1].grid * 4, ==, accounted_ns);
	for (uint64_t k = 0; k < merged->n_losses; k++)
		lost_ns -= merged->losses[k].weight * 4;
	g_assert_cmpuint(lost_ns, ==, 0);
}

static void test_unknown_period(void)
{
	static const struct source sources[] = { { "known", "1000000", 1, 0, 1, NULL },
						 { "unknown", "0", 1, 0, 1, NULL } };
	g_autofree char *out = path_of("none");
	g_autoptr(GError) error = NULL;

	write_source(&sources[0]);
	write_source(&sources[1]);

	g_autoptr(SptCapture) known = open_capture("known");
	g_autoptr(SptCapture) unknown = open_capture("unknown");

	g_assert_false(
		spt_merge_captures((const SptCapture *const[]){ known, unknown }, 2, out, &error));
	g_assert_error(error, SPT_MERGE_ERROR, SPT_MERGE_ERROR_PERIODS);
	g_assert_nonnull(strstr(error->message, "how long its periods are"));
	g_assert_false(g_file_test(out, G_FILE_TEST_EXISTS));
}

/* A recording of a command, whose process has the same number in all of them. */
static SptCapture *open_of_command(const char *name, const char *program)
{
	const struct source source = { name, "1000000", 1, 0, 10, NULL };
	SptCapture *capture;

	write_source(&source);
	capture = open_capture(name);
	g_hash_table_replace(capture->host, (gpointer) "command", (gpointer)program);
	g_hash_table_replace(capture->host, (gpointer) "command_pid", (gpointer) "11");
	return capture;
}

/* The commands of all recordings are the command of the result, also if it is merged again. */
static void test_commands(void)
{
	g_autofree char *once = path_of("merged"), *twice = path_of("self");
	g_autoptr(SptCapture) first = open_of_command("first", "./one -x");
	g_autoptr(SptCapture) second = open_of_command("second", "./two");
	g_autoptr(SptCapture) later = open_of_command("later", "./three");
	g_autoptr(GError) error = NULL;

	g_assert_true(spt_merge_captures((const SptCapture *const[]){ first, second }, 2, once,
					 &error));
	g_assert_no_error(error);

	g_autoptr(SptCapture) merged = open_capture("merged");
	g_autofree char *name = spt_command_name(merged);
	g_autofree bool *processes = spt_command_processes(merged);

	g_assert_cmpstr(name, ==, "one + two");
	g_assert_nonnull(processes);
	for (uint32_t i = 1; i < merged->n_processes; i++)
		g_assert_true(!merged->processes[i].id ||
			      processes[i] == (merged->processes[i].pid == 11));
	g_assert_true(spt_merge_captures((const SptCapture *const[]){ later, merged }, 2, twice,
					 &error));
	g_assert_no_error(error);

	g_autoptr(SptCapture) again = open_capture("self");
	g_autofree bool *all = spt_command_processes(again);
	unsigned n = 0;

	g_assert_nonnull(all);
	for (uint32_t i = 1; i < again->n_processes; i++) {
		g_assert_true(!all[i] || again->processes[i].pid == 11);
		n += all[i];
	}
	g_assert_cmpuint(n, ==, 3);
}

/* One of them is of the whole system: which processes are the command's is known, but not all. */
static void test_command_and_system(void)
{
	static const struct source source = { "later", "1000000", 1, 0, 10, NULL };
	g_autofree char *out = path_of("merged");
	g_autoptr(SptCapture) first = open_of_command("first", "./one");
	g_autoptr(GError) error = NULL;

	write_source(&source);

	g_autoptr(SptCapture) later = open_capture("later");

	g_assert_true(spt_merge_captures((const SptCapture *const[]){ first, later }, 2, out,
					 &error));
	g_assert_no_error(error);

	g_autoptr(SptCapture) merged = open_capture("merged");

	g_assert_null(spt_capture_host(merged, "command_ids"));
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	directory = g_dir_make_tmp("spt-merge-XXXXXX", NULL);
	g_test_add_func("/merge/together", test_together);
	g_test_add_func("/merge/onto-itself", test_onto_itself);
	g_test_add_func("/merge/other-periods", test_other_periods);
	g_test_add_func("/merge/unknown-period", test_unknown_period);
	g_test_add_func("/merge/commands", test_commands);
	g_test_add_func("/merge/command-and-system", test_command_and_system);
	status = g_test_run();
	for (unsigned i = 0; i < 9; i++) {
		static const char *const names[] = { "first",  "second", "later", "merged", "self",
						     "module", "perf",	 "known", "unknown" };
		g_autofree char *path = path_of(names[i]);

		g_unlink(path);
	}
	g_rmdir(directory);
	g_free(directory);
	return status;
}
