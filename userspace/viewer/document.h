/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A document is a recording that was opened, or a part, another arrangement or metric of it:
 * everything that the views show, computed in a separate thread and never changed after that.
 * Widgets and worker threads share it by reference.
 */
#ifndef SPT_DOCUMENT_H
#define SPT_DOCUMENT_H

#include <gio/gio.h>

#include "annotate/annotate.h"
#include "export/export.h"
#include "profile/arrange.h"
#include "picture/chart.h"
#include "profile/coverage.h"
#include "profile/diff.h"
#include "profile/groups.h"
#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/restrictions.h"
#include "profile/stacks.h"
#include "profile/summary.h"
#include "profile/timeline.h"
#include "profile/tracks.h"

/* The view of a recording that is requested. */
typedef struct {
	SptRestrictions *restrictions;
	const SptMetric *metric;
	SptArrangement arrangement;
	bool is_bottom_up;		/* callers below their callees */
	bool is_passing;		/* the user is still changing it */
} SptLook;

typedef struct SptDocument SptDocument;

struct SptDocument {
	/*
	 * the document as it was opened, which owns capture, symbols, summary, tracks, coverage and
	 * lanes; NULL: this is it
	 */
	SptDocument *recording;
	/*
	 * In another arrangement: the document that it was arranged from, if that is not the
	 * recording.
	 */
	SptDocument *folded;
	/* The whole in the same arrangement; NULL: this is the whole. */
	SptDocument *whole;
	SptLook look;
	/* Of a whole: the restrictions that its stacks have their shape from; NULL: none. */
	SptRestrictions *shaped;
	SptCapture *capture;
	SptSymbols *symbols;
	GCancellable *fetches;		/* debug information from servers; or NULL */
	SptProfile *profile;
	SptProfile *spare;		/* of a whole: a part's profile, for reuse */
	SptOrder *order;
	SptSummary summary;
	GPtrArray *tracks;		/* SptTrack */
	GArray *coverage;		/* SptCoverageRow */
	SptLanes *lanes;   /* NULL: not needed yet */
	const SptFunction *functions;
	uint32_t n_functions;
	uint64_t total;			/* the weight that is 100 % */
	GArray *tree;			/* SptTreeNode: of everything, heaviest first */
	char *words;			/* spt_sentences_line() */
	/*
	 * In a comparison, which has functions, a total and a tree, but no profile, and the words
	 * of faster.h: the two sides.
	 */
	SptDocument *sides[SPT_SIDES];
	SptDiffTree *differences;
	uint32_t *changed;		/* functions, by the change of self, largest first */
};

SptDocument *spt_document_ref(SptDocument *document);
void spt_document_unref(SptDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDocument, spt_document_unref)
/* Puts a reference to @document in *@place, instead of the one that is there, if any. */
void spt_document_replace(SptDocument **place, SptDocument *document);
/* The whole of @document, or itself. */
SptDocument *spt_document_whole(SptDocument *document);
/* The document as it was opened. */
SptDocument *spt_document_recording(SptDocument *document);
/* Whether both belong to one recording. */
bool spt_document_is_same(SptDocument *a, SptDocument *b);
/* Whether both are of one recording and metric, and their trees have the same roots and shape. */
bool spt_document_is_arranged_as(SptDocument *a, SptDocument *b);
/* Whether its stacks have the shape that @restrictions give them. */
bool spt_document_has_shape(SptDocument *document, const SptRestrictions *restrictions);
/* The metrics of the recording, CPU time first; NULL after the last one. */
const SptMetric *spt_document_metric(const SptDocument *document, unsigned i);
/*
 * The number in @document of function @function of @old, which is of the same recording;
 * UINT32_MAX: a root that is not there.
 */
uint32_t spt_document_translate(const SptDocument *document, const SptDocument *old,
				uint32_t function);

void spt_document_open_async(const char *path, GCancellable *cancellable,
			     GAsyncReadyCallback callback, gpointer data);
/* Progress, 0 to 1, by its cancellable. */
double spt_document_open_done(GCancellable *cancellable);
/* What takes the time, if it is worth a word, or NULL; the caller frees it. */
char *spt_document_open_doing(GCancellable *cancellable);
SptDocument *spt_document_open_finish(GAsyncResult *result, GError **error);

/*
 * The functions below take time, and are for the threads of queries (query.h).  They change no
 * document.  The caller owns a reference of what they return.
 */

/* @document, of any view of a recording, as another view. */
SptDocument *spt_document_look(SptDocument *document, const SptLook *look);

/* The surroundings of a function, for the two panes beside the list. */
typedef struct {
	uint32_t function;
	GArray *callers;		/* SptEdge */
	GArray *descendants;		/* SptTreeNode */
} SptSurroundings;

void spt_surroundings_free(SptSurroundings *surroundings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSurroundings, spt_surroundings_free)

/*
 * @function UINT32_MAX: of everything; there are no callers, and the tree's root is not a function.
 */
SptSurroundings *spt_document_surround(const SptDocument *document, uint32_t function);

/*
 * The lines and instructions of a function; NULL: @function is a group of functions.  Valid as long
 * as @document.
 */
SptAnnotation *spt_document_annotate(const SptDocument *document, uint32_t function);

/*
 * Both documents with their differences, by percentages, or @by_time: by the CPU time that they
 * took in a second.
 */
SptDocument *spt_document_compare(SptDocument *before, SptDocument *after, bool by_time);

/* The timeline of everything, in @document's metric and arrangement. */
SptTimeline *spt_document_timeline(const SptDocument *document, const SptTimelineRequest *request);

/* Waits for locks in the selection: see spt_lock_waits(). */
GPtrArray *spt_document_lock_waits(SptDocument *document);
/* The lanes of the recording, which owns them; made when they are first needed. */
const SptLanes *spt_document_lanes(SptDocument *document);
typedef struct {
	char *text;			/* "function (object)" */
	bool is_machinery;		/* as by culprit.h */
	bool takes_lock;
} SptStackFrame;

/* The frames of a stack, innermost first; elements are SptStackFrame. */
GPtrArray *spt_document_stack(SptDocument *document, uint32_t node);

/* Writes @document in a format; as SptExport's write(). */
bool spt_document_export(SptDocument *document, const SptExport *format, SptOut *out,
			 GError **error);

typedef struct {
	uint32_t tid;
	uint64_t begin_ns, end_ns, least_ns;
} SptChartRequest;

/* Elements are SptFlameBox, as from spt_chart_new(), for everything. */
GArray *spt_document_chart(const SptDocument *document, const SptChartRequest *request);
/* In @document's metric, heaviest first; elements are SptGroupRow. */
GArray *spt_document_groups(const SptDocument *document, SptGroupKind kind);
/* The same of threads that can be shown in the order of time: not of those that have exited. */
GArray *spt_document_threads(const SptDocument *document);

/*
 * The function to select first: the one with most self in the user's own code, which is that of the
 * command's program or outside /usr, /lib and /opt; else the heaviest one that is not a process.
 * UINT32_MAX: there is none.
 */
uint32_t spt_document_first_function(const SptDocument *document);

#endif
