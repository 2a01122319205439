/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writer of captures as a sink: rows go into a file, or a stream, as they come. */
#include "capture/sink.h"

struct writer_sink {
	SptSink sink;
	SptCaptureWriter *writer;
	GHashTable *objects;		/* set of the ids that were put */
	GArray *maps;			/* SptMapRow: its object was not put yet */
};

static SptCaptureWriter *writer_of(const SptSink *sink)
{
	return ((const struct writer_sink *)sink)->writer;
}

static void writer_sink_free(SptSink *sink)
{
	struct writer_sink *self = (struct writer_sink *)sink;

	spt_capture_writer_free(self->writer);
	g_hash_table_unref(self->objects);
	g_array_unref(self->maps);
	g_free(self);
}

static void writer_sink_fact(SptSink *sink, const char *key, const char *value)
{
	spt_capture_writer_host(writer_of(sink), key, value);
}

/* This and its like are not inline, so that the rows of events, which are most, need no stack. */
static G_GNUC_NO_INLINE void put_objects(struct writer_sink *self, const SptObjectRow *rows,
					 size_t n)
{
	for (size_t i = 0; i < n; i++)
		g_hash_table_add(self->objects, GUINT_TO_POINTER(rows[i].id));
	spt_capture_writer_put_rows(self->writer, SPT_ROW_OBJECT, rows, n);
}

static void writer_sink_put(SptSink *sink, SptRowKind kind, const void *rows, size_t n)
{
	struct writer_sink *self = (struct writer_sink *)sink;

	if (kind == SPT_ROW_MAP)
		g_array_append_vals(self->maps, rows, (guint)n);
	else if (kind == SPT_ROW_OBJECT)
		put_objects(self, rows, n);
	else
		spt_capture_writer_put_rows(self->writer, kind, rows, n);
}

static void put_known_maps(struct writer_sink *self)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < self->maps->len; i++) {
		const SptMapRow *row = &g_array_index(self->maps, SptMapRow, i);

		if (!row->object ||
		    g_hash_table_contains(self->objects, GUINT_TO_POINTER(row->object)))
			spt_capture_writer_map(self->writer, row);
		else
			g_array_index(self->maps, SptMapRow, kept++) = *row;
	}
	g_array_set_size(self->maps, kept);
}

static bool writer_sink_flush(SptSink *sink, SptStash *stash, uint64_t now, GError **error)
{
	(void)now;
	put_known_maps((struct writer_sink *)sink);
	return spt_capture_writer_flush(writer_of(sink), stash, error);
}

static void writer_sink_next_stash(SptSink *sink)
{
	spt_capture_writer_next_stash(writer_of(sink));
}

static bool writer_sink_finish(SptSink *sink, SptStash *stash, uint64_t now, GError **error)
{
	return writer_sink_flush(sink, stash, now, error) &&
	       spt_capture_writer_finish(writer_of(sink), stash, now, error);
}

static uint64_t writer_sink_bytes(const SptSink *sink)
{
	return spt_capture_writer_bytes(writer_of(sink));
}

static const struct spt_sink_type writer_sink_type = {
	.fact = writer_sink_fact,
	.put = writer_sink_put,
	.flush = writer_sink_flush,
	.next_stash = writer_sink_next_stash,
	.finish = writer_sink_finish,
	.bytes = writer_sink_bytes,
	.free = writer_sink_free,
};

SptSink *spt_writer_sink_new(SptCaptureWriter *writer)
{
	struct writer_sink *self = g_new0(struct writer_sink, 1);

	self->sink.type = &writer_sink_type;
	self->writer = writer;
	self->objects = g_hash_table_new(NULL, NULL);
	self->maps = g_array_new(FALSE, FALSE, sizeof(SptMapRow));
	return &self->sink;
}
