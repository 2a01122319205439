/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a whole recording, folded in one metric and one arrangement.  Each document shows a
 * whole, or a part of it; a whole is made once, and parts of it are then cheap.
 */
#ifndef SPT_WHOLE_H
#define SPT_WHOLE_H

#include "profile/arrange.h"
#include "profile/order.h"
#include "profile/restrictions.h"

typedef struct SptWhole SptWhole;

struct SptWhole {
	SptWhole *plain;		/* that it was arranged from; itself if it is as folded */
	const SptMetric *metric;
	SptArrangement arrangement;	/* without a shape, which is that of: */
	SptRestrictions *shaped;
	SptProfile *profile;		/* with its samples */
	uint32_t *category_of;		/* its functions, by the arrangement's rules; or NULL */
	SptProfile *spare;		/* of an earlier part, for reuse */
	SptOrder *order;
};

/*
 * As folded: with programs as roots and all functions.  Takes over @profile.  @categories may be
 * NULL.
 */
SptWhole *spt_whole_new(SptProfile *profile, const SptCategories *categories);
/* @plain in another arrangement, with the shape of @shaped. */
SptWhole *spt_whole_arrange(SptWhole *plain, const SptArrangement *arrangement,
			    SptRestrictions *shaped);
SptWhole *spt_whole_ref(SptWhole *whole);
void spt_whole_unref(SptWhole *whole);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptWhole, spt_whole_unref)

/* Whether it has this metric, these roots, functions and categories; shapes do not matter. */
bool spt_whole_is(const SptWhole *whole, const SptMetric *metric,
		  const SptArrangement *arrangement);
/* Whether its stacks have the shape that @restrictions give them. */
bool spt_whole_has_shape(const SptWhole *whole, const SptRestrictions *restrictions);

/* Its samples that pass @filter.  Give it back when it is no longer shown. */
SptProfile *spt_whole_take_part(SptWhole *whole, const SptFilter *filter);
void spt_whole_give_back(SptWhole *whole, SptProfile *part);

#endif
