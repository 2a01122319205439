/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that were shown lately, as the desktop remembers them. */
#ifndef SPT_RECENTS_H
#define SPT_RECENTS_H

#include <glib.h>

void spt_recents_add(const char *path);
/* The newest few that are still there, newest first; to be freed with g_strfreev(). */
char **spt_recents_list(void);

#endif
