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
#define SPT_RUBY_BODY_LABEL 80
#define SPT_RUBY_BODY_LINE 88

/* In a string: where its text is, or a pointer to it; before 3.2 the text was where lengths are. */
#define SPT_RUBY_STRING_TEXT 24
#define SPT_RUBY_STRING_OLD_TEXT 16
/* Of an entry of the table of lines: the line, a node, events. */
#define SPT_RUBY_LINE_BYTES 12
/* Of the table of positions: the part for small positions and one block. */
#define SPT_RUBY_POSITIONS_HEAD (48 + 80)

/* The spans. */
enum {
	SPT_RUBY_BODY,			/* of an instruction sequence; functions of C have none */
	SPT_RUBY_LABEL,			/* texts, like the next ones */
	SPT_RUBY_PATH,
	SPT_RUBY_CLASS,			/* of a method */
	SPT_RUBY_SINGLETON,		/* instead of it, if it is a method of the class itself */
	SPT_RUBY_LINES,
	SPT_RUBY_POSITIONS,
};

bool spt_ruby_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		   SptScriptFunction *ret);
uint32_t spt_ruby_line(uint32_t tag, const SptScriptFunction *function, uint32_t position);

G_END_DECLS

#endif
