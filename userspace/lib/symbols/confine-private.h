/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SPT_CONFINE_PRIVATE_H
#define SPT_CONFINE_PRIVATE_H

#include <stdbool.h>

/* For ever, for a process that can get no new privileges.  False: the kernel does not do it. */
bool spt_confine_paths(void);
bool spt_confine_syscalls(void);

#endif
