/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers for what a profile uses of its functions, objects and stacks, counted from 0, for
 * formats with tables of them.  Nothing else is written, so that no name is in a file that a filter
 * excludes.
 */
#ifndef SPT_EXPORT_NUMBERS_H
#define SPT_EXPORT_NUMBERS_H

#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_NO_NUMBER UINT32_MAX

/* Processes are no part of a stack here; parents are numbered before children. */
typedef struct {
	const SptFunction *functions;
	const SptTreeNode *nodes;
	uint32_t *function, *node;	/* by index in the profile: its number, or SPT_NO_NUMBER */
	uint32_t n_functions, n_nodes;	/* of the profile */
	GPtrArray *objects;		/* const char *, by number */
	GHashTable *object;		/* name -> number plus one */
} SptNumbers;

void spt_numbers_init(SptNumbers *numbers, const SptProfile *profile);
void spt_numbers_clear(SptNumbers *numbers);
/* The number of @function's object; SPT_NO_NUMBER: it has none. */
uint32_t spt_numbers_object(const SptNumbers *numbers, const SptFunction *function);
/* The number of node @i's parent; SPT_NO_NUMBER: it is outermost. */
uint32_t spt_numbers_parent(const SptNumbers *numbers, uint32_t i);

G_END_DECLS

#endif
