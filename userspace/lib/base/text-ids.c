/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash is the value of a polynomial at a secret place, modulo a prime: its coefficients are the
 * length of the text and pieces of it.  Two texts of n bytes are equal there for one in 2^61 * 7/n
 * of the places.
 */
#include "base/text-ids.h"

#include <glib.h>
#include <string.h>

#define PRIME	    ((1ull << 61) - 1)
#define PIECE_BYTES 7

struct places {
	uint64_t a, b;
};

static uint64_t random_place(void)
{
	uint64_t random = (uint64_t)g_random_int() << 32 | g_random_int();

	return random % (PRIME - 2) + 2;
}

static const struct places *secret_places(void)
{
	static struct places places;
	static gsize is_there;

	if (g_once_init_enter(&is_there)) {
		places = (struct places){ random_place(), random_place() };
		g_once_init_leave(&is_there, 1);
	}
	return &places;
}

/* @sum * @place + @piece; all are below the prime. */
static uint64_t step(uint64_t sum, uint64_t place, uint64_t piece)
{
	unsigned __int128 product = (unsigned __int128)sum * place;
	uint64_t next = (uint64_t)(product & PRIME) + (uint64_t)(product >> 61);

	next = (next >= PRIME ? next - PRIME : next) + piece;
	return next >= PRIME ? next - PRIME : next;
}

uint32_t *spt_text_ids_at(struct spt_text_ids *ids, const char *text)
{
	const struct places *places = secret_places();
	size_t n = strlen(text);
	uint64_t a = n + 1, b = a;

	for (size_t at = 0; at < n; at += PIECE_BYTES) {
		uint64_t piece = 0;

		memcpy(&piece, text + at, MIN(n - at, PIECE_BYTES));
		a = step(a, places->a, piece);
		b = step(b, places->b, piece);
	}
	return spt_pairs_at(&ids->pairs, a, b);
}

uint64_t spt_text_ids_count(const struct spt_text_ids *ids)
{
	return ids->pairs.n;
}

void spt_text_ids_clear(struct spt_text_ids *ids)
{
	spt_pairs_clear(&ids->pairs);
}
