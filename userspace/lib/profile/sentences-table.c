/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All sentences about a profile. */
#include "base/words.h"
#include "profile/sentences-private.h"

const SptSentenceRow spt_sentence_rows[] = {
	{ SCOPE, "scope", OWN_ONLY | USER_ONLY, 0,
	  SPT_WORDS("Only your processes were recorded, without the kernel.") },
	{ SCOPE, "scope", OWN_ONLY, 0, SPT_WORDS("Only your processes were recorded.") },
	{ SCOPE, "scope", USER_ONLY, 0, SPT_WORDS("The kernel was not recorded.") },
	{ SCOPE, "scope", KERNEL_ONLY, 0, SPT_WORDS("Only the kernel was recorded.") },

	{ NAME, "command", OF_COMMAND | OF_CPU | TOO_FEW, 0,
	  SPT_WORDS("{command}: few samples.") },
	{ NAME, "command", OF_COMMAND | OF_CPU | COMMAND_ALONE | OWN_ONLY, EMPTY,
	  SPT_WORDS("{command}: all that was recorded.") },
	{ NAME, "command", OF_COMMAND | OF_CPU | COMMAND_ALONE | USER_ONLY, EMPTY,
	  SPT_WORDS("{command}: all that was recorded.") },
	{ NAME, "command", OF_COMMAND | OF_CPU | COMMAND_ALONE, EMPTY,
	  SPT_WORDS("{command}: all that ran.") },
	{ NAME, "command", OF_COMMAND | OF_CPU | OWN_ONLY, EMPTY,
	  SPT_WORDS("{command}: {part} of what was recorded.") },
	{ NAME, "command", OF_COMMAND | OF_CPU | USER_ONLY, EMPTY,
	  SPT_WORDS("{command}: {part} of what was recorded.") },
	{ NAME, "command", OF_COMMAND | OF_CPU, EMPTY,
	  SPT_WORDS("{command}: {part} of all that ran.") },

	{ FAILURE, "failure", OF_COMMAND | HAS_FAILED, 0, "{command} {failure}." },

	{ WALL, "ran", HAS_WALL | OF_CPU | MANY_CPUS | ALL_RUNNING, 0,
	  SPT_WORDS("Ran on {cpus} CPUs at a time, for {wall}.") },
	{ WALL, "ran", HAS_WALL | OF_CPU | MANY_CPUS | HAS_READY, 0,
	  SPT_WORDS("Ran {ran} on {cpus} CPUs at a time, was ready to run {ready}, "
		    "waited {waited} of {wall}.") },
	{ WALL, "ran", HAS_WALL | OF_CPU | TAKES_TURNS | HAS_READY, 0,
	  SPT_WORDS("Ran {ran}, one of {threads} threads at a time, was ready to run {ready}, "
		    "waited {waited} of {wall}.") },
	{ WALL, "ran", HAS_WALL | OF_CPU | TAKES_TURNS, 0,
	  SPT_WORDS("Ran {ran}, one of {threads} threads at a time, was off the CPUs {off} of "
		    "{wall}.") },
	{ WALL, "ran", HAS_WALL | OF_CPU | HAS_READY, 0,
	  SPT_WORDS("Ran {ran}, was ready to run {ready}, waited {waited} of {wall}.") },
	{ WALL, "ran", HAS_WALL | OF_CPU | MANY_CPUS, 0,
	  SPT_WORDS("Ran {ran} on {cpus} CPUs at a time, was off the CPUs {off} of {wall}.") },
	{ WALL, "ran", HAS_WALL | OF_CPU, 0,
	  SPT_WORDS("Ran {ran}, was off the CPUs {off} of {wall}.") },

	{ WAITED, "waited", OF_CPU | HAS_WAITED | WAITED_REST, 0,
	  SPT_WORDS("Threads that ran waited above all in {waitedin} ({waitedpart}).") },
	{ WAITED, "waited", OF_CPU | HAS_WAITED, 0,
	  SPT_WORDS("Waited above all in {waitedin} ({waitedpart}).") },

	{ PROCESSES, "none", EMPTY | OF_CPU, 0, SPT_WORDS("There are no samples.") },
	{ PROCESSES, "none", EMPTY, 0, SPT_WORDS("{metric}: there is none.") },
	{ PROCESSES, "few", OF_CPU | TOO_FEW, 0,
	  SPT_WORDS("Samples: {samples}, too few to say what the time went to.") },
	/* The command's sentence has said it. */
	{ PROCESSES, "processes", OF_CPU | OF_COMMAND | ONE_PROCESS | ITS_OWN_NAME, 0,
	  SPT_WORDS("All of the time went to {process1}.") },
	{ PROCESSES, "processes", OF_CPU | ONE_PROCESS, 0,
	  SPT_WORDS("All of the time went to {process1}.") },
	{ PROCESSES, "processes", OF_CPU | THREE_PROCESSES, 0,
	  SPT_WORDS("{share1} of the time went to {process1}, {share2} to {process2}, "
		    "{share3} to {process3}.") },
	{ PROCESSES, "processes", OF_CPU | TWO_PROCESSES, 0,
	  SPT_WORDS("{share1} of the time went to {process1}, {share2} to {process2}.") },
	/* The rest is too little to be named. */
	{ PROCESSES, "processes", OF_CPU | OF_COMMAND | ITS_OWN_NAME, EMPTY,
	  SPT_WORDS("{share1} of the time went to {process1}.") },
	{ PROCESSES, "processes", OF_CPU, EMPTY,
	  SPT_WORDS("{share1} of the time went to {process1}.") },
	{ PROCESSES, "processes", ONE_PROCESS, 0,
	  SPT_WORDS("{metric}: {sum}, all of it by {process1}.") },
	{ PROCESSES, "processes", THREE_PROCESSES, 0,
	  SPT_WORDS("{metric}: {sum}, {share1} of it by {process1}, {share2} by {process2}, "
		    "{share3} by {process3}.") },
	{ PROCESSES, "processes", TWO_PROCESSES, 0,
	  SPT_WORDS("{metric}: {sum}, {share1} of it by {process1}, {share2} by {process2}.") },
	{ PROCESSES, "processes", 0, EMPTY,
	  SPT_WORDS("{metric}: {sum}, {share1} of it by {process1}.") },

	/* A wait is in the kernel by its nature, and memory is not spent there. */
	{ KERNEL, "kernel", IN_KERNEL | IN_USER, PLACES,
	  SPT_WORDS("{kernel} was spent in the kernel.") },
	{ KERNEL, "kernel", IN_KERNEL, PLACES | KERNEL_ONLY,
	  SPT_WORDS("All was spent in the kernel.") },
	{ KERNEL, "kernel", IN_USER | KERNEL_SEEN, PLACES | USER_ONLY | IN_KERNEL,
	  SPT_WORDS("Nothing was spent in the kernel.") },

	/* What follows is about the rest; else it comes last. */
	{ IDLE, "idle", HAS_IDLE | HAS_OWN_WAITS | OF_REST, EMPTY,
	  SPT_WORDS("Threads that hardly ran have {idle} of it: {idlers} of {waiters}; the recorder "
		    "has {ownwaits}.") },
	{ IDLE, "idle", HAS_OWN_WAITS | OF_REST, EMPTY,
	  SPT_WORDS("The recorder has {ownwaits} of it.") },
	{ IDLE, "idle", HAS_IDLE | OF_REST, EMPTY,
	  SPT_WORDS("Threads that hardly ran have {idle} of it: {idlers} of {waiters}.") },

	{ FUNCTIONS, "places", PLACES | OF_REST | THREE_FUNCTIONS, 0,
	  SPT_WORDS("Of the rest, {self1} is in {function1}, {self2} in {function2}, {self3} in "
		    "{function3}.") },
	{ FUNCTIONS, "places", PLACES | OF_REST | TWO_FUNCTIONS, 0,
	  SPT_WORDS("Of the rest, {self1} is in {function1}, {self2} in {function2}.") },
	{ FUNCTIONS, "places", PLACES | OF_REST | ONE_FUNCTION, 0,
	  SPT_WORDS("Of the rest, {self1} is in {function1}.") },
	{ FUNCTIONS, "places", PLACES | ONE_FUNCTION | ALL_IN_ONE, 0,
	  SPT_WORDS("All of it in {function1}.") },
	{ FUNCTIONS, "places", PLACES | THREE_FUNCTIONS, 0,
	  SPT_WORDS("{self1} in {function1}, {self2} in {function2}, {self3} in {function3}.") },
	{ FUNCTIONS, "places", PLACES | TWO_FUNCTIONS, 0,
	  SPT_WORDS("{self1} in {function1}, {self2} in {function2}.") },
	{ FUNCTIONS, "places", PLACES | ONE_FUNCTION, 0, SPT_WORDS("{self1} in {function1}.") },
	{ FUNCTIONS, "functions", THREE_FUNCTIONS | NAMELESS, 0,
	  SPT_WORDS("Busiest functions that have names: {function1} ({self1}), {function2} "
		    "({self2}), {function3} ({self3}).") },
	{ FUNCTIONS, "functions", TWO_FUNCTIONS | NAMELESS, 0,
	  SPT_WORDS("Busiest functions that have names: {function1} ({self1}), {function2} "
		    "({self2}).") },
	{ FUNCTIONS, "functions", ONE_FUNCTION | NAMELESS, 0,
	  SPT_WORDS("The busiest function that has a name: {function1} ({self1}).") },
	{ FUNCTIONS, "functions", THREE_FUNCTIONS, 0,
	  SPT_WORDS("Busiest functions: {function1} ({self1}), {function2} ({self2}), "
		    "{function3} ({self3}).") },
	{ FUNCTIONS, "functions", TWO_FUNCTIONS, 0,
	  SPT_WORDS("Busiest functions: {function1} ({self1}), {function2} ({self2}).") },
	{ FUNCTIONS, "functions", ONE_FUNCTION, 0,
	  SPT_WORDS("Busiest functions: {function1} ({self1}).") },

	{ LOCK, "lock", PLACES | HAS_LOCK, 0, SPT_WORDS("{locked} of it waits for {lock}.") },

	{ CALLER, "caller", OF_CPU | HAS_CALLER, 0,
	  SPT_WORDS("Of {function1}, {called} comes from {caller}.") },
	{ CALLER, "place", OF_CPU | HAS_PLACE, 0,
	  SPT_WORDS("{within} is in {place} and what it calls.") },

	{ LATE, "late", IS_LATE, 0,
	  SPT_WORDS("{late} is in functions that turn interrupts on again, above all {latest}: the "
		    "timer cannot look at what runs just before.") },

	{ NAMES, "names", NAMELESS | HAS_REASON, EMPTY,
	  SPT_WORDS("In functions without names: {nameless}, above all in {file}: {reason}.") },
	{ NAMES, "names", NAMELESS, EMPTY,
	  SPT_WORDS("In functions without names: {nameless}, above all in {file}.") },

	{ PYTHON, "python", NAMED_BY_PERF, EMPTY,
	  SPT_WORDS("{python} is in or below Python's interpreter: with record --script-names "
		    "functions of scripts have names.") },
	{ PYTHON, "python", NAMED_BY_MODULE, EMPTY,
	  SPT_WORDS("{python} is in or below {language}'s interpreter: functions of scripts have "
		    "names only with the module.") },
	{ PYTHON, "python", NAMED_BY_CALLS, EMPTY,
	  SPT_WORDS("{python} is in or below Python's interpreter: with --waits=calls functions "
		    "of scripts have names.") },

	{ IDLE, "idle", HAS_IDLE, EMPTY,
	  SPT_WORDS("Threads that hardly ran have {idle} of it: {idlers} of {waiters}.") },

	{ RECORDER, "recorder", OF_CPU | OF_RECORDER, EMPTY,
	  SPT_WORDS("{recorder} was spent on recording calls.") },

	{ STACKS, "stacks", NO_STACK_AT_ALL, EMPTY, SPT_WORDS("No stack was recorded of it.") },
	{ STACKS, "stacks", NO_STACKS, EMPTY,
	  SPT_WORDS("Of {stackless} no stack was recorded.") },

	{ LOSSES, "lost", EVENTS_LOST | OF_MANY_KINDS, 0,
	  SPT_WORDS("{lost} of all {seen} events were lost, of all kinds of --event together.") },
	{ LOSSES, "lost", EVENTS_LOST, 0, SPT_WORDS("{lost} of all {seen} events were lost.") },
};

const unsigned spt_sentence_n_rows = G_N_ELEMENTS(spt_sentence_rows);
