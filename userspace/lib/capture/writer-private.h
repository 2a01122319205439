/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writer of captures: writer.c has its file and flushes, writer-streams.c the events. */
#ifndef SPT_CAPTURE_WRITER_PRIVATE_H
#define SPT_CAPTURE_WRITER_PRIVATE_H

#include <zstd.h>

#include "capture/capture.h"
#include "capture/columns.h"
#include "capture/nodes.h"
#include "capture/row-packer.h"

G_BEGIN_DECLS

#define SPT_WRITER_BLOCK_ROWS (64u << 10)

/* A stream of rows of a kind: a few wait as they are, those before have become columns. */
struct spt_writer_stream {
	const SptStreamType *type;	/* NULL: there is no such stream */
	SptRowKind kind;
	uint32_t id;			/* 0: it is not declared in the file yet */
	GArray *rows;
	SptColumns columns;
};

struct SptCaptureWriter {
	char *path, *part_path;		/* part_path: NULL for a stream */
	int fd;
	bool finished;
	bool keeps_old, has_samples;
	uint32_t n_streams;		/* other ones */
	uint32_t n_blocks;
	uint32_t n_nodes;		/* nodes of the stash that were written, with the root */
	uint32_t node_base;		/* nodes of all earlier stashes, without their roots */
	uint64_t bytes, flushed_bytes;	/* packed bytes; and those of them that are in the file */
	uint64_t n_rows;		/* of all blocks that were packed */
	uint64_t period_ns;
	GError *error;
	ZSTD_CCtx *zstd;
	SptPacker *packer;
	SptNodePacker *node_packer;
	SptTableBuilder builder;
	GByteArray *block, *waiting;
	GStringChunk *texts;
	GArray *host;
	/*
	 * Counters of each kind.  Command lines and maps wait until there are many: together they
	 * pack to less than half.
	 */
	GArray *rows[SPT_ROWS];
	/* By kind of rows; those of events come behind, by the number of their kind. */
	struct spt_writer_stream *streams;
	/* Blocks that wait for a flush's nodes; of each the index's row, position: its bytes. */
	GByteArray *early;
	GArray *early_entries;
	GStringChunk *command_texts;
	size_t command_bytes;
	bool is_last;			/* flush: nothing waits any more */
	bool is_early;			/* blocks go to early */
	GArray *process_ends;		/* the packer's rows of processes */
	GArray *bundled, *bundled_texts;
	/* Bundled text -> its number; it owns the texts */
	GHashTable *text_numbers;
	struct spt_writer_declared *declared;	/* writer-declared.c; NULL: nothing was declared */
	GArray *index;
};

/* Writes the builder's payload. */
bool spt_writer_write_block(SptCaptureWriter *writer, SptIndexRow entry);
/* Writes all @n rows, in as many blocks as they need. */
bool spt_writer_write_rows(SptCaptureWriter *writer, SptBlockType type, const SptSchema *schema,
			   const void *rows, size_t n);

void spt_writer_begin_streams(SptCaptureWriter *writer);
/* Drops the rows that wait. */
void spt_writer_drop_stream_rows(SptCaptureWriter *writer);
void spt_writer_free_streams(SptCaptureWriter *writer);
/* Rows of a kind that is a stream's. */
void spt_writer_put_stream_rows(SptCaptureWriter *writer, SptRowKind kind, const uint8_t *rows,
				size_t n);
/* Writes those that wait; samples are in writer->rows. */
bool spt_writer_write_stream(SptCaptureWriter *writer, SptRowKind kind);

/* Declared kinds: a declaration, or a row of one of them. */
void spt_writer_declare(SptCaptureWriter *writer, const SptDeclarationRow *row);
void spt_writer_put_declared(SptCaptureWriter *writer, const SptDeclaredRow *row);
/* Writes, or drops, the rows that wait. */
bool spt_writer_write_declared(SptCaptureWriter *writer);
void spt_writer_drop_declared(SptCaptureWriter *writer);
void spt_writer_free_declared(SptCaptureWriter *writer);

G_END_DECLS

#endif
