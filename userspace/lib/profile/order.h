/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of functions in any order, all of them or those that match what was typed: what a table
 * shows, row by row.  Sorting takes a while for a million functions, so it is done once; after that
 * a list is a matter of milliseconds.
 */
#ifndef SPT_ORDER_H
#define SPT_ORDER_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef enum {
	SPT_ORDER_NAME,
	SPT_ORDER_OBJECT,
	SPT_ORDER_SELF,
	SPT_ORDER_TOTAL,
} SptOrderKey;

/* Does not change once made: any number of threads may ask it. */
typedef struct SptOrder SptOrder;

/* @profile must outlive it. */
SptOrder *spt_order_new(const SptProfile *profile);
/*
 * Of a profile that was refiltered from that of @names, whose texts it goes on using: weights alone
 * are sorted.
 */
SptOrder *spt_order_new_like(const SptOrder *names, const SptProfile *profile);
void spt_order_free(SptOrder *order);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptOrder, spt_order_free)

/*
 * Indices of the functions with samples that match @search, sorted.  Ties of weights go by the
 * other weight, and all ties by name; the opposite direction is the exact reverse.  @search: words,
 * each of which must be part of the function's or its object's name, upper or lower case (of ASCII)
 * alike; NULL or without a word: all functions.
 */
uint32_t *spt_order_list(const SptOrder *order, SptOrderKey key, bool descending,
			 const char *search, uint32_t *ret_n);
/* Per function, whether it matches @search; to be freed.  NULL if there is no word in it. */
bool *spt_order_match(const SptOrder *order, const char *search);

G_END_DECLS

#endif
