/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of /proc/PID/stat. */
#ifndef SPT_PROC_STAT_H
#define SPT_PROC_STAT_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

/*
 * The number in @field of @stat, numbered as in proc(5), from 3 on.  The name before it may have
 * blanks and brackets.  0: there is none.
 */
uint64_t spt_proc_stat_field(const char *stat, unsigned field);

G_END_DECLS

#endif
