/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Categories: the kinds of work that took the time, by rules about functions and objects.
 *
 * Each line of a rule file is a rule, "category = function pattern" or "category = function pattern
 * @ object pattern" (glob.h); '#' begins a comment line.  A function belongs to the category of the
 * first rule that matches it.  A sample belongs to the category of the innermost function on its
 * stack that has one; the rest is "other".
 */
#ifndef SPT_CATEGORIES_H
#define SPT_CATEGORIES_H

#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_CATEGORIES_ERROR (spt_categories_error_quark())
GQuark spt_categories_error_quark(void);
enum {
	SPT_CATEGORIES_ERROR_SYNTAX,
};

typedef struct SptCategories SptCategories;

typedef struct {
	const char *name;		/* valid as long as the categories */
	uint64_t weight;
} SptCategoryWeight;

/* NULL with a sentence that says which line is wrong.  Names in @text may not be UTF-8. */
SptCategories *spt_categories_parse(const char *text, GError **error);
void spt_categories_free(SptCategories *categories);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCategories, spt_categories_free)

/*
 * Each category once, heaviest first, and "other" as the last; the weights add up to the profile's
 * total.  Elements are SptCategoryWeight.
 */
GArray *spt_categories_weigh(const SptCategories *categories, const SptProfile *profile);

G_END_DECLS

#endif
