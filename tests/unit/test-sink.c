/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sinks behind their interface: what a file waits for, and what the last seconds keep and give. */
#include <glib/gstdio.h>

#include "capture/sink.h"
#include "record/flight.h"

#define SECOND_NS 1000000000ULL

/* A sink that only counts. */
struct counting_sink {
	SptSink sink;
	unsigned n[SPT_ROWS];
	uint32_t node;			/* of the last sample */
	char *notice;
};

static void counting_put(SptSink *sink, SptRowKind kind, const void *rows, size_t n)
{
	struct counting_sink *self = (struct counting_sink *)sink;

	self->n[kind] += (unsigned)n;
	if (kind == SPT_ROW_SAMPLE)
		self->node = ((const SptSampleRow *)rows)[n - 1].node;
}

static void counting_fact(SptSink *sink, const char *key, const char *value)
{
	struct counting_sink *self = (struct counting_sink *)sink;

	if (g_str_equal(key, "notice"))
		self->notice = g_strdup(value);
}

static const struct spt_sink_type counting_type = { .put = counting_put, .fact = counting_fact };

/* A map whose object nobody has reported could not be read. */
static void test_maps_wait(void)
{
	g_autofree char *directory = g_dir_make_tmp("sysprof-test-XXXXXX", NULL),
			*path = g_build_filename(directory, "maps", NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GError) error = NULL;
	SptCaptureWriter *writer = spt_capture_writer_new(path, &error);
	g_autoptr(SptCapture) capture = NULL;
	const SptMapRow maps[] = {
		{ .process = 1, .object = 7, .start = 4096, .bytes = 4096 },
		{ .process = 1, .object = 9, .start = 8192, .bytes = 4096 },
	};

	g_assert_no_error(error);
	g_autoptr(SptSink) sink = spt_writer_sink_new(writer);

	spt_sink_put(sink, SPT_ROW_PROCESS, &(SptProcessRow){ .id = 1, .pid = 10, .name = "a" });
	spt_sink_put_rows(sink, SPT_ROW_MAP, maps, G_N_ELEMENTS(maps));
	g_assert_true(spt_sink_flush(sink, stash, 1, NULL));
	spt_sink_put(sink, SPT_ROW_OBJECT,
		     &(SptObjectRow){ .id = 7, .kind = SPT_OBJECT_FILE, .path = "/seven" });
	g_assert_true(spt_sink_flush(sink, stash, 2, NULL));
	g_assert_cmpuint(spt_sink_bytes(sink), >, 0);
	spt_sink_finish(sink, stash, 3, &error);
	g_assert_no_error(error);
	capture = spt_capture_open(path, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(capture->n_maps, ==, 1);
	g_assert_cmpuint(capture->maps[0].object, ==, 7);
	g_unlink(path);
	g_rmdir(directory);
}

static uint32_t stack_of(SptStash *stash, uint64_t offset)
{
	return spt_stash_child(stash, 0, &(SptFrame){ .object = 1, .offset = offset });
}

/* One sample a second, each with a stack of its own, and an account behind it. */
static void put_seconds(SptSink *flight, SptStash *stash, unsigned n)
{
	for (unsigned i = 1; i <= n; i++) {
		spt_sink_put(flight, SPT_ROW_SAMPLE,
			     &(SptSampleRow){ .time = i * SECOND_NS,
					      .weight = 1,
					      .node = stack_of(stash, i) });
		spt_sink_put(flight, SPT_ROW_ACCOUNT,
			     &(SptAccountRow){ .time = i * SECOND_NS + 1,
					       .grid = i,
					       .delivered = i,
					       .samples = i });
	}
}

/* Nodes of forgotten samples go; those that stay get the numbers of the new stash. */
static void test_shrinks(void)
{
	g_autoptr(SptSink) flight = spt_flight_new(4 * SECOND_NS);
	g_autoptr(SptStash) stash = spt_stash_new();
	struct counting_sink counting = { .sink = { &counting_type } };

	put_seconds(flight, stash, 10);
	g_assert_true(spt_sink_keeps_rows(flight));
	g_assert_true(spt_sink_flush(flight, stash, 10 * SECOND_NS, NULL));
	g_assert_null(spt_sink_shrink(flight, stash, 10 * SECOND_NS, SPT_SINK_IF_WORTH_IT));
	g_autoptr(SptStash) smaller =
		spt_sink_shrink(flight, stash, 10 * SECOND_NS, SPT_SINK_TOO_LARGE);

	spt_sink_give(flight, &counting.sink);
	g_assert_cmpuint(counting.n[SPT_ROW_SAMPLE], ==, spt_stash_n_nodes(smaller) - 1);
	g_assert_cmpuint(counting.n[SPT_ROW_SAMPLE], <, 10);
	g_assert_cmpuint(spt_stash_node(smaller, counting.node)->frame.offset, ==, 10);
	g_assert_null(counting.notice);
}

/* Half of the time goes, and a notice says so. */
static void test_halves(void)
{
	g_autoptr(SptSink) flight = spt_flight_new(100 * SECOND_NS);
	g_autoptr(SptStash) stash = spt_stash_new();
	struct counting_sink counting = { .sink = { &counting_type } };

	put_seconds(flight, stash, 9);
	g_autoptr(SptStash) smaller =
		spt_sink_shrink(flight, stash, 9 * SECOND_NS, SPT_SINK_STILL_TOO_LARGE);

	spt_sink_give(flight, &counting.sink);
	g_assert_cmpuint(counting.n[SPT_ROW_SAMPLE], >=, 4);
	g_assert_cmpuint(counting.n[SPT_ROW_SAMPLE], <=, 6);
	g_assert_cmpuint(spt_stash_n_nodes(smaller) - 1, ==, counting.n[SPT_ROW_SAMPLE]);
	g_assert_nonnull(counting.notice);
	g_free(counting.notice);
}

/* A sink that is not interested is asked anything. */
static void test_uninterested(void)
{
	static const struct spt_sink_type type = { 0 };
	SptSink sink = { &type };
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptStash) empty = spt_sink_shrink(&sink, stash, 1, SPT_SINK_TOO_LARGE);

	spt_sink_fact(&sink, "key", "value");
	spt_sink_put(&sink, SPT_ROW_SAMPLE, &(SptSampleRow){ .weight = 1 });
	spt_sink_publish(&sink, stash);
	g_assert_true(spt_sink_flush(&sink, stash, 1, NULL));
	g_assert_cmpuint(spt_stash_n_nodes(empty), ==, 1);
	g_assert_null(spt_sink_shrink(&sink, stash, 1, SPT_SINK_IF_WORTH_IT));
	g_assert_null(spt_sink_shrink(&sink, stash, 1, SPT_SINK_STILL_TOO_LARGE));
	spt_sink_next_stash(&sink);
	g_assert_false(spt_sink_keeps_rows(&sink));
	g_assert_true(spt_sink_finish(&sink, stash, 1, NULL));
	g_assert_cmpuint(spt_sink_bytes(&sink), ==, 0);
	spt_sink_free(&sink);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sink/maps-wait", test_maps_wait);
	g_test_add_func("/sink/shrinks", test_shrinks);
	g_test_add_func("/sink/halves", test_halves);
	g_test_add_func("/sink/uninterested", test_uninterested);
	return g_test_run();
}
