/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening files whose paths come from somebody else. */
#ifndef SPT_REGULAR_H
#define SPT_REGULAR_H

#include <glib.h>

G_BEGIN_DECLS

/*
 * Opens the regular file at @path for reading.  It never opens anything else, because opening a
 * device can have effects.  -1 and errno; EINVAL: it is not a regular file.
 */
int spt_open_regular(const char *path);
/* The same of what @at leads to, a descriptor of O_PATH; needs /proc. */
int spt_open_regular_at(int at);

G_END_DECLS

#endif
