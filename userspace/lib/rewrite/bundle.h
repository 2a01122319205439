/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures for other machines: with what files here say of them. */
#ifndef SPT_BUNDLE_H
#define SPT_BUNDLE_H

#include "symbols/symbols.h"

G_BEGIN_DECLS

/*
 * Puts into @capture what files say of all its places: symbols, lines, and what is inlined.  The
 * texts live as long as @symbols, which are of this capture and not to be asked again.
 */
void spt_bundle(SptCapture *capture, SptSymbols *symbols);

G_END_DECLS

#endif
