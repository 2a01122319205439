/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of sentences, and the conditions under which each may be said. */
#ifndef SPT_SENTENCES_PRIVATE_H
#define SPT_SENTENCES_PRIVATE_H

#include <glib.h>
#include <stdint.h>

enum condition {
	EMPTY = 1 << 0,			/* there are no samples */
	OF_CPU = 1 << 1,		/* CPU time; else another metric */
	OF_COMMAND = 1 << 2,		/* and it has a name */
	HAS_FAILED = 1 << 3,		/* the command */
	HAS_WALL = 1 << 4,		/* the time that passed is known */
	HAS_READY = 1 << 5,		/* and how much of it somebody was ready */
	MANY_CPUS = 1 << 6,
	ALL_RUNNING = 1 << 7,		/* hardly anything was waited for */
	OWN_ONLY = 1 << 8,		/* others' processes were not recorded */
	USER_ONLY = 1 << 9,		/* the kernel was not recorded */
	KERNEL_ONLY = 1 << 10,		/* user code was not recorded */
	KERNEL_SEEN = 1 << 11,		/* the recording has functions of the kernel */
	IN_KERNEL = 1 << 12,		/* some of the weight */
	IN_USER = 1 << 13,		/* some of the weight */
	ONE_PROCESS = 1 << 14,		/* all of the weight is in one */
	TWO_PROCESSES = 1 << 15,	/* or more have a part that is worth a word */
	THREE_PROCESSES = 1 << 16,
	ONE_FUNCTION = 1 << 17,		/* likewise, or more */
	TWO_FUNCTIONS = 1 << 18,
	THREE_FUNCTIONS = 1 << 19,
	PLACES = 1 << 20,		/* of waits and memory: functions of the program's own */
	ALL_IN_ONE = 1 << 21,		/* one function has all of the weight */
	COMMAND_ALONE = 1 << 22,	/* nothing but the command was recorded */
	NO_STACKS = 1 << 23,		/* some of the weight has none */
	NO_STACK_AT_ALL = 1 << 24,	/* or nothing has one */
	OF_RECORDER = 1 << 25,		/* some of the CPU time was for recording calls */
	EVENTS_LOST = 1 << 26,		/* some that the metric is made of */
	TAKES_TURNS = 1 << 27,		/* several threads ran, hardly ever two at once */
	ITS_OWN_NAME = 1 << 28,		/* the first process has the command's */
	NAMELESS = 1 << 29,		/* a good part is in functions without names */
	HAS_REASON = 1 << 30,		/* and it is known why */
	/* A function is found where the timer could not look before: not among the busiest */
	IS_LATE = 1ll << 31,
	TOO_FEW = 1ll << 32,		/* samples for shares */
	/* A good part is Python's, and its functions have no names, but would have by this. */
	NAMED_BY_PERF = 1ll << 33,
	NAMED_BY_MODULE = 1ll << 34,
	NAMED_BY_CALLS = 1ll << 35,
	HAS_IDLE = 1ll << 36,		/* threads that hardly ran have some of it */
	OF_MANY_KINDS = 1ll << 37,	/* it is not known of which the lost ones were */
	/* The busiest function is of a library or the kernel: mostly of one caller of its own */
	HAS_CALLER = 1ll << 38,
	/* No function is busy by itself, but most is below one of the user's own */
	HAS_PLACE = 1ll << 39,
	/* The places are those of threads that do not hardly run */
	OF_REST = 1ll << 40,
	HAS_LOCK = 1ll << 41,		/* a good part is for one lock that has a name */
	HAS_OWN_WAITS = 1ll << 42,	/* the recorder has some of it */
	HAS_WAITED = 1ll << 43,		/* it mostly waited, and what for was recorded */
	WAITED_REST = 1ll << 44,	/* and it is without threads that hardly ran */
};

enum group {
	SCOPE,
	NAME,
	FAILURE,
	WALL,
	WAITED,
	METRIC,
	PROCESSES,
	KERNEL,
	IDLE,
	FUNCTIONS,
	LOCK,
	CALLER,
	LATE,
	NAMES,
	PYTHON,
	RECORDER,
	STACKS,
	LOSSES,
};

/* A group's more special rows come first: the first one is said whose conditions hold. */
typedef struct {
	enum group group;
	const char *name;
	uint64_t needs, forbids;	/* conditions */
	const char *text;		/* {name}: a text of that name is put there */
} SptSentenceRow;

extern const SptSentenceRow spt_sentence_rows[];
extern const unsigned spt_sentence_n_rows;

#endif
