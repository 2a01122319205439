/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory is divided into pages, sixteen of them into a larger one, and so on.  A function is kept
 * once, with the smallest page that contains all of it.  So all functions that were at an address
 * are kept with one of the pages around it.
 */
#include "symbols/jit-past.h"

#define PAGE_BITS 12
#define STEP_BITS 4
#define LEVELS ((64 - PAGE_BITS) / STEP_BITS + 1)
/* One page of the first level, and one of each other. */
#define FIRST_MAX 1024
#define OTHER_MAX 64

_Static_assert(FIRST_MAX + (LEVELS - 1) * OTHER_MAX <= SPT_JIT_PAST_STEPS,
	       "a look-up passes all that is kept with the pages around a place");

struct past {
	SptJitFunction function;
	uint64_t end_ns;
};

struct SptJitPast {
	GArray *all;			/* struct past, by end */
	GHashTable *pages;		/* page -> GArray of uint32_t, numbers in it, ascending */
};

static void free_numbers(void *numbers)
{
	g_array_unref(numbers);
}

SptJitPast *spt_jit_past_new(void)
{
	SptJitPast *past = g_new0(SptJitPast, 1);

	past->all = g_array_new(FALSE, FALSE, sizeof(struct past));
	past->pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_numbers);
	return past;
}

void spt_jit_past_free(SptJitPast *past)
{
	if (!past)
		return;
	g_array_unref(past->all);
	g_hash_table_unref(past->pages);
	g_free(past);
}

/* The page of a level around an address, with a key that no other level has. */
static uint64_t page_of(uint64_t address, unsigned level)
{
	unsigned bits = PAGE_BITS + level * STEP_BITS;

	return (bits < 64 ? address >> bits : 0) * LEVELS + level;
}

void spt_jit_past_add(SptJitPast *past, const SptJitFunction *function, uint64_t time_ns)
{
	struct past entry = { *function, time_ns };
	uint64_t end = function->start + function->bytes - 1, page;
	uint32_t number = past->all->len;
	unsigned level = 0;
	GArray *numbers;

	while (page_of(function->start, level) != page_of(end, level))
		level++;
	page = page_of(function->start, level);
	numbers = g_hash_table_lookup(past->pages, &page);
	if (number == SPT_JIT_PAST_MAX ||
	    (numbers && numbers->len == (level ? OTHER_MAX : FIRST_MAX)))
		return;
	if (!numbers) {
		numbers = g_array_new(FALSE, FALSE, sizeof(uint32_t));
		g_hash_table_insert(past->pages, g_memdup2(&page, sizeof(page)), numbers);
	}
	if (number > 0)
		entry.end_ns =
			MAX(time_ns, g_array_index(past->all, struct past, number - 1).end_ns);
	g_array_append_val(past->all, entry);
	g_array_append_val(numbers, number);
}

uint32_t spt_jit_past_epoch(const SptJitPast *past, uint64_t time_ns)
{
	uint32_t low = 0, high = past->all->len;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (g_array_index(past->all, struct past, middle).end_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The remaining numbers of the pages around an address. */
struct pages {
	const GArray *numbers[LEVELS];	/* NULL: there is none */
	unsigned at[LEVELS];
};

/* The next one that was at @address; NULL: there is none. */
static const struct past *next_at(const SptJitPast *past, struct pages *pages, uint64_t address)
{
	uint32_t least = UINT32_MAX;
	unsigned from = 0;

	for (unsigned level = 0; level < LEVELS; level++) {
		const GArray *numbers = pages->numbers[level];

		for (; numbers && pages->at[level] < numbers->len; pages->at[level]++) {
			uint32_t number = g_array_index(numbers, uint32_t, pages->at[level]);
			const SptJitFunction *function =
				&g_array_index(past->all, struct past, number).function;

			if (address - function->start >= function->bytes)
				continue;
			if (number < least) {
				least = number;
				from = level;
			}
			break;
		}
	}
	if (least == UINT32_MAX)
		return NULL;
	pages->at[from]++;
	return &g_array_index(past->all, struct past, least);
}

uint32_t spt_jit_past_at(const SptJitPast *past, uint64_t address, uint64_t time_ns, uint32_t n,
			 SptJitFunction *ret)
{
	struct pages pages = { 0 };
	const struct past *entry;
	uint32_t found = 0;

	for (unsigned level = 0; level < LEVELS; level++)
		pages.numbers[level] = g_hash_table_lookup(
			past->pages, &(uint64_t){ page_of(address, level) });
	while (found < n && (entry = next_at(past, &pages, address)) && entry->end_ns <= time_ns) {
		found++;
		if (ret)
			*ret = entry->function;
	}
	return found;
}
