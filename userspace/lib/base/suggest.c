/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distances of words, by Damerau and Levenshtein. */
#include "base/suggest.h"

#include <glib.h>
#include <string.h>

#define LONGEST 32

/* For words of at most LONGEST letters. */
static unsigned distance(const char *a, const char *b)
{
	unsigned n = (unsigned)strlen(a), m = (unsigned)strlen(b);
	unsigned rows[LONGEST + 1][LONGEST + 1];

	for (unsigned i = 0; i <= n; i++) {
		for (unsigned j = 0; j <= m; j++) {
			unsigned best;

			if (i == 0 || j == 0) {
				rows[i][j] = i + j;
				continue;
			}
			best = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			best = MIN(best, rows[i - 1][j] + 1);
			best = MIN(best, rows[i][j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = MIN(best, rows[i - 2][j - 2] + 1);
			rows[i][j] = best;
		}
	}
	return rows[n][m];
}

bool spt_is_nearer(const char *word, const char *name, unsigned *least)
{
	size_t n = strlen(word), m = strlen(name);
	unsigned mistakes, allowed = (unsigned)MAX(m / 3, 1);

	/* A hundred thousand names may be compared. */
	if (n > LONGEST || m > LONGEST || n > m + allowed || m > n + allowed)
		return false;
	mistakes = distance(word, name);
	if (mistakes > allowed || mistakes >= *least)
		return false;
	*least = mistakes;
	return true;
}
