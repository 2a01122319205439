/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spans of time that programs have marked: the events of every declared kind that lasts.  A mark's
 * name is its field "name", or else that of its kind.
 */
#ifndef SPT_PROFILE_MARKS_H
#define SPT_PROFILE_MARKS_H

#include "capture/declared.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/* Marks of further names are one row, called "[other marks]". */
#define SPT_MARK_NAMES (1u << 20)

/* What marks are added up by. */
typedef enum {
	SPT_MARKS_BY_NAME,		/* and category */
	SPT_MARKS_BY_CATEGORY,
	SPT_MARKS_BY_THREAD,
	SPT_MARKS_BY_PROCESS,
} SptMarksBy;

/* Which marks. */
typedef struct {
	const char *name;		/* a pattern (glob.h); NULL: all */
	const char *exact_name;		/* the name itself; NULL: all */
	const char *category;		/* "": those that have none; NULL: all */
	uint64_t least_ns;		/* shorter ones are excluded */
	uint64_t below_ns;		/* > 0: those that are not shorter, too */
	const SptFilter *filter;	/* thread and time; NULL: any */
} SptMarkQuery;

typedef struct {
	/* Or what they are added up by, without a category; category: "" if there is none */
	const char *name, *category;
	uint64_t n, sum_ns, least_ns, most_ns, median_ns, p99_ns;
} SptMarkSums;

typedef void (*SptMarkFunc)(const char *name, const char *category, const SptDeclaredRow *row,
			    void *data);

bool spt_marks_are_in(const SptCapture *capture);
/* Calls @func with each mark; the texts are valid for that time. */
void spt_marks_each(const SptCapture *capture, const SptMarkQuery *query, SptMarkFunc func,
		    void *data);
/* The times of the marks, of the threads that made them or of all; NULL: there is no such mark. */
SptMoments *spt_marks_moments(const SptCapture *capture, const SptMarkQuery *query, bool is_of_all);
/* SptMarkSums, the longest sum first; to be unreferenced. */
GArray *spt_marks_sums(const SptCapture *capture, const SptMarkQuery *query, SptMarksBy by);
/* "name", "category", "thread" or "process".  False: it is none of these. */
bool spt_marks_find_by(const char *text, SptMarksBy *ret);

G_END_DECLS

#endif
