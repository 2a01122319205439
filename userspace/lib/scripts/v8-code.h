/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was copied of V8's functions. */
#ifndef SPT_V8_CODE_H
#define SPT_V8_CODE_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

/* The spans: the name and the script's name are strings, of three parts each. */
enum {
	SPT_V8_POSITIONS,
	SPT_V8_NAME,
	SPT_V8_SCRIPT = SPT_V8_NAME + 3,
	SPT_V8_PREFIX = SPT_V8_SCRIPT + 3, /* a string of bytes in front of the name, in one part */
};
/* Parts of a string: its own header, that of its map, and its text. */
enum {
	SPT_V8_STRING,
	SPT_V8_MAP,
	SPT_V8_TEXT,
};

#define SPT_V8_LENGTH_AT 12		/* in a string */
#define SPT_V8_TYPE_AT 12		/* in a map */
/* Pointers to objects are one more than their addresses. */
#define SPT_V8_TAG 1
#define SPT_V8_TAG_MASK 3
#define SPT_V8_HEADER_BYTES 16
#define SPT_V8_TEXT_BYTES 512
#define SPT_V8_PREFIX_BYTES 80
/* Of a string's type. */
#define SPT_V8_IS_ONE_BYTE 8

/* The position of a frame of a function that was compiled into another one. */
#define SPT_V8_INLINED 0

bool spt_v8_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		 SptScriptFunction *ret);
uint32_t spt_v8_line(uint32_t tag, const SptScriptFunction *function, uint32_t position);

G_END_DECLS

#endif
