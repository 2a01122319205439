/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording as a whole amounts to: report's header line and info's first lines. */
#ifndef SPT_FACTS_H
#define SPT_FACTS_H

#include "capture/capture.h"

struct spt_facts {
	uint64_t start_ns, end_ns;	/* CLOCK_MONOTONIC, of the recorded machine */
	uint64_t weight;		/* periods of all samples */
	uint64_t lost;			/* periods */
	uint64_t cost_ns, ticks;
	unsigned n_cpus;
	GPtrArray *accounts;		/* const SptAccountRow, the last of each CPU, by CPU */
};

void spt_facts_init(struct spt_facts *facts, const SptCapture *capture);
void spt_facts_clear(struct spt_facts *facts);
/* Cost of one tick, in ns, as the module measured it; 0 if it was not. */
uint64_t spt_facts_cost_ns(const struct spt_facts *facts);

#endif
