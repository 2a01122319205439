/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The colours of functions: the same one for a function in every picture, light enough for dark
 * text in a light and a dark window.
 */
#ifndef SPT_PALETTE_H
#define SPT_PALETTE_H

#include <gtk/gtk.h>

#include "profile/profile.h"

/* The colour of a function's object; the kernel has its own.  NULL: of everything. */
GdkRGBA spt_palette_color(const SptFunction *function);
/* One of the colours that objects have, from 0. */
GdkRGBA spt_palette_object(unsigned i);
/* The colour of a category of functions: profile/categories.h. */
GdkRGBA spt_palette_category(uint32_t category);
/* The colour of a change: from new (up to 1, red) to removed (down to -1, blue). */
GdkRGBA spt_palette_change(double part);

#endif
