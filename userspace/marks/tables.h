/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of spans that are ended by a number, for the libraries that speak other programs'
 * interfaces: a table of fixed size, without locks.
 */
#ifndef SPT_MARKS_TABLES_H
#define SPT_MARKS_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SPT_MARKS_OPEN	     (1u << 12)
#define SPT_MARKS_NAME_BYTES 128u
/* Neighbours that are looked at. */
#define SPT_MARKS_TRIES 16u

struct spt_marks_open {
	uint64_t key;			/* 0: free; 1: being written or read */
	char name[SPT_MARKS_NAME_BYTES];
};

static struct spt_marks_open spt_marks_table[SPT_MARKS_OPEN];

static inline uint64_t spt_marks_mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static inline uint64_t spt_marks_key(uint64_t number)
{
	return number < 2 ? number + 2 : number;
}

/* The part of @name that is remembered, which a mark has to have, too. */
static inline void spt_marks_cut(char ret_name[SPT_MARKS_NAME_BYTES], const char *name)
{
	size_t bytes = strnlen(name, SPT_MARKS_NAME_BYTES - 1);

	memcpy(ret_name, name, bytes);
	ret_name[bytes] = '\0';
}

/* @name is copied.  False: there is no room near its place. */
static inline bool spt_marks_remember(uint64_t number, const char *name)
{
	uint64_t key = spt_marks_key(number), at = spt_marks_mix(key);

	for (unsigned i = 0; i < SPT_MARKS_TRIES; i++) {
		struct spt_marks_open *open = &spt_marks_table[(at + i) % SPT_MARKS_OPEN];
		uint64_t is_free = 0;

		if (!__atomic_compare_exchange_n(&open->key, &is_free, 1, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		spt_marks_cut(open->name, name);
		/* Pairs with the acquire in spt_marks_forget(). */
		__atomic_store_n(&open->key, key, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

/* Moves the name, which is no longer in the table, to @ret_name.  False: it was not. */
static inline bool spt_marks_forget(uint64_t number, char ret_name[SPT_MARKS_NAME_BYTES])
{
	uint64_t key = spt_marks_key(number), at = spt_marks_mix(key);

	for (unsigned i = 0; i < SPT_MARKS_TRIES; i++) {
		struct spt_marks_open *open = &spt_marks_table[(at + i) % SPT_MARKS_OPEN];
		uint64_t seen = key;

		if (!__atomic_compare_exchange_n(&open->key, &seen, 1, false, __ATOMIC_ACQUIRE,
						 __ATOMIC_RELAXED))
			continue;
		memcpy(ret_name, open->name, SPT_MARKS_NAME_BYTES);
		/* Pairs with the acquire in spt_marks_remember(). */
		__atomic_store_n(&open->key, 0, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

#endif
