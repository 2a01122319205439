/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was copied of Ruby's instruction sequences. */
#ifndef SPT_RUBY_CODE_H
#define SPT_RUBY_CODE_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

/* Offsets in the body of an instruction sequence. */
#define SPT_RUBY_BODY_BYTES 144
#define SPT_RUBY_BODY_ENCODED 8
#define SPT_RUBY_BODY_PATH 64
#define SPT_RUBY_BODY_BASE_LABEL 72
#define SPT_RUBY_BODY_LABEL 80
#define SPT_RUBY_BODY_LINE 88

/* In a string: its length and where its text is, if that is not in the string itself. */
#define SPT_RUBY_STRING_LENGTH 16
#define SPT_RUBY_STRING_TEXT 24
/* Of an entry of the table of lines: the line, a node, events. */
#define SPT_RUBY_LINE_BYTES 12
/* Of the table of positions: the part for small positions and one block. */
#define SPT_RUBY_POSITIONS_HEAD (48 + 80)

/* The spans. */
enum {
	SPT_RUBY_BODY,
	SPT_RUBY_LABEL,
	SPT_RUBY_LABEL_TEXT,
	SPT_RUBY_PATH,			/* a string, or an array: a path and the whole path */
	SPT_RUBY_PATH_TEXT,		/* that string's text, or the array's second element */
	SPT_RUBY_WHOLE_PATH_TEXT,
	SPT_RUBY_LINES,
	SPT_RUBY_POSITIONS,
};

bool spt_ruby_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		   SptScriptFunction *ret);
uint32_t spt_ruby_line(uint32_t tag, const SptScriptFunction *function, uint32_t position);

G_END_DECLS

#endif
