/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Export to other programs' formats.  A format is a row, in a file of its own; help, man pages,
 * completions, and the viewer's menu are made from the rows.
 */
#ifndef SPT_EXPORT_H
#define SPT_EXPORT_H

#include "export/out.h"
#include "profile/lanes.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/* What a format shows. */
typedef enum {
	SPT_EXPORT_NEEDS_PROFILE,
	SPT_EXPORT_NEEDS_SAMPLES,	/* each with its time and thread */
	SPT_EXPORT_NEEDS_STACKS,	/* as they were recorded, with their addresses */
	SPT_EXPORT_NEEDS_LANES,		/* of CPUs and threads, in a range of time */
} SptExportNeeds;

/*
 * What of a recording a format carries, beside the weights of a metric: SPT_EXPORT_CARRIES_... and
 * what --explain prints.  Nothing else is in its files.
 */
#define SPT_EXPORT_PARTS(PART)                                                                     \
	PART(STACKS, "stacks")                                                                     \
	PART(OBJECTS, "the file of a function")                                                    \
	PART(ADDRESSES, "addresses, build-ids")                                                    \
	PART(LINES, "source lines")                                                                \
	PART(THREADS, "threads")                                                                   \
	PART(CPUS, "CPUs")                                                                         \
	PART(TIMES, "times of samples")                                                            \
	PART(WAITS, "waits and events")                                                            \
	PART(COUNTERS, "counters")

#define SPT_EXPORT_PART(NAME, text) SPT_EXPORT_PART_##NAME,
enum { SPT_EXPORT_PARTS(SPT_EXPORT_PART) SPT_EXPORT_N_PARTS };
#undef SPT_EXPORT_PART
#define SPT_EXPORT_PART(NAME, text) SPT_EXPORT_CARRIES_##NAME = 1 << SPT_EXPORT_PART_##NAME,
enum { SPT_EXPORT_PARTS(SPT_EXPORT_PART) };
#undef SPT_EXPORT_PART

typedef struct {
	const SptProfile *profile;	/* without SPT_EXPORT_NEEDS_LANES */
	/*
	 * With SPT_EXPORT_NEEDS_SAMPLES: the profile is that of @filter (NULL: of everything),
	 * refiltered from @base, or @base itself.
	 */
	const SptProfile *base;
	const SptFilter *filter;	/* with SPT_EXPORT_NEEDS_STACKS, too, as is this: */
	const SptCapture *capture;
	SptSymbols *symbols;		/* with SPT_EXPORT_NEEDS_STACKS */
	/*
	 * Of otlp: what is sent; NULL: everything, with the labels that the capture has.  Of pprof:
	 * the keys of attributes of spans.
	 */
	const struct SptLabels *labels;
	const char *remark;		/* of pprof: a sentence for its readers, or NULL */
	const SptLanes *lanes;		/* with SPT_EXPORT_NEEDS_LANES */
	/* With SPT_EXPORT_NEEDS_SAMPLES and SPT_EXPORT_NEEDS_LANES: */
	uint64_t start_ns;		/* of the recording; seconds count from there */
	uint64_t begin_ns, end_ns;
} SptExportInput;

typedef struct {
	const char *name, *ending;	/* for --format; of its files */
	const char *help, *menu;	/* for --help; the item of the viewer's menu */
	SptExportNeeds needs;
	unsigned carries;		/* SPT_EXPORT_CARRIES_... */
	/* False: with a sentence.  It does not report writes that fail: spt_out_finish() does. */
	bool (*write)(const SptExportInput *input, SptOut *out, GError **error);
} SptExport;

/*
 * Every format, in the order of --help and of the viewer's menu.
 *
 * folded: "process;outermost;...;innermost weight\n", one line for each stack, sorted.  ';' in a
 * name becomes ':', a line break a blank.  svg: a flame graph as one file that refers to nothing
 * outside itself.  Its size is bounded: a box narrower than SPT_FLAME_MIN_SHARE of the whole is not
 * drawn.  text: all functions that have samples, by self, as spt_export_table() writes them.  html:
 * a page by itself, of at most some 8 MB however long the recording is; branches that are too light
 * for it are no part of its tree, and it says how much that is.
 * speedscope: each stack as a sample of that weight, for speedscope.app.  pprof: profile.proto,
 * with addresses, lines and inlined functions; a sample for each stack of a thread on a CPU.
 * otlp: the same as a request of OpenTelemetry, with a resource for each set of labels (labels.h).
 * firefox: samples, waits and events of each thread, for profiler.firefox.com.  chrome: the same as
 * trace events; perfetto: as a trace for ui.perfetto.dev.  syscap: a capture of GNOME Sysprof, of
 * CPU time or memory.  perf-script, jsonl, csv: a piece of text for each sample, values in the
 * metric's unit.  callgrind: weights of lines and of calls, for callgrind_annotate and
 * KCachegrind.  order, order-first: the linker's names of functions, a line each; '#' begins a
 * comment.  autofdo, fdata: weights of the places of one file, without branches.  lanes: as one SVG
 * file.
 */
#define SPT_EXPORTS(ROW)                                                                           \
	ROW(folded)                                                                                \
	ROW(svg)                                                                                   \
	ROW(text)                                                                                  \
	ROW(html)                                                                                  \
	ROW(speedscope)                                                                            \
	ROW(pprof)                                                                                 \
	ROW(otlp)                                                                                  \
	ROW(firefox)                                                                               \
	ROW(chrome)                                                                                \
	ROW(perfetto)                                                                              \
	ROW(syscap)                                                                                \
	ROW(perf_script)                                                                           \
	ROW(jsonl)                                                                                 \
	ROW(csv)                                                                                   \
	ROW(callgrind)                                                                             \
	ROW(order)                                                                                 \
	ROW(order_first)                                                                           \
	ROW(autofdo)                                                                               \
	ROW(fdata)                                                                                 \
	ROW(lanes)

#define SPT_EXPORT_DECLARE(name) extern const SptExport spt_export_##name;
SPT_EXPORTS(SPT_EXPORT_DECLARE)
#undef SPT_EXPORT_DECLARE

/* What a part is called: "threads"; NULL behind the last one. */
const char *spt_export_part(unsigned part);
/* Format @i; NULL behind the last one. */
const SptExport *spt_export_format(unsigned i);
/* The format called @name, or NULL. */
const SptExport *spt_export_find(const char *name);

/*
 * Writes functions, by number: self and total in per cent, name and object, one line each or one
 * row of an HTML table.  Any name is shown as UTF-8 on one line.
 */
void spt_export_table(const SptProfile *profile, const uint32_t *list, uint32_t n, bool is_html,
		      SptOut *out);

G_END_DECLS

#endif
