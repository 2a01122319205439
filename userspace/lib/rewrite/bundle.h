/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prepares captures for other machines: adds the names that files have here. */
#ifndef SPT_BUNDLE_H
#define SPT_BUNDLE_H

#include "symbols/symbols.h"

G_BEGIN_DECLS

/*
 * Puts the symbols, lines and inlined functions of all places of @capture into it.  The texts are
 * valid as long as @symbols, which belong to this capture and must not be used again.
 */
void spt_bundle(SptCapture *capture, SptSymbols *symbols);

G_END_DECLS

#endif
