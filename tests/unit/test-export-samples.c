/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats that show each sample: their structure and sums, names from hostile files, and that what
 * they sort or keep is bounded.
 */
#include <json-c/json.h>
#include <string.h>

#include "captures.h"
#include "export/by-thread.h"
#include "export/export.h"

#define HOSTILE "</script><script>alert(\"'&\\\")</script><!--]]>\001\n\033[2J\xff\xc0\xe2\x80\xae"

/* The export of what @filter selects (NULL: of everything). */
static char *export_fake(struct fake *fake, const SptExport *format, const SptFilter *filter)
{
	const SptCapture *capture = fake_capture(fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);
	g_autoptr(SptProfile) profile = spt_profile_refilter(base, filter, NULL);
	GString *text = g_string_new(NULL);
	g_autoptr(SptOut) out = spt_out_new_memory(text);
	g_autoptr(GError) error = NULL;
	const SptExportInput input = {
		.profile = profile,
		.base = base,
		.filter = filter,
		.capture = capture,
		.start_ns = 0,
		.begin_ns = filter ? filter->begin_ns : 0,
		.end_ns = filter && filter->end_ns ? filter->end_ns : capture->last_time,
	};

	g_assert_true(format->write(&input, out, &error));
	g_assert_true(spt_out_finish(out, &error));
	g_assert_no_error(error);
	return g_string_free(text, FALSE);
}

static json_object *parse(const char *text)
{
	json_tokener *tokener = json_tokener_new();
	json_object *object;

	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, (int)strlen(text) + 1);
	g_assert_cmpint(json_tokener_get_error(tokener), ==, json_tokener_success);
	json_tokener_free(tokener);
	return object;
}

static json_object *member(json_object *object, const char *key)
{
	json_object *found = json_object_object_get(object, key);

	g_assert_nonnull(found);
	return found;
}

static json_object *item(json_object *list, unsigned i)
{
	g_assert_cmpuint(i, <, json_object_array_length(list));
	return json_object_array_get_idx(list, i);
}

static uint64_t sum(json_object *list)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < json_object_array_length(list); i++)
		total += json_object_get_uint64(item(list, i));
	return total;
}

static void add_known(struct fake *fake)
{
	fake_sample(fake, 2, (const unsigned[]){ 0, 1 }, 2, 1000000, 3);
	fake_sample(fake, 1, (const unsigned[]){ 0 }, 1, 2500000, 1);
	fake_sample(fake, 2, (const unsigned[]){ 0, 2 }, 2, 3000000, 2);
}

static void test_firefox(void)
{
	struct fake fake;
	json_object *profile, *threads, *samples, *strings, *shared;

	fake_init(&fake);
	add_known(&fake);

	g_autofree char *text = export_fake(&fake, &spt_export_firefox, NULL);

	profile = parse(text);
	threads = member(profile, "threads");
	shared = member(profile, "shared");
	strings = member(shared, "stringArray");
	g_assert_cmpuint(json_object_array_length(threads), ==, 2);
	g_assert_cmpstr(json_object_get_string(member(item(threads, 0), "processName")), ==,
			"even");
	g_assert_cmpstr(json_object_get_string(member(item(threads, 1), "pid")), ==, "11");
	samples = member(item(threads, 1), "samples");
	g_assert_cmpuint(sum(member(samples, "weight")), ==, 5);
	g_assert_cmpstr(json_object_get_string(member(samples, "time")), ==, "[ 1, 3 ]");
	/* Only functions that are used, in the order of their numbers. */
	g_assert_cmpstr(json_object_get_string(item(strings, 0)), ==, "f0");
	g_assert_cmpstr(json_object_get_string(item(strings, 1)), ==, "f1");
	g_assert_cmpstr(json_object_get_string(item(strings, 2)), ==, "f2");
	g_assert_cmpstr(json_object_get_string(item(strings, 3)), ==, "[kernel]");
	g_assert_cmpint(json_object_get_int(member(member(shared, "stackTable"), "length")), ==, 4);
	json_object_put(profile);
	fake_clear(&fake);
}

static void test_chrome(void)
{
	struct fake fake;
	json_object *trace, *samples, *frame;
	uint64_t weight = 0;

	fake_init(&fake);
	add_known(&fake);

	g_autofree char *text = export_fake(&fake, &spt_export_chrome, NULL);

	trace = parse(text);
	samples = member(trace, "samples");
	for (unsigned i = 0; i < json_object_array_length(samples); i++)
		weight += json_object_get_uint64(member(item(samples, i), "weight"));
	g_assert_cmpuint(weight, ==, 6);
	frame = json_object_object_get(
		member(trace, "stackFrames"),
		json_object_get_string(member(item(samples, 0), "sf")));
	g_assert_cmpstr(json_object_get_string(member(frame, "name")), ==, "f1");
	frame = json_object_object_get(member(trace, "stackFrames"),
				       json_object_get_string(member(frame, "parent")));
	g_assert_cmpstr(json_object_get_string(member(frame, "name")), ==, "f0");
	g_assert_null(json_object_object_get(frame, "parent"));
	json_object_put(trace);
	fake_clear(&fake);
}

