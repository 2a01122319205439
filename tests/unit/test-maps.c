/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lay where, and for how long: from the recorder's address spaces to what a capture holds,
 * against a model with an entry for each page.
 */
#include "capture/maps.h"

#include <glib/gstdio.h>
#include <string.h>

#include "../gen/capture-example.h"

#define PAGES 24
#define EVENTS 400
#define MS 1000000ull
#define PROCESS 7
#define OBJECTS 3

/* Of each page and each ms: the mapping's object and offset in pages, 0 if there is none. */
struct page {
	uint32_t object;
	uint64_t offset;
};

struct model {
	struct page pages[EVENTS + 1][PAGES];
};

struct recording {
	SptSpaces *spaces;
	SptCaptureWriter *writer;
	SptStash *stash;
	char *directory, *path;
	unsigned n_made, n_gone;
};

/* As record/maps.c does. */
static void on_made(uint64_t mm, const SptMap *map, void *data)
{
	struct recording *recording = data;

	recording->n_made++;
	spt_capture_writer_map(recording->writer,
			       &(SptMapRow){
				       .process = (uint32_t)mm,
				       .object = map->object,
				       .time = map->from,
				       .start = map->start,
				       .bytes = map->end - map->start,
				       .offset = map->offset,
				       .how = map->is_seen ? SPT_MAP_SEEN : SPT_MAP_MADE,
			       });
}

static void on_gone(uint64_t mm, const SptMap *part, uint64_t time, bool is_replaced, void *data)
{
	struct recording *recording = data;

	if (is_replaced)
		return;
	recording->n_gone++;
	spt_capture_writer_map(recording->writer, &(SptMapRow){
							  .process = (uint32_t)mm,
							  .time = time,
							  .start = part->start,
							  .bytes = part->end - part->start,
							  .how = SPT_MAP_GONE,
						  });
}

static void begin(struct recording *recording, uint64_t process_end)
{
	g_autoptr(GError) error = NULL;

	*recording = (struct recording){ .spaces = spt_spaces_new(),
					 .stash = spt_stash_new(),
					 .directory = g_dir_make_tmp("spt-maps-XXXXXX", NULL) };
	recording->path = g_build_filename(recording->directory, "a.capture", NULL);
	recording->writer = spt_capture_writer_new(recording->path, &error);
	g_assert_no_error(error);
	spt_spaces_listen(recording->spaces, &(SptSpacesListener){ on_made, on_gone, recording });
	for (uint32_t id = 1; id <= OBJECTS; id++)
		spt_capture_writer_object(
			recording->writer,
			&(SptObjectRow){ .id = id, .kind = SPT_OBJECT_FILE, .path = "/lib/x.so" });
	for (uint32_t id = 1; id <= PROCESS + 1; id++)
		spt_capture_writer_process(recording->writer,
					   &(SptProcessRow){
						   .id = id,
						   .pid = 100 + id,
						   .start_time = MS,
						   .name = "p",
						   .end_time = id == PROCESS ? process_end : 0 });
}

static SptCapture *end(struct recording *recording)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture;

	spt_capture_writer_finish(recording->writer, recording->stash, EVENTS * MS, &error);
	g_assert_no_error(error);
	capture = spt_capture_open(recording->path, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(capture->damage, ==, NULL);
	spt_capture_writer_free(recording->writer);
	spt_stash_free(recording->stash);
	spt_spaces_free(recording->spaces);
	g_unlink(recording->path);
	g_rmdir(recording->directory);
	g_free(recording->path);
	g_free(recording->directory);
	return capture;
}

static void map(struct recording *recording, uint64_t ms, uint64_t first, uint64_t n,
		uint64_t offset, uint32_t object)
{
	spt_spaces_map(recording->spaces, PROCESS, ms * MS,
		       &(SptMap){ .start = first << 12,
				  .end = (first + n) << 12,
				  .offset = offset << 12,
				  .object = object },
		       false);
}

