/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * polkit can let in a user who may not open the device, if "make install-polkit" has installed the
 * program for that.  pkexec runs it as root once the user has authenticated.  It opens the device
 * with the user's own rights and group sysprof.  It sends an int over the socket that is its
 * standard input: 0 with the descriptor, or errno.  It stays until the other end is closed, since a
 * session ends with the process that opened it.
 */
#ifndef SPT_OPENER_PRIVATE_H
#define SPT_OPENER_PRIVATE_H

#include <stdbool.h>
#include <sys/types.h>

#define SPT_OPENER "/usr/libexec/sysprof-trace-opener"

/* The running program; zeros if there is none. */
struct spt_opener {
	pid_t pid;
	int channel;
};

/* @program: SPT_OPENER, or the opener of perf events (perf/opener-protocol.h) */
bool spt_opener_is_installed(const char *program);
/* Starts it, with the other end of the channel; false and errno. */
bool spt_opener_begin(struct spt_opener *opener, const char *program);
/* It did not answer: reaps it.  ECANCELED if the user gave up, EACCES if polkit refused. */
int spt_opener_why(struct spt_opener *opener);

/*
 * Waits for the user to authenticate.  Returns the descriptor, or -1 and errno: ECANCELED if the
 * user gave up, EACCES if polkit refuses.
 */
int spt_opener_ask(struct spt_opener *opener);

/* Called when the descriptor is closed. */
void spt_opener_end(struct spt_opener *opener);

#endif
