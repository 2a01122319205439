/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A user who may not open the device may be let in by polkit, where "make install-polkit" put the
 * program for that: pkexec runs it as root once the user has authenticated.  It opens the device
 * with the user's own rights and group sysprof, sends an int over the socket that is its standard
 * input, 0 with the descriptor or what errno said, and stays until the other end is closed: a
 * session ends with the process that opened it.
 */
#ifndef SPT_OPENER_PRIVATE_H
#define SPT_OPENER_PRIVATE_H

#include <stdbool.h>
#include <sys/types.h>

#define SPT_OPENER "/usr/libexec/sysprof-trace-opener"

/* The program at work; of zeros if there is none. */
struct spt_opener {
	pid_t pid;
	int channel;
};

bool spt_opener_is_installed(void);

/*
 * Waits for the user to authenticate.  The descriptor; -1 and errno: ECANCELED if he gave up,
 * EACCES if polkit does not let him.
 */
int spt_opener_ask(struct spt_opener *opener);

/* To be called when the descriptor is closed. */
void spt_opener_end(struct spt_opener *opener);

#endif
