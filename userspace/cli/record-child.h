/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that record runs. */
#ifndef SPT_RECORD_CHILD_H
#define SPT_RECORD_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct spt_child {
	pid_t pid;		/* 0: there is none */
	int go;			/* written to: it may run; closed: it gives up */
	int failed;		/* has a byte if it could not be run */
	int status;
	bool ended;
	uint64_t begun_ns, ended_ns;	/* CLOCK_MONOTONIC; ended: as it was noticed */
	uint64_t ran_ns;	/* CPU time, of what it started and waited for, too */
};

#define SPT_CHILD_NONE { .go = -1, .failed = -1 }
#define SPT_CHILD_CANNOT_RUN 127	/* as a shell's exit status */

/* Before anything is recorded: whether there is such a program.  False: complained. */
bool spt_child_check(char **command);

/*
 * Forks @command, which waits until it is let go: nothing of it runs before the recording does.
 * False: complained.
 */
bool spt_child_prepare(struct spt_child *child, char **command);
/* @environment: what it has in addition, names and values in turn; may be NULL. */
void spt_child_let_go(struct spt_child *child, const char *const *environment);
/* Takes note of its end, if it has come; to be called when SIGCHLD says that it may have. */
void spt_child_look_after(struct spt_child *child);
/* Of one that has ended: it was never the command.  It complained. */
bool spt_child_has_failed(const struct spt_child *child);
/* A command that outlives the recording goes on; its status is waited for. */
void spt_child_wait(struct spt_child *child);
/* The exit status of a shell that ran it; SPT_EXIT_OK without one. */
int spt_child_exit_status(const struct spt_child *child);

#endif
