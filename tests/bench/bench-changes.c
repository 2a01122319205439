// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bench-changes RUNS CHANGED BEFORE AFTER: how often spt_runs_rows() is sure, of 100 draws of RUNS
 * recordings for each side from the two lists, with commas between paths.  None is on both sides of
 * a draw.  CHANGED: a function that really has changed, if the lists differ.
 */
#include <stdio.h>
#include <string.h>

#include "profile/command.h"
#include "profile/compare-runs.h"

#define DRAWS 100
#define MOST 64

struct recording {
	const char *path;
	const SptProfile *profile;
	double worth;			/* of a period, in ns */
};

static struct recording open_recording(const char *path)
{
	g_autoptr(GError) error = NULL;
	const SptCapture *capture = spt_capture_open(path, &error);
	SptFilter filter = { .processes = capture ? spt_command_processes(capture) : NULL };

	g_assert_no_error(error);
	return (struct recording){
		path, spt_profile_new(capture, spt_symbols_new(capture, NULL), NULL, &filter),
		(double)spt_capture_period_ns(capture)
	};
}

/* Those of @list, which may be in @known already. */
static unsigned open_list(const char *list, const struct recording *known, unsigned n_known,
			  struct recording *ret)
{
	g_auto(GStrv) paths = g_strsplit(list, ",", MOST);
	unsigned n = g_strv_length(paths);

	for (unsigned i = 0; i < n; i++) {
		unsigned at = 0;

		while (at < n_known && strcmp(known[at].path, paths[i]) != 0)
			at++;
		ret[i] = at < n_known ? known[at] : open_recording(g_strdup(paths[i]));
	}
	return n;
}

/* The first @n become a random choice of all. */
static void shuffle(GRand *random, struct recording *all, unsigned n_all, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned other = (unsigned)g_rand_int_range(random, (int)i, (int)n_all);
		struct recording kept = all[i];

		all[i] = all[other];
		all[other] = kept;
	}
}

static GArray *compare(const struct recording *before, const struct recording *after, unsigned n)
{
	const SptProfile *profiles[SPT_SIDES][MOST];
	double worth[SPT_SIDES][MOST];
	SptRuns runs[SPT_SIDES];

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		for (unsigned i = 0; i < n; i++) {
			profiles[side][i] = (side ? after : before)[i].profile;
			worth[side][i] = (side ? after : before)[i].worth;
		}
		runs[side] = (SptRuns){ profiles[side], worth[side], n };
	}
	return spt_runs_rows(runs, false);
}

int main(int argc, char **argv)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(1);
	struct recording before[MOST], after[MOST];
	unsigned n, n_before, n_after, found = 0, flagged = 0, compared = 0;
	bool is_same = argc == 5 && strcmp(argv[3], argv[4]) == 0;

	if (argc != 5 || (n = (unsigned)atoi(argv[1])) == 0) {
		fprintf(stderr, "usage: bench-changes RUNS CHANGED BEFORE AFTER\n");
		return 2;
	}
	n_before = open_list(argv[3], NULL, 0, before);
	n_after = open_list(argv[4], before, n_before, after);
	g_assert(n_before >= n * (is_same ? 2 : 1) && n_after >= n);
	for (unsigned draw = 0; draw < DRAWS; draw++) {
		g_autoptr(GArray) rows = NULL;

		shuffle(random, before, n_before, is_same ? 2 * n : n);
		shuffle(random, after, n_after, n);
		rows = compare(before, is_same ? before + n : after, n);
		for (guint i = 0; i < rows->len; i++) {
			const SptRunsRow *row = &g_array_index(rows, SptRunsRow, i);
			bool is_changed = !is_same && g_str_has_prefix(row->name, argv[2]);

			if (row->is_process || !(row->self.mean[0] + row->self.mean[1] > 0))
				continue;
			found += is_changed && spt_runs_is_sure(&row->self);
			flagged += !is_changed && spt_runs_is_sure(&row->self);
			compared += !is_changed;
		}
	}
	printf("%s found in %u of %u; of %u others %u (%.2f %%) said to have changed\n", argv[2],
	       found, DRAWS, compared, flagged, 100.0 * flagged / MAX(compared, 1));
	return 0;
}
