/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids of spans find their samples and waits again, whose times a file keeps in its own ways. */
#include "events/facts.h"
#include "profile/links.h"

#include <glib/gstdio.h>

#include "export/export.h"
#include "export/span-keys.h"
#include "formats/otlp.pb-c.h"
#include "profile/selection.h"
#include "profile/stack-sums.h"
#include "rewrite/merge.h"

#define TIME	 5000123ull
#define WAIT_NS	 900000ull
#define READY_NS 300001ull

static SptDeclarationRow kind_of(uint32_t id, const char *name)
{
	return (SptDeclarationRow){ .id = id,
				    .shape = SPT_DECLARED_INSTANT,
				    .name = name,
				    .title = "Spans",
				    .n_fields = 3,
				    .fields = { { SPT_LINKS_TRACE, "", SPT_VALUE_TEXT },
						{ SPT_LINKS_SPAN, "", SPT_VALUE_TEXT },
						{ SPT_LINKS_ATTRIBUTES, "", SPT_VALUE_TEXT } } };
}

static void put_span(SptCaptureWriter *writer, uint32_t kind, uint64_t time, const char *span,
		     const char *attributes)
{
	const SptDeclaredRow row = { .time = time,
				     .kind = kind,
				     .thread = 1,
				     .values = { { .text = "trace" },
						 { .text = span },
						 { .text = attributes } } };

	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
}

/* The one thread that there is, and the one node. */
static uint32_t begin_only_thread(SptCaptureWriter *writer, SptStash *stash)
{
	const SptFrame frame = { .object = 0, .offset = 16, .kind = SPT_FRAME_EXACT };

	spt_capture_writer_process(writer, &(SptProcessRow){ .id = 1, .pid = 9, .name = "web" });
	spt_capture_writer_thread(
		writer, &(SptThreadRow){ .id = 1, .process = 1, .tid = 9, .name = "web" });
	return spt_stash_child(stash, 0, &frame);
}

static void put_sample_at(SptCaptureWriter *writer, uint64_t time, uint32_t node)
{
	spt_capture_writer_sample(
		writer, &(SptSampleRow){ .time = time, .thread = 1, .node = node, .weight = 1 });
}

/* A sample and a wait with a span, and one of each without. */
static SptCapture *open_spans(const char *path)
{
	const SptDeclarationRow cpu = kind_of(1, SPT_LINKS_OF_CPU),
				waits = kind_of(2, SPT_LINKS_OF_WAITS);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	uint32_t node = begin_only_thread(writer, stash);

	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &cpu);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &waits);
	for (unsigned i = 0; i < 2; i++) {
		uint64_t time = TIME + i * 7000000;

		put_sample_at(writer, time, node);
		if (i == 0)
			put_span(writer, cpu.id, time, "reading", "");
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
			put_span(writer, waits.id, time, "sleeping", "");
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

static const char *const texts[] = { "0=GET,1=/a%2Cb", "0=POST,1=/a",
				     "0=GET,1=/a%2Cb", "0=x,0=y,,=,9,256=z,7=p%25,2=q,3=r" };

/* Samples of one span, whose attributes change. */
static SptCapture *open_attributes(const char *path)
{
	const SptDeclarationRow cpu = kind_of(1, SPT_LINKS_OF_CPU);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	uint32_t node = begin_only_thread(writer, stash);

	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &cpu);
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		uint64_t time = TIME + i * 7000000;

		put_sample_at(writer, time, node);
		put_span(writer, cpu.id, time, "reading", texts[i]);
	}
	g_assert_true(spt_capture_writer_finish(writer, stash, 1, NULL));
	return spt_capture_open(path, NULL);
}

static const SptLabelSet *find_nothing(G_GNUC_UNUSED const SptProcessRow *process,
				       G_GNUC_UNUSED void *data)
{
	return NULL;
}

/* Two keys have one name, and one that of a label that samples have. */
static const char *find_key(const SptProcessRow *process, unsigned key, void *data)
{
	static const char *const keys[] = { "method", "path", "thread.id", "method" };

	g_assert_cmpuint(process->pid, ==, 9);
	g_assert_null(data);
	return key < G_N_ELEMENTS(keys) ? keys[key] : NULL;
}

/* "KEY=VALUE ..." of a sample: what its span has. */
static char *attributes_of(const SptOtlpDictionary *tables, const SptOtlpSample *sample)
{
	static const char *const own[] = { "process.executable.name", "process.pid", "thread.id",
					   "thread.name", "cpu.logical_number", NULL };
	GString *text = g_string_new(NULL);

	for (size_t i = 0; i < sample->n_attributes; i++) {
		const SptOtlpEntry *entry = tables->attributes[sample->attributes[i]];
		const char *key = tables->strings[entry->key];

		if (!g_strv_contains(own, key))
			g_string_append_printf(text, "%s=%s ", key, entry->value->text);
	}
	return g_string_free(text, FALSE);
}

