/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Export to other programs' formats. */
#ifndef SPT_EXPORT_H
#define SPT_EXPORT_H

#include "profile/lanes.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * Every format, in the order of --help and of the viewer's menu: name, ending of its files, text of
 * --help, and item of the menu.  void spt_export_NAME(profile, out) appends to @out.
 *
 * folded: "process;outermost;...;innermost weight\n", one line for each stack, sorted.  ';' in a
 * name becomes ':', a line break a blank.  svg: a flame graph as one file that refers to nothing
 * outside itself.  Its size is bounded: a box narrower than SPT_FLAME_MIN_SHARE of the whole is not
 * drawn.  text, html: all functions that have samples, by self, as spt_export_table() writes them.
 */
#define SPT_EXPORT_FORMATS(FORMAT)                                                                 \
	FORMAT(folded, ".folded", "a line for each stack", SPT_WORDS("Export Folded S_tacks…"))    \
	FORMAT(svg, ".svg", "a flame graph to look at", SPT_WORDS("Export _Flame Graph (SVG)…"))   \
	FORMAT(text, ".txt", "a line for each function", SPT_WORDS("Export Te_xt…"))               \
	FORMAT(html, ".html", "the same as a table", SPT_WORDS("Export _HTML…"))

#define SPT_EXPORT_DECLARE(name, ending, help, menu)                                               \
	void spt_export_##name(const SptProfile *profile, GString *out);
SPT_EXPORT_FORMATS(SPT_EXPORT_DECLARE)

/*
 * Lanes of CPUs and threads from one time to another, as one SVG file like that of a flame graph.
 * Its seconds are those after @start_ns.
 */
void spt_export_lanes(const SptLanes *lanes, uint64_t start_ns, uint64_t begin_ns, uint64_t end_ns,
		      GString *out);

typedef struct {
	const char *name, *ending, *help, *menu;
	void (*write)(const SptProfile *profile, GString *out);
	/* Of what is no profile; then @write is NULL */
	void (*write_lanes)(const SptLanes *lanes, uint64_t start_ns, uint64_t begin_ns,
			    uint64_t end_ns, GString *out);
} SptExportFormat;

/* Format @i; NULL behind the last one. */
const SptExportFormat *spt_export_format(unsigned i);
/* The format called @name, or NULL. */
const SptExportFormat *spt_export_find(const char *name);

/*
 * Appends functions, by number, to @out: self and total in per cent, name and object, one line each
 * or one row of an HTML table.  Any name is shown as UTF-8 on one line.
 */
void spt_export_table(const SptProfile *profile, const uint32_t *list, uint32_t n, bool is_html,
		      GString *out);

G_END_DECLS

#endif
