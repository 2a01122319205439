/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was copied of PHP's functions. */
#ifndef SPT_PHP_CODE_H
#define SPT_PHP_CODE_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

/* Offsets in a function. */
#define SPT_PHP_FUNCTION_BYTES 184
#define SPT_PHP_FUNCTION_NAME 8
#define SPT_PHP_FUNCTION_CLASS 16
#define SPT_PHP_CLASS_NAME 8
#define SPT_PHP_INTERNAL 1		/* kind of a function of C, in its first byte */

/* In a string: the length and the text. */
#define SPT_PHP_STRING_LENGTH 16
#define SPT_PHP_STRING_TEXT 24

/* The spans. */
enum {
	SPT_PHP_FUNCTION,
	SPT_PHP_NAME,
	SPT_PHP_CLASS,
	SPT_PHP_FILE,
};

/* Where a function of PHP has its first line. */
unsigned spt_php_first_line_at(uint32_t tag);
bool spt_php_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		  SptScriptFunction *ret);
/* A position is a line. */
uint32_t spt_php_line(uint32_t tag, const SptScriptFunction *function, uint32_t position);

G_END_DECLS

#endif
