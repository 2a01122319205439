/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening files whose paths come from somebody else. */
#ifndef SPT_REGULAR_H
#define SPT_REGULAR_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * Opens the regular file at @path for reading.  Nothing else is ever opened: to open a device is to
 * use it.  -1 and errno: EINVAL, it is none.
 */
int spt_open_regular(const char *path);

G_END_DECLS

#endif
