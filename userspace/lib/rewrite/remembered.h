/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and lines of places in files, over many captures of one machine: what a capture has in
 * common with those before is not looked for in files again.  Bounded: places that no capture had
 * for long are forgotten.
 */
#ifndef SPT_REMEMBERED_H
#define SPT_REMEMBERED_H

#include "symbols/symbols.h"

G_BEGIN_DECLS

typedef struct SptRemembered SptRemembered;

/* @most: facts; it has at most twice as many. */
SptRemembered *spt_remembered_new(unsigned most);
void spt_remembered_free(SptRemembered *remembered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptRemembered, spt_remembered_free)

/*
 * Bundles what is known of the places of @capture with it, which has nothing bundled.  Called
 * before there are symbols of it; texts are valid until the next call.
 */
void spt_remembered_put(SptRemembered *remembered, SptCapture *capture);
/*
 * Learns what is known of the other places, as @symbols of @capture say it.  With no detail
 * (spt_symbols_set_detail()), all places of a function are known once one of them is.
 */
void spt_remembered_learn(SptRemembered *remembered, const SptCapture *capture,
			  SptSymbols *symbols);
/* The number of facts: places, or functions of which all places are known. */
unsigned spt_remembered_count(const SptRemembered *remembered);

G_END_DECLS

#endif
