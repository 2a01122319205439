/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Streams besides the samples, of the example of every kind there will be. */
#include "profile/tracks.h"

#include "../gen/capture-example.h"
#include "declared.h"

static void test_example(void)
{
	static const char *const names[] = { "raw-stacks",  "table-stacks", "off-cpu",
					     "allocations", "marks",	    "counters" };
	const uint64_t begin = EXAMPLE_BEGIN_NS, end = EXAMPLE_BEGIN_NS + 10 * EXAMPLE_PERIOD_NS;
	g_autofree char *directory = g_dir_make_tmp("tracks-XXXXXX", NULL),
			*path = g_build_filename(directory, "example", NULL);
	g_autoptr(GPtrArray) tracks = NULL;
	double levels[10];

	g_assert_true(example_write(path, NULL));

	g_autoptr(SptCapture) capture = spt_capture_open(path, NULL);

	tracks = spt_tracks_new(capture);
	/*
	 * Stacks that came later have no time, and what is of an unknown kind has no known column.
	 */
	g_assert_cmpuint(tracks->len, ==, G_N_ELEMENTS(names));
	for (unsigned i = 0; i < tracks->len; i++)
		g_assert_cmpstr(((SptTrack *)tracks->pdata[i])->name, ==, names[i]);

	/* A wait of half a part, and a short one in the eighth. */
	g_assert_cmpuint(((SptTrack *)tracks->pdata[2])->n_rows, ==, 1);
	spt_track_levels(tracks->pdata[2], begin, end, 10, levels);
	for (unsigned i = 0; i < 10; i++)
		g_assert_cmpfloat(levels[i], ==, i == 0 ? 0.5 : i == 7 ? 0.25 : 0);
	g_assert_cmpstr(spt_track_at(tracks->pdata[4], 0, begin + 10, 20)->text, ==, "frame 1");
	g_assert_null(spt_track_at(tracks->pdata[4], 0, begin + EXAMPLE_PERIOD_NS, 20));
	g_assert_cmpuint(
		spt_track_at(tracks->pdata[4], 0, begin + 3 * EXAMPLE_PERIOD_NS - 10, 20)->duration,
		==, 100);

	/* 320000 and 321000, then 320500 and 321500, which stay. */
	spt_track_levels(tracks->pdata[5], begin, end, 10, levels);
	g_assert_cmpfloat_with_epsilon(levels[0], 1.0 / 3, 1e-9);
	for (unsigned i = 1; i < 10; i++)
		g_assert_cmpfloat_with_epsilon(levels[i], i == 1 ? 2.0 / 3 : 1, 1e-9);
	g_assert_cmpuint(spt_track_at(tracks->pdata[5], 0, end, 0)->value, ==, 321500);
	g_unlink(path);
	g_rmdir(directory);
}

/* A mark's text says its fields, and each number of a counter is a track. */
static void test_declared(void)
{
	static const char *const names[] = { "Requests", "load: level", "load: queue" };
	g_autofree char *directory = g_dir_make_tmp("tracks-XXXXXX", NULL),
			*path = g_build_filename(directory, "declared", NULL);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GPtrArray) tracks = NULL;
	double levels[4];

	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &request_kind);
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &load_kind);
	for (unsigned i = 0; i < 4; i++) {
		SptDeclaredRow request = request_row(i, 100000 * i, 0, 0),
			       load = load_row(3 - i, 100000 * (3 - i));

		spt_capture_writer_put(writer, SPT_ROW_DECLARED, &request);
		spt_capture_writer_put(writer, SPT_ROW_DECLARED, &load);
	}
	g_assert_true(spt_capture_writer_finish(writer, stash, 1, NULL));

	g_autoptr(SptCapture) capture = spt_capture_open(path, NULL);

	tracks = spt_tracks_new(capture);
	g_assert_cmpuint(tracks->len, ==, G_N_ELEMENTS(names));
	for (unsigned i = 0; i < tracks->len; i++)
		g_assert_cmpstr(((SptTrack *)tracks->pdata[i])->name, ==, names[i]);
	g_assert_cmpstr(spt_track_at(tracks->pdata[0], 0, 200000, 0)->text, ==,
			"/a, sent=2000 bytes, delta=-2 pages");
	g_assert_null(spt_track_at(tracks->pdata[0], 0, 250000, 0));
	g_assert_cmpfloat(spt_track_at(tracks->pdata[1], 0, 150000, 0)->value, ==, 0.25);
	g_assert_cmpstr(((SptTrack *)tracks->pdata[1])->unit, ==, "%");
	spt_track_levels(tracks->pdata[1], 0, 400000, 4, levels);
	/* A percentage is what it says. */
	for (unsigned i = 0; i < 4; i++)
		g_assert_cmpfloat_with_epsilon(levels[i], i / 400.0, 1e-9);
	spt_track_levels(tracks->pdata[0], 0, 40000, 4, levels);
	g_assert_cmpfloat(levels[0], ==, 1);
	g_assert_cmpfloat(levels[3], ==, 0);
	g_unlink(path);
	g_rmdir(directory);
}

