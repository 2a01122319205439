/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each reading of a counter weighs in a mean.  A rate is that of the time since the reading
 * before, and weighs that time: what is read at the end can be shorter.
 */
#ifndef SPT_REPORT_RATES_H
#define SPT_REPORT_RATES_H

#include "report.h"

struct spt_rates {
	uint64_t first_ns;		/* between its first row and the reading before */
	uint64_t before, now;
};

void spt_rates_init(struct spt_rates *rates, const struct spt_report *report,
		    const SptDeclared *kind);
/* The time of each row of the kind, in order. */
void spt_rates_see(struct spt_rates *rates, uint64_t time);
/* Of a value of the row that was seen last. */
double spt_rates_weight(const struct spt_rates *rates, const SptDeclaredField *field);

#endif
