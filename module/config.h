/* SPDX-License-Identifier: GPL-2.0-only */
/* What a session may be configured to: limits and defaults of each field. */
#ifndef _SYSPROF_CONFIG_H
#define _SYSPROF_CONFIG_H

#include <linux/types.h>

struct sysprof_config;

/*
 * Complete what a caller asks for: 0 becomes the default, what is out of bounds comes back within
 * them, the rest is checked against what this module can do.  @is_privileged says whether the
 * caller may see the whole machine's addresses.  -EINVAL, -EPERM or -ENODEV.
 */
int sysprof_config_complete(struct sysprof_config *config, bool is_privileged);

#endif /* _SYSPROF_CONFIG_H */
