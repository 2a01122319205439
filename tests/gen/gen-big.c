/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-big OUT [FUNCTIONS]: writes a capture with that many functions (a million), for trying what
 * must stay quick.
 *
 * In process "big", main calls a thousand groups of equally many functions.  Names are in no order,
 * weights of 1 to 100 repeat, but function "heaviest" alone has 1000.  Two names are ugly: one is
 * no text, one is long.
 */
#include <stdio.h>
#include <stdlib.h>

#include "capture/capture.h"

#define BEGIN_NS 1000000000ull
#define PERIOD_NS 1000000ull
#define GROUPS 1000
#define FLUSH_ROWS 100000

enum { OBJECT = 1 };
enum { MAIN_AT = 0x1000, GROUPS_AT = 0x10000, FUNCTIONS_AT = 0x1000000, STEP = 0x10 };

static uint32_t scramble(uint32_t n)
{
	n = (n ^ n >> 16) * 0x7feb352du;
	n = (n ^ n >> 15) * 0x846ca68bu;
	return n ^ n >> 16;
}

static void name_function(SptCaptureWriter *writer, uint64_t offset, const char *name)
{
	spt_capture_writer_name(writer, &(SptNameRow) {
		.object = OBJECT, .offset = offset, .symbol = name, .symbol_bytes = STEP,
	});
}

static void write_state(SptCaptureWriter *writer)
{
	char name[32];

	spt_capture_writer_host(writer, "host", "example");
	spt_capture_writer_host(writer, "cpus", "1");
	spt_capture_writer_host(writer, "period_ns", "1000000");
	spt_capture_writer_object(writer,
				  &(SptObjectRow){ .id = OBJECT, .kind = SPT_OBJECT_KERNEL });
	spt_capture_writer_process(writer, &(SptProcessRow) { .id = 1, .pid = 100, .name = "big" });
	spt_capture_writer_thread(
		writer, &(SptThreadRow){ .id = 1, .process = 1, .tid = 100, .name = "big" });
	name_function(writer, MAIN_AT, "main");
	for (unsigned i = 0; i < GROUPS; i++) {
		g_snprintf(name, sizeof(name), "group_%03u", i);
		name_function(writer, GROUPS_AT + i * STEP, name);
	}
}

static char *make_name(uint32_t i, uint32_t n)
{
	if (i == n / 2)
		return g_strdup("heaviest");
	if (i == 1)
		return g_strdup("ugly\n\xff\x1b[31m");
	if (i == 2)
		return g_strdup_printf("ugly%03000d", 0);
	return g_strdup_printf("function_%08x_%u", scramble(i), i);
}

static void write_function(SptCaptureWriter *writer, SptStash *stash, uint32_t i, uint32_t n)
{
	uint64_t offset = FUNCTIONS_AT + (uint64_t)i * STEP;
	const SptFrame stack[] = {
		{ offset, OBJECT, SPT_FRAME_EXACT },
		{ GROUPS_AT + i % GROUPS * STEP, OBJECT, SPT_FRAME_CALL },
		{ MAIN_AT, OBJECT, SPT_FRAME_CALL },
	};
	g_autofree char *name = make_name(i, n);

	name_function(writer, offset, name);
	spt_capture_writer_sample(writer,
				  &(SptSampleRow){
					  .time = BEGIN_NS + i * PERIOD_NS,
					  .thread = 1,
					  .node = spt_stash_add(stash, 0, stack, 3),
					  .user_end = 1,
					  .weight = i == n / 2 ? 1000 : 1 + scramble(i + n) % 100,
				  });
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000000;
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCaptureWriter) writer = NULL;
	g_autoptr(GError) error = NULL;
	bool ok = true;

	if (argc < 2) {
		fprintf(stderr, "usage: gen-big OUT [FUNCTIONS]\n");
		return 2;
	}
	writer = spt_capture_writer_new(argv[1], &error);
	if (writer)
		write_state(writer);
	for (uint32_t i = 0; writer && ok && i < n; i++) {
		write_function(writer, stash, i, n);
		if (i % FLUSH_ROWS == 0)
			ok = spt_capture_writer_flush(writer, stash, &error);
	}
	if (!writer || !ok ||
	    !spt_capture_writer_finish(writer, stash, BEGIN_NS + n * PERIOD_NS, &error)) {
		fprintf(stderr, "gen-big: %s\n", error->message);
		return 1;
	}
	return 0;
}
