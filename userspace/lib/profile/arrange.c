/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each (root, node of the tree before) becomes a node of the new tree once; then one pass moves the
 * samples there.
 */
#include "profile/arrange.h"

#include <string.h>

#include "base/pairs.h"
#include "base/words.h"
#include "profile/categories.h"
#include "profile/row-walk.h"
#include "profile/shaper.h"

struct arranger {
	const SptProfile *base;
	SptProfile *profile;
	const SptArrangement *arrangement;
	const SptGrouping *grouping;	/* NULL: roots are no groups */
	uint32_t *categories;		/* of functions; NULL: all are one */
	struct spt_tree_builder tree;
	struct spt_shaper shaper;
	struct spt_pairs roots;		/* (the grouping's key, 0) -> function */
	GHashTable *named;		/* a root's name and object -> its function, from 1 */
	struct spt_pairs moved;		/* (root, node of @base) -> node */
};

static bool is_system_path(const char *path)
{
	return path && (g_str_has_prefix(path, "/lib") || g_str_has_prefix(path, "/usr/lib")) &&
	       strstr(path, ".so");
}

static void hide_system(const SptProfile *base, uint32_t *becomes)
{
	const SptCapture *capture = base->capture;
	const SptFunction *functions = (const SptFunction *)base->functions->data;
	g_autoptr(GHashTable) objects =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (uint32_t i = 0; i < capture->n_objects; i++) {
		if (is_system_path(capture->objects[i].path))
			g_hash_table_add(objects, g_path_get_basename(capture->objects[i].path));
	}
	for (uint32_t i = 0; i < base->functions->len; i++) {
		if (!functions[i].is_process &&
		    g_hash_table_contains(objects, functions[i].object))
			becomes[i] = SPT_SHAPER_HIDDEN;
	}
}

SptRoots spt_roots_named(const char *name)
{
	SptGroupKind kind;

	if (spt_grouping_find(name, &kind))
		return SPT_ROOTS_BY(kind);
	return strcmp(name, "none") == 0     ? SPT_ROOTS_NONE :
	       strcmp(name, "category") == 0 ? SPT_ROOTS_CATEGORY :
					       SPT_ROOTS_PROGRAM;
}

const char *spt_roots_name(SptRoots roots)
{
	if (roots >= SPT_ROOTS_GROUPS)
		return spt_grouping(roots - SPT_ROOTS_GROUPS)->name;
	return roots == SPT_ROOTS_NONE	   ? "none" :
	       roots == SPT_ROOTS_CATEGORY ? "category" :
					     "program";
}

static const char *object_of_roots(const struct arranger *arranger)
{
	if (arranger->arrangement->roots == SPT_ROOTS_CATEGORY)
		return spt_words("(category)");
	return arranger->grouping && *arranger->grouping->root ?
		       spt_words(arranger->grouping->root) :
		       "";
}

static uint32_t make_root(struct arranger *arranger, uint32_t key)
{
	const SptGrouping *grouping = arranger->grouping;
	SptProfile *profile = arranger->profile;
	SptGroupRow group = { .name = "[no stack]" };
	SptFunction root = { .is_process = true,
			     .has_symbol = true,
			     .object = object_of_roots(arranger) };
	g_autofree char *name = NULL;
	gpointer known;

	if (grouping) {
		group = grouping->group(arranger->base, key);
		name = spt_group_describe(&group, arranger->arrangement->roots - SPT_ROOTS_GROUPS,
					  true);
	} else if (arranger->arrangement->roots == SPT_ROOTS_CATEGORY) {
		group.name = spt_category_name(arranger->arrangement->categories, key);
	}
	root.name = g_string_chunk_insert_const(profile->texts, name ? name : group.name);
	if (!grouping)
		group.name = root.name;
	known = g_hash_table_lookup(arranger->named, root.name);
	if (known)
		return GPOINTER_TO_UINT(known) - 1;
	g_array_append_val(profile->functions, root);
	g_array_append_val(profile->groups, group);
	g_hash_table_insert(arranger->named, (void *)root.name,
			    GUINT_TO_POINTER(profile->functions->len));
	return profile->functions->len - 1;
}

