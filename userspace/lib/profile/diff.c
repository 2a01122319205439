/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Both sides get a common numbering of functions.  A path is then a pair of numbers, as in folding.
 */
#include "profile/diff.h"

#include <math.h>
#include <string.h>

#include "base/pairs.h"
#include "profile/culprit.h"
#include "profile/stem.h"
#include "profile/tree.h"

struct sides {
	const SptProfile *profiles[SPT_SIDES];
	GArray *functions;		/* SptDiffRow */
	uint32_t *common[SPT_SIDES];	/* of each profile's functions: its row in @functions */
	double worth[SPT_SIDES];	/* of a period */
};

static struct sides new_sides(const SptProfile *before, const SptProfile *after)
{
	struct sides sides = { .profiles = { before, after } };

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		uint64_t total = spt_profile_total(sides.profiles[side]);

		sides.worth[side] = total ? 1.0 / (double)total : 0;
	}
	return sides;
}

/* What is compared of a function; interned, so that equal names are one pointer. */
struct key {
	const char *name, *object;
	bool is_process;
};

static guint hash_key(gconstpointer data)
{
	const struct key *key = data;

	return g_direct_hash(key->name) * 31 + g_direct_hash(key->object) + key->is_process;
}

static gboolean equal_keys(gconstpointer a, gconstpointer b)
{
	const struct key *x = a, *y = b;

	return x->name == y->name && x->object == y->object && x->is_process == y->is_process;
}

/* Names of processes are not made by compilers. */
static struct key key_of(const SptFunction *function)
{
	return (struct key){ function->is_process ? g_intern_string(function->name) :
						    spt_stem(function->name),
			     spt_stem_of_object(function->object), function->is_process };
}

static bool has_functions_in(const SptProfile *profile, const char *object)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (functions[i].total && !functions[i].is_process &&
		    strcmp(functions[i].object, object) == 0)
			return true;
	return false;
}

/* The program of a process that most of @profile is of; NULL: there is none. */
static const char *diff_program_of(const SptProfile *profile)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		if (functions[i].is_process && functions[i].total > spt_profile_total(profile) / 2)
			return has_functions_in(profile, functions[i].name) ? functions[i].name :
									      NULL;
	return NULL;
}

/*
 * Two programs are compared as what was changed, whatever they are called: as one, unless either
 * side also ran the other's.
 */
static void pair_programs(const struct sides *sides, struct key *keys[SPT_SIDES])
{
	const char *programs[SPT_SIDES] = { diff_program_of(sides->profiles[SPT_BEFORE]),
					    diff_program_of(sides->profiles[SPT_AFTER]) };
	g_autofree char *both = NULL;

	if (!programs[SPT_BEFORE] || !programs[SPT_AFTER] ||
	    has_functions_in(sides->profiles[SPT_BEFORE], programs[SPT_AFTER]) ||
	    has_functions_in(sides->profiles[SPT_AFTER], programs[SPT_BEFORE]))
		return;
	both = g_strdup_printf("%s, %s", programs[SPT_BEFORE], programs[SPT_AFTER]);
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		uint32_t n;

		spt_profile_functions(sides->profiles[side], &n);
		for (uint32_t i = 0; i < n; i++) {
			struct key *key = &keys[side][i];

			if (key->is_process && strcmp(key->name, programs[side]) == 0)
				key->name = g_intern_string(both);
			else if (!key->is_process && strcmp(key->object, programs[side]) == 0)
				key->object = g_intern_string(both);
		}
	}
}

/* How many functions of each side have a key. */
struct seen {
	uint32_t n[SPT_SIDES];
};

static struct seen *seen_at(GHashTable *table, const struct key *key)
{
	struct seen *seen = g_hash_table_lookup(table, key);

	if (!seen) {
		seen = g_new0(struct seen, 1);
		g_hash_table_insert(table, g_memdup2(key, sizeof(*key)), seen);
	}
	return seen;
}

static struct key without_number(const struct key *key)
{
	return (struct key){ key->is_process ? key->name : spt_stem_without_number(key->name),
			     key->object, key->is_process };
}

/*
 * Drops the numbers at the ends of names that only one side has, where that makes a pair: one of
 * each side.
 */
