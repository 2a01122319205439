/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What SVG files have in common. */
#ifndef SPT_SVG_H
#define SPT_SVG_H

#include <glib.h>

/* Names come from files nobody has vetted: all that is not text for XML is replaced. */
void spt_svg_append_text(GString *out, const char *text);

#endif
