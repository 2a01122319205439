/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that empties rings needs little of a CPU, but needs it at once.  On a busy machine it
 * gets precedence over others, if its user may ask for that (root, CAP_SYS_NICE, RLIMIT_RTPRIO).
 */
#ifndef SPT_HASTE_H
#define SPT_HASTE_H

#include <stdbool.h>

/*
 * The calling thread has precedence from begin() on, and so have threads that it starts.  Each
 * begin() needs an end().
 */
void spt_haste_begin(void);
void spt_haste_end(void);
/*
 * Whether the calling thread has precedence, by its own spt_haste_begin() or by that of the thread
 * that started it.
 */
bool spt_haste_is_there(void);
/*
 * Gives up the precedence that the calling thread has from the one that started it: its work can
 * wait.
 */
void spt_haste_none(void);

#endif