static void pair_numbered(const struct sides *sides, struct key *keys[SPT_SIDES])
{
	g_autoptr(GHashTable) all = g_hash_table_new_full(hash_key, equal_keys, g_free, g_free),
			      single = g_hash_table_new_full(hash_key, equal_keys, g_free, g_free);
	uint32_t n[SPT_SIDES];

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		const SptFunction *functions =
			spt_profile_functions(sides->profiles[side], &n[side]);

		for (uint32_t i = 0; i < n[side]; i++)
			if (functions[i].total)
				seen_at(all, &keys[side][i])->n[side]++;
	}
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned side = 0; side < SPT_SIDES; side++) {
			for (uint32_t i = 0; i < n[side]; i++) {
				struct key *key = &keys[side][i], bare = without_number(key);
				struct seen *of_key = g_hash_table_lookup(all, key), *of_bare;

				if (!of_key || of_key->n[!side] || of_key->n[side] != 1)
					continue;
				of_bare = seen_at(single, &bare);
				if (pass == 0)
					of_bare->n[side]++;
				else if (of_bare->n[0] == 1 && of_bare->n[1] == 1)
					*key = bare;
			}
		}
	}
}

/* A row of several functions is called what they have in common. */
static void name_row(SptDiffRow *row, const SptFunction *function, const struct key *key)
{
	if (strcmp(row->name, function->name) != 0)
		row->name = key->name;
	if (strcmp(row->object, function->object) != 0)
		row->object = key->object;
}

/*
 * Functions that are one here may call each other: their total is that of the outermost.  @n_of:
 * how many functions of the side each row has.
 */
static void sum_totals(struct sides *sides, unsigned side, const uint32_t *n_of)
{
	const uint32_t *common = sides->common[side];
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(sides->profiles[side], &n);

	for (uint32_t i = 1; i < n; i++) {
		uint32_t row = common[nodes[i].function], at = nodes[i].parent;

		if (nodes[i].total == 0 || n_of[row] < 2)
			continue;
		while (at != 0 && common[nodes[at].function] != row)
			at = nodes[at].parent;
		if (at == 0)
			g_array_index(sides->functions, SptDiffRow, row).total[side] +=
				(double)nodes[i].total * sides->worth[side];
	}
}

static void number_side(struct sides *sides, unsigned side, const struct key *keys,
			GHashTable *known)
{
	g_autoptr(GArray) n_of = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(sides->profiles[side], &n);
	g_autoptr(SptCulprits) culprits = spt_culprits_know(sides->profiles[side]);
	/* Of waits and memory, as lists of one recording have it. */
	g_autofree uint64_t *own =
		culprits ? spt_culprits_own(culprits, sides->profiles[side]) : NULL;

	sides->common[side] = g_new0(uint32_t, MAX(n, 1));
	for (uint32_t i = 0; i < n; i++) {
		gpointer index;
		SptDiffRow *row;

		if (functions[i].total == 0)
			continue;
		if (!g_hash_table_lookup_extended(known, &keys[i], NULL, &index)) {
			SptDiffRow new_row = {
				.name = functions[i].name,
				.object = functions[i].object,
				.is_process = functions[i].is_process,
				.is_kernel = functions[i].is_kernel,
				.parent = UINT32_MAX,
			};

			index = GUINT_TO_POINTER(sides->functions->len);
			g_array_append_val(sides->functions, new_row);
			g_hash_table_insert(known, g_memdup2(&keys[i], sizeof(keys[i])), index);
		}
		sides->common[side][i] = GPOINTER_TO_UINT(index);
		row = &g_array_index(sides->functions, SptDiffRow, GPOINTER_TO_UINT(index));
		name_row(row, &functions[i], &keys[i]);
		row->self[side] += (double)(own ? own[i] : functions[i].self) * sides->worth[side];
		g_array_set_size(n_of, sides->functions->len);
		if (g_array_index(n_of, uint32_t, GPOINTER_TO_UINT(index))++ == 0)
			row->total[side] = (double)functions[i].total * sides->worth[side];
		else
			row->total[side] = 0;
	}
	g_array_set_size(n_of, sides->functions->len);
	sum_totals(sides, side, (const uint32_t *)(void *)n_of->data);
}

/* Functions with weight: a profile also names processes that only other metrics have. */
static void number_functions(struct sides *sides)
{
	g_autoptr(GHashTable) known = g_hash_table_new_full(hash_key, equal_keys, g_free, NULL);
	struct key *keys[SPT_SIDES];

	sides->functions = g_array_new(FALSE, FALSE, sizeof(SptDiffRow));
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		uint32_t n;
		const SptFunction *functions = spt_profile_functions(sides->profiles[side], &n);

		keys[side] = g_new(struct key, MAX(n, 1));
		for (uint32_t i = 0; i < n; i++)
			keys[side][i] = key_of(&functions[i]);
	}
	pair_programs(sides, keys);
	pair_numbered(sides, keys);
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		number_side(sides, side, keys[side], known);
		g_free(keys[side]);
	}
}