/* By the program that it is in the end. */
static void test_process(void)
{
	const SptDeclarationRow kind = { .id = 1,
					 .shape = SPT_DECLARED_COUNTER,
					 .name = "process.100.cpu",
					 .n_fields = 1,
					 .fields = { { "value", "%", SPT_VALUE_F64 } } };
	g_autofree char *directory = g_dir_make_tmp("tracks-XXXXXX", NULL),
			*path = g_build_filename(directory, "process", NULL);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GPtrArray) tracks = NULL;

	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &kind);
	for (uint32_t i = 1; i <= 2; i++) {
		spt_capture_writer_process(writer,
					   &(SptProcessRow){ .id = i,
							     .pid = 100,
							     .name = i == 1 ? "sh" : "convoy" });
		spt_capture_writer_thread(
			writer, &(SptThreadRow){ .id = i, .process = i, .tid = 100, .name = "" });
		spt_capture_writer_put(writer, SPT_ROW_DECLARED,
				       &(SptDeclaredRow){ .time = i,
							  .kind = kind.id,
							  .thread = i,
							  .values = { { .real = i } } });
	}
	g_assert_true(spt_capture_writer_finish(writer, stash, 2, NULL));

	g_autoptr(SptCapture) capture = spt_capture_open(path, NULL);

	tracks = spt_tracks_new(capture);
	g_assert_cmpuint(tracks->len, ==, 1);
	g_assert_cmpstr(((SptTrack *)tracks->pdata[0])->name, ==, "convoy (100): cpu");
	g_unlink(path);
	g_rmdir(directory);
}

/* Frames of GTK have a track beside that of their category; those above 16.7 ms are late. */
static void test_frames(void)
{
	static const SptDeclarationRow mark = {
		.id = 1,
		.shape = SPT_DECLARED_INTERVAL,
		.name = "mark",
		.title = "Marks",
		.n_fields = 2,
		.fields = { { "name", "", SPT_VALUE_TEXT }, { "category", "", SPT_VALUE_TEXT } },
	};
	static const struct {
		const char *name;
		uint64_t duration_ns;
	} marks[] = { { "Frameclock cycle", 16666667 },
		      { "frameclock cycle", 16666668 },
		      { "layout", 50000000 },
		      { "Frame Clock (dispatch)", 50000000 } };
	g_autofree char *directory = g_dir_make_tmp("tracks-XXXXXX", NULL),
			*path = g_build_filename(directory, "frames", NULL);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GPtrArray) tracks = NULL;
	const SptTrack *frames, *others;
	double levels[3];

	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &mark);
	for (unsigned i = 0; i < G_N_ELEMENTS(marks); i++) {
		const SptDeclaredRow row = { .time = i * 100000000,
					     .duration_ns = marks[i].duration_ns,
					     .kind = mark.id,
					     .values = { { .text = marks[i].name },
							 { .text = "gtk" } } };

		spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
	}
	g_assert_true(spt_capture_writer_finish(writer, stash, 1, NULL));

	g_autoptr(SptCapture) capture = spt_capture_open(path, NULL);

	tracks = spt_tracks_new(capture);
	g_assert_cmpuint(tracks->len, ==, 2);
	frames = tracks->pdata[0];
	others = tracks->pdata[1];
	g_assert_cmpstr(frames->name, ==, "Frames: gtk");
	g_assert_cmpuint(frames->events->len, ==, 3);
	g_assert_cmpuint(frames->n_late, ==, 2);
	g_assert_cmpuint(others->events->len, ==, 4);
	g_assert_cmpuint(others->n_late, ==, 0);
	spt_track_late_levels(frames, 0, 300000000, 3, levels);
	g_assert_cmpfloat(levels[0], ==, 0);
	g_assert_cmpfloat(levels[1], >, 0);
	g_assert_cmpfloat(levels[2], ==, 0);
	g_unlink(path);
	g_rmdir(directory);
}

