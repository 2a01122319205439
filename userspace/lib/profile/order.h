/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of functions in any order, all of them or those that match a search: the rows of a table.
 * Sorting takes a while for a million functions, so it is done once; after that a list takes
 * milliseconds.
 */
#ifndef SPT_ORDER_H
#define SPT_ORDER_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef enum {
	SPT_ORDER_NAME,
	SPT_ORDER_OBJECT,
	SPT_ORDER_SELF,			/* of spt_order_self() */
	SPT_ORDER_TOTAL,
} SptOrderKey;

/* It never changes, so any number of threads can use it. */
typedef struct SptOrder SptOrder;

/* @profile must outlive it. */
SptOrder *spt_order_new(const SptProfile *profile);
/*
 * An order for a profile that was refiltered from that of @names, or for that itself.  It uses the
 * texts of @names, and sorts the weights only.  @lead: by function, what counts before its own
 * weight, as in spt_sentences_lead(); or NULL.
 */
SptOrder *spt_order_new_like(const SptOrder *names, const SptProfile *profile,
			     const uint64_t *lead);
void spt_order_free(SptOrder *order);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptOrder, spt_order_free)

/*
 * What counts as self of a function: its own weight by culprit.h for waits and memory, whose
 * innermost functions say nothing.
 */
uint64_t spt_order_self(const SptOrder *order, uint32_t function);
bool spt_order_is_own(const SptOrder *order);
/*
 * Sorted indices of the functions with samples that match @search.  Equal weights are ordered by
 * the other weight, and then by name.  The opposite direction is the exact reverse.  @search:
 * words, each of which must be part of the name of the function or its object; ASCII case does not
 * matter.  NULL or no word: all functions.
 */
uint32_t *spt_order_list(const SptOrder *order, SptOrderKey key, bool descending,
			 const char *search, uint32_t *ret_n);
/*
 * By function, whether it matches @search; the caller frees it.  NULL: there is no word in @search.
 */
bool *spt_order_match(const SptOrder *order, const char *search);

G_END_DECLS

#endif