/* Number of the root of a row among all roots. */
static uint32_t key_of_row(const struct arranger *arranger, uint64_t row)
{
	const SptProfile *base = arranger->base;

	if (arranger->categories)
		return spt_category_of_node(arranger->categories,
					    (const SptTreeNode *)base->tree->data,
					    base->rows[row].leaf);
	return arranger->grouping ? arranger->grouping->key(base, row) : 0;
}

static uint32_t root_of_row(struct arranger *arranger, uint64_t row)
{
	uint32_t key, *root;

	if (arranger->arrangement->roots == SPT_ROOTS_PROGRAM)
		return 0;
	key = key_of_row(arranger, row);
	root = spt_pairs_at(&arranger->roots, key, 0);
	if (*root == UINT32_MAX)
		*root = make_root(arranger, key);
	return *root;
}

/*
 * The new parent of nodes that were below a process, or, with @is_leaf, of nodes without a stack.
 */
static uint32_t move_process(struct arranger *arranger, uint32_t root, uint32_t function,
			     bool is_leaf)
{
	SptRoots roots = arranger->arrangement->roots;

	if (roots == SPT_ROOTS_NONE && !is_leaf)
		return 0;
	return spt_tree_builder_child(&arranger->tree, 0,
				      roots == SPT_ROOTS_PROGRAM ? function : root);
}

static uint32_t move(struct arranger *arranger, uint32_t root, uint32_t node)
{
	const SptTreeNode *nodes = (const SptTreeNode *)arranger->base->tree->data;
	const SptFunction *functions = (const SptFunction *)arranger->base->functions->data;
	uint32_t function = nodes[node].function, at = spt_pairs_get(&arranger->moved, root, node);

	if (at != UINT32_MAX)
		return at;
	if (functions[function].is_process) {
		at = move_process(arranger, root, function, false);
	} else {
		/* No deeper than the limit of folding. */
		at = move(arranger, root, nodes[node].parent);
		at = spt_shaper_place(&arranger->shaper, &arranger->tree, at, node, function);
	}
	*spt_pairs_at(&arranger->moved, root, node) = at;
	return at;
}

static uint32_t move_leaf(struct arranger *arranger, uint32_t root, uint32_t leaf)
{
	uint32_t at;

	/* Limit for many processes with deep stacks of their own: see fold.c. */
	if (arranger->tree.nodes->len >= SPT_PROFILE_MAX_NODES)
		return move_process(arranger, root,
				    g_array_index(arranger->base->tree, SptTreeNode, leaf).function,
				    true);
	at = move(arranger, root, leaf);
	return at ? at : move_process(arranger, root, 0, true);
}

/* Each leaf has one place, as roots are programs. */
static void move_reread(struct arranger *arranger)
{
	const SptProfile *base = arranger->base;
	SptProfile *profile = arranger->profile;
	g_autoptr(SptRowWalk) walk = spt_row_walk_new(base, 0);
	const struct spt_base_row *row;

	profile->moved = g_new0(uint32_t, base->tree->len);
	while ((row = spt_row_walk_next(walk))) {
		uint32_t *leaf = &profile->moved[row->leaf];

		if (!*leaf)
			*leaf = move_leaf(arranger, 0, row->leaf);
		g_array_index(arranger->tree.nodes, SptTreeNode, *leaf).self += row->weight;
	}
}

static void move_rows(struct arranger *arranger)
{
	const SptProfile *base = arranger->base;
	SptProfile *profile = arranger->profile;

	if (base->reread) {
		move_reread(arranger);
		return;
	}
	profile->rows = g_new(struct spt_row, MAX(base->n_rows, 1));
	for (uint64_t i = 0; i < base->n_rows; i++) {
		uint32_t leaf = move_leaf(arranger, root_of_row(arranger, i), base->rows[i].leaf);

		profile->rows[i] = (struct spt_row){ leaf, base->rows[i].weight };
		g_array_index(arranger->tree.nodes, SptTreeNode, leaf).self +=
			spt_row_weight(base, i);
	}
}

