/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which member of a row's struct is which column of its block.  Writer and reader both go by these
 * lists, so that what one writes is what the other reads.
 */
#ifndef SPT_CAPTURE_SCHEMA_H
#define SPT_CAPTURE_SCHEMA_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "capture/format.h"
#include "capture/table.h"

G_BEGIN_DECLS

typedef enum {
	SPT_FIELD_U8,
	SPT_FIELD_U32,
	SPT_FIELD_U64,
	SPT_FIELD_TEXT,		/* const char *, never NULL in what was decoded */
	SPT_FIELD_BUILD_ID,	/* uint8_t[64] and its length behind it */
} SptFieldType;

typedef struct {
	uint32_t column;
	SptFieldType type;
	size_t at;
} SptField;

typedef struct {
	size_t row_bytes;
	unsigned n_fields;
	const SptField *fields;
} SptSchema;

/* Rows of blocks that only writer and reader know. */
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
/* In the file processes, threads and names are packed (pack.h). */
extern const SptSchema spt_schema_process, spt_schema_thread;
/* Nodes are, too (nodes.h); rows of frames are SptFrame. */
extern const SptSchema spt_schema_node, spt_schema_frame, spt_schema_old_frame;
extern const SptSchema spt_schema_stream, spt_schema_stream_column, spt_schema_name;
extern const SptSchema spt_schema_index, spt_schema_end, spt_schema_process_end;
extern const SptSchema spt_schema_text, spt_schema_bundled, spt_schema_command_line, spt_schema_map;

/* The samples stream: member and name of each role it has. */
typedef struct {
	SptRole role;
	SptField field;		/* its column is the one this writer gives it */
	const char *name;
} SptSampleColumn;

/* A stream of rows of one kind, besides the samples. */
typedef struct {
	const char *name, *metric, *unit;
	SptStreamKind kind;
	const SptSampleColumn *columns;
	unsigned n_columns;
} SptStreamType;

/* What writer, reader and flight recorder do with a kind of rows is stated here, or is its own. */
typedef struct {
	SptBlockType block;
	const SptSchema *schema;
	/*
	 * Where SptCapture has them and their number, if they are read as they are.  0: rows.c
	 * looks at each.
	 */
	size_t rows_at, n_at;
	/*
	 * A flight recorder keeps them by CPU and time, and this is where a row has both; it has no
	 * text.  Otherwise flight.c knows how.
	 */
	bool by_time;
	size_t time_at, cpu_at;
	const SptStreamType *stream;	/* of rows that are a stream's; NULL */
} SptRowType;

extern const SptRowType spt_row_types[SPT_ROWS];

#define SPT_SAMPLE_COLUMNS 9
extern const SptSampleColumn spt_sample_columns[SPT_SAMPLE_COLUMNS];
#define SPT_SAMPLES_NAME "samples"

/* Adds a column for each field. */
void spt_schema_encode(const SptSchema *schema, const void *rows, size_t n,
		       SptTableBuilder *builder);
/*
 * The next @n values of a column of numbers into @member of rows @stride bytes apart.  False if
 * they are not there, or too large.
 */
bool spt_field_decode(const SptField *field, SptColumnCursor *cursor, void *member, size_t stride,
		      uint32_t n);
/*
 * Fills table->rows rows that are all zero.  Text goes to memory that is added to @texts.  Error: a
 * clause.
 */
bool spt_schema_decode(const SptSchema *schema, const SptTable *table, void *rows, GPtrArray *texts,
		       GError **error);

G_END_DECLS

#endif
