/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last seconds: the contents of their file, when its CPUs' windows begin at different times. */
#include <glib/gstdio.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/stream-rows.h"
#include "declared.h"
#include "record/flight.h"

#define NOW_NS 100000
#define LAST_NS 40000

static void add_samples(SptSink *flight, uint32_t cpu, const uint64_t *times, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		spt_sink_put(flight, SPT_ROW_SAMPLE,
			     &(SptSampleRow){
				     .time = times[i], .cpu = cpu, .thread = 1, .weight = 1 });
}

static void add_account(SptSink *flight, uint32_t cpu, uint64_t time, uint64_t samples)
{
	spt_sink_put(flight, SPT_ROW_ACCOUNT,
		     &(SptAccountRow){ .time = time,
				       .cpu = cpu,
				       .grid = time / 1000,
				       .delivered = samples,
				       .samples = samples,
				       .idle = time / 1000 - samples });
}

static SptCapture *put(SptSink *flight)
{
	g_autofree char *directory = g_dir_make_tmp("sysprof-test-XXXXXX", NULL),
			*path = g_build_filename(directory, "last", NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GError) error = NULL;
	SptCaptureWriter *writer = spt_capture_writer_new(path, &error);
	g_autoptr(SptSink) file = NULL;
	SptCapture *capture;

	g_assert_no_error(error);
	file = spt_writer_sink_new(writer);
	spt_sink_give(flight, file);
	spt_sink_finish(file, stash, NOW_NS, &error);
	g_assert_no_error(error);
	capture = spt_capture_open(path, &error);
	g_assert_no_error(error);
	g_unlink(path);
	g_rmdir(directory);
	return capture;
}

/* A CPU that is seldom asked keeps samples from before the begin of one that is asked often. */
static void test_once(void)
{
	static const uint64_t before[] = { 2000, 5000 }, quiet[] = { 31000, 45000 },
			      busy[] = { 61000, 62000, 63000 };
	g_autoptr(SptSink) flight = spt_flight_new(LAST_NS);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCapture) capture = NULL;

	spt_sink_put(flight, SPT_ROW_PROCESS,
		     &(SptProcessRow){ .id = 1, .pid = 10, .name = "made" });
	spt_sink_put(flight, SPT_ROW_THREAD,
		     &(SptThreadRow){ .id = 1, .process = 1, .tid = 10, .name = "made", .former = "new\n" });
	add_samples(flight, 0, before, G_N_ELEMENTS(before));
	add_account(flight, 0, 10000, 2);
	add_samples(flight, 0, quiet, G_N_ELEMENTS(quiet));
	add_account(flight, 0, 90000, 4);
	add_account(flight, 1, 60000, 0);
	add_samples(flight, 1, busy, G_N_ELEMENTS(busy));
	add_account(flight, 1, 90000, 3);
	spt_sink_fact(flight, "period_ns", "1000");
	g_assert_true(spt_sink_flush(flight, stash, NOW_NS, NULL));
	capture = put(flight);
	g_assert_cmpuint(capture->n_samples, ==, 5);
	g_assert_cmpuint(capture->first_time, ==, 31000);
	g_assert_cmpstr(capture->threads[1].name, ==, "made");
	g_assert_cmpstr(capture->threads[1].former, ==, "new\n");
	for (uint64_t i = 0; i < capture->n_accounts; i++)
		g_assert_cmpuint(capture->accounts[i].delivered, ==,
				 capture->accounts[i].cpu == 0 ? 2 : 3);
}

static void put_event(SptSink *flight, const SptEventKind *kind, uint64_t time)
{
	spt_sink_put(flight, SPT_ROW_EVENT,
		     &(SptEventRow){ .time = time, .weight = time, .kind = kind->number });
}

/* Events of several kinds, each of which gets its own stream; what is too old is forgotten. */
static void test_events(void)
{
	g_autoptr(SptSink) flight = spt_flight_new(LAST_NS);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCapture) capture = NULL;

	add_account(flight, 0, 10000, 0);
	put_event(flight, &spt_event_irq, 5000);
	put_event(flight, &spt_event_irq, 70000);
	put_event(flight, &spt_event_faults, 71000);
	put_event(flight, &spt_event_irq, 72000);
	add_account(flight, 0, 60000, 0);
	add_account(flight, 0, 90000, 0);
	g_assert_true(spt_sink_flush(flight, stash, NOW_NS, NULL));
	capture = put(flight);
	g_assert_cmpuint(spt_capture_n_events(capture, &spt_event_irq), ==, 2);
	g_assert_cmpuint(spt_capture_n_events(capture, &spt_event_faults), ==, 1);
	g_assert_cmpuint(spt_capture_n_events(capture, &spt_event_locks), ==, 0);
}

/* Events that are over before the window are forgotten; texts and stacks of others stay. */
static void test_declared(void)
{
	g_autofree char *path = g_strdup("/old"), *unit = g_strdup("pages");
	SptDeclarationRow kind = request_kind;
	g_autoptr(SptSink) flight = spt_flight_new(60000);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCapture) capture = NULL;
	SptDeclaredRow row = request_row(0, 1000, 1, 0);
	const SptDeclared *found;
	const SptDeclaredRow *rows;
	uint32_t n;

	spt_sink_put(flight, SPT_ROW_PROCESS, &(SptProcessRow){ .id = 1, .end_time = 2000 });
	spt_sink_put(flight, SPT_ROW_THREAD,
		     &(SptThreadRow){ .id = 1, .process = 1, .tid = 10, .end_time = 2000 });
	kind.fields[2].unit = unit;
	spt_sink_put(flight, SPT_ROW_DECLARATION, &kind);
	row.values[0].text = path;
	spt_sink_put(flight, SPT_ROW_DECLARED, &row);
	/* One that lasts into the window, of a thread that has ended. */
	row.time = 2000;
	row.duration_ns = 40000;
	row.node = spt_stash_child(stash, 0, &(SptFrame){ .offset = 5 });
	spt_sink_put(flight, SPT_ROW_DECLARED, &row);
	row.kind = 4321;
	spt_sink_put(flight, SPT_ROW_DECLARED, &row);
	/* What the caller's texts were does not matter any more. */
	memset(path, 'x', strlen(path));
	memset(unit, 'x', strlen(unit));
	g_assert_true(spt_sink_flush(flight, stash, NOW_NS, NULL));
	spt_stash_free(spt_sink_shrink(flight, stash, NOW_NS, SPT_SINK_TOO_LARGE));
	capture = put(flight);

	found = spt_declared_find(capture, "request");
	g_assert_cmpuint(found->rows, ==, 1);
	g_assert_cmpstr(found->fields[2].unit, ==, "pages");

	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, found);

	rows = spt_declared_reader_next(reader, &n);
	g_assert_cmpuint(rows->time, ==, 2000);
	g_assert_cmpuint(rows->thread, ==, 1);
	g_assert_cmpstr(rows->values[0].text, ==, "/old");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/flight/once", test_once);
	g_test_add_func("/flight/events", test_events);
	g_test_add_func("/flight/declared", test_declared);
	return g_test_run();
}
