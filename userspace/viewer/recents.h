/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recently shown recordings, in the desktop's list. */
#ifndef SPT_RECENTS_H
#define SPT_RECENTS_H

#include <glib.h>

void spt_recents_add(const char *path);
/* The newest few that still exist, newest first; freed by g_strfreev(). */
char **spt_recents_list(void);

#endif
