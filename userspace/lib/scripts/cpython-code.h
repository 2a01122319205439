/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was copied of CPython's code objects. */
#ifndef SPT_CPYTHON_CODE_H
#define SPT_CPYTHON_CODE_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

/* Of the code object itself; of a string, of the line table. */
#define SPT_CPYTHON_CODE_BYTES 80
#define SPT_CPYTHON_STRING_MAX_BYTES 1024
#define SPT_CPYTHON_LINES_MAX_BYTES 12288

/* The spans: the code object's beginning, its name, its file, and its line table. */
bool spt_cpython_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		      SptScriptFunction *ret);
uint32_t spt_cpython_line(uint32_t tag, const SptScriptFunction *function, uint32_t position);

G_END_DECLS

#endif
