/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An output and what its rows go into: a file or stream (output-file.c), or the memory of the last
 * seconds (output-flight.c).
 */
#ifndef SPT_OUTPUT_PRIVATE_H
#define SPT_OUTPUT_PRIVATE_H

#include "record/live.h"
#include "record/naming.h"
#include "record/output.h"
#include "stash/stash.h"

G_BEGIN_DECLS

/* The contracts are those of output.h. */
struct spt_output_sink {
	void (*free)(SptOutput *output);
	void (*host)(SptOutput *output, const char *key, const char *value);
	void (*put)(SptOutput *output, SptRowKind kind, const void *row);
	/* Lets go of what the memory that is allowed has no room for, too. */
	bool (*flush)(SptOutput *output, uint64_t now, GError **error);
	bool (*write_last)(SptOutput *output, uint64_t now, char **ret_path, GError **error);
	bool (*finish)(SptOutput *output, uint64_t now, char **ret_path, GError **error);
};

/* The first member of every sink's own struct. */
struct SptOutput {
	const struct spt_output_sink *sink;
	SptTrace *trace;
	char *path;
	SptCaptureWriter *writer;	/* NULL: there is none yet */
	SptLive *live;			/* NULL: nobody looks on */
	SptStash *stash;
	SptNaming *naming;
	uint32_t flushed_nodes;
	uint64_t memory_bytes, bytes;
	uint64_t n_waiting;		/* rows since the last flush */
	unsigned n_stashes;		/* before this one */
};

SptOutput *spt_output_file_new(const SptRecorderOptions *options, GError **error);
SptOutput *spt_output_flight_new(const SptRecorderOptions *options);

/* What came in since, with its names, into @writer. */
bool spt_output_flush_into(SptOutput *output, SptCaptureWriter *writer, bool last, GError **error);
/* Hands what came in to who looks on; before there is another stash. */
void spt_output_publish(SptOutput *output);
/* @stash takes the place of the one before. */
void spt_output_set_stash(SptOutput *output, SptStash *stash);
/* What may come until the next flush has no room above it. */
bool spt_output_is_too_large(const SptOutput *output);
/* Whether what is needed fits into the memory that is allowed, once all else is let go. */
bool spt_output_check_memory(const SptOutput *output, GError **error);

G_END_DECLS

#endif
