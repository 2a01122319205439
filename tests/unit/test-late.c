/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a source reports late.  A file that is reported only after it was sampled, by one that does
 * not know its build-id: what is written can be read all the same, and has the build-id of the
 * file.  Samples that an account counts before they can be taken, since a tick on another CPU holds
 * them up, and some that come when the accounts were asked for: each window of a flight recorder
 * has the samples that its accounts count.  Mappings that only a snapshot has, after the first
 * sample of a copied stack.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>

#include "capture/capture.h"
#include "object/object.h"
#include "record/recorder.h"
#include "trace/trace-private.h"

#include "../gen/cfi-file.h"

#define LATE_OBJECT 77
#define HELD_UP 3
#define BASE 0x7f0000000000ULL		/* where the mapping is that a snapshot has */
#define SP 0x7ffe00001000ULL
/* Of the flight recorder, all long ago: a sample a second. */
#define BEGAN_NS 100000000000ULL
#define LAST_NS 95000000000ULL
#define SAMPLE_NS 1000000000ULL

struct late {
	SptTrace trace;
	bool has_told;
	unsigned n_snapshots;
	uint64_t began;
	unsigned n_written, n_taken;	/* samples: into the ring, and out of it */
	unsigned n_elsewhere;		/* on CPU 1 */
	bool is_held_up, is_asked;
	const char *file;		/* what is mapped; NULL: this program */
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

static void tell_sample(SptTraceFunc func, void *data, unsigned cpu, uint64_t time)
{
	struct {
		struct sysprof_sample sample;
		__u64 frame;
	} record = {
		.sample = {
			.record = { .type = SYSPROF_SAMPLE,
				    .flags = SYSPROF_SAMPLE_USER_EXACT,
				    .cpu = cpu,
				    .size = sizeof(record) / 8,
				    .time = time,
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

	func(&record.sample.record, data);
}

static bool on_drain(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error)
{
	struct late *late = (struct late *)trace;

	(void)all, (void)error;
	if (!late->has_told)
		tell_sample(func, data, 0, 1000);
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
	const char *file = ((struct late *)trace)->file;

	(void)object;
	return open(file ? file : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static void on_free(SptTrace *trace)
{
	g_free(trace);
}

static const struct spt_trace_source source = {
	.abilities = { .name = "late" },
	.clock = "timer",
	.records = {
		.free = on_free,
		.start = on_start,
		.stop = on_stop,
		.wait = on_wait,
		.drain = on_drain,
		.snapshot = on_snapshot,
		.has_cpu = on_has_cpu,
	},
	.services = { .map_fd = on_map_fd },
};

static bool on_drain_held_up(SptTrace *trace, bool all, SptTraceFunc func, void *data,
			     GError **error)
{
	struct late *late = (struct late *)trace;

	(void)all, (void)error;
	while (late->n_taken + (late->is_held_up ? HELD_UP : 0) < late->n_written)
		tell_sample(func, data, 0, late->began + ++late->n_taken * SAMPLE_NS);
	if (late->is_asked && late->n_elsewhere++ == 0)
		tell_sample(func, data, 1, late->began + late->n_written * SAMPLE_NS);
	return true;
}

static bool on_stats(SptTrace *trace, unsigned cpu, struct sysprof_stats *ret, GError **error)
{
	struct late *late = (struct late *)trace;

	(void)error;
	*ret = (struct sysprof_stats){ .size = sizeof(*ret),
				       .cpu = cpu,
				       .time = late->began + late->n_written * SAMPLE_NS };
	ret->account.grid = ret->account.delivered = ret->account.samples =
		cpu == 0 ? late->n_written : MIN(late->n_elsewhere, 1);
	late->is_asked = true;
	return true;
}

static bool on_has_each_cpu(const SptTrace *trace, unsigned cpu)
{
	(void)trace, (void)cpu;
	return true;
}

static const struct spt_trace_source held_up = {
	.abilities = { .name = "held up" },
	.clock = "timer",
	.records = {
		.free = on_free,
		.start = on_start,
		.stop = on_stop,
		.wait = on_wait,
		.drain = on_drain_held_up,
		.snapshot = on_snapshot,
		.has_cpu = on_has_each_cpu,
		.stats = on_stats,
	},
	.services = { .map_fd = on_map_fd },
};

/* The first instruction of a function that the one where threads start has called. */
static bool on_drain_copy(SptTrace *trace, bool all, SptTraceFunc func, void *data, GError **error)
{
	struct late *late = (struct late *)trace;
	struct {
		struct sysprof_sample sample;
		struct sysprof_raw raw;
		__u64 regs[24], stack[4];
	} record = {
		.sample = {
			.record = { .type = SYSPROF_SAMPLE,
				    .size = sizeof(record) / 8,
				    .time = 1000,
				    .pid = 5,
				    .tid = 5 },
			.mm = 1,
			.weight = 1,
			.user_mode = SYSPROF_USER_RAW,
			.raw_bytes = sizeof(record) - sizeof(record.sample),
		},
		.raw = { .arch = EM_X86_64,
			 .n_regs = G_N_ELEMENTS(record.regs),
			 .stack_bytes = sizeof(record.stack),
			 .wanted_bytes = sizeof(record.stack) },
		.regs = { [7] = SP, [8] = BASE + 0x100 },
		.stack = { BASE + 0x504 },
	};

	(void)all, (void)error;
	if (!late->has_told)
		func(&record.sample.record, data);
	late->has_told = true;
	return true;
}

static bool on_snapshot_of_map(SptTrace *trace, SptTraceFunc func, void *data, unsigned *ret_busy,
			       GError **error)
{
	struct late *late = (struct late *)trace;
	bool is_first = late->n_snapshots == 0;
	struct sysprof_map map = {
		.record = { .type = SYSPROF_MAP,
			    .size = sizeof(map) / 8,
			    .time = 2000,
			    .pid = 5,
			    .tid = 5 },
		.mm = 1,
		.start = BASE,
		.end = BASE + CFI_TEXT_BYTES,
		.offset = CFI_TEXT_OFFSET,
		.object = LATE_OBJECT,
	};

	on_snapshot(trace, func, data, ret_busy, error);
	if (!is_first)
		func(&map.record, data);
	return true;
}

static const struct spt_trace_source copies = {
	.abilities = { .name = "copies" },
	.clock = "timer",
	.records = {
		.free = on_free,
		.start = on_start,
		.stop = on_stop,
		.wait = on_wait,
		.drain = on_drain_copy,
		.snapshot = on_snapshot_of_map,
		.has_cpu = on_has_cpu,
	},
	.services = { .map_fd = on_map_fd },
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

/* One step of a recording of @late. */
static SptCapture *record(struct late *late, const char *path, uint32_t raw_bytes)
{
	g_autoptr(GError) error = NULL;
	SptRecorderOptions options = { .trace = &late->trace,
				       .output = path,
				       .raw_bytes = raw_bytes };
	g_autoptr(SptRecorder) recorder = spt_recorder_new(&options, &error);
	SptCapture *capture;

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
	return capture;
}

static void test_late_object(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *dir = g_dir_make_tmp("late-XXXXXX", &error),
			*path = g_build_filename(dir, "a.capture", NULL);
	struct late *late = g_new0(struct late, 1);
	g_autoptr(SptCapture) capture = NULL;

	late->trace.source = &source;
	late->trace.n_cpus = 1;
	capture = record(late, path, 0);
	check_build_id(capture);
	g_remove(path);
	g_rmdir(dir);
}

/* A file of @n_samples samples, all of which its accounts count. */
static void check_window(char *path, unsigned n_samples)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) capture = spt_capture_open(path, &error);
	uint64_t delivered[2] = { 0 };

	g_assert_no_error(error);
	for (uint64_t i = 0; i < capture->n_accounts; i++)
		delivered[capture->accounts[i].cpu] = capture->accounts[i].delivered;
	g_assert_cmpuint(delivered[0] + delivered[1], ==, capture->n_samples);
	g_assert_cmpuint(capture->n_samples, ==, n_samples);
	g_remove(path);
	g_free(path);
}

static void test_late_samples(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *dir = g_dir_make_tmp("late-XXXXXX", &error),
			*path = g_build_filename(dir, "a.capture", NULL);
	struct late *late = g_new0(struct late, 1);
	SptRecorderOptions options = { .trace = &late->trace, .output = path, .last_ns = LAST_NS };
	g_autoptr(SptRecorder) recorder = NULL;
	char *written;

	late->trace.source = &held_up;
	late->trace.n_cpus = 2;
	late->began = (uint64_t)g_get_monotonic_time() * 1000 - BEGAN_NS;
	recorder = spt_recorder_new(&options, &error);
	g_assert_no_error(error);
	g_assert_true(spt_recorder_start(recorder, &error));
	for (unsigned i = 1; i <= 3; i++) {
		late->n_written = 10 * i;
		late->is_held_up = i == 1;
		g_assert_true(spt_recorder_step(recorder, 0, &error));
		g_assert_true(spt_recorder_write_last(recorder, &written, &error));
		/* That on the other CPU was seen too late for the first window. */
		check_window(written, late->is_held_up ? 0 : late->n_written + 1);
	}
	g_rmdir(dir);
}

static void test_late_mappings(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *dir = g_dir_make_tmp("late-XXXXXX", &error),
			*path = g_build_filename(dir, "a.capture", NULL),
			*file = g_build_filename(dir, "program", NULL);
	g_autoptr(GBytes) bytes = cfi_file(EM_X86_64, cfi_x86, G_N_ELEMENTS(cfi_x86), false);
	struct late *late = g_new0(struct late, 1);
	g_autoptr(SptCapture) capture = NULL;
	g_autoptr(SptSamples) samples = NULL;
	const SptSampleRow *sample;
	const SptNode *node;
	uint32_t n;

	g_assert_true(g_file_set_contents(file, g_bytes_get_data(bytes, NULL),
					  g_bytes_get_size(bytes), &error));
	late->trace.source = &copies;
	late->trace.n_cpus = 1;
	late->file = file;
	capture = record(late, path, 8192);
	samples = spt_samples_new(capture);
	sample = spt_samples_next(samples, &n);
	g_assert_cmpuint(sample->user_end, ==, SYSPROF_END_ROOT);
	g_assert_cmphex(capture->nodes[sample->node].frame.offset, ==, CFI_TEXT_OFFSET + 0x100);
	node = &capture->nodes[capture->nodes[sample->node].parent];
	/* Of a call, the byte before the return address. */
	g_assert_cmphex(node->frame.offset, ==, CFI_TEXT_OFFSET + 0x503);
	g_assert_cmpuint(node->parent, ==, 0);
	g_remove(file);
	g_remove(path);
	g_rmdir(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/recorder/late-object", test_late_object);
	g_test_add_func("/recorder/late-samples", test_late_samples);
	g_test_add_func("/recorder/late-mappings", test_late_mappings);
	return g_test_run();
}
