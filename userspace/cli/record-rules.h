/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which options of record go together: a table, of which the first rule that is broken is said. */
#ifndef SPT_RECORD_RULES_H
#define SPT_RECORD_RULES_H

#include <stdbool.h>

/* What the command line has. */
enum {
	SPT_GIVEN_COMMAND = 1 << 0,	/* words after "--" */
	SPT_GIVEN_PID = 1 << 1,
	SPT_GIVEN_ALL_CPUS = 1 << 2,
	SPT_GIVEN_ONLY_COMMAND = 1 << 3,
	SPT_GIVEN_LAST = 1 << 4,
	SPT_GIVEN_WHEN_LATE = 1 << 5,
	SPT_GIVEN_TO = 1 << 6,
	SPT_GIVEN_BUNDLE = 1 << 7,
	SPT_GIVEN_MEMORY = 1 << 8,
	SPT_GIVEN_FREE_STACKS = 1 << 9,
	SPT_GIVEN_MAPPINGS = 1 << 10,
	SPT_GIVEN_CALLS = 1 << 11,	/* --waits=calls */
	SPT_GIVEN_KMEM = 1 << 12,
	SPT_GIVEN_START_STOP = 1 << 14,
	SPT_GIVEN_PERF = 1 << 15,	/* --source perf */
	SPT_GIVEN_WHEN_MARK = 1 << 16,
	SPT_GIVEN_ONE_PID = 1 << 17,
	SPT_GIVEN_MEMORY_SIZE = 1 << 18, /* --memory=SIZE */
	SPT_GIVEN_ATTACH = 1 << 19,	/* --memory and --pid without a command */
	SPT_GIVEN_ALLOCATING = 1 << 20,	/* a command or --pid */
	SPT_GIVEN_SCRIPT_NAMES = 1 << 13,
	SPT_GIVEN_COUNTED_PROBES = 1 << 21, /* --only-count of --function or --probe */
};

/* False: complained, return SPT_EXIT_USAGE. */
bool spt_record_rules_check(unsigned given);

#endif
