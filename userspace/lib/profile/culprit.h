/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose code a stack is about.
 *
 * The innermost function of a wait is the scheduler, that of an allocation the allocator.  What
 * people look for is the function of theirs that is above: the innermost one that is neither the
 * kernel's nor a runtime library's.  Pure, over a profile's tree.
 */
#ifndef SPT_CULPRIT_H
#define SPT_CULPRIT_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint32_t function;
	/* The machinery that it called there, outermost; UINT32_MAX: it is innermost itself. */
	uint32_t through;
	bool is_code;			/* spt_culprit_is_code() */
	uint64_t weight;		/* of the profile's metric */
	uint64_t through_weight;	/* what of it is in @through, the heaviest of several */
} SptCulprit;

/*
 * Whether the innermost functions of the profile's metric are machinery: for waits, elapsed time
 * and the memory of programs.
 */
bool spt_culprits_matter(const SptProfile *profile);
/*
 * Who has the weight of @profile, code first, then heaviest first; elements are SptCulprit.  Where
 * machinery does not matter, these are the functions by self.  Their weights add up to the
 * profile's total, but for what has no function.
 */
GArray *spt_culprits_new(const SptProfile *profile);

/*
 * Whether it is code that people recorded, and not the lack of a stack or our libraries, which
 * record calls within programs: culprits have these at their end.
 */
bool spt_culprit_is_code(const SptFunction *function);
/*
 * Whether a sample of @function may be of what ran before it: a timer cannot interrupt code that
 * has interrupts off, and so finds the function that turns them on again.
 */
bool spt_culprit_is_late(const SptFunction *function, const SptCapture *capture);
/* The weight that our libraries have by themselves. */
uint64_t spt_culprit_recorder(const SptProfile *profile);

/* What is known of a profile's functions by their names; good for each part of that profile. */
typedef struct SptCulprits SptCulprits;

/* NULL: machinery does not matter.  It is counted; any number of threads can use it. */
SptCulprits *spt_culprits_know(const SptProfile *profile);
SptCulprits *spt_culprits_ref(SptCulprits *culprits);
void spt_culprits_unref(SptCulprits *culprits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCulprits, spt_culprits_unref)
/*
 * By function, its own weight: by itself, and in the machinery that it called.  Machinery has
 * weight of its own only where nobody called it.  The caller frees it.
 */
uint64_t *spt_culprits_own(const SptCulprits *culprits, const SptProfile *profile);
/*
 * Indices of all functions, those with most weight of their own first, then by total, self and
 * name; what has none of its own follows.  @own NULL: by self, as spt_profile_order().  @lead: by
 * function, what counts before that; or NULL.
 */
uint32_t *spt_culprits_order(const SptProfile *profile, const uint64_t *own,
			     const uint64_t *lead);

/* The lock of a program that most of the weight waits for; UINT32_MAX: none has a name. */
uint32_t spt_culprit_lock(const SptProfile *profile, uint64_t *ret_weight);
/*
 * The innermost function that a user may have written, and that not each program has, which most of
 * the weight is in or below; UINT32_MAX: there is none.
 */
uint32_t spt_culprit_place(const SptProfile *profile, const SptCapture *capture);

/* Of one stack: whether a function is machinery, and whether that waits for a lock of programs. */
bool spt_culprit_is_machinery(const char *function, const char *object, bool is_kernel);
bool spt_culprit_takes_lock(const char *function);
/* The same by function of a profile, or of one that is being folded.  The caller frees it. */
bool *spt_culprits_take_locks(const SptProfile *profile);
/*
 * The function to look at first: the one with most of that in the code of the command's program,
 * or else outside /usr, /lib and /opt, or else in programs that the command started; else, of a
 * command, the busiest one that has a name and is not late; else the heaviest one.  UINT32_MAX:
 * there is none.
 */
uint32_t spt_culprit_first(const SptProfile *profile, const SptCapture *capture);
/*
 * Of what @function has by itself, the heaviest innermost caller in the code of the command's
 * program, outside /usr, /lib and /opt, or of a script.  *ret_weight: what comes from there.
 * UINT32_MAX: there is none, or @function is such code itself.
 */
uint32_t spt_culprit_caller(const SptProfile *profile, const SptCapture *capture,
			    uint32_t function, uint64_t *ret_weight);

G_END_DECLS

#endif
