/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-names OUT: writes a capture in which all that has a name is called by what terminals obey:
 * escapes, their one-byte and UTF-8 forms, a change of direction, and bytes that are no text.
 *
 * gen-names OUT long: names of functions are long, and larger in bytes, in quotes or in JSON than
 * on a screen.
 */
#include <stdio.h>
#include <string.h>

#include "capture/capture.h"

#define EVIL                                                                                       \
	"evil\x1b[2J\x1b]0;title\x07\xc2\x9b"                                                      \
	"31m\x9b"                                                                                  \
	"5n\r\n\xe2\x80\xae\xe2\x80\xa8\x7f\xff"

enum { KERNEL = 1, PROGRAM, PERIOD_NS = 1000000 };

/* Repeated, these are long names: zero and two columns, for shells, for JSON, of C++. */
static const char *const units[] = { "e\xcc\x81\xcc\x81\xcc\x81", "\xe4\xb8\xad", "it's'", "\"\\",
				     "std::map<int, long>::" };

static void write_long_names(SptCaptureWriter *writer)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(units); i++) {
		g_autoptr(GString) name = g_string_new(NULL);

		for (unsigned j = 0; j < 100; j++)
			g_string_append(name, units[i]);
		spt_capture_writer_name(writer, &(SptNameRow){ .object = KERNEL,
							       .offset = 0x1000 * (i + 1),
							       .symbol = name->str,
							       .symbol_bytes = 16 });
	}
}

static void write_state(SptCaptureWriter *writer, bool is_long)
{
	spt_capture_writer_host(writer, "host", EVIL);
	spt_capture_writer_host(writer, "cpus", "1");
	spt_capture_writer_host(writer, "period_ns", "1000000");
	spt_capture_writer_object(writer,
				  &(SptObjectRow){ .id = KERNEL, .kind = SPT_OBJECT_KERNEL });
	spt_capture_writer_object(writer, &(SptObjectRow){ .id = PROGRAM,
							   .kind = SPT_OBJECT_FILE,
							   .path = "/nonexistent/" EVIL });
	spt_capture_writer_process(writer, &(SptProcessRow){ .id = 1, .pid = 100, .name = EVIL });
	spt_capture_writer_thread(
		writer, &(SptThreadRow){ .id = 1, .process = 1, .tid = 100, .name = EVIL });
	spt_capture_writer_command_line(writer, &(SptCommandLineRow){ .process = 1, .text = EVIL });
	spt_capture_writer_map(writer, &(SptMapRow){ .process = 1,
						     .object = PROGRAM,
						     .time = PERIOD_NS,
						     .start = 0x400000,
						     .bytes = 0x1000 });
	if (is_long)
		write_long_names(writer);
	else
		spt_capture_writer_name(writer, &(SptNameRow){ .object = KERNEL,
							       .offset = 0x1000,
							       .symbol = EVIL,
							       .symbol_bytes = 16 });
}

int main(int argc, char **argv)
{
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCaptureWriter) writer = NULL;
	g_autoptr(GError) error = NULL;
	bool is_long = argc == 3 && strcmp(argv[2], "long") == 0;
	SptFrame stacks[][2] = {
		{ { 0x1000, KERNEL, SPT_FRAME_EXACT }, { 0x20, PROGRAM, SPT_FRAME_CALL } },
		{ { 0x10, PROGRAM, SPT_FRAME_EXACT }, { 0x20, PROGRAM, SPT_FRAME_CALL } },
	};

	if (argc != 2 && !is_long) {
		fprintf(stderr, "usage: gen-names OUT [long]\n");
		return 2;
	}
	writer = spt_capture_writer_new(argv[1], &error);
	if (writer)
		write_state(writer, is_long);
	for (unsigned i = 0; writer && i < 20; i++) {
		if (is_long)
			stacks[i % 2][0] = (SptFrame){ 0x1000 * (i % G_N_ELEMENTS(units) + 1),
						       KERNEL, SPT_FRAME_EXACT };
		spt_capture_writer_sample(
			writer, &(SptSampleRow){ .time = (1 + i) * PERIOD_NS,
						 .thread = 1,
						 .node = spt_stash_add(stash, 0, stacks[i % 2], 2),
						 .user_end = 1,
						 .delay_ns = 1000 * i,
						 .weight = 1 });
	}
	if (!writer || !spt_capture_writer_finish(writer, stash, 30 * PERIOD_NS, &error)) {
		fprintf(stderr, "gen-names: %s\n", error->message);
		return 1;
	}
	return 0;
}
