/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fields of perf's records in layouts that perf does not write on this machine. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../gen/perf-example.h"
#include "import/import.h"
#include "import/perf-data-file.h"
#include "import/perf-data-fields.h"

struct record {
	struct perf_event_header header;
	uint64_t words[32];
};

static struct record record_of(unsigned type, unsigned misc, const uint64_t *words, size_t n)
{
	struct record record = { { type, (uint16_t)misc, (uint16_t)(8 + 8 * n) }, { 0 } };

	memcpy(record.words, words, 8 * n);
	return record;
}

#define RECORD(type, misc, ...)                                                                    \
	record_of(type, misc, (const uint64_t[]){ __VA_ARGS__ },                                   \
		  sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)

/* What is not used lies between what is. */
static void test_fields(void)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_STREAM_ID |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |
			       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	struct record record = RECORD(PERF_RECORD_SAMPLE, 0, 7, 0x1000, 5ull << 32 | 4, 99, 1, 2, 3,
				      1000, 2, 50, 7, 60, 8, 1, 0x2000, 4ull);
	struct spt_perf_fields fields;
	uint64_t id, time;

	g_assert_true(spt_perf_fields_parse(&record.header, &attr, &fields));
	g_assert_cmpuint(fields.id, ==, 7);
	g_assert_cmphex(fields.ip, ==, 0x1000);
	g_assert_cmpuint(fields.pid, ==, 4);
	g_assert_cmpuint(fields.tid, ==, 5);
	g_assert_cmpuint(fields.time, ==, 99);
	g_assert_cmpuint(fields.cpu, ==, 3);
	g_assert_cmpuint(fields.period, ==, 1000);
	g_assert_cmpuint(fields.n_frames, ==, 1);
	g_assert_cmphex(fields.frames[0], ==, 0x2000);
	g_assert_true(spt_perf_fields_id(&record.header, &attr, &id));
	g_assert_cmpuint(id, ==, 7);
	g_assert_true(spt_perf_fields_time(&record.header, &attr, &time));
	g_assert_cmpuint(time, ==, 99);
	/* Each shorter one is refused. */
	while (record.header.size > 8) {
		record.header.size -= 8;
		g_assert_false(spt_perf_fields_parse(&record.header, &attr, &fields));
	}
	g_assert_false(spt_perf_fields_time(&record.header, &attr, &time));
}

/* Counts that would lead out of the record. */
static void test_huge_counts(void)
{
	const uint64_t types[] = { PERF_SAMPLE_CALLCHAIN, PERF_SAMPLE_RAW, PERF_SAMPLE_BRANCH_STACK,
				   PERF_SAMPLE_STACK_USER, PERF_SAMPLE_READ };

	for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
		const struct perf_event_attr attr = { .sample_type = types[i],
						      .read_format = PERF_FORMAT_GROUP };
		const struct record record =
			RECORD(PERF_RECORD_SAMPLE, 0, UINT64_MAX - 7, 1, 2, 3);
		struct spt_perf_fields fields;

		g_assert_false(spt_perf_fields_parse(&record.header, &attr, &fields));
	}
}

/* Stacks of hardware (--call-graph lbr): kernel part, interrupted place, call sites. */
static void test_calls(void)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_CALL_STACK,
	};
	const struct record record =
		RECORD(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0x10, 0, 2, 0x200, 0x20, 0, 0x300,
		       0x30, 0);
	const uint64_t expected[] = { 4, PERF_CONTEXT_USER, 0x10, 0x201, 0x301 };
	g_autoptr(GByteArray) buffer = g_byte_array_new();
	const struct perf_event_header *made;
	struct spt_perf_fields fields;

	g_assert_true(spt_perf_fields_parse(&record.header, &attr, &fields));
	made = spt_perf_fields_sample(&record.header, &attr, &fields, buffer);
	g_assert_nonnull(made);
	/* Behind header, task and time. */
	g_assert_cmpmem((const uint8_t *)made + 24, made->size - 24u, expected, sizeof(expected));
}

/* The end of other records, of which the id is last. */
static void test_end(void)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU,
		.sample_id_all = 1,
	};
	struct record record = RECORD(PERF_RECORD_COMM, 0, 1, 2, 5ull << 32 | 4, 99, 3, 7);
	struct spt_perf_fields fields;

	g_assert_true(spt_perf_fields_parse_end(&record.header, &attr, &fields));
	g_assert_cmpuint(fields.pid, ==, 4);
	g_assert_cmpuint(fields.time, ==, 99);
	g_assert_cmpuint(fields.cpu, ==, 3);
	g_assert_cmpuint(fields.id, ==, 7);
	g_assert_cmpuint(spt_perf_fields_end_bytes(&attr), ==, 32);
	record.header.size = 32;
	g_assert_false(spt_perf_fields_parse_end(&record.header, &attr, &fields));
}