static void clear_numbers(struct sides *sides)
{
	for (unsigned side = 0; side < SPT_SIDES; side++)
		g_free(sides->common[side]);
}

GArray *spt_diff_functions(const SptProfile *before, const SptProfile *after)
{
	struct sides sides = new_sides(before, after);

	number_functions(&sides);
	clear_numbers(&sides);
	return sides.functions;
}

/* The row of the path that continues row @parent by @function. */
static uint32_t path_for(const struct sides *sides, struct spt_pairs *known, GArray *paths,
			 uint32_t parent, uint32_t function)
{
	uint32_t *path = spt_pairs_at(known, parent, function);

	if (*path == UINT32_MAX) {
		const SptDiffRow *named = &g_array_index(sides->functions, SptDiffRow, function);
		SptDiffRow row = {
			.name = named->name,
			.object = named->object,
			.is_process = named->is_process,
			.parent = parent,
		};

		*path = paths->len;
		g_array_append_val(paths, row);
	}
	return *path;
}

GArray *spt_diff_paths(const SptProfile *before, const SptProfile *after)
{
	struct sides sides = new_sides(before, after);
	GArray *paths = g_array_new(FALSE, FALSE, sizeof(SptDiffRow));
	struct spt_pairs known = { 0 };

	number_functions(&sides);
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		uint32_t n;
		const SptTreeNode *nodes = spt_profile_tree(sides.profiles[side], &n);
		g_autofree uint32_t *path_of = g_new(uint32_t, n);

		path_of[0] = UINT32_MAX;
		for (uint32_t i = 1; i < n; i++) {
			uint32_t function = sides.common[side][nodes[i].function];
			SptDiffRow *path;

			if (nodes[i].total == 0)
				continue;
			path_of[i] =
				path_for(&sides, &known, paths, path_of[nodes[i].parent], function);
			path = &g_array_index(paths, SptDiffRow, path_of[i]);
			path->self[side] += (double)nodes[i].self * sides.worth[side];
			path->total[side] += (double)nodes[i].total * sides.worth[side];
		}
	}
	spt_pairs_clear(&known);
	clear_numbers(&sides);
	g_array_unref(sides.functions);
	return paths;
}

/*
 * The self weight of each side in each node of a tree that has all paths of both; and the tree's
 * functions.
 */
struct merged {
	struct spt_tree_builder builder;
	GArray *selfs[SPT_SIDES];	/* double */
};

static void merge_side(struct merged *merged, const struct sides *sides, unsigned side)
{
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(sides->profiles[side], &n);
	g_autofree uint32_t *places = g_new0(uint32_t, n);

	for (uint32_t i = 1; i < n; i++) {
		if (nodes[i].total == 0)
			continue;
		places[i] = spt_tree_builder_child(&merged->builder, places[nodes[i].parent],
						   sides->common[side][nodes[i].function]);
		if (merged->builder.nodes->len > merged->selfs[side]->len)
			g_array_set_size(merged->selfs[side], merged->builder.nodes->len);
		g_array_index(merged->selfs[side], double, places[i]) +=
			(double)nodes[i].self * sides->worth[side];
	}
}

/* Sums up @selfs.  Parents come before their children. */
static void add_to_parents(const struct spt_tree_builder *builder, GArray *selfs)
{
	double *sums = (double *)selfs->data;

	for (uint32_t i = builder->nodes->len; i-- > 1;)
		sums[g_array_index(builder->nodes, SptTreeNode, i).parent] += sums[i];
}

static GArray *name_functions(const GArray *rows)
{
	GArray *functions = g_array_sized_new(FALSE, FALSE, sizeof(SptFunction), rows->len);

	for (uint32_t i = 0; i < rows->len; i++) {
		const SptDiffRow *row = &g_array_index(rows, SptDiffRow, i);
		const SptFunction function = {
			.name = row->name,
			.object = row->object,
			.is_process = row->is_process,
			.has_symbol = true,
			.is_kernel = row->is_kernel,
			.self = (uint64_t)(SPT_DIFF_WHOLE * MAX(row->self[0], row->self[1])),
			.total = (uint64_t)(SPT_DIFF_WHOLE * MAX(row->total[0], row->total[1])),
		};

		g_array_append_val(functions, function);
	}
	return functions;
}

