/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that run, to choose one of. */
#ifndef SPT_PROCESS_LIST_H
#define SPT_PROCESS_LIST_H

#include <gtk/gtk.h>

/*
 * Appends "name (pid)" of each to @names, the youngest first; without threads of the kernel.  Their
 * pids (uint32_t) in the same order.
 */
GArray *spt_process_list(GtkStringList *names);

#endif