/* Spans are below those within which they are, down to the last row. */
static void test_nested(void)
{
	static const struct {
		uint64_t begin_ns, end_ns;
		unsigned row;
	} spans[] = { { 0, 100, 0 },  { 0, 50, 1 },   { 10, 20, 2 },  { 20, 40, 2 },
		      { 25, 39, 3 },  { 26, 38, 4 },  { 27, 37, 5 },  { 28, 36, 5 },
		      { 60, 100, 1 }, { 100, 120, 0 } };
	SptTrack track = { .kind = SPT_STREAM_SPANS,
			   .events = g_array_new(FALSE, FALSE, sizeof(SptTrackEvent)) };
	double levels[2 * SPT_TRACK_MAX_ROWS];

	/* They come as they end. */
	for (unsigned i = G_N_ELEMENTS(spans); i-- > 0;)
		g_array_append_val(track.events,
				   ((SptTrackEvent){ .time = spans[i].begin_ns,
						     .duration = spans[i].end_ns -
								 spans[i].begin_ns }));
	spt_track_finish(&track);
	g_assert_cmpuint(track.n_rows, ==, SPT_TRACK_MAX_ROWS);
	for (unsigned i = 0; i < G_N_ELEMENTS(spans); i++)
		g_assert_cmpuint(g_array_index(track.events, SptTrackEvent, i).row, ==,
				 spans[i].row);
	g_assert_cmpuint(spt_track_at(&track, 2, 15, 0)->duration, ==, 10);
	g_assert_cmpuint(spt_track_at(&track, 1, 15, 0)->duration, ==, 50);
	g_assert_null(spt_track_at(&track, 2, 45, 0));
	spt_track_levels(&track, 0, 100, 2, levels);
	g_assert_cmpfloat(levels[0], ==, 1);
	g_assert_cmpfloat_with_epsilon(levels[2], 1, 1e-9);
	g_assert_cmpfloat_with_epsilon(levels[3], 0.8, 1e-9);
	/* A fifth, which is shown as a quarter, and two. */
	g_assert_cmpfloat_with_epsilon(levels[4], 0.65, 1e-9);
	g_assert_cmpfloat(levels[5], ==, 0);
	g_array_unref(track.events);
}

/* What programs say has a track, however many counters there are. */
static void test_many_counters(void)
{
	g_autofree char *directory = g_dir_make_tmp("tracks-XXXXXX", NULL),
			*path = g_build_filename(directory, "many", NULL);
	g_autoptr(SptCaptureWriter) writer = spt_capture_writer_new(path, NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(GPtrArray) tracks = NULL;
	SptDeclaredRow last = request_row(0, 100, 0, 0);

	for (uint32_t i = 0; i < 200; i++) {
		g_autofree char *name = g_strdup_printf("counter-%u", i);
		const SptDeclarationRow counter = { .id = 10 + i,
						    .shape = SPT_DECLARED_COUNTER,
						    .name = name,
						    .n_fields = 1,
						    .fields = { { "value", "", SPT_VALUE_F64 } } };
		const SptDeclaredRow row = { .time = i,
					     .kind = counter.id,
					     .values = { { .real = i ? 7 : 0 } } };

		spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &counter);
		spt_capture_writer_put(writer, SPT_ROW_DECLARED, &row);
	}
	spt_capture_writer_put(writer, SPT_ROW_DECLARATION, &request_kind);
	spt_capture_writer_put(writer, SPT_ROW_DECLARED, &last);
	g_assert_true(spt_capture_writer_finish(writer, stash, 1, NULL));

	g_autoptr(SptCapture) capture = spt_capture_open(path, NULL);
	double level;

	tracks = spt_tracks_new(capture);
	g_assert_cmpstr(((SptTrack *)tracks->pdata[0])->name, ==, "Requests");
	/* Nothing all the time is not all of it. */
	spt_track_levels(tracks->pdata[1], 0, 300, 1, &level);
	g_assert_cmpfloat(level, ==, 0);
	spt_track_levels(tracks->pdata[2], 0, 300, 1, &level);
	g_assert_cmpfloat(level, ==, 1);
	g_unlink(path);
	g_rmdir(directory);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tracks/example", test_example);
	g_test_add_func("/tracks/declared", test_declared);
	g_test_add_func("/tracks/process", test_process);
	g_test_add_func("/tracks/frames", test_frames);
	g_test_add_func("/tracks/nested", test_nested);
	g_test_add_func("/tracks/many-counters", test_many_counters);
	return g_test_run();
}
