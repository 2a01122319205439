/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weighing: samples were folded to leaves of the tree once.  One pass over the samples and one over
 * the tree sum up those that a filter selects.  Arrays of a few bytes per sample and node keep both
 * within the caches.
 */
#include <string.h>

#include "profile/categories.h"
#include "profile/where-expression.h"
#include "profile/glob.h"
#include "profile/languages.h"
#include "profile/profile-private.h"
#include "profile/rows.h"
#include "profile/selection.h"
#include "profile/shaper.h"

static bool is_innermost_wanted(const SptFilter *filter, const SptFunction *function)
{
	bool has_none = function->is_process || function->is_no_stack;

	if (filter->side != SPT_SIDE_ANY &&
	    (has_none || function->is_kernel != (filter->side == SPT_SIDE_KERNEL)))
		return false;
	return !filter->object ||
	       (!has_none && spt_glob_match(filter->object, function->object));
}

/* Clears @wanted where the stack that ends there is of another category or language. */
static void choose_kinds(const SptFilter *filter, const SptTreeNode *nodes, uint32_t n_nodes,
			 const SptFunction *functions, uint32_t n_functions, bool *wanted)
{
	g_autofree uint32_t *categories =
		filter->category ? spt_categories_of_functions(filter->categories, functions,
							       n_functions) :
				   NULL;

	for (uint32_t i = 1; i < n_nodes; i++) {
		if (wanted[i] && categories)
			wanted[i] = g_strcmp0(spt_category_name(filter->categories,
								spt_category_of_node(categories,
										     nodes, i)),
					      filter->category) == 0;
		if (wanted[i] && filter->language)
			wanted[i] = strcmp(spt_languages_of_node(nodes, functions, i),
					   filter->language) == 0;
	}
}

bool *spt_profile_choose_leaves(const SptFilter *filter, const SptTreeNode *nodes, uint32_t n_nodes,
				const SptFunction *functions, uint32_t n_functions)
{
	g_autofree bool *lacks_root = NULL;
	bool *wanted;

	if (!spt_filter_is_about_stacks(filter))
		return NULL;
	if (filter->where) {
		wanted =
			spt_expression_holds(filter->where, nodes, n_nodes, functions, n_functions);
	} else {
		wanted = g_new(bool, n_nodes);
		memset(wanted, true, n_nodes * sizeof(*wanted));
	}
	if (filter->root)
		lacks_root = spt_shaper_find_above(filter->root, nodes, n_nodes, functions,
						   n_functions);
	if (filter->category || filter->language)
		choose_kinds(filter, nodes, n_nodes, functions, n_functions, wanted);
	/* No sample ends at the root. */
	for (uint32_t i = 1; i < n_nodes; i++)
		wanted[i] = wanted[i] && !(lacks_root && lacks_root[i]) &&
			    is_innermost_wanted(filter, &functions[nodes[i].function]);
	return wanted;
}

/*
 * Computes totals from the leaves up, and the functions' sums on the way: children come after their
 * parents.
 */
static void sum_up(SptProfile *profile, const uint64_t *selfs, uint64_t *totals)
{
	SptTreeNode *nodes = (SptTreeNode *)profile->tree->data;
	SptFunction *functions = (SptFunction *)profile->functions->data;
	const bool *outermost = spt_profile_outermost(profile);

	for (uint32_t i = 0; i < profile->functions->len; i++)
		functions[i].self = functions[i].total = 0;
	for (uint32_t i = profile->tree->len - 1; i > 0; i--) {
		uint64_t self = selfs[i], total = totals[i] + self;

		nodes[i].self = self;
		nodes[i].total = total;
		if (total == 0)
			continue;
		totals[nodes[i].parent] += total;
		functions[nodes[i].function].self += self;
		if (outermost[i])
			functions[nodes[i].function].total += total;
	}
	nodes[0].self = selfs[0];
	nodes[0].total = totals[0] + selfs[0];
}

void spt_profile_sum_up(SptProfile *profile)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	g_autofree uint64_t *selfs = g_new(uint64_t, profile->tree->len);
	g_autofree uint64_t *totals = g_new0(uint64_t, profile->tree->len);

	for (uint32_t i = 0; i < profile->tree->len; i++)
		selfs[i] = nodes[i].self;
	sum_up(profile, selfs, totals);
}

