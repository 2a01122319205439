/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was meant by a word that is none. */
#ifndef SPT_BASE_NEAR_H
#define SPT_BASE_NEAR_H

#include <stdbool.h>

/*
 * Whether @word is @name with few mistakes: letters missing, added, replaced or swapped with their
 * neighbours, one in three at most.  *@least, at first UINT_MAX, is how many the nearest name so
 * far has; true only if this one has fewer, which it becomes.
 */
bool spt_is_nearer(const char *word, const char *name, unsigned *least);

#endif
