/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where symbols say that functions begin, for code that nothing else describes. */
#ifndef SPT_UNWIND_LABELS_H
#define SPT_UNWIND_LABELS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/*
 * @at: an address, or a place.  @is_function: the symbol says so; else it may be a label in a
 * function, as assembly has them.
 */
typedef struct {
	uint64_t at;
	bool is_function;
} SptLabel;

/* Adds the symbol with these members of Elf64_Sym, whose section has code, if it is a label. */
void spt_labels_add(GArray *labels, uint64_t value, uint8_t info, uint16_t section);
/* Sorts by place; of several at one place it keeps one. */
void spt_labels_sort(GArray *labels);
/* The first label of [@start, @end), and how many there are. */
const SptLabel *spt_labels_within(const GArray *labels, uint64_t start, uint64_t end,
				  unsigned *ret_n);

G_END_DECLS

#endif
