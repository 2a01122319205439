/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is told of only after it was sampled, by a source that is late and does not know its
 * build-id: what is written can be read all the same, and has the build-id that the file tells.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>

#include "capture/capture.h"
#include "object/object.h"
#include "record/recorder.h"
#include "trace/trace-private.h"

#define LATE_OBJECT 77

struct late {
	SptTrace trace;
	bool has_told;
	unsigned n_snapshots;
};

static bool on_start(SptTrace *trace, const SptTraceConfig *config, struct sysprof_start *ret,
		     GError **error)
{
	(void)trace, (void)config, (void)error;
	*ret = (struct sysprof_start){ .size = sizeof(*ret),
				       .grid_start = 1,
				       .period_ns = 1000000 };
	return true;
}

static bool on_stop(SptTrace *trace, GError **error)
{
	(void)trace, (void)error;
	return true;
}

static void on_wait(SptTrace *trace, int timeout_ms)
{
	(void)trace, (void)timeout_ms;
}

static bool on_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error)
{
	struct late *late = (struct late *)trace;
	struct {
		struct sysprof_sample sample;
		__u64 frame;
	} record = {
		.sample = {
			.record = { .type = SYSPROF_SAMPLE,
				    .flags = SYSPROF_SAMPLE_USER_EXACT,
				    .size = sizeof(record) / 8,
				    .time = 1000,
				    .pid = 5,
				    .tid = 5 },
			.mm = 1,
			.weight = 1,
			.n_user = 1,
			.user_end = SYSPROF_END_ROOT,
			.user_mode = SYSPROF_USER_FP,
		},
		.frame = (__u64)LATE_OBJECT << SYSPROF_FRAME_OBJECT_SHIFT | 0x1234,
	};

	(void)all, (void)error;
	if (!late->has_told)
		func(&record.sample.record, data);
	late->has_told = true;
	return true;
}

/* The first one, at the beginning, knows nothing yet. */
static bool on_snapshot(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			GError **error)
{
	struct late *late = (struct late *)trace;
	union {
		struct sysprof_object object;
		__u64 words[(sizeof(struct sysprof_object) + 7) / 8 + 1];
	} record = {
		.object = {
			.record = { .type = SYSPROF_OBJECT,
				    .size = sizeof(record) / 8,
				    .time = 2000 },
			.object = LATE_OBJECT, .path_bytes = 5,
		},
	};

	(void)error;
	*ret_busy = 0;
	memcpy((char *)&record + offsetof(struct sysprof_object, path), "/late", 6);
	if (late->n_snapshots++ > 0)
		func(&record.object.record, data);
	return true;
}

static bool on_has_cpu(const SptTrace *trace, unsigned cpu)
{
	(void)trace, (void)cpu;
	return false;
}

static int on_map_fd(SptTrace *trace, uint32_t object)
{
	(void)trace, (void)object;
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static void on_free(SptTrace *trace)
{
	g_free(trace);
}

static const struct spt_trace_source source = {
	.name = "late",
	.clock = "timer",
	.free = on_free,
	.start = on_start,
	.stop = on_stop,
	.wait = on_wait,
	.drain = on_drain,
	.snapshot = on_snapshot,
	.has_cpu = on_has_cpu,
	.map_fd = on_map_fd,
};

static void check_build_id(const SptCapture *capture)
{
	g_autoptr(SptObject) self = spt_object_open("/proc/self/exe", NULL);
	const uint8_t *build_id;
	unsigned n, found = 0;

	g_assert_nonnull(self);
	build_id = spt_object_build_id(self, &n);
	g_assert_cmpuint(n, >, 0);
	for (unsigned i = 0; i < capture->n_objects; i++) {
		const SptObjectRow *row = &capture->objects[i];

		if (strcmp(row->path, "/late"))
			continue;
		g_assert_cmpmem(row->build_id, row->build_id_bytes, build_id, n);
		found++;
	}
	g_assert_cmpuint(found, ==, 1);
}

static void test_late_object(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *dir = g_dir_make_tmp("late-XXXXXX", &error),
			*path = g_build_filename(dir, "a.capture", NULL);
	struct late *late = g_new0(struct late, 1);
	SptRecorderOptions options = { .trace = &late->trace, .output = path };
	g_autoptr(SptRecorder) recorder = NULL;
	g_autoptr(SptCapture) capture = NULL;

	late->trace.source = &source;
	late->trace.n_cpus = 1;
	recorder = spt_recorder_new(&options, &error);
	g_assert_no_error(error);
	g_assert_true(spt_recorder_start(recorder, &error));
	g_assert_true(spt_recorder_step(recorder, 0, &error));
	g_assert_true(spt_recorder_finish(recorder, NULL, &error));
	g_assert_cmpuint(late->n_snapshots, ==, 2);
	capture = spt_capture_open(path, &error);
	g_assert_no_error(error);
	g_assert_null(capture->damage);
	g_assert_true(capture->finished);
	g_assert_cmpuint(capture->n_samples, ==, 1);
	check_build_id(capture);
	g_remove(path);
	g_rmdir(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/recorder/late-object", test_late_object);
	return g_test_run();
}
