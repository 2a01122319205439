/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps by which a user has narrowed a profile down.  Each restriction has a text, and can be
 * removed again.  Together they are a filter, and a shape of stacks.  A list of them never changes,
 * so a history of lists is enough for undo.
 */
#ifndef SPT_RESTRICTIONS_H
#define SPT_RESTRICTIONS_H

#include "profile/arrange.h"
#include "profile/marks.h"
#include "profile/shape.h"

G_BEGIN_DECLS

typedef enum {
	SPT_RESTRICT_TIME,		/* begin_ns, end_ns */
	SPT_RESTRICT_PROCESS,		/* text: name or pid, as in SptFilter */
	SPT_RESTRICT_THREAD,		/* text */
	SPT_RESTRICT_CPU,		/* number */
	SPT_RESTRICT_SIDE,		/* number: SptSide */
	/* Text: its name.  There may be several; all of them must be on the stack. */
	SPT_RESTRICT_FUNCTION,
	SPT_RESTRICT_OBJECT,		/* text: a pattern for the innermost function's object */
	SPT_RESTRICT_LANGUAGE,		/* text, as in SptFilter */
	SPT_RESTRICT_CATEGORY,		/* text: its name; categories */
	SPT_RESTRICT_COMMAND,		/* text: its name; processes */
	SPT_RESTRICT_HIDDEN,		/* text: a function's name; there may be several */
	SPT_RESTRICT_ROOT,		/* text: a function's name */
	/*
	 * text, category: a mark's; moments: when it was; begin_ns, end_ns: how long it took at
	 * least, and less than, 0: any time
	 */
	SPT_RESTRICT_MARK,
} SptRestrictionKind;

typedef struct {
	SptRestrictionKind kind;
	uint64_t begin_ns, end_ns;
	uint32_t number;
	const char *text, *category;
	const bool *processes;		/* by id, n_processes of them, as in SptFilter */
	uint32_t n_processes;
	const SptCategories *categories;	/* which outlive all lists that have it */
	SptMoments *moments;		/* referenced by lists that have it */
} SptRestriction;

#define SPT_RESTRICTIONS_MAX 16
#define SPT_RESTRICTION_MAX_CPU 65535

typedef struct SptRestrictions SptRestrictions;

SptRestrictions *spt_restrictions_new(void);		/* none */
SptRestrictions *spt_restrictions_ref(SptRestrictions *restrictions);
void spt_restrictions_unref(SptRestrictions *restrictions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptRestrictions, spt_restrictions_unref)

/*
 * A new list with @restriction (copied), which replaces the one of its kind, or of the same
 * function.  Beyond the maximum the list does not change.
 */
SptRestrictions *spt_restrictions_add(const SptRestrictions *restrictions,
				      const SptRestriction *restriction);
/* A new list without the one at @index. */
SptRestrictions *spt_restrictions_remove(const SptRestrictions *restrictions, uint32_t index);
/* A new list without those of @kind. */
SptRestrictions *spt_restrictions_without(const SptRestrictions *restrictions,
					  SptRestrictionKind kind);

uint32_t spt_restrictions_n(const SptRestrictions *restrictions);
const SptRestriction *spt_restrictions_get(const SptRestrictions *restrictions, uint32_t index);
/* The restriction of a kind, or NULL. */
const SptRestriction *spt_restrictions_find(const SptRestrictions *restrictions,
					    SptRestrictionKind kind);
/* The filter, valid as long as the list; NULL: the list is empty. */
const SptFilter *spt_restrictions_filter(const SptRestrictions *restrictions);

/* Functions that are hidden, and the one that stacks begin at; valid as long as the list. */
const SptShape *spt_restrictions_shape(const SptRestrictions *restrictions);
bool spt_restrictions_have_same_shape(const SptRestrictions *a, const SptRestrictions *b);

/* Frees what one that the functions below have made points to. */
void spt_restriction_clear(SptRestriction *restriction);

/*
 * The restriction that shows only @function of @profile: its process, thread, CPU, object, language
 * or category (of @categories) if it is a root, else the stacks that have it.  The caller frees the
 * text.  False: there is no such restriction.
 */
bool spt_restriction_to(const SptProfile *profile, uint32_t function,
			const SptCategories *categories, SptRestriction *ret);

/*
 * The restriction that shows only the command that was recorded and what it started.  The caller
 * frees the text and the processes.  False: no command was recorded.
 */
bool spt_restriction_to_command(const SptCapture *capture, SptRestriction *ret);

/*
 * The restriction that shows only what threads did within their marks that @marks is about, by
 * exact name, to be cleared.  False: there is no such mark.
 */
bool spt_restriction_to_mark(const SptCapture *capture, const SptMarkQuery *marks,
			     SptRestriction *ret);

/*
 * A restriction's text: "1.20 s to 3.40 s", "process git", "CPU 1", "kernel", "with malloc"; times
 * count from @start_ns.  The caller frees it.
 */
char *spt_restriction_describe(const SptRestriction *restriction, uint64_t start_ns);

G_END_DECLS

#endif
