/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shares as people read them. */
#ifndef SPT_BASE_PERCENT_H
#define SPT_BASE_PERCENT_H

#include <stdint.h>

/* @part in percent of @whole; 0 of nothing. */
static inline double spt_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif
