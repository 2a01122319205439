/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is added up while a recording goes on is what its whole says in the end, however it was cut
 * up, and with another stash in between.
 */
#include "captures.h"

#include <stdlib.h>
#include <string.h>

#include "elf-files.h"
#include "object/object.h"
#include "profile/profile.h"
#include "record/live.h"

#define ROUNDS 200
#define SAMPLES 300

static uint32_t copy_stack(const SptStash *from, uint32_t node, SptStash *to)
{
	const SptNode *row = spt_stash_node(from, node);

	return node ? spt_stash_child(to, copy_stack(from, row->parent, to), &row->frame) : 0;
}

/* A name comes with the first stack that needs it, or before. */
static void put_names(SptSink *sink, const struct fake *fake, unsigned *named)
{
	for (; *named < FAKE_FUNCTIONS; (*named)++)
		spt_sink_put(sink, SPT_ROW_NAME, &fake->names[*named]);
}

/* As a recorder does; now and then the other side looks on. */
static SptLive *feed(const struct fake *fake)
{
	SptLive *live = spt_live_new();
	g_autoptr(SptSink) sink = spt_live_sink(live);
	SptStash *stash = spt_stash_new();
	unsigned named = 0;

	spt_sink_put(sink, SPT_ROW_OBJECT, &fake->objects[1]);
	for (unsigned i = 1; i < 5; i++) {
		spt_sink_put(sink, SPT_ROW_PROCESS, &fake->processes[i]);
		spt_sink_put(sink, SPT_ROW_THREAD, &fake->threads[i]);
	}
	for (unsigned i = 0; i < fake->samples->len; i++) {
		SptSampleRow row = g_array_index(fake->samples, SptSampleRow, i);

		row.node = copy_stack(fake->stash, row.node, stash);
		spt_sink_put(sink, SPT_ROW_SAMPLE, &row);
		put_names(sink, fake, &named);
		if (g_test_rand_int_range(0, 20) == 0)
			spt_sink_publish(sink, stash);
		if (g_test_rand_int_range(0, 40) == 0)
			spt_live_update(live);
		if (g_test_rand_int_range(0, 100) == 0) {
			spt_sink_publish(sink, stash);
			spt_sink_next_stash(sink);
			spt_stash_free(stash);
			stash = spt_stash_new();
		}
	}
	spt_sink_publish(sink, stash);
	spt_stash_free(stash);
	spt_live_update(live);
	g_assert_false(spt_live_update(live));
	return live;
}

static const SptFunction *find(const SptProfile *profile, const SptLiveRow *row)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (functions[i].is_process == !row->object &&
		    g_str_equal(functions[i].name, row->name) &&
		    (!row->object || g_str_equal(functions[i].object, row->object)))
			return &functions[i];
	return NULL;
}

static void compare(const SptProfile *profile, const SptLiveRow *rows, unsigned n, bool by_self)
{
	for (unsigned i = 0; i < n; i++) {
		const SptFunction *function = find(profile, &rows[i]);

		g_assert_nonnull(function);
		g_assert_cmpuint(rows[i].self, ==, function->self);
		g_assert_cmpuint(rows[i].total, ==, function->total);
		if (i > 0)
			g_assert_cmpuint(by_self ? rows[i].self : rows[i].total, <=,
					 by_self ? rows[i - 1].self : rows[i - 1].total);
	}
}

static unsigned count(const SptProfile *profile, bool processes)
{
	uint32_t n, found = 0;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		found += functions[i].is_process == processes &&
			 (processes ? functions[i].total : functions[i].self) > 0;
	return found;
}

static void test_sums(void)
{
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct fake fake;
		SptLiveRow rows[2 * FAKE_FUNCTIONS];
		unsigned n;

		fake_init(&fake);
		fake_random(&fake, SAMPLES);

		const SptCapture *capture = fake_capture(&fake);
		g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
		g_autoptr(SptProfile) profile = spt_profile_new(capture, symbols, NULL, NULL);
		g_autoptr(SptLive) live = feed(&fake);

		g_assert_cmpuint(spt_live_total(live), ==, spt_profile_total(profile));
		n = spt_live_functions(live, rows, G_N_ELEMENTS(rows));
		g_assert_cmpuint(n, ==, count(profile, false));
		compare(profile, rows, n, true);
		n = spt_live_processes(live, rows, G_N_ELEMENTS(rows));
		g_assert_cmpuint(n, ==, count(profile, true));
		compare(profile, rows, n, false);
		/* The heaviest are there if there is no room for all. */
		g_assert_cmpuint(spt_live_functions(live, rows, 3), ==, 3);
		for (unsigned i = 0; i < 3; i++)
			rows[FAKE_FUNCTIONS + i] = rows[i];
		spt_live_functions(live, rows, FAKE_FUNCTIONS);
		for (unsigned i = 0; i < 3; i++)
			g_assert_cmpuint(rows[FAKE_FUNCTIONS + i].self, ==, rows[i].self);
		fake_clear(&fake);
	}
}

