/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains of interpreters (the uapi header sysprof-chain.h) in memory that the recorder writes and
 * programs only read: a file of its own, sealed, so that no program can say what another one is to
 * read.  Chains are added one by one and never change: the recorder writes one, then the number of
 * all (release; pairs with the programs' acquire).
 */
#ifndef SPT_RINGS_CHAINS_H
#define SPT_RINGS_CHAINS_H

#include <stdint.h>

/* The environment variable that has the path of the file. */
#define SPT_CHAINS_VARIABLE "SPT_CHAINS"
/* A descriptor of the file that a program inherits, where it cannot open the path. */
#define SPT_CHAINS_FD_VARIABLE "SPT_CHAINS_FD"
#define SPT_CHAINS_MAGIC    0x31534e4948435453ULL
#define SPT_CHAINS_MOST	    32u
#define SPT_CHAIN_WORDS	    508u

struct spt_chains_entry {
	uint64_t device, inode;		/* of the interpreter's file, as stat() has them */
	uint64_t path_hash;
	uint64_t bytes;			/* of the chain: all of its parts are within them */
	uint64_t chain[SPT_CHAIN_WORDS];
};

struct spt_chains {
	uint64_t magic;
	uint32_t n, reserved;
	uint64_t others[510];
	struct spt_chains_entry entry[SPT_CHAINS_MOST];
};

/* Of the path of a file. */
static inline uint64_t spt_chains_hash(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *path; path++)
		hash = (hash ^ (uint8_t)*path) * 0x100000001b3ULL;
	return hash;
}

_Static_assert(sizeof(struct spt_chains) == 4096 * (1 + SPT_CHAINS_MOST),
	       "the layout is the same on both sides");

#endif
