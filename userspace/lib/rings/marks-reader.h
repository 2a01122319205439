/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a ring of marks (spt/mark.h) whose writer is not trusted: heads, types and lengths may have
 * any value, and may change while they are read.  Each word is read once.  Anything that cannot be
 * a record makes the ring broken: from then on all of it is skipped.
 */
#ifndef SPT_RINGS_MARKS_READER_H
#define SPT_RINGS_MARKS_READER_H

#include <glib.h>
#include <stdbool.h>

#ifndef SPT_MARK_H
#define SPT_MARK_LAYOUT_ONLY
#include <spt/mark.h>
#endif

G_BEGIN_DECLS

typedef struct {
	enum spt_mark_type type;
	uint64_t stamp, value;
	/* Ended by a nul, and cut where they have one; valid until the next record. */
	const char *category, *name, *message;
} SptMarkRecord;

typedef struct {
	struct spt_marks_slot *slot;
	const uint64_t *words;
	uint32_t at, end;		/* words that have been taken, and end of those available */
	bool is_broken;
	char texts[3][SPT_MARK_TEXT + 8];
} SptMarksReader;

/* Begins the ring of slot @i. */
void spt_marks_reader_init(SptMarksReader *reader, void *marks, uint32_t i);
/* Reads the writer's position.  False: there is nothing to take. */
bool spt_marks_reader_begin(SptMarksReader *reader);
/* The next record before that position; false: there is none. */
bool spt_marks_reader_next(SptMarksReader *reader, SptMarkRecord *ret);
/* Frees the words that were taken. */
void spt_marks_reader_end(SptMarksReader *reader);

G_END_DECLS

#endif