static void compare(const SptCapture *capture, const struct model *model)
{
	g_autoptr(SptMapIndex) index = spt_map_index_new(capture);
	bool is_cut;
	g_autoptr(GArray) spans = spt_map_index_spans(index, PROCESS, &is_cut);

	g_assert_false(is_cut);
	for (unsigned ms = 1; ms <= EVENTS; ms++) {
		for (unsigned at = 0; at < PAGES; at++) {
			const struct page *page = &model->pages[ms][at];
			uint64_t address = (uint64_t)at << 12;
			unsigned n = 0;

			for (unsigned i = 0; i < spans->len; i++) {
				const SptMapSpan *span = &g_array_index(spans, SptMapSpan, i);

				if (address < span->map.start || address >= span->map.end ||
				    ms * MS < span->map.from || ms * MS >= span->until)
					continue;
				n++;
				g_assert_cmpuint(span->map.object, ==, page->object);
				g_assert_cmpuint(span->map.offset + address - span->map.start, ==,
						 page->offset << 12);
			}
			g_assert_cmpuint(n, ==, page->object != 0);
		}
	}
}

/* Mapped and unmapped at random. */
static void test_random(void)
{
	g_autofree struct model *model = g_new0(struct model, 1);
	g_autoptr(SptCapture) capture = NULL;
	struct recording recording;

	begin(&recording, 0);
	for (unsigned ms = 1; ms <= EVENTS; ms++) {
		unsigned first = g_test_rand_int_range(0, PAGES),
			 n = g_test_rand_int_range(1, PAGES - first + 1);
		/* Few, so that neighbours fit together. */
		uint64_t offset = 10 + first + PAGES * g_test_rand_int_range(0, 2);
		uint32_t object = g_test_rand_int_range(1, OBJECTS + 1);

		memcpy(model->pages[ms], model->pages[ms - 1], sizeof(model->pages[ms]));
		if (ms % 5) {
			map(&recording, ms, first, n, offset, object);
			for (unsigned i = 0; i < n; i++)
				model->pages[ms][first + i] = (struct page){ object, offset + i };
		} else {
			spt_spaces_unmap(recording.spaces, PROCESS, ms * MS, first << 12,
					 (uint64_t)(first + n) << 12);
			memset(&model->pages[ms][first], 0, n * sizeof(struct page));
		}
	}
	capture = end(&recording);
	compare(capture, model);
}

static const SptMapSpan *span_at(const GArray *spans, unsigned i)
{
	g_assert_cmpuint(i, <, spans->len);
	return &g_array_index(spans, SptMapSpan, i);
}

/*
 * Of a library that others take the place of, each has its time; what stays ends with its process.
 */
static void test_replaced(void)
{
	struct recording recording;
	g_autoptr(SptCapture) capture = NULL;
	g_autoptr(SptMapIndex) index = NULL;
	g_autoptr(GArray) spans = NULL, none = NULL;
	bool is_cut;

	begin(&recording, 90 * MS);
	map(&recording, 10, 0, 2, 1, 1);
	map(&recording, 20, 8, 2, 1, 2);
	map(&recording, 25, 8, 2, 1, 2);		/* again: nothing new */
	map(&recording, 30, 8, 1, 1, 3);
	map(&recording, 40, 8, 2, 1, 2);
	map(&recording, 95, 16, 2, 1, 3);		/* after its end: another's */
	g_assert_cmpuint(recording.n_made, ==, 5);
	capture = end(&recording);
	index = spt_map_index_new(capture);
	spans = spt_map_index_spans(index, PROCESS, &is_cut);
	none = spt_map_index_spans(index, PROCESS + 1, &is_cut);
	g_assert_cmpuint(none->len, ==, 0);
	g_assert_cmpuint(spans->len, ==, 5);
	g_assert_cmpuint(span_at(spans, 0)->until, ==, 90 * MS);
	g_assert_true(span_at(spans, 0)->is_gone_by);
	/* Its first page until it was replaced, the second until all of it was mapped anew. */
	g_assert_cmpuint(span_at(spans, 1)->map.end, ==, 9 << 12);
	g_assert_cmpuint(span_at(spans, 1)->until, ==, 30 * MS);
	g_assert_false(span_at(spans, 1)->is_gone_by);
	g_assert_cmpuint(span_at(spans, 2)->map.offset, ==, 2 << 12);
	g_assert_cmpuint(span_at(spans, 2)->until, ==, 40 * MS);
	g_assert_cmpuint(span_at(spans, 3)->map.object, ==, 3);
	g_assert_cmpuint(span_at(spans, 3)->until, ==, 40 * MS);
	g_assert_cmpuint(span_at(spans, 4)->map.from, ==, 40 * MS);
	g_assert_cmpuint(span_at(spans, 4)->until, ==, 90 * MS);
}