static void finish(struct arranger *arranger)
{
	SptProfile *profile = arranger->profile;
	g_autofree uint32_t *places = NULL;

	profile->tree = spt_tree_builder_finish(&arranger->tree, profile->functions, &places);
	for (uint64_t i = 0; profile->rows && i < profile->n_rows; i++)
		profile->rows[i].leaf = places[profile->rows[i].leaf];
	for (uint32_t i = 0; profile->moved && i < arranger->base->tree->len; i++)
		profile->moved[i] = places[profile->moved[i]];
	spt_profile_mark_outermost(profile);
	spt_profile_sum_up(profile);
}

SptProfile *spt_profile_arrange(const SptProfile *base, const SptArrangement *arrangement)
{
	SptProfile *profile = NULL;
	g_autoptr(GHashTable) named = g_hash_table_new(g_str_hash, g_str_equal);
	struct arranger arranger = {
		.base = base, .arrangement = arrangement, .named = named
	};

	g_return_val_if_fail(base->rows || arrangement->roots == SPT_ROOTS_PROGRAM, NULL);
	arranger.profile = profile = g_new(SptProfile, 1);
	*profile = (SptProfile){
		.functions = g_array_copy(base->functions),
		.n_samples = base->n_rows,
		.n_rows = base->n_rows,
		.metric = base->metric,
		.threads = base->threads ? g_array_ref(base->threads) : NULL,
		.capture = base->capture,
		.sources = base->sources,
		.values = base->values,
		.longest_ns = base->longest_ns,
		.reread = base->reread,
		.source = base,
		.roots = arrangement->roots,
		.groups = g_array_new(FALSE, FALSE, sizeof(SptGroupRow)),
		.texts = g_string_chunk_new(1024),
	};
	spt_tree_builder_init(&arranger.tree, UINT32_MAX);
	spt_shaper_init(&arranger.shaper, base, &arrangement->shape, profile->functions);
	if (arrangement->hides_system)
		hide_system(base, arranger.shaper.becomes);
	if (arrangement->roots >= SPT_ROOTS_GROUPS)
		arranger.grouping = spt_grouping(arrangement->roots - SPT_ROOTS_GROUPS);
	if (arrangement->roots == SPT_ROOTS_CATEGORY && arrangement->categories)
		arranger.categories = spt_categories_of_functions(
			arrangement->categories, (const SptFunction *)base->functions->data,
			base->functions->len);
	if (arrangement->roots == SPT_ROOTS_NONE)
		root_of_row(&arranger, 0);
	move_rows(&arranger);
	finish(&arranger);
	spt_shaper_clear(&arranger.shaper);
	spt_pairs_clear(&arranger.roots);
	spt_pairs_clear(&arranger.moved);
	g_free(arranger.categories);
	spt_tree_builder_clear(&arranger.tree);
	return profile;
}

const SptGroupRow *spt_profile_root(const SptProfile *profile, uint32_t function,
				    SptRoots *ret_roots)
{
	const SptProfile *arranged = profile->base ? profile->base : profile;
	uint32_t first = arranged->functions->len - (arranged->groups ? arranged->groups->len : 0);

	*ret_roots = arranged->roots;
	if (function < first || function >= arranged->functions->len)
		return NULL;
	return &g_array_index(arranged->groups, SptGroupRow, function - first);
}

/* The start of each path to the root, and its weight: 0 for a node without one. */
static uint64_t weight_of_way(const SptProfile *profile, uint32_t function, uint32_t node)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	const bool *outermost = spt_profile_outermost(profile);

	if (function == UINT32_MAX)
		return nodes[node].self;
	return nodes[node].function == function && outermost[node] ? nodes[node].total : 0;
}

GArray *spt_profile_bottom_up(const SptProfile *profile, uint32_t function)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	struct spt_tree_builder builder;
	GArray *tree;

	spt_tree_builder_init(&builder, function);
	for (uint32_t i = 1; i < profile->tree->len; i++) {
		uint64_t weight = weight_of_way(profile, function, i);
		uint32_t at = 0, node = function == UINT32_MAX ? i : nodes[i].parent;

		for (; weight && node != 0 && builder.nodes->len < SPT_PROFILE_MAX_NODES;
		     node = nodes[node].parent)
			at = spt_tree_builder_child(&builder, at, nodes[node].function);
		g_array_index(builder.nodes, SptTreeNode, at).self += weight;
	}
	tree = spt_tree_builder_finish(&builder, profile->functions, NULL);
	spt_tree_builder_clear(&builder);
	return tree;
}