bool spt_row_is_selected(const SptProfile *base, uint64_t row,
			 const struct spt_selection *selection, uint64_t *ret_weight)
{
	const struct spt_row_source *source = &base->sources[row];

	*ret_weight = spt_row_weight(base, row);
	return spt_selection_has_row(selection, source->thread, source->cpu,
				     base->values ? &base->values[row].detail : NULL, source->time,
				     spt_row_duration(base, row), ret_weight);
}

static SptProfile *profile_like(const SptProfile *base)
{
	SptProfile *profile = g_new0(SptProfile, 1);

	profile->base = base;
	profile->metric = base->metric;
	profile->threads = base->threads ? g_array_ref(base->threads) : NULL;
	profile->functions = g_array_copy(base->functions);
	profile->tree = g_array_copy(base->tree);
	return profile;
}

SptProfile *spt_profile_begin_sums(const SptProfile *base, SptProfile *reuse)
{
	SptProfile *profile = reuse ? reuse : profile_like(base);
	size_t n = profile->tree->len;

	if (!profile->selfs) {
		profile->selfs = g_new(uint64_t, n);
		profile->totals = g_new(uint64_t, n);
	}
	memset(profile->selfs, 0, n * sizeof(*profile->selfs));
	memset(profile->totals, 0, n * sizeof(*profile->totals));
	profile->n_samples = 0;
	return profile;
}

void spt_profile_end_sums(SptProfile *profile)
{
	sum_up(profile, profile->selfs, profile->totals);
}

/* The weights of those of @rows whose leaf in @whole is @wanted (NULL: all). */
static void weigh(SptProfile *profile, const struct spt_row *rows, const struct spt_row *whole,
		  uint64_t n_rows, const bool *wanted)
{
	for (uint64_t i = 0; i < n_rows; i++) {
		if (wanted && !wanted[whole[i].leaf])
			continue;
		profile->selfs[rows[i].leaf] += rows[i].weight;
		profile->n_samples++;
	}
}

/* The same for rows that are selected by more than time, or have weights of another kind. */
static void weigh_selected(SptProfile *profile, const struct spt_row *whole, uint64_t first,
			   uint64_t end, const bool *wanted,
			   const struct spt_selection *selection)
{
	const SptProfile *base = profile->base;

	for (uint64_t i = first; i < end; i++) {
		uint32_t leaf = base->rows[i].leaf;
		uint64_t weight;

		if ((wanted && !wanted[whole[i].leaf]) ||
		    !spt_row_is_selected(base, i, selection, &weight))
			continue;
		profile->selfs[leaf] += weight;
		profile->n_samples++;
	}
}

uint64_t spt_profile_row_at(const SptProfile *base, uint64_t time)
{
	uint64_t low = 0, high = base->n_rows;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (base->sources[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A row that ends later may have begun before. */
uint64_t spt_profile_row_behind(const SptProfile *base, const struct spt_selection *selection)
{
	return selection->end_ns >= UINT64_MAX - base->longest_ns ?
		       base->n_rows :
		       spt_profile_row_at(base, selection->end_ns + base->longest_ns);
}

static SptProfile *refilter_reread(const SptProfile *base, const SptFilter *filter,
				   SptProfile *reuse)
{
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(base, filter);

	return spt_profile_of_rows(rows, reuse);
}

SptProfile *spt_profile_refilter(const SptProfile *base, const SptFilter *filter, SptProfile *reuse)
{
	const SptProfile *whole = spt_profile_whole(base);
	SptProfile *profile;
	struct spt_selection selection;
	g_autofree bool *wanted = NULL;
	uint64_t first, end;

	g_return_val_if_fail(!reuse || reuse->base == base, NULL);
	if (base->reread)
		return refilter_reread(base, filter, reuse);
	g_return_val_if_fail(base->rows, NULL);
	wanted = spt_profile_choose_leaves(filter, (const SptTreeNode *)whole->tree->data,
					   whole->tree->len,
					   (const SptFunction *)whole->functions->data,
					   whole->functions->len);
	spt_selection_init(&selection, base->capture, filter);
	first = spt_profile_row_at(base, selection.begin_ns);
	end = MAX(first, spt_profile_row_behind(base, &selection));
	profile = spt_profile_begin_sums(base, reuse);
	if (!selection.threads && !selection.cpus && !selection.moments && !base->values)
		weigh(profile, base->rows + first, whole->rows + first, end - first, wanted);
	else
		weigh_selected(profile, whole->rows, first, end, wanted, &selection);
	spt_profile_end_sums(profile);
	spt_selection_clear(&selection);
	return profile;
}
