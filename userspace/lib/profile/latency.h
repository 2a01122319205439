/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metric "latency", of any recording: see latency.c. */
#ifndef SPT_PROFILE_LATENCY_H
#define SPT_PROFILE_LATENCY_H

#include "profile/weights.h"

G_BEGIN_DECLS

/*
 * SptWeightRow.detail is the sample's parallelism: the number of threads that ran in its last
 * period, its own included.
 */
extern const SptWeightSource spt_weights_latency;

G_END_DECLS

#endif
