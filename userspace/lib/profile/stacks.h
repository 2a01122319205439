/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole stacks, as they are in the tree. */
#ifndef SPT_STACKS_H
#define SPT_STACKS_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* Nodes of the tree (uint32_t) where the stacks end that @function is on, heaviest first by their self; ties by node. */
GArray *spt_profile_stacks(const SptProfile *profile, uint32_t function);

G_END_DECLS

#endif
