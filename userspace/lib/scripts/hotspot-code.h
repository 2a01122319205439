/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was copied of HotSpot's methods. */
#ifndef SPT_HOTSPOT_CODE_H
#define SPT_HOTSPOT_CODE_H

#include "scripts/interpreter.h"

G_BEGIN_DECLS

/* The spans: names, each with the head of its symbol, and the table of lines in pieces. */
enum {
	SPT_HOTSPOT_NAME,
	SPT_HOTSPOT_CLASS,
	SPT_HOTSPOT_SOURCE,
	SPT_HOTSPOT_LINES,
	SPT_HOTSPOT_END = SYSPROF_CHAIN_MAX_SPANS,
};

/* In front of a name. */
#define SPT_HOTSPOT_SYMBOL_HEAD 6
#define SPT_HOTSPOT_NAME_BYTES 512
/* The first piece; each further one is twice as long. */
#define SPT_HOTSPOT_LINES_BYTES 64

bool spt_hotspot_read(uint32_t tag, const SptSpan spans[SYSPROF_CHAIN_MAX_SPANS],
		      SptScriptFunction *ret);
uint32_t spt_hotspot_line(uint32_t tag, const SptScriptFunction *function, uint32_t position);

G_END_DECLS

#endif
