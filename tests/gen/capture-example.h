/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small capture with known answers, and in it what today's reader does not understand: an
 * example of every later stream, and a block type, a column, an object kind and a role that nobody
 * has defined.
 *
 * 305 samples of weight 1, 1 ms apart: 180 in main;work;hot, 90 in main;work;do_syscall (kernel),
 * 35 in main.  The last 5, all in main, carry a column of an unknown role.  Rows of later streams:
 * raw-stacks 2, table-stacks 3, user-stacks 2, off-cpu 2, allocations 3, marks 2, counters 4,
 * quantum 1 (of an unknown kind).
 */
#ifndef SPT_TESTS_CAPTURE_EXAMPLE_H
#define SPT_TESTS_CAPTURE_EXAMPLE_H

#include <glib/gstdio.h>

#include "capture-blocks.h"
#include "capture/capture.h"

#define EXAMPLE_BEGIN_NS 1000000000ull
#define EXAMPLE_PERIOD_NS 1000000ull
#define EXAMPLE_WRITTEN_SAMPLES 300
#define EXAMPLE_SAMPLES_STREAM 1

enum { EXAMPLE_KERNEL = 1, EXAMPLE_BUSY, EXAMPLE_STRANGE };	/* objects */

static inline void example_write_state(SptCaptureWriter *writer)
{
	spt_capture_writer_host(writer, "host", "example");
	spt_capture_writer_host(writer, "kernel", "6.1.0");
	spt_capture_writer_host(writer, "cpus", "2");
	spt_capture_writer_host(writer, "whose", "all");
	spt_capture_writer_host(writer, "period_ns", "1000000");
	spt_capture_writer_host(writer, "future-key", "shown as it is");
	spt_capture_writer_object(writer, &(SptObjectRow){ .id = EXAMPLE_KERNEL,
							   .kind = SPT_OBJECT_KERNEL });
	spt_capture_writer_object(writer, &(SptObjectRow){
						  .id = EXAMPLE_BUSY,
						  .kind = SPT_OBJECT_FILE,
						  .path = "/usr/bin/busy",
						  .build_id = { 0xca, 0xfe },
						  .build_id_bytes = 20,
						  .inode = 4711,
						  .bytes = 20480,
						  .mtime_ns = EXAMPLE_BEGIN_NS,
					  });
	spt_capture_writer_process(writer, &(SptProcessRow) { .id = 1, .pid = 1, .name = "init" });
	spt_capture_writer_process(
		writer, &(SptProcessRow){ .id = 2, .pid = 100, .parent = 1, .name = "busy" });
	spt_capture_writer_thread(
		writer, &(SptThreadRow){ .id = 1, .process = 2, .tid = 100, .name = "busy" });
	/* The other one lives on. */
	spt_capture_writer_thread(writer,
				  &(SptThreadRow){ .id = 2,
						   .process = 2,
						   .tid = 101,
						   .end_time = EXAMPLE_BEGIN_NS + 304000000,
						   .name = "worker" });
	spt_capture_writer_name(writer, &(SptNameRow){
						.object = EXAMPLE_KERNEL,
						.offset = 0x40,
						.symbol = "do_syscall",
						.distance = 0x10,
						.symbol_bytes = 0x100,
					});
	for (unsigned i = 0; i < 3; i++) {
		static const char *const names[] = { "main", "work", "hot" };

		spt_capture_writer_name(writer, &(SptNameRow){
							.object = EXAMPLE_BUSY,
							.offset = 0x1000 + 0x100 * i,
							.symbol = names[i],
							.symbol_bytes = 0x80,
						});
	}
}