/* An object and a name that come later. */
static void test_later(void)
{
	struct fake fake;
	const unsigned functions[] = { 1, 2 };
	SptLiveRow row;

	fake_init(&fake);
	g_autoptr(SptLive) live = spt_live_new();
	g_autoptr(SptSink) sink = spt_live_sink(live);
	g_autoptr(SptStash) stash = spt_stash_new();
	SptSampleRow sample = { .weight = 1 };

	g_assert_false(spt_live_update(live));
	g_assert_cmpuint(spt_live_functions(live, &row, 1), ==, 0);
	for (unsigned i = 0; i < 2; i++) {
		SptFrame frame = { .object = i + 1, .offset = 16 * functions[i] };
		SptObjectRow object = { .id = i + 1, .kind = SPT_OBJECT_KERNEL, .path = "" };
		SptNameRow name = fake.names[functions[i]];

		name.object = i + 1;
		spt_sink_put(sink, SPT_ROW_OBJECT, &object);
		spt_sink_put(sink, SPT_ROW_NAME, &name);
		sample.node = spt_stash_child(stash, 0, &frame);
		sample.weight += i;
		spt_sink_put(sink, SPT_ROW_SAMPLE, &sample);
		spt_sink_publish(sink, stash);
		g_assert_true(spt_live_update(live));
		g_assert_cmpuint(spt_live_functions(live, &row, 1), ==, 1);
		g_assert_cmpstr(row.name, ==, fake.texts[functions[i]]);
		g_assert_cmpstr(row.object, ==, "[kernel]");
	}
	/* Nothing is known of its thread. */
	g_assert_cmpuint(spt_live_processes(live, &row, 1), ==, 1);
	g_assert_cmpstr(row.name, ==, "[unknown]");
	g_assert_cmpuint(row.total, ==, 3);
	fake_clear(&fake);
}

/*
 * Stacks that end @offset into the file at @path come in, one call at a time; what the innermost
 * function of all so far is called.
 */
static const char *live_name(SptLive *live, SptStash *stash, const char *path, uint64_t offset)
{
	g_autoptr(SptSink) sink = spt_live_sink(live);
	g_autoptr(SptObject) file = spt_object_open(path, NULL);
	SptObjectRow object = { .id = 1, .kind = SPT_OBJECT_FILE, .path = path };
	SptFrame frame = { .object = 1, .offset = offset };
	/* Heavier than what was there. */
	SptSampleRow sample = { .weight = 1 + (uint32_t)spt_live_total(live),
				.node = spt_stash_child(stash, 0, &frame) };
	SptLiveRow row;
	unsigned n;
	const uint8_t *id = spt_object_build_id(file, &n);

	object.build_id_bytes = n;
	memcpy(object.build_id, id, n);
	spt_sink_put(sink, SPT_ROW_OBJECT, &object);
	spt_sink_put(sink, SPT_ROW_SAMPLE, &sample);
	spt_sink_publish(sink, stash);
	g_assert_true(spt_live_update(live));
	g_assert_cmpuint(spt_live_functions(live, &row, 1), ==, 1);
	return row.name;
}

static void test_files(void)
{
	g_autofree char *path = elf_file("whole");
	g_autoptr(SptLive) live = spt_live_new();
	g_autoptr(SptStash) stash = spt_stash_new();

	g_assert_cmpstr(live_name(live, stash, path, 0x1084), ==, "main");
	g_assert_cmpstr(live_name(live, stash, path, 0x1190), ==, "_global_a");
	g_assert_cmpstr(live_name(live, stash, path, 0x1086), ==, "main");
}

/*
 * For a copy of this program that lies beside a helper that crashes: 0 if it goes on without names.
 */
static int live_without_helper(const char *path)
{
	g_autoptr(SptLive) live = spt_live_new();
	g_autoptr(SptStash) stash = spt_stash_new();

	return strcmp(live_name(live, stash, path, 0x1084), "whole+0x1084") ||
	       strcmp(live_name(live, stash, path, 0x1190), "whole+0x1190");
}

static void test_crash(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL), *path = elf_file("whole"),
			*dir = elf_file("beside");
	g_autofree char *command = g_strdup_printf(
		"mkdir '%s' && cd '%s' && cp '%s' copy && printf '#!/bin/sh\nkill -SEGV $$\n' >sysprof-helper && "
		"chmod +x sysprof-helper && ./copy --without-helper '%s'",
		dir, dir, self, path);

	g_assert_cmpint(system(command), ==, 0);
}

int main(int argc, char **argv)
{
	int status;

	if (argc == 3 && strcmp(argv[1], "--without-helper") == 0)
		return live_without_helper(argv[2]);
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/live/sums", test_sums);
	make_elf_files(argv[0]);
	g_test_add_func("/live/later", test_later);
	g_test_add_func("/live/files", test_files);
	g_test_add_func("/live/crash", test_crash);
	status = g_test_run();
	remove_elf_files();
	return status;
}
