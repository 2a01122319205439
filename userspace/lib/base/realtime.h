/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that empties rings needs little of a CPU, but needs it at once.  On a busy machine it
 * gets precedence over others, if its user may ask for that (root, CAP_SYS_NICE, RLIMIT_RTPRIO).
 */
#ifndef SPT_REALTIME_H
#define SPT_REALTIME_H

#include <stdbool.h>

/*
 * The calling thread has precedence from begin() on, and so have threads that it starts.  Each
 * begin() needs an end().
 */
void spt_realtime_begin(void);
void spt_realtime_end(void);
/*
 * Whether the calling thread has precedence, by its own spt_realtime_begin() or by that of the
 * thread that started it.
 */
bool spt_realtime_is_there(void);
/*
 * Gives up the precedence that the calling thread has from the one that started it: its work can
 * wait.
 */
void spt_realtime_none(void);

#endif
