/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Both sides are brought to one numbering of functions; a path is then a pair of numbers, as in folding. */
#include "profile/diff.h"

#include <math.h>
#include <string.h>

#include "stash/pairs.h"

struct sides {
	const SptProfile *profiles[SPT_SIDES];
	GArray *functions;		/* SptDiffRow */
	uint32_t *common[SPT_SIDES];	/* of each profile's functions: its row in @functions */
};

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : 0;
}

static guint hash_row(gconstpointer key)
{
	const SptDiffRow *row = key;

	return g_str_hash(row->name) * 31 + g_str_hash(row->object) + row->is_process;
}

static gboolean equal_rows(gconstpointer a, gconstpointer b)
{
	const SptDiffRow *x = a, *y = b;

	return x->is_process == y->is_process && strcmp(x->name, y->name) == 0 && strcmp(x->object, y->object) == 0;
}

static void number_functions(struct sides *sides)
{
	/* The keys are rows made for them; the array moves as it grows. */
	g_autoptr(GHashTable) known = g_hash_table_new_full(hash_row, equal_rows, g_free, NULL);

	sides->functions = g_array_new(FALSE, FALSE, sizeof(SptDiffRow));
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		uint32_t n;
		const SptFunction *functions = spt_profile_functions(sides->profiles[side], &n);
		uint64_t all = spt_profile_total(sides->profiles[side]);

		sides->common[side] = g_new(uint32_t, MAX(n, 1));
		for (uint32_t i = 0; i < n; i++) {
			SptDiffRow row = {
				.name = functions[i].name, .object = functions[i].object,
				.is_process = functions[i].is_process, .parent = UINT32_MAX,
			};
			gpointer index;

			if (!g_hash_table_lookup_extended(known, &row, NULL, &index)) {
				index = GUINT_TO_POINTER(sides->functions->len);
				g_array_append_val(sides->functions, row);
				g_hash_table_insert(known, g_memdup2(&row, sizeof(row)), index);
			}
			sides->common[side][i] = GPOINTER_TO_UINT(index);
			g_array_index(sides->functions, SptDiffRow, GPOINTER_TO_UINT(index)).self[side] +=
				share(functions[i].self, all);
			g_array_index(sides->functions, SptDiffRow, GPOINTER_TO_UINT(index)).total[side] +=
				share(functions[i].total, all);
		}
	}
}

static void clear_numbers(struct sides *sides)
{
	for (unsigned side = 0; side < SPT_SIDES; side++)
		g_free(sides->common[side]);
}

GArray *spt_diff_functions(const SptProfile *before, const SptProfile *after)
{
	struct sides sides = { .profiles = { before, after } };

	number_functions(&sides);
	clear_numbers(&sides);
	return sides.functions;
}

/* The row of the path that goes on from row @parent by @function. */
static uint32_t path_for(const struct sides *sides, struct spt_pairs *known, GArray *paths, uint32_t parent,
			 uint32_t function)
{
	uint32_t *path = spt_pairs_at(known, parent, function);

	if (*path == UINT32_MAX) {
		const SptDiffRow *named = &g_array_index(sides->functions, SptDiffRow, function);
		SptDiffRow row = {
			.name = named->name, .object = named->object, .is_process = named->is_process, .parent = parent,
		};

		*path = paths->len;
		g_array_append_val(paths, row);
	}
	return *path;
}

GArray *spt_diff_paths(const SptProfile *before, const SptProfile *after)
{
	struct sides sides = { .profiles = { before, after } };
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

			path_of[i] = path_for(&sides, &known, paths, path_of[nodes[i].parent], function);
			path = &g_array_index(paths, SptDiffRow, path_of[i]);
			path->self[side] += share(nodes[i].self, nodes[0].total);
			path->total[side] += share(nodes[i].total, nodes[0].total);
		}
	}
	spt_pairs_clear(&known);
	clear_numbers(&sides);
	g_array_unref(sides.functions);
	return paths;
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
	const SptDiffRow *x = &order->rows[*(const uint32_t *)a], *y = &order->rows[*(const uint32_t *)b];
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
