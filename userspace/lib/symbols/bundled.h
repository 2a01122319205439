/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and lines that are bundled in a capture, found by place. */
#ifndef SPT_BUNDLED_H
#define SPT_BUNDLED_H

#include "capture/capture.h"
#include "symbols/dwarf/debug-info.h"

G_BEGIN_DECLS

typedef struct SptBundled SptBundled;

/* NULL: @capture, which must outlive it, has nothing bundled.  The functions below accept NULL. */
SptBundled *spt_bundled_new(const SptCapture *capture);
void spt_bundled_free(SptBundled *bundled);

/* The rows of a place, innermost first, level + 1 of them; NULL: there are none. */
const SptBundledRow *spt_bundled_find(const SptBundled *bundled, uint32_t object, uint64_t offset);
/* The row of the function itself. */
const SptBundledRow *spt_bundled_function(const SptBundledRow *rows);
/* As spt_debug_info_find(); 0: they were bundled without debug information. */
unsigned spt_bundled_places(const SptBundledRow *rows, SptPlace ret[SPT_INLINES_MAX]);
/* Whether anything of an object is bundled. */
bool spt_bundled_has(const SptBundled *bundled, uint32_t object);

G_END_DECLS

#endif
