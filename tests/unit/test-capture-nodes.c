/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks in the file: they are unchanged, and take few bytes where they repeat. */
#include <glib/gstdio.h>

#include "capture/capture.h"
#include "capture/nodes.h"

/* At most one row waits here, so that it is nothing but nodes that are flushed. */
static SptCaptureWriter *begin(const char *path)
{
	g_autoptr(GError) error = NULL;
	SptCaptureWriter *writer = spt_capture_writer_new(path, &error);

	g_assert_no_error(error);
	for (uint32_t id = 1; id <= 4; id++)
		spt_capture_writer_object(writer,
					  &(SptObjectRow){ .id = id, .kind = SPT_OBJECT_ANON });
	return writer;
}

static void flush(SptCaptureWriter *writer, SptStash *stash)
{
	g_autoptr(GError) error = NULL;

	spt_capture_writer_flush(writer, stash, &error);
	g_assert_no_error(error);
}

static SptCapture *finish(SptCaptureWriter *writer, SptStash *stash, const char *path)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture;

	spt_capture_writer_finish(writer, stash, 1, &error);
	g_assert_no_error(error);
	capture = spt_capture_open(path, &error);
	g_assert_no_error(error);
	g_assert_null(capture->damage);
	g_unlink(path);
	return capture;
}

/*
 * Frames of which few are below few, and a few that are below all: all three ways to write one, and
 * more of them than are searched.
 */
static void grow(SptStash *stash, GRand *random, uint32_t nodes)
{
	while (spt_stash_n_nodes(stash) < nodes) {
		uint32_t parent =
			(uint32_t)g_rand_int_range(random, 0, (gint32)spt_stash_n_nodes(stash));
		uint32_t near = (uint32_t)spt_stash_node(stash, parent)->frame.offset % 50;
		SptFrame frame = {
			.offset = g_rand_int_range(random, 0, 20) ?
					  (near * 7 + (uint32_t)g_rand_int_range(random, 0, 4)) *
						  1000003ull :
					  -(uint64_t)g_rand_int_range(random, 0,
								      3 * SPT_MOST_FOLLOWERS),
			.kind = (uint32_t)g_rand_int_range(random, 0, 2),
		};

		frame.object = 1 + (uint32_t)(frame.offset >> 20) % 4;
		spt_stash_child(stash, parent, &frame);
	}
}

static void test_as_they_were(void)
{
	g_autofree char *path =
		g_build_filename(g_get_tmp_dir(), "test-capture-nodes.capture", NULL);
	g_autoptr(GRand) random = g_rand_new_with_seed(7);
	SptStash *stashes[3];
	g_autoptr(SptCapture) capture = NULL;
	SptCaptureWriter *writer = begin(path);
	uint32_t id = 1, base = 0, frames = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(stashes); i++) {
		stashes[i] = spt_stash_new();
		if (i) {
			base += spt_stash_n_nodes(stashes[i - 1]) - 1;
			spt_capture_writer_next_stash(writer);
		}
		for (uint32_t nodes = 2; nodes < 30000; nodes = nodes * 3 + 1) {
			grow(stashes[i], random, nodes);
			flush(writer, stashes[i]);
		}
	}
	capture = finish(writer, stashes[2], path);
	g_assert_cmpuint(capture->n_nodes, ==, base + spt_stash_n_nodes(stashes[2]));
	for (unsigned i = 0; i < G_N_ELEMENTS(stashes); i++) {
		base = id - 1;
		for (uint32_t n = 1; n < spt_stash_n_nodes(stashes[i]); n++, id++) {
			const SptNode *node = spt_stash_node(stashes[i], n);

			g_assert_cmpuint(capture->nodes[id].parent, ==,
					 node->parent ? node->parent + base : 0);
			g_assert_cmpmem(&capture->nodes[id].frame, sizeof(node->frame),
					&node->frame, sizeof(node->frame));
			g_assert_cmpuint(capture->nodes[id].key, ==,
					 frames + spt_stash_frame_of(stashes[i], n));
		}
		frames += spt_stash_number_frames(stashes[i]) - 1;
		spt_stash_free(stashes[i]);
	}
	g_assert_cmpuint(capture->n_frames, ==, frames + 1);
	spt_capture_writer_free(writer);
}

