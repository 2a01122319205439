/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids of spans find their samples and waits again, whose times a file keeps in its own ways. */
#include "events/facts.h"
#include "profile/links.h"

#include <glib/gstdio.h>

#include "profile/stack-sums.h"

#define TIME	 5000123ull
#define WAIT_NS	 900000ull
#define READY_NS 300001ull

static SptDeclarationRow kind_of(uint32_t id, const char *name)
{
	return (SptDeclarationRow){ .id = id,
				    .shape = SPT_DECLARED_INSTANT,
				    .name = name,
				    .title = "Spans",
				    .n_fields = 2,
				    .fields = { { SPT_LINKS_TRACE, "", SPT_VALUE_TEXT },
						{ SPT_LINKS_SPAN, "", SPT_VALUE_TEXT } } };
}

static void put_span(SptCaptureWriter *writer, uint32_t kind, uint64_t time, const char *span)
{
	const SptDeclaredRow row = { .time = time,
				     .kind = kind,
				     .thread = 1,
				     .values = { { .text = "trace" }, { .text = span } } };

	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
}

/* A sample and a wait with a span, and one of each without. */
static SptCapture *open_spans(const char *path)
{
	const SptDeclarationRow cpu = kind_of(1, SPT_LINKS_OF_CPU),
				waits = kind_of(2, SPT_LINKS_OF_WAITS);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	const SptFrame frame = { .object = 0, .offset = 16, .kind = SPT_FRAME_EXACT };
	uint32_t node = spt_stash_child(stash, 0, &frame);

	spt_capture_writer_process(writer, &(SptProcessRow){ .id = 1, .pid = 9, .name = "web" });
	spt_capture_writer_thread(
		writer, &(SptThreadRow){ .id = 1, .process = 1, .tid = 9, .name = "web" });
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &cpu);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &waits);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t time = TIME + i * 7000000;

		spt_capture_writer_sample(writer,
				       &(SptSampleRow){ .time = time,
							.thread = 1,
							.node = node,
							.weight = 1 });
		if (i == 0)
			put_span(writer, cpu.id, time, "reading");
		time += 2000007;
		spt_capture_writer_put(writer, SPT_ROW_WAIT,
				       &(SptWaitRow){ .time = time,
						      .duration_ns = WAIT_NS,
						      .runnable_ns = READY_NS,
						      .weight_ns = WAIT_NS,
						      .thread = 1,
						      .node = node,
						      .state = SPT_STATE_SLEEP });
		if (i == 0)
			put_span(writer, waits.id, time, "sleeping");
	}
	g_assert_true(spt_capture_writer_finish(writer, stash, 1, NULL));
	return spt_capture_open(path, NULL);
}

/* What a metric has with @span, or without one. */
static uint64_t weight_of(const SptCapture *capture, const char *name, const char *span)
{
	const SptMetric *metric = spt_metric_find(name);
	g_autoptr(SptSymbols) symbols = spt_symbols_new((SptCapture *)capture, NULL);
	g_autoptr(SptLinks) links = spt_links_new(capture, metric);
	g_autoptr(GArray) sums = spt_stack_sums_of_links(capture, symbols, metric, NULL, links);
	uint64_t weight = 0;

	g_assert_nonnull(links);
	for (guint i = 0; i < sums->len; i++) {
		const SptStackSum *sum = &g_array_index(sums, SptStackSum, i);
		const char *of = sum->link ? spt_links_get(links, sum->link)->span : NULL;

		weight += g_strcmp0(of, span) == 0 ? sum->weight : 0;
	}
	return weight;
}

static void test_spans(void)
{
	g_autofree char *directory = g_dir_make_tmp("links-XXXXXX", NULL),
			*path = g_build_filename(directory, "spans", NULL);
	g_autoptr(SptCapture) capture = open_spans(path);

	g_assert_cmpuint(weight_of(capture, "cpu", "reading"), ==, 1);
	g_assert_cmpuint(weight_of(capture, "cpu", NULL), ==, 1);
	/* Both of its parts, asleep and ready to run. */
	g_assert_cmpuint(weight_of(capture, "off-cpu", "sleeping"), ==, WAIT_NS);
	g_assert_cmpuint(weight_of(capture, "off-cpu", NULL), ==, WAIT_NS);
	g_unlink(path);
	g_rmdir(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/links/spans", test_spans);
	return g_test_run();
}
