/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-names OUT: writes a capture in which all that has a name is called by what terminals obey:
 * escapes, their one-byte and UTF-8 forms, a change of direction, and bytes that are no text.
 */
#include <stdio.h>

#include "capture/capture.h"

#define EVIL                                                                                       \
	"evil\x1b[2J\x1b]0;title\x07\xc2\x9b"                                                      \
	"31m\x9b"                                                                                  \
	"5n\r\n\xe2\x80\xae\xe2\x80\xa8\x7f\xff"

enum { KERNEL = 1, PROGRAM, PERIOD_NS = 1000000 };

static void write_state(SptCaptureWriter *writer)
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
	const SptFrame stacks[][2] = {
		{ { 0x1000, KERNEL, SPT_FRAME_EXACT }, { 0x20, PROGRAM, SPT_FRAME_CALL } },
		{ { 0x10, PROGRAM, SPT_FRAME_EXACT }, { 0x20, PROGRAM, SPT_FRAME_CALL } },
	};

	if (argc != 2) {
		fprintf(stderr, "usage: gen-names OUT\n");
		return 2;
	}
	writer = spt_capture_writer_new(argv[1], &error);
	if (writer)
		write_state(writer);
	for (unsigned i = 0; writer && i < 20; i++)
		spt_capture_writer_sample(
			writer, &(SptSampleRow){ .time = (1 + i) * PERIOD_NS,
						 .thread = 1,
						 .node = spt_stash_add(stash, 0, stacks[i % 2], 2),
						 .user_end = 1,
						 .delay_ns = 1000 * i,
						 .weight = 1 });
	if (!writer || !spt_capture_writer_finish(writer, stash, 30 * PERIOD_NS, &error)) {
		fprintf(stderr, "gen-names: %s\n", error->message);
		return 1;
	}
	return 0;
}
