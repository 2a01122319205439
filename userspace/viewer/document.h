/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A document is a recording as it is looked at: in a metric and an arrangement, and perhaps only a
 * part of it.  Every page shows the same one.  It is computed in a thread and never changes after
 * that; widgets and threads share it by reference.
 *
 * recording.h: what is open.  whole.h: all of it, as a document's metric and arrangement want it.
 * comparison.h: two documents side by side.  call-tree.h: what tables draw of either.
 */
#ifndef SPT_DOCUMENT_H
#define SPT_DOCUMENT_H

#include "annotate/annotate.h"
#include "call-tree.h"
#include "export/export.h"
#include "picture/chart.h"
#include "profile/groups.h"
#include "profile/stacks.h"
#include "profile/timeline.h"
#include "recording.h"

/* The view of a recording that is requested. */
typedef struct {
	SptRestrictions *restrictions;
	const SptMetric *metric;
	SptArrangement arrangement;
	bool is_bottom_up;		/* callers below their callees */
	bool is_passing;		/* the user is still changing it */
} SptLook;

typedef struct {
	SptCallTree calls;			/* what tables and flame graphs draw */
	SptRecording *recording;
	SptWhole *whole;		/* that it shows all or a part of */
	SptLook look;
	/* The whole's, unless a part is selected; without samples then */
	SptProfile *profile;
	SptOrder *order;
	char *words;			/* spt_sentences_line() */
} SptDocument;

/* All of @recording, in CPU time. */
SptDocument *spt_document_new(SptRecording *recording);
SptDocument *spt_document_ref(SptDocument *document);
void spt_document_unref(SptDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDocument, spt_document_unref)
/* Puts a reference to @document in *@place, instead of the one that is there, if any. */
void spt_document_replace(SptDocument **place, SptDocument *document);
/* Whether both belong to one recording. */
bool spt_document_is_same(const SptDocument *a, const SptDocument *b);
/* Whether both are of one recording and metric, and their trees have the same roots and shape. */
bool spt_document_is_arranged_as(const SptDocument *a, const SptDocument *b);
/*
 * The number in @document of function @function of @old, which is of the same recording;
 * UINT32_MAX: a root that is not there.
 */
uint32_t spt_document_translate(const SptDocument *document, const SptDocument *old,
				uint32_t function);

/*
 * The functions below take time, and are for the threads of queries (query.h).  They change no
 * document.  The caller owns a reference of what they return.
 */

/* The recording of @document, looked at in another way. */
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

/* The timeline of everything, in @document's metric and arrangement. */
SptTimeline *spt_document_timeline(const SptDocument *document, const SptTimelineRequest *request);

/* Waits for locks in the selection: see spt_lock_waits(). */
GPtrArray *spt_document_lock_waits(SptDocument *document);

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
