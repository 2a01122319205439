/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscap-write FILE: a capture as GNOME Sysprof's own library writes it: of process 7 called
 * "server", three samples in libc.so.6 below a function of a jitmap, one of them in the kernel, and
 * an allocation of 4096 bytes that is freed, and one of 100 that is not; marks, one of which has
 * begun with the machine, two counters, and a warning.
 */
#include <sysprof-capture.h>

#define MAPPED 0x7f0000000000u

static SysprofCaptureWriter *writer;

static int64_t now(void)
{
	return SYSPROF_CAPTURE_CURRENT_TIME;
}

/* A whole number and a fraction. */
static void add_counters(void)
{
	unsigned first = sysprof_capture_writer_request_counter(writer, 2);
	SysprofCaptureCounter counters[] = {
		{ .category = "depth", .name = "whole", .id = first,
		  .type = SYSPROF_CAPTURE_COUNTER_INT64 },
		{ .category = "depth", .name = "part", .id = first + 1,
		  .type = SYSPROF_CAPTURE_COUNTER_DOUBLE },
	};
	SysprofCaptureCounterValue values[] = { { .v64 = -3 }, { .vdbl = 2.5 } };
	unsigned ids[] = { first, first + 1 };

	sysprof_capture_writer_define_counters(writer, now(), 0, 7, counters, 2);
	sysprof_capture_writer_set_counters(writer, now(), 0, 7, ids, values, 2);
}

int main(int argc, char **argv)
{
	writer = argc == 2 ? sysprof_capture_writer_new(argv[1], 0) : NULL;
	if (!writer)
		return 1;

	/* Innermost first; the numbers of contexts are perf's. */
	SysprofCaptureAddress script = sysprof_capture_writer_add_jitmap(writer, "script");
	SysprofCaptureAddress user[] = { MAPPED + 0x123, script };
	SysprofCaptureAddress kernel[] = { (SysprofCaptureAddress)-128, 0xffffffff81000000u,
					   (SysprofCaptureAddress)-512, MAPPED + 0x123, script };

	sysprof_capture_writer_add_process(writer, now(), 0, 7, "/usr/bin/server --port 80");
	sysprof_capture_writer_add_sample(writer, now(), 1, 7, 8, user, 2);
	sysprof_capture_writer_add_sample(writer, now(), 1, 7, 8, user, 2);
	sysprof_capture_writer_add_sample(writer, now(), 1, 7, 8, kernel, 5);
	sysprof_capture_writer_add_allocation_copy(writer, now(), 1, 7, 8, 0x1000, 4096,
						   &script, 1);
	sysprof_capture_writer_add_allocation_copy(writer, now(), 1, 7, 8, 0x1000, 0,
						   &script, 1);
	sysprof_capture_writer_add_allocation_copy(writer, now(), 1, 7, 8, 0x2000, 100,
						   &script, 1);
	/* Behind what refers to it. */
	sysprof_capture_writer_add_map(writer, now(), 0, 7, MAPPED, MAPPED + 0x10000, 0x1000, 5,
				       "/usr/lib/libc.so.6");
	sysprof_capture_writer_add_mark(writer, now(), 0, 7, 5, "group", "mark", "message");
	sysprof_capture_writer_add_mark(writer, 0, 0, 7, (uint64_t)now(), "group", "mapped", "");
	add_counters();
	/* G_LOG_LEVEL_WARNING */
	sysprof_capture_writer_add_log(writer, now(), 0, 7, 16, "domain", "a warning");
	if (!sysprof_capture_writer_flush(writer))
		return 1;
	sysprof_capture_writer_unref(writer);
	return 0;
}
