/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Landlock: a process that reads descriptors that it gets may use no path.  What is refused fails
 * with EACCES, and the libraries continue without its result.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/confine-private.h"

/* Landlock, whose header is younger than the oldest systems; it has these numbers everywhere. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self  446
#endif
#define RULESET_VERSION 1u

struct ruleset {
	uint64_t paths, network, scoped;
};

/* The number of rights of each kind, in bits, by the version that the kernel has. */
static size_t rights_of(long version, struct ruleset *ret)
{
	const unsigned paths = version >= 5 ? 16 : version >= 3 ? 15 : version >= 2 ? 14 : 13;

	*ret = (struct ruleset){ .paths = (1ull << paths) - 1,
				 .network = version >= 4 ? 3 : 0,
				 .scoped = version >= 6 ? 3 : 0 };
	return version >= 6 ? sizeof(*ret) :
	       version >= 4 ? offsetof(struct ruleset, scoped) :
			      offsetof(struct ruleset, network);
}

bool spt_confine_paths(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, RULESET_VERSION);
	struct ruleset all;
	size_t bytes = rights_of(version, &all);
	/* All rights are handled, and no rule grants one. */
	long rules = version > 0 ? syscall(SYS_landlock_create_ruleset, &all, bytes, 0) : -1;
	bool ok = rules >= 0 && syscall(SYS_landlock_restrict_self, rules, 0) == 0;

	if (rules >= 0)
		close((int)rules);
	return ok;
}
