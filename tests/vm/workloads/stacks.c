// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Works on stacks of its own: "stacks alternate SECONDS", in a handler on an alternate stack that
 * has interrupted another one there, which has interrupted the program; "stacks context SECONDS",
 * in a function that makecontext() has put on one.
 */
#include <signal.h>
#include <ucontext.h>

#include "workload.h"

#define STACK_BYTES (1u << 18)

static volatile unsigned long sink;
static double seconds;
static ucontext_t first, other;

FUNCTION static void burn_there(void)
{
	uint64_t end = process_cpu_ns() + (uint64_t)(seconds * NS_PER_S);

	while (process_cpu_ns() < end)
		for (unsigned i = 0; i < 100000; i++)
			sink += i;
}

FUNCTION static void in_second(int signal)
{
	(void)signal;
	burn_there();
	sink++;
}

FUNCTION static void in_first(int signal)
{
	(void)signal;
	raise(SIGUSR2);
	sink++;
}

FUNCTION static void interrupted(void)
{
	raise(SIGUSR1);
	sink++;
}

FUNCTION static void in_context(void)
{
	burn_there();
	sink++;
}

int main(int argc, char **argv)
{
	stack_t stack = { .ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES };
	struct sigaction action = { .sa_handler = in_first, .sa_flags = SA_ONSTACK };

	if (argc < 3)
		return 1;
	seconds = atof(argv[2]);
	if (strcmp(argv[1], "context") == 0) {
		getcontext(&other);
		other.uc_stack = stack;
		other.uc_link = &first;
		makecontext(&other, in_context, 0);
		swapcontext(&first, &other);
		return 0;
	}
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_handler = in_second;
	sigaction(SIGUSR2, &action, NULL);
	interrupted();
	return 0;
}
