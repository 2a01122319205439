/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that empties rings needs little of a CPU, but that at once: on a machine with much to do
 * it goes before others, where its user may say so (root, CAP_SYS_NICE, RLIMIT_RTPRIO).
 */
#ifndef SPT_HASTE_H
#define SPT_HASTE_H

#include <stdbool.h>

/* From now on the calling thread has precedence, and threads that it begins, until as many ends. */
void spt_haste_begin(void);
void spt_haste_end(void);
/* Whether the calling thread has it from spt_haste_begin(), or from one that began it. */
bool spt_haste_is_there(void);
/* The calling thread, which one in haste has begun, does what can wait. */
void spt_haste_none(void);

#endif