static GArray *place_changes(const struct merged *merged, const uint32_t *places)
{
	uint32_t n = merged->builder.nodes->len;
	GArray *changes = g_array_new(FALSE, TRUE, sizeof(double));

	g_array_set_size(changes, n);
	for (uint32_t i = 0; i < n; i++)
		g_array_index(changes, double, places[i]) =
			g_array_index(merged->selfs[SPT_AFTER], double, i) -
			g_array_index(merged->selfs[SPT_BEFORE], double, i);
	return changes;
}

bool spt_diff_may_be_chance(const SptDiffRow *row, bool by_total,
			    const uint64_t n_samples[SPT_SIDES])
{
	const double *shares = by_total ? row->total : row->self;
	double variance = 0;

	for (unsigned side = 0; side < SPT_SIDES; side++)
		variance += shares[side] * (1 - shares[side]) / (double)MAX(n_samples[side], 1);
	return fabs(shares[SPT_AFTER] - shares[SPT_BEFORE]) < 2 * sqrt(variance);
}

SptDiffTree *spt_diff_tree(const SptProfile *before, const SptProfile *after, const double *worth)
{
	struct sides sides = new_sides(before, after);
	struct merged merged;
	SptDiffTree *tree = g_new0(SptDiffTree, 1);
	g_autofree uint32_t *places = NULL;
	double most;

	/* The larger one of both is 100 %. */
	if (worth) {
		most = MAX((double)spt_profile_total(before) * worth[0],
			   (double)spt_profile_total(after) * worth[1]);
		for (unsigned side = 0; side < SPT_SIDES; side++)
			sides.worth[side] = most > 0 ? worth[side] / most : 0;
	}
	number_functions(&sides);
	spt_tree_builder_init(&merged.builder, UINT32_MAX);
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		merged.selfs[side] = g_array_new(FALSE, TRUE, sizeof(double));
		merge_side(&merged, &sides, side);
	}
	for (unsigned side = 0; side < SPT_SIDES; side++)
		g_array_set_size(merged.selfs[side], merged.builder.nodes->len);
	for (uint32_t i = 0; i < merged.builder.nodes->len; i++)
		g_array_index(merged.builder.nodes, SptTreeNode, i).self =
			(uint64_t)(SPT_DIFF_WHOLE * MAX(g_array_index(merged.selfs[0], double, i),
							g_array_index(merged.selfs[1], double, i)));
	for (unsigned side = 0; side < SPT_SIDES; side++)
		add_to_parents(&merged.builder, merged.selfs[side]);
	tree->rows = sides.functions;
	tree->functions = name_functions(tree->rows);
	tree->tree = spt_tree_builder_finish(&merged.builder, tree->functions, &places);
	tree->changes = place_changes(&merged, places);
	for (unsigned side = 0; side < SPT_SIDES; side++)
		g_array_unref(merged.selfs[side]);
	spt_tree_builder_clear(&merged.builder);
	clear_numbers(&sides);
	return tree;
}

void spt_diff_tree_free(SptDiffTree *tree)
{
	if (!tree)
		return;
	g_array_unref(tree->functions);
	g_array_unref(tree->rows);
	g_array_unref(tree->tree);
	g_array_unref(tree->changes);
	g_free(tree);
}

struct order {
	const SptDiffRow *rows;
	bool by_total;
};

static double change(const SptDiffRow *row, bool of_total)
{
	const double *shares = of_total ? row->total : row->self;

	return fabs(shares[SPT_AFTER] - shares[SPT_BEFORE]);
}

static int compare_changes(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct order *order = data;
	const SptDiffRow *x = &order->rows[*(const uint32_t *)a],
			 *y = &order->rows[*(const uint32_t *)b];
	int names;

	if (change(x, order->by_total) != change(y, order->by_total))
		return change(x, order->by_total) > change(y, order->by_total) ? -1 : 1;
	if (change(x, !order->by_total) != change(y, !order->by_total))
		return change(x, !order->by_total) > change(y, !order->by_total) ? -1 : 1;
	names = strcmp(x->name, y->name);
	return names ? names : strcmp(x->object, y->object);
}

uint32_t *spt_diff_order(GArray *rows, bool by_total)
{
	struct order order = { (const SptDiffRow *)rows->data, by_total };
	uint32_t *indices = g_new(uint32_t, MAX(rows->len, 1));

	for (uint32_t i = 0; i < rows->len; i++)
		indices[i] = i;
	g_qsort_with_data(indices, (int)rows->len, sizeof(*indices), compare_changes, &order);
	return indices;
}
