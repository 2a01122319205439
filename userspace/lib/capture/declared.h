/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The declared kinds of a capture, and their events.  In the file each is a stream with a title,
 * whose columns with a type are its fields.  The names are checked here: they have no control
 * characters, are UTF-8, and no two kinds of a capture nor two fields of a kind have the same.
 */
#ifndef SPT_CAPTURE_DECLARED_H
#define SPT_CAPTURE_DECLARED_H

#include "capture/capture.h"
#include "capture/format.h"

G_BEGIN_DECLS

/* The columns before those of the fields; the writer gives them the numbers from 1 on. */
#define SPT_DECLARED_COLUMNS 5
typedef struct {
	SptRole role;
	const char *name;
} SptDeclaredColumn;
extern const SptDeclaredColumn spt_declared_roles[SPT_DECLARED_COLUMNS];

typedef struct {
	const char *name, *title;
	SptDeclaredShape shape;
	uint64_t rows;			/* in the file; damaged ones are counted, too */
	uint32_t stream;
	unsigned n_fields;
	SptDeclaredField fields[SPT_DECLARED_FIELDS];
	/* Columns of the stream: as spt_declared_roles, then those of the fields; 0: none */
	uint32_t columns[SPT_DECLARED_COLUMNS + SPT_DECLARED_FIELDS];
} SptDeclared;

/* The @i-th kind, in the order of their streams; NULL: no more.  The capture owns them. */
const SptDeclared *spt_declared(const SptCapture *capture, unsigned i);
/* NULL: no kind of that name. */
const SptDeclared *spt_declared_find(const SptCapture *capture, const char *name);
/* Number of the field of that name; false: there is none. */
bool spt_declared_find_field(const SptDeclared *kind, const char *name, unsigned *ret);

/*
 * The events of a kind, some at a time, in the order of the file (nearly that of time).  A thread
 * or node that does not exist becomes 0; rows of a damaged block are missing.  @capture must
 * outlive it; a reader is used in one thread.
 */
typedef struct SptDeclaredReader SptDeclaredReader;
SptDeclaredReader *spt_declared_reader_new(const SptCapture *capture, const SptDeclared *kind);
void spt_declared_reader_free(SptDeclaredReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDeclaredReader, spt_declared_reader_free)
/* The next @ret_n rows, valid until the next call, with their texts; NULL behind the last one. */
const SptDeclaredRow *spt_declared_reader_next(SptDeclaredReader *reader, uint32_t *ret_n);

G_END_DECLS

#endif
