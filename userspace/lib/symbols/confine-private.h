/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two ways in which spt_confine() restricts a process: paths and system calls. */
#ifndef SPT_CONFINE_PRIVATE_H
#define SPT_CONFINE_PRIVATE_H

#include <stdbool.h>

/* For ever, in a process that can get no new privileges.  False: the kernel cannot do it. */
bool spt_confine_paths(void);
bool spt_confine_syscalls(void);

#endif
