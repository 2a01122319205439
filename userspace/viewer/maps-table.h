/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mappings of a process, as rows of a table. */
#ifndef SPT_MAPS_TABLE_H
#define SPT_MAPS_TABLE_H

#include "capture/maps.h"
#include "table.h"

GtkWidget *spt_maps_table_new(void);
/*
 * Fills it with the mappings of images of a process that have this name; times count from
 * @start_ns.
 */
void spt_maps_table_show(SptTable *table, const SptCapture *capture, const SptMapIndex *index,
			 uint64_t start_ns, uint32_t pid, const char *name);

#endif
