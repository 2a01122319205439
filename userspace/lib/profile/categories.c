/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules are asked once per function; a node of the tree that has no category of its own takes the
 * one of the node above.
 */
#include "profile/categories.h"

#include <string.h>

#include "base/words.h"
#include "profile/glob.h"

struct rule {
	char *function, *object;	/* patterns */
	uint32_t category;
};

struct SptCategories {
	GPtrArray *names;		/* by category */
	GArray *rules;			/* struct rule */
};

G_DEFINE_QUARK(spt-categories-error-quark, spt_categories_error)

static void clear_rule(gpointer data)
{
	struct rule *rule = data;

	g_free(rule->function);
	g_free(rule->object);
}

static uint32_t category_called(SptCategories *categories, const char *name)
{
	unsigned index;

	if (!g_ptr_array_find_with_equal_func(categories->names, name, g_str_equal, &index)) {
		index = categories->names->len;
		g_ptr_array_add(categories->names, g_strdup(name));
	}
	return index;
}

static bool add_rule(SptCategories *categories, char *line, unsigned number, GError **error)
{
	char *equals = strchr(line, '='), *function, *object = NULL, *at;
	struct rule rule;

	if (equals) {
		*equals = '\0';
		line = g_strstrip(line);
		function = g_strstrip(equals + 1);
		/* The last one: names may contain it, too. */
		for (at = strstr(function, " @ "); at; at = strstr(at + 1, " @ "))
			object = at;
		if (object) {
			*object = '\0';
			object = g_strstrip(object + 3);
			function = g_strstrip(function);
		}
	}
	if (!equals || !*line || !*function || g_str_has_suffix(function, " @")) {
		spt_set_error(error, SPT_CATEGORIES_ERROR, SPT_CATEGORIES_ERROR_SYNTAX,
			      "line %u is no rule; write \"category = function pattern\" or "
			      "\"category = function pattern @ object pattern\"", number);
		return false;
	}
	rule.category = category_called(categories, line);
	rule.function = g_strdup(function);
	rule.object = g_strdup(object ? object : "*");
	g_array_append_val(categories->rules, rule);
	return true;
}

SptCategories *spt_categories_parse(const char *text, GError **error)
{
	g_autoptr(SptCategories) categories = g_new0(SptCategories, 1);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	categories->names = g_ptr_array_new_with_free_func(g_free);
	categories->rules = g_array_new(FALSE, FALSE, sizeof(struct rule));
	g_array_set_clear_func(categories->rules, clear_rule);
	g_ptr_array_add(categories->names, g_strdup("other"));
	for (unsigned i = 0; lines[i]; i++) {
		g_strstrip(lines[i]);
		if (*lines[i] && *lines[i] != '#' && !add_rule(categories, lines[i], i + 1, error))
			return NULL;
	}
	return g_steal_pointer(&categories);
}

void spt_categories_free(SptCategories *categories)
{
	if (!categories)
		return;
	g_ptr_array_unref(categories->names);
	g_array_unref(categories->rules);
	g_free(categories);
}

const char *spt_category_name(const SptCategories *categories, uint32_t category)
{
	if (category == SPT_CATEGORY_OTHER)
		return spt_words("other");
	return categories && category < categories->names->len ?
		       categories->names->pdata[category] :
		       NULL;
}

/* UINT32_MAX if no rule matches. */
static uint32_t category_of(const SptCategories *categories, const SptFunction *function)
{
	if (function->is_process || function->is_no_stack)
		return UINT32_MAX;
	for (unsigned i = 0; i < categories->rules->len; i++) {
		const struct rule *rule = &g_array_index(categories->rules, struct rule, i);

		if (spt_glob_match(rule->function, function->name) &&
		    spt_glob_match(rule->object, function->object))
			return rule->category;
	}
	return UINT32_MAX;
}

uint32_t *spt_categories_of_functions(const SptCategories *categories,
				      const SptFunction *functions, uint32_t n)
{
	uint32_t *of_function = g_new(uint32_t, MAX(n, 1));

	for (uint32_t i = 0; i < n; i++)
		of_function[i] = category_of(categories, &functions[i]);
	return of_function;
}

uint32_t spt_category_of_node(const uint32_t *of_function, const SptTreeNode *nodes, uint32_t node)
{
	for (; node; node = nodes[node].parent)
		if (of_function[nodes[node].function] != UINT32_MAX)
			return of_function[nodes[node].function];
	return SPT_CATEGORY_OTHER;
}

static int compare_weights(gconstpointer a, gconstpointer b)
{
	const SptCategoryWeight *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return strcmp(x->name, y->name);
}

GArray *spt_categories_weigh(const SptCategories *categories, const SptProfile *profile)
{
	uint32_t n, n_functions;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n);
	const SptFunction *functions = spt_profile_functions(profile, &n_functions);
	g_autofree uint32_t *of_function =
		spt_categories_of_functions(categories, functions, n_functions);
	GArray *weights = g_array_new(FALSE, FALSE, sizeof(SptCategoryWeight));
	SptCategoryWeight other;

	for (unsigned i = 0; i < categories->names->len; i++) {
		SptCategoryWeight weight = { .name = categories->names->pdata[i] };

		g_array_append_val(weights, weight);
	}
	for (uint32_t i = 1; i < n; i++)
		if (nodes[i].self)
			g_array_index(weights, SptCategoryWeight,
				      spt_category_of_node(of_function, nodes, i))
				.weight += nodes[i].self;
	other = g_array_index(weights, SptCategoryWeight, SPT_CATEGORY_OTHER);
	g_array_remove_index(weights, SPT_CATEGORY_OTHER);
	g_array_sort(weights, compare_weights);
	g_array_append_val(weights, other);
	return weights;
}