/* Two functions in hot, and the line that main calls work in. */
static inline void example_write_bundled(SptCaptureWriter *writer)
{
	static const SptBundledRow rows[] = {
		{ .object = EXAMPLE_BUSY,
		  .offset = 0x1200,
		  .level = 2,
		  .function = "innermost",
		  .directory = "/src",
		  .file = "busy.h",
		  .line = 7 },
		{ .object = EXAMPLE_BUSY,
		  .offset = 0x1200,
		  .level = 1,
		  .function = "inlined",
		  .directory = "/src",
		  .file = "busy.h",
		  .line = 17 },
		{ .object = EXAMPLE_BUSY,
		  .offset = 0x1200,
		  .function = "hot",
		  .directory = "/src",
		  .file = "busy.c",
		  .line = 27,
		  .is_symbol = 1,
		  .symbol_bytes = 0x80 },
		{ .object = EXAMPLE_BUSY,
		  .offset = 0x1000,
		  .function = "main",
		  .file = "busy.c",
		  .line = 99 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		spt_capture_writer_bundled(writer, &rows[i]);
}

static inline void example_write_samples(SptCaptureWriter *writer, SptStash *stash)
{
	const SptFrame user[] = {
		{ 0x1200, EXAMPLE_BUSY, SPT_FRAME_EXACT },
		{ 0x1100, EXAMPLE_BUSY, SPT_FRAME_CALL },
		{ 0x1000, EXAMPLE_BUSY, SPT_FRAME_CALL },
	};
	const SptFrame kernel = { 0x40, EXAMPLE_KERNEL, SPT_FRAME_EXACT };
	uint32_t hot = spt_stash_add(stash, 0, user, 3);
	uint32_t in_kernel = spt_stash_add(stash, spt_stash_add(stash, 0, user + 1, 2), &kernel, 1);
	uint32_t in_main = spt_stash_add(stash, 0, user + 2, 1);

	for (unsigned i = 0; i < EXAMPLE_WRITTEN_SAMPLES; i++)
		spt_capture_writer_sample(writer,
					  &(SptSampleRow){
						  .time = EXAMPLE_BEGIN_NS + i * EXAMPLE_PERIOD_NS,
						  .cpu = i % 2,
						  .thread = 1 + i % 3 / 2,
						  .weight = 1,
						  .delay_ns = 700 + i % 13,
						  .node = i % 10 < 6 ? hot :
							  i % 10 < 9 ? in_kernel :
								       in_main,
						  .user_end = 1,
						  .kernel_end = i % 10 >= 6 && i % 10 < 9,
						  .context = i % 10 >= 6 && i % 10 < 9,
					  });
	for (unsigned cpu = 0; cpu < 2; cpu++)
		spt_capture_writer_account(writer, &(SptAccountRow){
							   .time = EXAMPLE_BEGIN_NS +
								   EXAMPLE_WRITTEN_SAMPLES *
									   EXAMPLE_PERIOD_NS,
							   .cpu = cpu,
							   .grid = 200,
							   .delivered = 150,
							   .idle = 45,
							   .lost = { 3 },
							   .pending = 2,
							   .samples = 150,
							   .cost_ns = 150000,
							   .ticks = 150,
						   });
	spt_capture_writer_loss(writer,
				&(SptLossRow){
					.first_time = EXAMPLE_BEGIN_NS,
					.last_time = EXAMPLE_BEGIN_NS + 5 * EXAMPLE_PERIOD_NS,
					.cpu = 1,
					.weight = 3,
				});
}

/* What there is for today's reader alone, with what was bundled. */
static inline bool example_write_bundle(const char *path, GError **error)
{
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, error);

	if (!writer)
		return false;
	example_write_state(writer);
	example_write_bundled(writer);
	example_write_samples(writer, stash);
	return spt_capture_writer_finish(writer, stash,
					 EXAMPLE_BEGIN_NS +
						 EXAMPLE_WRITTEN_SAMPLES * EXAMPLE_PERIOD_NS,
					 error);
}

static inline bool example_write_known(const char *path, GError **error)
{
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, error);

	if (!writer)
		return false;
	example_write_state(writer);
	example_write_samples(writer, stash);
	return spt_capture_writer_flush(writer, stash, error);
}