/* The JSON between the tags of script @id, which nothing in it may end. */
static json_object *data_of(const char *page, const char *id)
{
	g_autofree char *tag = g_strdup_printf("<script type=\"application/json\" id=\"%s\">", id);
	const char *begin = strstr(page, tag), *end;

	g_assert_nonnull(begin);
	begin += strlen(tag);
	end = strstr(begin, "</script>");
	g_assert_nonnull(end);

	g_autofree char *text = g_strndup(begin, (size_t)(end - begin));

	g_assert_null(strchr(text, '<'));
	return parse(text);
}

static uint64_t sum_of_parts(json_object *data)
{
	json_object *parts = member(data, "parts");
	uint64_t total = 0;

	for (unsigned i = 0; i < json_object_array_length(parts); i++) {
		json_object *part = item(parts, i);

		for (unsigned k = 1; k < json_object_array_length(part); k += 2)
			total += json_object_get_uint64(item(part, k));
	}
	return total;
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (text = strstr(text, what); text; text = strstr(text + 1, what))
		n++;
	return n;
}

static void test_page(void)
{
	struct fake fake;
	json_object *data;

	fake_init(&fake);
	add_known(&fake);

	g_autofree char *page = export_fake(&fake, &spt_export_html, NULL);

	data = data_of(page, "data");
	g_assert_cmpuint(sum_of_parts(data), ==, 6);
	g_assert_cmpuint(sum(member(data, "selfs")), ==, 6);
	g_assert_cmpuint(json_object_array_length(member(data, "up")), ==, 7);
	g_assert_nonnull(strstr(page, "<td>f1</td><td>[kernel]</td>"));
	g_assert_null(strstr(page, "://"));
	json_object_put(data);
	fake_clear(&fake);
}

static void test_part_of_a_page(void)
{
	const SptFilter filter = { .process = "odd", .begin_ns = 500000, .end_ns = 2000000 };
	struct fake fake;
	json_object *data;

	fake_init(&fake);
	add_known(&fake);

	g_autofree char *page = export_fake(&fake, &spt_export_html, &filter);

	data = data_of(page, "data");
	g_assert_cmpuint(sum_of_parts(data), ==, 3);
	g_assert_cmpuint(sum(member(member(data, "heat"), "cells")), ==, 3);
	/* A name that the filter excludes is not in the file. */
	g_assert_null(strstr(page, "\"f2\""));
	g_assert_null(strstr(page, "\"even\""));
	g_assert_null(strstr(page, "f2</td>"));
	json_object_put(data);
	fake_clear(&fake);
}

/* More stacks than a page has room for: none is lost from its sums. */
static void test_page_of_many_stacks(void)
{
	struct fake fake;
	json_object *data;
	uint64_t weight = 0;

	fake_init(&fake);
	fake_random(&fake, 60000);
	for (unsigned i = 0; i < fake.samples->len; i++)
		weight += g_array_index(fake.samples, SptSampleRow, i).weight;

	g_autofree char *page = export_fake(&fake, &spt_export_html, NULL);

	data = data_of(page, "data");
	g_assert_cmpuint(json_object_array_length(member(data, "up")), ==, 30000);
	g_assert_cmpuint(sum_of_parts(data), ==, weight);
	g_assert_cmpuint(sum(member(data, "selfs")), ==, weight);
	g_assert_nonnull(strstr(page, "light branches"));
	g_assert_cmpuint(strlen(page), <, 10 << 20);
	json_object_put(data);
	fake_clear(&fake);
}

/* Names of any length, of which JSON makes longer ones, do not make a page that is too long. */
static void test_page_of_long_names(void)
{
	char *longs[FAKE_FUNCTIONS];
	struct fake fake;

	fake_init(&fake);
	for (unsigned i = 0; i < FAKE_FUNCTIONS; i++) {
		longs[i] = g_strnfill(16000, '<');
		longs[i][0] = 'a' + (char)i;
		fake.names[i].symbol = longs[i];
	}
	fake_random(&fake, 100);

	g_autofree char *page = export_fake(&fake, &spt_export_html, NULL);

	json_object_put(data_of(page, "data"));
	g_assert_cmpuint(strlen(page), <, 200000);
	for (unsigned i = 0; i < FAKE_FUNCTIONS; i++)
		g_free(longs[i]);
	fake_clear(&fake);
}

