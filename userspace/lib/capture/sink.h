/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink of rows: what a recording becomes.  A file or stream is one (spt_writer_sink_new()), the
 * memory of the last seconds is one (record/flight.h), and so is the view of a recording in
 * progress (record/live.h).  Who has rows hands them to sinks, and does not know what they are.
 *
 * A sink is a struct that begins with an SptSink, and a const struct spt_sink_type with functions;
 * NULL there means that the sink is not interested.  One thread drives a sink.  Rows and texts are
 * the caller's, and valid during the call only.  Nodes in rows are those of the stash that the next
 * flush gets.
 */
#ifndef SPT_CAPTURE_SINK_H
#define SPT_CAPTURE_SINK_H

#include "capture/capture.h"
#include "stash/stash.h"

G_BEGIN_DECLS

typedef struct SptSink SptSink;

/* How much the stash has to shrink. */
typedef enum {
	SPT_SINK_IF_WORTH_IT,		/* if much of it is not needed any more */
	SPT_SINK_TOO_LARGE,		/* what is not needed */
	SPT_SINK_STILL_TOO_LARGE,	/* half of what is needed, too */
} SptSinkNeed;

struct spt_sink_type {
	/* A fact about the whole recording; a later one of the same key counts. */
	void (*fact)(SptSink *sink, const char *key, const char *value);
	/* @n rows of the struct of their kind. */
	void (*put)(SptSink *sink, SptRowKind kind, const void *rows, size_t n);
	/* Some times a second, for who looks on; before it come the names of new nodes. */
	void (*publish)(SptSink *sink, const SptStash *stash);
	/*
	 * About once a second, at @now of CLOCK_MONOTONIC in ns: writes what was put, or drops what
	 * is too old.  False, with @error: nothing more can be put.
	 */
	bool (*flush)(SptSink *sink, SptStash *stash, uint64_t now, GError **error);
	/*
	 * After a flush: a stash of only those nodes of @stash that the sink's rows still have,
	 * which get their new numbers.  It is the caller's and replaces @stash.  NULL: @stash
	 * stays.  A sink without this has no rows after a flush, and needs no node.
	 */
	SptStash *(*shrink)(SptSink *sink, const SptStash *stash, uint64_t now, SptSinkNeed need);
	/* After a flush: the nodes of rows from now on are those of another stash. */
	void (*next_stash)(SptSink *sink);
	/* Of a sink that keeps rows instead of writing them: puts all of them into @to. */
	void (*give)(SptSink *sink, SptSink *to);
	/* Completes the recording, which ended at @now; after it the sink is only freed. */
	bool (*finish)(SptSink *sink, SptStash *stash, uint64_t now, GError **error);
	uint64_t (*bytes)(const SptSink *sink);	/* of its file, up to the last flush */
	void (*free)(SptSink *sink);
};

/* The first member of every sink's own struct. */
struct SptSink {
	const struct spt_sink_type *type;
};

/* Takes @writer over.  A map waits until its object was put. */
SptSink *spt_writer_sink_new(SptCaptureWriter *writer);

static inline void spt_sink_fact(SptSink *sink, const char *key, const char *value)
{
	if (sink->type->fact)
		sink->type->fact(sink, key, value);
}

static inline void spt_sink_put_rows(SptSink *sink, SptRowKind kind, const void *rows, size_t n)
{
	if (sink->type->put)
		sink->type->put(sink, kind, rows, n);
}

static inline void spt_sink_put(SptSink *sink, SptRowKind kind, const void *row)
{
	spt_sink_put_rows(sink, kind, row, 1);
}

static inline void spt_sink_publish(SptSink *sink, const SptStash *stash)
{
	if (sink->type->publish)
		sink->type->publish(sink, stash);
}

static inline bool spt_sink_flush(SptSink *sink, SptStash *stash, uint64_t now, GError **error)
{
	return !sink->type->flush || sink->type->flush(sink, stash, now, error);
}

/* As the type's, also for a sink that needs no node: NULL, or an empty stash. */
static inline SptStash *spt_sink_shrink(SptSink *sink, const SptStash *stash, uint64_t now,
					SptSinkNeed need)
{
	if (sink->type->shrink)
		return sink->type->shrink(sink, stash, now, need);
	return need == SPT_SINK_TOO_LARGE ? spt_stash_new() : NULL;
}

static inline void spt_sink_next_stash(SptSink *sink)
{
	if (sink->type->next_stash)
		sink->type->next_stash(sink);
}

/* Whether it keeps rows, which give() hands on. */
static inline bool spt_sink_keeps_rows(const SptSink *sink)
{
	return sink->type->give;
}

static inline void spt_sink_give(SptSink *sink, SptSink *to)
{
	sink->type->give(sink, to);
}

static inline bool spt_sink_finish(SptSink *sink, SptStash *stash, uint64_t now, GError **error)
{
	return !sink->type->finish || sink->type->finish(sink, stash, now, error);
}

static inline uint64_t spt_sink_bytes(const SptSink *sink)
{
	return sink->type->bytes ? sink->type->bytes(sink) : 0;
}

static inline void spt_sink_free(SptSink *sink)
{
	if (sink && sink->type->free)
		sink->type->free(sink);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSink, spt_sink_free)

G_END_DECLS

#endif