static inline void example_declare_stream(Blocks *blocks, uint32_t id, SptStreamKind kind,
					  SptBytes name, SptBytes metric, SptBytes unit,
					  const uint64_t *roles, unsigned n_roles)
{
	blocks_begin(blocks, 1);
	ADD_NUMBERS(blocks, 1, id);
	ADD_NUMBERS(blocks, 2, kind);
	ADD_TEXTS(blocks, 3, name);
	ADD_TEXTS(blocks, 4, metric);
	ADD_TEXTS(blocks, 5, unit);
	blocks_end(blocks, SPT_BLOCK_STREAM);
	for (unsigned i = 0; i < n_roles; i++) {
		blocks_begin(blocks, 1);
		ADD_NUMBERS(blocks, 1, id);
		ADD_NUMBERS(blocks, 2, i + 1);
		ADD_NUMBERS(blocks, 3, roles[i]);
		blocks_end(blocks, SPT_BLOCK_STREAM_COLUMN);
	}
}

#define EXAMPLE_DECLARE(blocks, id, kind, name, metric, unit, ...)                                 \
	example_declare_stream(blocks, id, kind, TEXT(name), TEXT(metric), TEXT(unit),             \
			       (const uint64_t[]){ __VA_ARGS__ },                                  \
			       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static inline void example_add_stack_streams(Blocks *blocks)
{
	EXAMPLE_DECLARE(blocks, 2, SPT_STREAM_SAMPLES, "raw-stacks", "cpu", "ns", SPT_ROLE_TIME,
			SPT_ROLE_CPU, SPT_ROLE_THREAD, SPT_ROLE_KERNEL_NODE, SPT_ROLE_RAW_STACK,
			SPT_ROLE_WEIGHT);
	blocks_begin_events(blocks, 2, 2);
	ADD_NUMBERS(blocks, 1, EXAMPLE_BEGIN_NS, EXAMPLE_BEGIN_NS + EXAMPLE_PERIOD_NS);
	ADD_NUMBERS(blocks, 2, 0, 1);
	ADD_NUMBERS(blocks, 3, 1, 2);
	ADD_NUMBERS(blocks, 4, 0, 4);
	ADD_TEXTS(blocks, 5, TEXT("registers and stack\0\1\2\3"), TEXT("\0\0\0\0"));
	ADD_NUMBERS(blocks, 6, 1, 1);
	blocks_end(blocks, SPT_BLOCK_EVENT);

	EXAMPLE_DECLARE(blocks, 3, SPT_STREAM_SAMPLES, "table-stacks", "cpu", "ns", SPT_ROLE_TIME,
			SPT_ROLE_CPU, SPT_ROLE_THREAD, SPT_ROLE_NODE, SPT_ROLE_WEIGHT,
			SPT_ROLE_DELAY, SPT_ROLE_USER_END, SPT_ROLE_KERNEL_END, SPT_ROLE_CONTEXT);
	blocks_begin_events(blocks, 3, 3);
	ADD_NUMBERS(blocks, 1, EXAMPLE_BEGIN_NS, EXAMPLE_BEGIN_NS + EXAMPLE_PERIOD_NS,
		    EXAMPLE_BEGIN_NS + 2 * EXAMPLE_PERIOD_NS);
	ADD_NUMBERS(blocks, 3, 1, 1, 1);
	ADD_NUMBERS(blocks, 4, 1, 2, 3);
	ADD_NUMBERS(blocks, 5, 1, 1, 1);
	blocks_end(blocks, SPT_BLOCK_EVENT);

	EXAMPLE_DECLARE(blocks, 4, SPT_STREAM_SAMPLES, "user-stacks", "", "", SPT_ROLE_THREAD,
			SPT_ROLE_COOKIE, SPT_ROLE_NODE);
	blocks_begin_events(blocks, 4, 2);
	ADD_NUMBERS(blocks, 1, 1, 2);
	ADD_NUMBERS(blocks, 2, 0x123456789abcdefull, UINT64_MAX);
	ADD_NUMBERS(blocks, 3, 3, 2);
	blocks_end(blocks, SPT_BLOCK_EVENT);
}

static inline void example_add_other_streams(Blocks *blocks)
{
	EXAMPLE_DECLARE(blocks, 5, SPT_STREAM_SPANS, "off-cpu", "blocked", "ns", SPT_ROLE_TIME,
			SPT_ROLE_DURATION, SPT_ROLE_THREAD, SPT_ROLE_NODE, SPT_ROLE_OTHER_NODE,
			SPT_ROLE_CONTEXT);
	blocks_begin_events(blocks, 5, 2);
	ADD_NUMBERS(blocks, 1, EXAMPLE_BEGIN_NS, EXAMPLE_BEGIN_NS + 7 * EXAMPLE_PERIOD_NS);
	ADD_NUMBERS(blocks, 2, 500000, 12);
	ADD_NUMBERS(blocks, 3, 1, 2);
	ADD_NUMBERS(blocks, 4, 3, 4);
	ADD_NUMBERS(blocks, 5, 0, 1);
	blocks_end(blocks, SPT_BLOCK_EVENT);

	EXAMPLE_DECLARE(blocks, 6, SPT_STREAM_SAMPLES, "allocations", "memory", "bytes",
			SPT_ROLE_TIME, SPT_ROLE_THREAD, SPT_ROLE_NODE, SPT_ROLE_HANDLE,
			SPT_ROLE_SIZE);
	blocks_begin_events(blocks, 6, 3);
	ADD_NUMBERS(blocks, 1, EXAMPLE_BEGIN_NS, EXAMPLE_BEGIN_NS + 1, EXAMPLE_BEGIN_NS + 2);
	ADD_NUMBERS(blocks, 2, 1, 1, 1);
	ADD_NUMBERS(blocks, 3, 3, 3, 2);
	ADD_NUMBERS(blocks, 4, 77, 78, 77);
	ADD_NUMBERS(blocks, 5, 64, 4096, 0);
	blocks_end(blocks, SPT_BLOCK_EVENT);

	EXAMPLE_DECLARE(blocks, 7, SPT_STREAM_MARKS, "marks", "", "", SPT_ROLE_TIME,
			SPT_ROLE_DURATION, SPT_ROLE_THREAD, SPT_ROLE_TEXT);
	blocks_begin_events(blocks, 7, 2);
	ADD_NUMBERS(blocks, 1, EXAMPLE_BEGIN_NS, EXAMPLE_BEGIN_NS + 3 * EXAMPLE_PERIOD_NS);
	ADD_NUMBERS(blocks, 2, 0, 100);
	ADD_NUMBERS(blocks, 3, 1, 2);
	ADD_TEXTS(blocks, 4, TEXT("frame 1"), TEXT("not UTF-8: \xff\xfe"));
	blocks_end(blocks, SPT_BLOCK_EVENT);

	EXAMPLE_DECLARE(blocks, 8, SPT_STREAM_COUNTER, "counters", "temperature", "mK",
			SPT_ROLE_TIME, SPT_ROLE_CPU, SPT_ROLE_VALUE);
	blocks_begin_events(blocks, 8, 4);
	ADD_NUMBERS(blocks, 1, EXAMPLE_BEGIN_NS, EXAMPLE_BEGIN_NS,
		    EXAMPLE_BEGIN_NS + EXAMPLE_PERIOD_NS, EXAMPLE_BEGIN_NS + EXAMPLE_PERIOD_NS);
	ADD_NUMBERS(blocks, 2, 0, 1, 0, 1);
	ADD_NUMBERS(blocks, 3, 320000, 321000, 320500, 321500);
	blocks_end(blocks, SPT_BLOCK_EVENT);
}

static inline void example_add_unknown(Blocks *blocks)
{
	EXAMPLE_DECLARE(blocks, 9, 77, "quantum", "spin", "hbar", 201, 202);
	blocks_begin_events(blocks, 9, 1);
	ADD_NUMBERS(blocks, 1, 1);
	ADD_TEXTS(blocks, 2, TEXT("up and down"));
	blocks_end(blocks, SPT_BLOCK_EVENT);

	blocks_add_raw(blocks, 4000, "this payload is no table at all", 31);

	blocks_begin(blocks, 1);
	ADD_NUMBERS(blocks, 1, EXAMPLE_STRANGE);
	ADD_NUMBERS(blocks, 2, 99);
	ADD_TEXTS(blocks, 3, TEXT("code on another processor"));
	ADD_TEXTS(blocks, 60, TEXT("of an unknown column"));
	blocks_end(blocks, SPT_BLOCK_OBJECT);

	blocks_begin(blocks, 1);
	ADD_NUMBERS(blocks, 1, EXAMPLE_BUSY);
	ADD_TEXTS(blocks, 3, TEXT("\x7f" "ELF"));
	blocks_end(blocks, SPT_BLOCK_FILE);

	blocks_begin(blocks, 1);
	ADD_NUMBERS(blocks, 1, EXAMPLE_SAMPLES_STREAM);
	ADD_NUMBERS(blocks, 2, 40);
	ADD_NUMBERS(blocks, 3, 200);
	blocks_end(blocks, SPT_BLOCK_STREAM_COLUMN);

	blocks_begin_events(blocks, EXAMPLE_SAMPLES_STREAM, 5);
	ADD_NUMBERS(blocks, 1, EXAMPLE_BEGIN_NS + 300 * EXAMPLE_PERIOD_NS,
		    EXAMPLE_BEGIN_NS + 301 * EXAMPLE_PERIOD_NS,
		    EXAMPLE_BEGIN_NS + 302 * EXAMPLE_PERIOD_NS,
		    EXAMPLE_BEGIN_NS + 303 * EXAMPLE_PERIOD_NS,
		    EXAMPLE_BEGIN_NS + 304 * EXAMPLE_PERIOD_NS);
	ADD_NUMBERS(blocks, 3, 1, 1, 1, 1, 1);
	ADD_NUMBERS(blocks, 4, 1, 1, 1, 1, 1);
	ADD_NUMBERS(blocks, 5, 1, 1, 1, 1, 1);
	ADD_NUMBERS(blocks, 40, 9, 8, 7, 6, 5);
	blocks_end(blocks, SPT_BLOCK_EVENT);
}

/*
 * The program, seen; a region of memory that another takes the place of 100 ms later, which is
 * found gone after 200 ms.
 */
static inline void example_add_maps(Blocks *blocks)
{
	blocks_begin(blocks, 4);
	ADD_NUMBERS(blocks, 1, 2, 2, 2, 2);
	ADD_NUMBERS(blocks, 2, EXAMPLE_BEGIN_NS, EXAMPLE_BEGIN_NS,
		    EXAMPLE_BEGIN_NS + 100 * EXAMPLE_PERIOD_NS,
		    EXAMPLE_BEGIN_NS + 200 * EXAMPLE_PERIOD_NS);
	ADD_NUMBERS(blocks, 3, 0x400000, 0x7f0000000000, 0x7f0000001000, 0x7f0000001000);
	ADD_NUMBERS(blocks, 4, 0x5000, 0x3000, 0x1000, 0x1000);
	ADD_NUMBERS(blocks, 5, 0x1000, 0, 0x2000, 0);
	ADD_NUMBERS(blocks, 6, EXAMPLE_BUSY, EXAMPLE_STRANGE, EXAMPLE_BUSY, 0);
	ADD_NUMBERS(blocks, 7, SPT_MAP_SEEN, SPT_MAP_MADE, SPT_MAP_MADE, SPT_MAP_GONE);
	blocks_end(blocks, SPT_BLOCK_MAP);
}

static inline bool example_write(const char *path, GError **error)
{
	g_autofree char *part_path = g_strconcat(path, ".part", NULL);
	Blocks blocks;
	bool saved;

	if (!example_write_known(path, error))
		return false;
	blocks_init(&blocks);
	saved = blocks_continue(&blocks, part_path, error);
	if (saved) {
		example_add_stack_streams(&blocks);
		example_add_other_streams(&blocks);
		example_add_unknown(&blocks);
		blocks_begin(&blocks, 1);
		ADD_NUMBERS(&blocks, 1, 2);
		ADD_TEXTS(&blocks, 2, TEXT("busy --for '305 ms'"));
		blocks_end(&blocks, SPT_BLOCK_COMMAND_LINE);
		example_add_maps(&blocks);
		blocks_begin(&blocks, 1);
		ADD_NUMBERS(&blocks, 1, EXAMPLE_BEGIN_NS + 305 * EXAMPLE_PERIOD_NS);
		blocks_end(&blocks, SPT_BLOCK_END);
		saved = blocks_save(&blocks, path, error);
	}
	blocks_clear(&blocks);
	g_unlink(part_path);
	return saved;
}

#endif