/*
 * What a snapshot does not find was unmapped, what it finds was there, and what was known before
 * stays as it was.
 */
static void test_snapshot(void)
{
	struct recording recording;
	g_autoptr(SptCapture) capture = NULL;
	g_autoptr(SptMapIndex) index = NULL;
	g_autoptr(GArray) spans = NULL;
	const SptMap still = { .start = 0x1000, .end = 0x2000, .object = 1 },
		     fresh = { .start = 0x8000, .end = 0x9000, .object = 3 };
	bool is_cut;

	begin(&recording, 0);
	map(&recording, 10, 1, 1, 0, 1);
	map(&recording, 20, 4, 1, 0, 2);
	spt_spaces_snapshot(recording.spaces, 1, PROCESS, 30 * MS, &still);
	spt_spaces_snapshot(recording.spaces, 1, PROCESS, 30 * MS, &fresh);
	g_assert_cmpuint(recording.n_gone, ==, 0);
	spt_spaces_end_snapshot(recording.spaces);
	spt_spaces_end_snapshot(recording.spaces);
	g_assert_cmpuint(recording.n_gone, ==, 1);
	g_assert_cmpuint(recording.n_made, ==, 3);
	capture = end(&recording);
	index = spt_map_index_new(capture);
	spans = spt_map_index_spans(index, PROCESS, &is_cut);
	g_assert_cmpuint(spans->len, ==, 3);
	g_assert_cmpuint(span_at(spans, 0)->map.from, ==, 10 * MS);
	g_assert_false(span_at(spans, 0)->map.is_seen);
	g_assert_cmpuint(span_at(spans, 0)->until, ==, UINT64_MAX);
	g_assert_cmpuint(span_at(spans, 1)->until, ==, 30 * MS);
	g_assert_true(span_at(spans, 1)->is_gone_by);
	g_assert_cmpuint(span_at(spans, 2)->map.from, ==, 30 * MS);
	g_assert_true(span_at(spans, 2)->map.is_seen);
}

/* What a fork copies is as old as the child. */
static void test_fork(void)
{
	g_autoptr(SptSpaces) spaces = spt_spaces_new();
	const SptMap *maps;
	unsigned n;

	spt_spaces_map(spaces, 1, 10,
		       &(SptMap){ .start = 0x1000, .end = 0x2000, .object = 1, .is_seen = true },
		       false);
	spt_spaces_fork(spaces, 1, 2, 20);
	maps = spt_space_maps(spt_spaces_get(spaces, 2), &n);
	g_assert_cmpuint(n, ==, 1);
	g_assert_cmpuint(maps->from, ==, 20);
	g_assert_false(maps->is_seen);
}

/* The most that are kept, and that there were more is reported. */
static void test_very_many(void)
{
	struct recording recording;
	g_autoptr(SptCapture) capture = NULL;
	g_autoptr(SptMapIndex) index = NULL;
	bool is_cut;

	begin(&recording, 0);
	for (unsigned i = 0; i < SPT_MOST_MAPS; i++)
		map(&recording, 10 + i, 2 * i, 1, 0, 1);
	capture = end(&recording);
	index = spt_map_index_new(capture);
	g_array_unref(spt_map_index_spans(index, PROCESS, &is_cut));
	g_assert_false(is_cut);
	g_clear_pointer(&index, spt_map_index_free);
	g_clear_pointer(&capture, spt_capture_free);
	begin(&recording, 0);
	for (unsigned i = 0; i < SPT_MOST_MAPS + 1; i++)
		map(&recording, 10 + i, 2 * i, 1, 0, 1);
	capture = end(&recording);
	index = spt_map_index_new(capture);
	g_array_unref(spt_map_index_spans(index, PROCESS, &is_cut));
	g_assert_true(is_cut);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/maps/random", test_random);
	g_test_add_func("/maps/replaced", test_replaced);
	g_test_add_func("/maps/snapshot", test_snapshot);
	g_test_add_func("/maps/fork", test_fork);
	g_test_add_func("/maps/very-many", test_very_many);
	return g_test_run();
}