static void test_hostile_names(void)
{
	static const SptExport *const formats[] = { &spt_export_firefox, &spt_export_chrome,
						    &spt_export_html };
	struct fake fake;

	fake_init(&fake);
	fake.names[0].symbol = HOSTILE;
	fake.names[1] = (SptNameRow){ .object = 1, .offset = 16, .symbol = "f", .module = HOSTILE };
	fake.processes[2].name = HOSTILE;
	fake.threads[2].name = HOSTILE;
	fake_sample(&fake, 2, (const unsigned[]){ 0, 1 }, 2, 1, 5);
	for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++) {
		g_autofree char *text = export_fake(&fake, formats[i], NULL);

		g_assert_true(g_utf8_validate(text, -1, NULL));
		for (const char *c = text; *c; c++)
			g_assert_true((unsigned char)*c >= 0x20 || *c == '\n' || *c == '\t');
		if (formats[i] != &spt_export_html) {
			json_object_put(parse(text));
			continue;
		}
		json_object_put(data_of(text, "data"));
		json_object_put(data_of(text, "words"));
		/* The three of the page itself. */
		g_assert_cmpuint(count(text, "<script"), ==, 3);
		g_assert_cmpuint(count(text, "</script"), ==, 3);
		g_assert_null(strstr(text, "<!--"));
	}
	fake_clear(&fake);
}

static void test_nothing(void)
{
	struct fake fake;

	fake_init(&fake);

	g_autofree char *firefox = export_fake(&fake, &spt_export_firefox, NULL),
			*chrome = export_fake(&fake, &spt_export_chrome, NULL),
			*page = export_fake(&fake, &spt_export_html, NULL);

	json_object_put(parse(firefox));
	json_object_put(parse(chrome));
	json_object_put(data_of(page, "data"));
	fake_clear(&fake);
}

/* A walk of made items: number i is of the thread that is_of() says. */
struct made {
	uint32_t number, thread;
};

static struct made at;
static uint32_t n_made, n_walks;

static uint32_t thread_of(uint32_t number)
{
	/* Thread 1 has more than are sorted at once, the others few. */
	return number % 10 < 8 ? 1 : number % 7;
}

static bool next_made(G_GNUC_UNUSED gpointer walk, gpointer ret)
{
	if (at.number == n_made) {
		at.number = 0;
		n_walks++;
		return false;
	}
	at.thread = thread_of(at.number);
	memcpy(ret, &at, sizeof(at));
	at.number++;
	return true;
}

static void test_threads_with_many_items(void)
{
	static const SptWalkType type = { next_made, sizeof(struct made),
					  offsetof(struct made, thread) };
	uint64_t n = 0;

	n_made = 400000;
	/* The last thread is one that the table does not have. */
	g_autoptr(SptByThread) by_thread = spt_by_thread_new(&type, NULL, 6);

	for (uint32_t thread = 0; thread < 6; thread++) {
		for (unsigned pass = 0; pass < 2; pass++) {
			const struct made *made;
			uint64_t count = 0;
			int64_t last = -1;

			spt_by_thread_begin(by_thread, thread);
			for (; (made = spt_by_thread_next(by_thread)); count++) {
				g_assert_cmpuint(made->thread, ==, thread);
				g_assert_cmpint(made->number, >, last);
				last = made->number;
			}
			g_assert_cmpuint(count, ==, spt_by_thread_n(by_thread, thread));
			n += pass ? 0 : count;
		}
	}
	for (uint32_t i = 0; i < n_made; i++)
		n += thread_of(i) == 6;
	g_assert_cmpuint(n, ==, n_made);
	/* To count, for the threads below 1, for each pass over it, and for the rest. */
	g_assert_cmpuint(n_walks, ==, 5);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/export/firefox", test_firefox);
	g_test_add_func("/export/chrome", test_chrome);
	g_test_add_func("/export/page", test_page);
	g_test_add_func("/export/part-of-a-page", test_part_of_a_page);
	g_test_add_func("/export/page-of-many-stacks", test_page_of_many_stacks);
	g_test_add_func("/export/page-of-long-names", test_page_of_long_names);
	g_test_add_func("/export/hostile-names", test_hostile_names);
	g_test_add_func("/export/samples-of-nothing", test_nothing);
	g_test_add_func("/export/threads-with-many-items", test_threads_with_many_items);
	return g_test_run();
}