static void check_request(const GString *request)
{
	SptOtlpRequest *all = spt_otlp_request__unpack(NULL, request->len,
						       (const uint8_t *)request->str);
	SptOtlpDictionary *tables = spt_otlp_dictionary__unpack(NULL, all->dictionary.len,
								all->dictionary.data);
	ProtobufCBinaryData *bytes = all->resources[0]->scopes[0]->profiles;
	SptOtlpProfile *profile = spt_otlp_profile__unpack(NULL, bytes->len, bytes->data);
	static const char *const expected[] = { "method=GET path=/a,b ", "method=POST path=/a ",
						"method=x span.attribute.7=p% " };

	/* One span is one link, and the first one is none. */
	g_assert_cmpuint(tables->n_links, ==, 2);
	g_assert_cmpuint(profile->n_samples, ==, 3);
	for (unsigned i = 0; i < profile->n_samples; i++) {
		g_autofree char *text = attributes_of(tables, profile->samples[i]);

		g_assert_cmpstr(text, ==, expected[i]);
		g_assert_cmpint(profile->samples[i]->link, ==, 1);
		g_assert_cmpint(profile->samples[i]->values[0], ==, i == 0 ? 2 : 1);
	}
	spt_otlp_profile__free_unpacked(profile, NULL);
	spt_otlp_dictionary__free_unpacked(tables, NULL);
	spt_otlp_request__free_unpacked(all, NULL);
}

static void test_attributes(void)
{
	static const SptLabelSource source = { find_nothing, find_key, NULL };
	g_autofree char *directory = g_dir_make_tmp("links-XXXXXX", NULL),
			*path = g_build_filename(directory, "attributes", NULL);
	g_autoptr(SptCapture) capture = open_attributes(path);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) profile =
		spt_profile_new(capture, symbols, spt_metric_find("cpu"), NULL);
	g_autoptr(SptLabels) labels = spt_labels_new(capture, NULL, &source);
	const SptExportInput input = {
		.profile = profile, .capture = capture, .symbols = symbols, .labels = labels
	};
	g_autoptr(GString) request = g_string_new(NULL);
	g_autoptr(SptOut) out = spt_out_new_memory(request);

	g_assert_true(spt_export_otlp.write(&input, out, NULL) && spt_out_finish(out, NULL));
	check_request(request);
	g_unlink(path);
	g_rmdir(directory);
}

static char *say_names(const SptCapture *capture, const char *kind, const char *field,
		       uint32_t thread, const char *text, void *data)
{
	return strcmp(kind, SPT_LINKS_OF_CPU) || strcmp(field, SPT_LINKS_ATTRIBUTES) ?
		       NULL :
		       spt_span_named(data, spt_process_of_thread(capture, thread), text);
}

/* A window that stays names keys itself: nobody can ask the process any more. */
static void test_named(void)
{
	static const SptLabelSource source = { find_nothing, find_key, NULL };
	g_autofree char *directory = g_dir_make_tmp("links-XXXXXX", NULL),
			*from = g_build_filename(directory, "numbers", NULL),
			*path = g_build_filename(directory, "names", NULL), *digits = NULL;
	g_autoptr(SptCapture) numbers = open_attributes(from), capture = NULL;
	g_autoptr(SptLabels) labels = spt_labels_new(numbers, NULL, &source), none = NULL;
	const SptMergeTexts texts_of = { say_names, labels };
	g_autoptr(SptSymbols) symbols = NULL;
	g_autoptr(SptProfile) profile = NULL;
	g_autoptr(GString) request = g_string_new(NULL);
	g_autoptr(SptOut) out = spt_out_new_memory(request);
	SptExportInput input;

	g_assert_true(spt_merge_captures_saying((const SptCapture *const[]){ numbers }, 1, path,
						&texts_of, NULL));
	capture = spt_capture_open(path, NULL);
	g_assert_nonnull(capture);
	symbols = spt_symbols_new(capture, NULL);
	profile = spt_profile_new(capture, symbols, spt_metric_find("cpu"), NULL);
	none = spt_labels_new(capture, NULL, NULL);
	input = (SptExportInput){ .profile = profile, .capture = capture, .symbols = symbols,
				  .labels = none };
	g_assert_true(spt_export_otlp.write(&input, out, NULL) && spt_out_finish(out, NULL));
	check_request(request);
	digits = spt_span_named(NULL, NULL, "0=a,x");
	g_assert_cmpstr(digits, ==, "0=a,x");
	g_unlink(path);
	g_unlink(from);
	g_rmdir(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/links/spans", test_spans);
	g_test_add_func("/links/attributes", test_attributes);
	g_test_add_func("/links/named", test_named);
	return g_test_run();
}
