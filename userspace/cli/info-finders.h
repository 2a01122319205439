/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info: who named the functions of a recording. */
#ifndef SPT_INFO_FINDERS_H
#define SPT_INFO_FINDERS_H

#include "info.h"
#include "json.h"

/* Both take @info with its counts of finders. */
void spt_info_print_finders(const struct spt_info *info);
void spt_info_add_finders(SptJson *json, const struct spt_info *info);

#endif
