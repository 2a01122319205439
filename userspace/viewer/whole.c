/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Never changes once it is made, except for its spare profile, which threads exchange. */
#include "whole.h"

#include "profile/categories.h"

static void whole_find_categories(SptWhole *whole)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(whole->profile, &n);

	if (whole->arrangement.categories)
		whole->category_of = spt_categories_of_functions(whole->arrangement.categories,
								 functions, n);
}

SptWhole *spt_whole_new(SptProfile *profile, const SptCategories *categories)
{
	SptWhole *whole = g_atomic_rc_box_new0(SptWhole);

	whole->plain = whole;
	whole->metric = spt_profile_metric(profile);
	whole->arrangement =
		(SptArrangement){ .roots = SPT_ROOTS_PROGRAM, .categories = categories };
	whole->shaped = spt_restrictions_new();
	whole->profile = profile;
	whole->order = spt_order_new(profile);
	whole_find_categories(whole);
	return whole;
}

SptWhole *spt_whole_arrange(SptWhole *plain, const SptArrangement *arrangement,
			    SptRestrictions *shaped)
{
	SptWhole *whole = g_atomic_rc_box_new0(SptWhole);
	SptArrangement with_shape = *arrangement;

	with_shape.shape = *spt_restrictions_shape(shaped);
	whole->plain = spt_whole_ref(plain);
	whole->metric = plain->metric;
	whole->arrangement = *arrangement;
	whole->shaped = spt_restrictions_ref(shaped);
	whole->profile = spt_profile_arrange(plain->profile, &with_shape);
	whole->order = spt_order_new(whole->profile);
	whole_find_categories(whole);
	return whole;
}

SptWhole *spt_whole_ref(SptWhole *whole)
{
	return g_atomic_rc_box_acquire(whole);
}

static void whole_clear(gpointer data)
{
	SptWhole *whole = data;

	g_free(whole->category_of);
	spt_order_free(whole->order);
	spt_profile_free(whole->spare);
	spt_profile_free(whole->profile);
	spt_restrictions_unref(whole->shaped);
	if (whole->plain != whole)
		spt_whole_unref(whole->plain);
}

void spt_whole_unref(SptWhole *whole)
{
	g_atomic_rc_box_release_full(whole, whole_clear);
}

bool spt_whole_is(const SptWhole *whole, const SptMetric *metric, const SptArrangement *arrangement)
{
	return whole->metric == metric && whole->arrangement.roots == arrangement->roots &&
	       whole->arrangement.hides_system == arrangement->hides_system &&
	       whole->arrangement.categories == arrangement->categories;
}

bool spt_whole_has_shape(const SptWhole *whole, const SptRestrictions *restrictions)
{
	return spt_restrictions_have_same_shape(whole->shaped, restrictions);
}

SptProfile *spt_whole_take_part(SptWhole *whole, const SptFilter *filter)
{
	SptProfile *spare = g_atomic_pointer_exchange(&whole->spare, NULL);

	return spt_profile_refilter(whole->profile, filter, spare);
}

void spt_whole_give_back(SptWhole *whole, SptProfile *part)
{
	spt_profile_free(g_atomic_pointer_exchange(&whole->spare, part));
}
