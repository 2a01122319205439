/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other people's formats. */
#ifndef SPT_EXPORT_H
#define SPT_EXPORT_H

#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * "process;outermost;...;innermost weight\n", a stack a line, sorted; appended to @out.  ';' in a
 * name becomes ':', a line break a blank.
 */
void spt_export_folded(const SptProfile *profile, GString *out);

/*
 * A flame graph as one SVG file that refers to nothing outside of it; appended to @out.  Its size
 * is bounded: what is narrower than SPT_FLAME_MIN_SHARE of the whole is left out.
 */
void spt_export_svg(const SptProfile *profile, GString *out);

/*
 * Functions by number: self and total in per cent, name and object, a line each or a row of an HTML
 * table; appended to @out.  Any name is shown as UTF-8 on one line.
 */
void spt_export_table(const SptProfile *profile, const uint32_t *list, uint32_t n, bool is_html,
		      GString *out);
/* All that have samples, by self. */
void spt_export_text(const SptProfile *profile, GString *out);
void spt_export_html(const SptProfile *profile, GString *out);

G_END_DECLS

#endif