/*
 * The same calls below ever another outermost frame, as one program has them that is started again
 * and again.
 */
static void test_repeats_are_small(void)
{
	enum { STACKS = 500, DEPTH = 20, ROUNDS = 20 };
	g_autofree char *path =
		g_build_filename(g_get_tmp_dir(), "test-capture-repeats.capture", NULL);
	g_autoptr(SptStash) stash = spt_stash_new();
	g_autoptr(SptCapture) capture = NULL;
	SptCaptureWriter *writer = begin(path);
	uint64_t first = 0, all;

	for (uint32_t round = 0; round < ROUNDS; round++) {
		g_autoptr(GRand) random = g_rand_new_with_seed(3);
		uint32_t top =
			spt_stash_child(stash, 0, &(SptFrame){ .offset = round, .object = 1 });

		/*
		 * What the outermost frame is followed by is said for each of them; below that
		 * nothing is new.
		 */
		for (unsigned i = 0; i < STACKS; i++) {
			uint32_t node = spt_stash_child(stash, top,
							&(SptFrame){ .offset = 1000, .object = 1 });

			for (unsigned depth = 0; depth < DEPTH; depth++) {
				uint64_t offset = (depth << 20) +
						  (uint64_t)g_rand_int_range(random, 0, 6) * 4096;

				node = spt_stash_child(stash, node,
						       &(SptFrame){ .offset = offset * 77,
								    .object = 2 });
			}
		}
		flush(writer, stash);
		first = first ? first : spt_capture_writer_bytes(writer);
	}
	all = spt_capture_writer_bytes(writer);
	capture = finish(writer, stash, path);
	g_test_message("%u nodes in %" G_GUINT64_FORMAT
		       " bytes, the first round %" G_GUINT64_FORMAT,
		       capture->n_nodes, all, first);
	/*
	 * Where it branches, and into which of six places: 19 bits would be a number of the node, 3
	 * are the place.
	 */
	g_assert_cmpuint(all - first, <, capture->n_nodes);
	spt_capture_writer_free(writer);
}

static void test_followers(void)
{
	SptFollowers followers;

	spt_followers_init(&followers);
	g_assert_cmpuint(spt_followers_latest(&followers, 9), ==, 0);
	g_assert_cmpuint(spt_followers_take(&followers, 9, 1), ==, 0);
	for (uint32_t follower = 1; follower <= SPT_MOST_FOLLOWERS + 1; follower++)
		g_assert_true(spt_followers_add(&followers, 9, follower, NULL));
	g_assert_cmpuint(spt_followers_latest(&followers, 9), ==, SPT_MOST_FOLLOWERS + 1);
	g_assert_cmpuint(spt_followers_latest(&followers, 8), ==, 0);
	g_assert_cmpuint(spt_followers_find(&followers, 9, 1), ==, 0);
	g_assert_cmpuint(spt_followers_find(&followers, 9, 2), ==, SPT_MOST_FOLLOWERS);
	g_assert_cmpuint(spt_followers_take(&followers, 9, SPT_MOST_FOLLOWERS), ==, 2);
	g_assert_cmpuint(spt_followers_find(&followers, 9, 2), ==, 1);
	g_assert_cmpuint(spt_followers_find(&followers, 9, 3), ==, SPT_MOST_FOLLOWERS);
	g_assert_cmpuint(spt_followers_take(&followers, 9, SPT_MOST_FOLLOWERS + 2), ==, 0);
	spt_followers_forget(&followers);
	g_assert_cmpuint(spt_followers_latest(&followers, 9), ==, 0);
	spt_followers_clear(&followers);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/capture-nodes/as-they-were", test_as_they_were);
	g_test_add_func("/capture-nodes/repeats-are-small", test_repeats_are_small);
	g_test_add_func("/capture-nodes/followers", test_followers);
	return g_test_run();
}
