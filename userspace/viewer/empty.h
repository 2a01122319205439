/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a list has no rows: nothing was recorded, or the conditions hide it. */
#ifndef SPT_EMPTY_H
#define SPT_EMPTY_H

#include "document.h"
#include "table.h"

/* @text: in the user's language, as in "No marks here". */
void spt_empty_say(SptTable *table, const SptDocument *document, const char *text);

#endif
