/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that record runs. */
#ifndef SPT_RECORD_CHILD_H
#define SPT_RECORD_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct spt_child {
	pid_t pid;		/* 0: there is none */
	int go;			/* a byte lets it run; closing makes it give up */
	int failed;		/* gets a byte if it could not be run */
	int control;		/* a socket that it has as SYSPROF_CONTROL_FD; -1: it has none */
	int standard_error;	/* what becomes the command's; -1: that of this process */
	int environment;	/* what the command's has besides this process's; a memfd */
	int status;
	bool ended;
	uint64_t begun_ns, ended_ns;	/* CLOCK_MONOTONIC; ended: when that was noticed */
	uint64_t ran_ns;	/* CPU time, with that of its children that it waited for */
	/* Time that its first thread was ready and got no CPU, before it began and at its end */
	uint64_t ready_before_ns, ready_ns;
};

#define SPT_CHILD_NONE                                                                             \
	{ .go = -1, .failed = -1, .control = -1, .standard_error = -1, .environment = -1 }
#define SPT_CHILD_CANNOT_RUN 127	/* as a shell's exit status */

/* Called before anything is recorded: whether there is such a program.  False: complained. */
bool spt_child_check(char **command);

/*
 * Forks @command, which waits until it is let go: it does not run before the recording does.
 * @has_control: with a socket for GNOME's profiler (record/control.h).
 * False: complained.
 */
bool spt_child_prepare(struct spt_child *child, char **command, bool has_control);
/* Lets it run.  @environment: additional variables, names and values in turn; may be NULL. */
void spt_child_let_go(struct spt_child *child, const char *const *environment);
/* Notes its end, if it has ended; called after SIGCHLD. */
void spt_child_look_after(struct spt_child *child);
/* Sends it a signal, if it has not ended. */
void spt_child_signal(struct spt_child *child, int number);
/* Whether a child that has ended could not be run.  It complained. */
bool spt_child_has_failed(const struct spt_child *child);
/* Waits for a command that outlives the recording, for its status. */
void spt_child_wait(struct spt_child *child);
/* The exit status that a shell would have for it; SPT_EXIT_OK without a command. */
int spt_child_exit_status(const struct spt_child *child);

#endif
