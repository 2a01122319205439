/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that was opened, or a part, another arrangement or metric of it: everything the views
 * show, computed in a thread of its own and never changed after that.  Widgets and worker threads
 * share it by reference.
 */
#ifndef SPT_DOCUMENT_H
#define SPT_DOCUMENT_H

#include <gio/gio.h>

#include "annotate/annotate.h"
#include "profile/arrange.h"
#include "profile/chart.h"
#include "profile/coverage.h"
#include "profile/diff.h"
#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/restrictions.h"
#include "profile/stacks.h"
#include "profile/summary.h"
#include "profile/timeline.h"
#include "profile/tracks.h"

/* What is wanted of a recording. */
typedef struct {
	SptRestrictions *restrictions;
	const SptMetric *metric;
	SptArrangement arrangement;
	bool is_bottom_up;		/* callers below what they call */
	bool is_passing;		/* on the way to another: the user is still at it */
} SptLook;

typedef struct SptDocument SptDocument;

struct SptDocument {
	/*
	 * as it was opened, which owns capture, symbols, summary, tracks, coverage and lanes; NULL:
	 * it is that
	 */
	SptDocument *recording;
	/* Of another arrangement: what it was arranged from, if that is not the recording */
	SptDocument *folded;
	/* In the same arrangement, what it is a part of; NULL: it is the whole */
	SptDocument *whole;
	SptLook look;
	SptCapture *capture;
	SptSymbols *symbols;
	GCancellable *fetches;		/* debug information from servers; or NULL */
	SptProfile *profile;
	SptProfile *spare;		/* of a whole: what a part left behind, to be used again */
	SptOrder *order;
	SptSummary summary;
	GPtrArray *tracks;		/* SptTrack */
	GArray *coverage;		/* SptCoverageRow */
	SptLanes *lanes;   /* NULL: nobody has asked for them yet */
	const SptFunction *functions;
	uint32_t n_functions;
	uint64_t total;			/* what 100 % is */
	GArray *tree;			/* SptTreeNode: of everything, heaviest first */
	char *words;			/* spt_words_where() */
	/*
	 * Of a comparison, which has functions, a total and a tree, but no profile: what it is made
	 * of.
	 */
	SptDocument *sides[SPT_SIDES];
	SptDiffTree *differences;
	uint32_t *changed;		/* functions, those first whose self has changed most */
};

SptDocument *spt_document_ref(SptDocument *document);
void spt_document_unref(SptDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDocument, spt_document_unref)
/* What @document is a part of, or itself. */
SptDocument *spt_document_whole(SptDocument *document);
/* As it was opened. */
SptDocument *spt_document_recording(SptDocument *document);
/* Of one recording. */
bool spt_document_is_same(SptDocument *a, SptDocument *b);
/*
 * The metrics that the recording has, one after the other, CPU time first; NULL behind the last
 * one.
 */
const SptMetric *spt_document_metric(const SptDocument *document, unsigned i);
/*
 * The number in @document of what is @function in @old, which is of the same recording; UINT32_MAX
 * for roots that are not there.
 */
uint32_t spt_document_translate(const SptDocument *document, const SptDocument *old,
				uint32_t function);

void spt_document_open_async(const char *path, GCancellable *cancellable,
			     GAsyncReadyCallback callback, gpointer data);
/* How far it is, 0 to 1, by its cancellable. */
double spt_document_open_done(GCancellable *cancellable);
/* What takes the time, if that is worth a word; to be freed, or NULL. */
char *spt_document_open_doing(GCancellable *cancellable);
SptDocument *spt_document_open_finish(GAsyncResult *result, GError **error);

/*
 * What follows takes time, for the threads of queries (query.h).  No document changes by it; of
 * what is returned, the caller has a reference.
 */

/* @document, of any look at a recording, with another one. */
SptDocument *spt_document_look(SptDocument *document, const SptLook *look);

/* What lies around a function, for the two panes beside the list. */
typedef struct {
	uint32_t function;
	GArray *callers;		/* SptEdge */
	GArray *descendants;		/* SptTreeNode */
} SptSurroundings;

void spt_surroundings_free(SptSurroundings *surroundings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSurroundings, spt_surroundings_free)

/*
 * @function UINT32_MAX: of everything; then there are no callers, and the tree's root is no
 * function.
 */
SptSurroundings *spt_document_surround(const SptDocument *document, uint32_t function);

/*
 * Its lines and instructions; NULL: there is no function called so, but a group of them.  Lives as
 * long as @document.
 */
SptAnnotation *spt_document_annotate(const SptDocument *document, uint32_t function);

/*
 * Both as seen, with their differences; by their shares, or @by_time: by the CPU time they took in
 * a second.
 */
SptDocument *spt_document_compare(SptDocument *before, SptDocument *after, bool by_time);

/* Of all of it, in @document's metric and arrangement. */
SptTimeline *spt_document_timeline(const SptDocument *document, const SptTimelineWish *wish);

/* Of the recording, whose they are; made when they are asked for first. */
const SptLanes *spt_document_lanes(SptDocument *document);
/* The frames of a stack, innermost first, as "function (object)"; elements are to be freed. */
GPtrArray *spt_document_stack(SptDocument *document, uint32_t node);

typedef struct {
	uint32_t tid;
	uint64_t begin_ns, end_ns, least_ns;
} SptChartWish;

/* Elements are SptFlameBox, as of spt_chart_new(), of all of it. */
GArray *spt_document_chart(const SptDocument *document, const SptChartWish *wish);
/* Those that have samples in @document, heaviest first; elements are SptGroupRow. */
GArray *spt_document_threads(const SptDocument *document);

/*
 * What to look at first: the function of the user's own code with most for itself, that of the
 * command's program or of what lies outside /usr, /lib and /opt; if that is less than a hundredth
 * of all, the one with the largest total that has a hundredth for itself; else the heaviest one
 * that is no process.  UINT32_MAX if there is none.
 */
uint32_t spt_document_first_function(const SptDocument *document);

#endif
