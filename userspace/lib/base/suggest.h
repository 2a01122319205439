/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the name that a misspelt word probably means. */
#ifndef SPT_BASE_SUGGEST_H
#define SPT_BASE_SUGGEST_H

#include <stdbool.h>

/*
 * Whether @word is @name with few mistakes: letters missing, added, replaced or swapped with their
 * neighbours, at most one in three.  *@least is the number of mistakes of the nearest name so far,
 * at first UINT_MAX.  True only if this name has fewer; then *@least becomes its number.
 */
bool spt_is_nearer(const char *word, const char *name, unsigned *least);

#endif
