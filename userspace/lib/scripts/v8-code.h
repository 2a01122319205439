/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was copied of V8's functions. */
#ifndef SPT_V8_CODE_H
#define SPT_V8_CODE_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

/* The spans. */
enum {
	SPT_V8_POSITIONS, /* where the function begins and ends, two small integers */
	SPT_V8_NAME,	  /* a string, of three parts */
	SPT_V8_SCRIPT = SPT_V8_NAME + 3,   /* the script's name: a string without the last part */
	SPT_V8_PREFIX = SPT_V8_SCRIPT + 2, /* a string of bytes in front of the name, in one part */
	SPT_V8_SOURCE, /* of the script: the header of a string, from its second byte */
};
/* Parts of a string: its own header, its text, and the header of its map. */
enum {
	SPT_V8_STRING,
	SPT_V8_TEXT,
	SPT_V8_MAP,
};

#define SPT_V8_LENGTH_AT 12		/* in a string */
#define SPT_V8_END_AT	 8		/* of what has two small integers */
#define SPT_V8_NUMBER_AT 4		/* of a small integer, in its word */
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
