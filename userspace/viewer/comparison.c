/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Never changes once it is made, as its sides do not. */
#include "comparison.h"

#include <float.h>

#include "profile/faster.h"
#include "profile/sentences.h"

/* The length of one of its periods, or of the metric's unit, in seconds. */
static double worth_of_period(const SptDocument *document)
{
	const SptSummary *summary = &document->recording->summary;
	const SptRestriction *time =
		spt_restrictions_find(document->look.restrictions, SPT_RESTRICT_TIME);
	uint64_t begin = time ? time->begin_ns : summary->start_ns,
		 end = time ? time->end_ns : summary->end_ns;

	uint64_t worth = MAX(document->calls.worth, 1);

	return end > begin ? (double)worth / (double)(end - begin) : 0;
}

static bool is_of_command(const SptDocument *document)
{
	return spt_sentences_find_part(spt_restrictions_filter(document->look.restrictions)) ==
	       SPT_SENTENCES_OF_COMMAND;
}

static char *compare_in_words(const SptDocument *before, const SptDocument *after)
{
	g_autoptr(GPtrArray) said = spt_faster_new(&(SptFasterInput){
		.profiles = { before->profile, after->profile },
		.captures = { before->recording->capture, after->recording->capture },
		.is_command = is_of_command(before) && is_of_command(after),
	});

	g_ptr_array_add(said, NULL);
	return g_strjoinv("  ", (char **)said->pdata);
}

static void comparison_clear(gpointer data)
{
	SptComparison *comparison = data;

	g_free(comparison->words);
	g_free(comparison->changed);
	spt_diff_tree_free(comparison->differences);
	for (unsigned side = 0; side < SPT_SIDES; side++)
		spt_document_unref(comparison->sides[side]);
}

/* What 100 % is on each side: all of it, or with @worth as much of it as the busier one took. */
static void set_sides(SptComparison *comparison, const double *worth)
{
	SptCallTree *calls = &comparison->calls;
	double most = 0;

	for (unsigned side = 0; worth && side < SPT_SIDES; side++)
		most = MAX(most, (double)comparison->sides[side]->calls.total * worth[side]);
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		const SptDocument *document = comparison->sides[side];
		double whole =
			worth ? most / MAX(worth[side], DBL_MIN) : (double)document->calls.total;

		calls->n_samples[side] = spt_profile_n_samples(document->profile);
		calls->amounts[side] = whole * (double)(calls->worth ? document->calls.worth : 1);
	}
}

SptComparison *spt_comparison_new(SptDocument *before, SptDocument *after, bool by_time)
{
	const double worth[SPT_SIDES] = { worth_of_period(before), worth_of_period(after) };
	SptComparison *comparison = g_atomic_rc_box_new0(SptComparison);
	SptDiffTree *differences =
		spt_diff_tree(before->profile, after->profile, by_time ? worth : NULL);

	comparison->sides[SPT_BEFORE] = spt_document_ref(before);
	comparison->sides[SPT_AFTER] = spt_document_ref(after);
	comparison->differences = differences;
	comparison->changed = spt_diff_order(differences->rows, false);
	comparison->words = compare_in_words(before, after);
	comparison->calls = (SptCallTree){
		.clear = comparison_clear,
		.subject = comparison,
		.functions = (const SptFunction *)differences->functions->data,
		.n_functions = differences->functions->len,
		.total = SPT_DIFF_WHOLE,
		.tree = g_array_ref(differences->tree),
		.metric = after->look.metric,
		.worth = MIN(before->calls.worth, after->calls.worth),
		.differences = differences,
	};
	set_sides(comparison, by_time ? worth : NULL);
	return comparison;
}

void spt_comparison_unref(SptComparison *comparison)
{
	spt_call_tree_unref(&comparison->calls);
}