/* User parts of stacks that come after their samples, in files of all kinds. */
static void test_later(void)
{
	static const unsigned flags[] = {
		PERF_EXAMPLE_LATER,
		PERF_EXAMPLE_LATER | PERF_EXAMPLE_PIPE,
		PERF_EXAMPLE_LATER | PERF_EXAMPLE_PACKED,
		PERF_EXAMPLE_LATER | PERF_EXAMPLE_NEVER,
	};
	const uint64_t expected[] = { PERF_CONTEXT_USER, PERF_EXAMPLE_MAIN + 0x20,
				      PERF_EXAMPLE_MAIN + 0x8 };

	for (unsigned i = 0; i < G_N_ELEMENTS(flags); i++) {
		g_autoptr(GByteArray) file = perf_example_new(flags[i]);
		int fd = memfd_create("perf.data", MFD_CLOEXEC);
		g_autoptr(SptPerfData) data = NULL;
		const uint64_t *stack;
		uint64_t n;

		g_assert_cmpint(write(fd, file->data, file->len), ==, file->len);
		data = spt_perf_data_open(fd, NULL);
		close(fd);
		g_assert_nonnull(data);
		for (unsigned k = 0; k < PERF_EXAMPLE_SAMPLES; k++) {
			stack = spt_perf_data_later_stack(data, PERF_EXAMPLE_COOKIE + k, &n);
			if (flags[i] & PERF_EXAMPLE_NEVER && k == PERF_EXAMPLE_SAMPLES - 1)
				g_assert_null(stack);
			else
				g_assert_cmpmem(stack, 8 * n, expected, sizeof(expected));
		}
		g_assert_null(spt_perf_data_later_stack(data, 1, &n));
	}
}

/* How many samples the importer finds in a file. */
static uint64_t import_example(unsigned flags)
{
	g_autoptr(GByteArray) file = perf_example_new(flags);
	int fd = memfd_create("perf.data", MFD_CLOEXEC), to = memfd_create("capture", MFD_CLOEXEC);
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", to);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new_stream(dup(to), path, NULL);
	g_autoptr(SptCapture) capture = NULL;
	GError *error = NULL;

	g_assert_cmpint(write(fd, file->data, file->len), ==, file->len);
	spt_import_perf_data.read(&(SptImportInput){ fd, -1 }, writer, &error);
	g_assert_no_error(error);
	capture = spt_capture_open(path, &error);
	g_assert_no_error(error);
	close(fd);
	close(to);
	return capture->n_samples;
}

/* Of several events the one that has samples, and cycles of CPUs of all kinds. */
static void test_events(void)
{
	const unsigned two = PERF_EXAMPLE_EVENTS, kinds = two | PERF_EXAMPLE_CPUS;

	g_assert_cmpuint(import_example(two), ==, PERF_EXAMPLE_SAMPLES);
	g_assert_cmpuint(import_example(two | PERF_EXAMPLE_ONE_KIND), ==, PERF_EXAMPLE_SAMPLES);
	g_assert_cmpuint(import_example(kinds), ==, 2 * PERF_EXAMPLE_SAMPLES);
	g_assert_cmpuint(import_example(kinds | PERF_EXAMPLE_ONE_KIND), ==, PERF_EXAMPLE_SAMPLES);
	g_assert_cmpuint(import_example(kinds | PERF_EXAMPLE_ONE_KIND | PERF_EXAMPLE_PIPE |
					PERF_EXAMPLE_PACKED),
			 ==, PERF_EXAMPLE_SAMPLES);
}

#define RUNS 7
#define RUN_RECORDS 40

struct order {
	uint64_t time, run;
	unsigned n;
};

static bool take_ordered(const struct perf_event_header *record,
			 const struct spt_perf_data_event *event, void *data)
{
	struct order *order = data;
	struct spt_perf_fields fields;

	if (record->type != PERF_RECORD_COMM || record->misc != RUNS)
		return true;
	g_assert_true(spt_perf_fields_parse_end(record, &event->attr, &fields));
	g_assert_cmpuint(fields.time, >=, order->time);
	if (fields.time == order->time)
		g_assert_cmpuint(fields.cpu, >, order->run);
	*order = (struct order){ fields.time, fields.cpu, order->n + 1 };
	return true;
}

static void ignore_unread(unsigned type, void *data)
{
	(void)type;
	(void)data;
}

/* Rings that were written one after the other: by time, and of equal times in the file's order. */
static void test_order(void)
{
	g_autoptr(GByteArray) file = perf_example_new(PERF_EXAMPLE_PIPE);
	int fd = memfd_create("perf.data", MFD_CLOEXEC);
	struct order order = { 0 };
	const struct spt_perf_data_sink sink = { take_ordered, ignore_unread, &order };
	g_autoptr(SptPerfData) data = NULL;

	for (unsigned i = 0; i < RUNS * RUN_RECORDS; i++) {
		uint64_t step = i % RUN_RECORDS / 3, stride = i / RUN_RECORDS % 3 + 1;
		const uint64_t words[] = { PERF_EXAMPLE_TASK, 'x', PERF_EXAMPLE_TASK,
					   6000000000ull + step * stride, i, PERF_EXAMPLE_ID };

		perf_example_put(file, PERF_RECORD_COMM, RUNS, words, sizeof(words));
	}
	g_assert_cmpint(write(fd, file->data, file->len), ==, file->len);
	data = spt_perf_data_open(fd, NULL);
	close(fd);
	g_assert_true(spt_perf_data_read(data, &sink, NULL));
	g_assert_cmpuint(order.n, ==, RUNS * RUN_RECORDS);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/perf-data/fields", test_fields);
	g_test_add_func("/perf-data/huge-counts", test_huge_counts);
	g_test_add_func("/perf-data/calls", test_calls);
	g_test_add_func("/perf-data/end", test_end);
	g_test_add_func("/perf-data/later", test_later);
	g_test_add_func("/perf-data/events", test_events);
	g_test_add_func("/perf-data/order", test_order);
	return g_test_run();
}
