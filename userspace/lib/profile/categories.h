/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Categories: the kinds of work that took the time, by rules about functions and objects.
 *
 * Each line of a rule file is a rule, "category = function pattern" or "category = function pattern
 * @ object pattern" (glob.h); '#' begins a comment line.  A function belongs to the category of the
 * first rule that matches it.  A sample belongs to the category of the innermost function on its
 * stack that has one; the rest is "other".
 *
 * Categories have numbers: 0 is "other", the rest follow in the order of the rules.
 */
#ifndef SPT_CATEGORIES_H
#define SPT_CATEGORIES_H

#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_CATEGORY_OTHER 0

#define SPT_CATEGORIES_ERROR (spt_categories_error_quark())
GQuark spt_categories_error_quark(void);
enum {
	SPT_CATEGORIES_ERROR_SYNTAX,
};

typedef struct {
	const char *name;		/* valid as long as the categories */
	uint64_t weight;
} SptCategoryWeight;

/* NULL with a sentence that says which line is wrong.  Names in @text may not be UTF-8. */
SptCategories *spt_categories_parse(const char *text, GError **error);
void spt_categories_free(SptCategories *categories);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCategories, spt_categories_free)

/*
 * The name of a category, "other" in the program's language; NULL: there are no more.  @categories
 * NULL: there is only "other".
 */
const char *spt_category_name(const SptCategories *categories, uint32_t category);
/*
 * The categories of functions, UINT32_MAX for those that no rule matches: each rule is asked about
 * each function.  The caller frees it.
 */
uint32_t *spt_categories_of_functions(const SptCategories *categories,
				      const SptFunction *functions, uint32_t n);
/* The category of what ends at @node, by the categories of functions. */
uint32_t spt_category_of_node(const uint32_t *of_function, const SptTreeNode *nodes, uint32_t node);

/*
 * Each category once, heaviest first, and "other" as the last; the weights add up to the profile's
 * total.  Elements are SptCategoryWeight.
 */
GArray *spt_categories_weigh(const SptCategories *categories, const SptProfile *profile);

G_END_DECLS

#endif
