/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/labels.h"

#include <elf.h>

void spt_labels_add(GArray *labels, uint64_t value, uint8_t info, uint16_t section)
{
	unsigned type = ELF64_ST_TYPE(info);
	SptLabel label = { value, type == STT_FUNC || type == STT_GNU_IFUNC };

	if ((label.is_function || type == STT_NOTYPE) && section != SHN_UNDEF &&
	    section < SHN_LORESERVE)
		g_array_append_val(labels, label);
}

static int labels_compare(const void *a, const void *b)
{
	const SptLabel *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return y->is_function - x->is_function;
}

void spt_labels_sort(GArray *labels)
{
	unsigned n = 0;

	g_array_sort(labels, labels_compare);
	for (unsigned i = 0; i < labels->len; i++)
		if (n == 0 || g_array_index(labels, SptLabel, i).at !=
				      g_array_index(labels, SptLabel, n - 1).at)
			g_array_index(labels, SptLabel, n++) = g_array_index(labels, SptLabel, i);
	g_array_set_size(labels, n);
}

/* The index of the first label that is not before @at. */
static unsigned first_from(const GArray *labels, uint64_t at)
{
	unsigned low = 0, high = labels->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (g_array_index(labels, SptLabel, middle).at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const SptLabel *spt_labels_within(const GArray *labels, uint64_t start, uint64_t end,
				  unsigned *ret_n)
{
	unsigned first = first_from(labels, start);

	*ret_n = end > start ? first_from(labels, end) - first : 0;
	return (const SptLabel *)(void *)labels->data + first;
}
