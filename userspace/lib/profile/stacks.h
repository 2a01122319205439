/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole stacks, as they are in the tree. */
#ifndef SPT_STACKS_H
#define SPT_STACKS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/*
 * The stacks that have the whole @way, @n functions of which each calls the next, from the
 * outermost occurrence of the first one on: the nodes of the tree (uint32_t) where they end.
 * Heaviest self first; ties by node.
 */
GArray *spt_profile_stacks(const SptProfile *profile, const uint32_t *way, uint32_t n);

G_END_DECLS

#endif
