/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An output and its sink: a file or stream (output-file.c), or the memory of the last seconds
 * (output-flight.c).
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
	void (*put)(SptOutput *output, SptRowKind kind, const void *rows, size_t n);
	/* Also drops what does not fit into the allowed memory. */
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
	SptLive *live;			/* NULL: no live view */
	SptStash *stash;
	SptNaming *naming;
	uint32_t flushed_nodes;
	uint64_t memory_bytes, bytes;
	uint64_t aside_bytes;		/* in budgets of others */
	bool has_default_memory;
	uint64_t n_waiting;		/* rows since the last flush */
	unsigned n_stashes;		/* before this one */
};

SptOutput *spt_output_file_new(const SptRecorderOptions *options, GError **error);
SptOutput *spt_output_flight_new(const SptRecorderOptions *options);

/* Writes what came in since the last flush, with its names, into @writer. */
bool spt_output_flush_into(SptOutput *output, SptCaptureWriter *writer, bool last, GError **error);
/* Gives what came in to the live view; called before the stash is replaced. */
void spt_output_publish(SptOutput *output);
/* Replaces the stash by @stash. */
void spt_output_set_stash(SptOutput *output, SptStash *stash);
/* Whether the rows until the next flush may not fit into the memory beside the stash. */
bool spt_output_is_too_large(const SptOutput *output);
/* Whether the necessary data fits into the allowed memory after everything else is dropped. */
bool spt_output_check_memory(const SptOutput *output, GError **error);

G_END_DECLS

#endif
