/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The members of each row's struct and the columns of its block.  Writer and reader both use these
 * lists, so that they agree.
 */
#ifndef SPT_CAPTURE_SCHEMA_H
#define SPT_CAPTURE_SCHEMA_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "capture/capture.h"
#include "capture/format.h"
#include "capture/table.h"

G_BEGIN_DECLS

typedef enum {
	SPT_FIELD_U8,
	SPT_FIELD_U32,
	SPT_FIELD_U64,
	SPT_FIELD_TEXT,		/* const char *, never NULL after decoding */
	SPT_FIELD_BUILD_ID,	/* uint8_t[64] and its length behind it */
	SPT_FIELD_BYTES,	/* SptBytes; only written (embedded.h reads them) */
} SptFieldType;

typedef struct {
	uint32_t column;
	SptFieldType type;
	size_t at;
} SptField;

static inline bool spt_field_is_number(const SptField *field)
{
	return field->type < SPT_FIELD_TEXT;
}

typedef struct {
	size_t row_bytes;
	unsigned n_fields;
	const SptField *fields;
} SptSchema;

/* Rows that only the writer and the reader know. */
typedef struct {
	const char *key, *value;
} SptHostRow;

typedef struct {
	uint64_t position, rows, first_time, last_time;
	uint32_t type, stream;
} SptIndexRow;

typedef struct {
	uint64_t time;
} SptEndRow;

typedef struct {
	uint32_t process;
	uint64_t lifetime;
} SptProcessEndRow;

typedef struct {
	uint32_t parent, how, epoch;	/* how: SptNodeFrame */
} SptNodeRow;

typedef struct {
	uint32_t distance;	/* 1: the latest frame */
} SptOldFrameRow;

typedef struct {
	const char *text;
} SptTextRow;

/* SptBundledRow with the numbers of its texts. */
typedef struct {
	uint32_t object, level, function, directory, file, line;
	uint64_t offset, distance, symbol_bytes;
	uint8_t is_symbol;
} SptPackedBundledRow;

extern const SptSchema spt_schema_host, spt_schema_object;
/* In the file processes, threads and names are packed (row-packer.h). */
extern const SptSchema spt_schema_process, spt_schema_thread;
/* Nodes are packed, too (nodes.h); rows of frames are SptFrame. */
extern const SptSchema spt_schema_node, spt_schema_frame, spt_schema_old_frame;
extern const SptSchema spt_schema_stream, spt_schema_stream_column, spt_schema_name;
extern const SptSchema spt_schema_index, spt_schema_end, spt_schema_process_end;
extern const SptSchema spt_schema_text, spt_schema_bundled, spt_schema_command_line, spt_schema_map;

/* The samples stream: the member and name of each role that it has. */
typedef struct {
	SptRole role;
	SptField field;		/* its column is this writer's */
	const char *name;
} SptSampleColumn;

/* A stream of rows of one kind, besides the samples. */
typedef struct {
	const char *name, *metric, *unit;
	SptStreamKind kind;
	const SptSampleColumn *columns;
	unsigned n_columns;
} SptStreamType;

/* A stream with a title is one of a declared kind, whatever its name is. */
static inline bool spt_stream_is_of(const SptStreamRow *stream, const SptStreamType *type)
{
	return stream->kind == type->kind && strcmp(stream->name, type->name) == 0 &&
	       !*stream->title;
}

/*
 * How writer, reader and flight recorder treat a kind of rows.  What is not stated here is in their
 * code.
 */
typedef struct {
	SptBlockType block;
	const SptSchema *schema;
	/*
	 * Offsets in SptCapture of the rows and their number, if they are stored unchanged.  0:
	 * rows.c looks at each.
	 */
	size_t rows_at, n_at;
	/*
	 * A flight recorder keeps rows by CPU and time, whose offsets in the row are below; the
	 * rows have no text.  Otherwise flight.c has code for them.
	 */
	bool by_time;
	size_t time_at, cpu_at;
	/* The stream, if the rows are one's; else NULL.  Events have more (event-streams.h). */
	const SptStreamType *stream;
} SptRowType;

extern const SptRowType spt_row_types[SPT_ROWS];

static inline const void *spt_nth_row(SptRowKind kind, const void *rows, size_t i)
{
	return (const uint8_t *)rows + i * spt_row_types[kind].schema->row_bytes;
}

#define SPT_SAMPLE_COLUMNS 9
extern const SptSampleColumn spt_sample_columns[SPT_SAMPLE_COLUMNS];
#define SPT_SAMPLES_NAME "samples"

/* Adds a column for each field. */
void spt_schema_encode(const SptSchema *schema, const void *rows, size_t n,
		       SptTableBuilder *builder);
/*
 * Decodes the next @n values of a column of numbers into @member of rows @stride bytes apart.
 * False: they are missing, or too large.
 */
bool spt_field_decode(const SptField *field, SptColumnCursor *cursor, void *member, size_t stride,
		      uint32_t n);
/*
 * Fills table->rows rows, which are zeroed.  Text goes into memory that is added to @texts.  Error:
 * a clause.
 */
bool spt_schema_decode(const SptSchema *schema, const SptTable *table, void *rows, GPtrArray *texts,
		       GError **error);

G_END_DECLS

#endif
