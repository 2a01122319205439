/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions: configured, started and stopped. */
#ifndef _SYSPROF_SESSION_H
#define _SYSPROF_SESSION_H

#include "delivery.h"

struct cpumask;

#define SYSPROF_DEFAULT_PERIOD_NS	NSEC_PER_MSEC
#define SYSPROF_MIN_PERIOD_NS		(20 * NSEC_PER_USEC)
#define SYSPROF_MAX_PERIOD_NS		NSEC_PER_SEC
#define SYSPROF_MAX_RING_BYTES		(64U << 20)

/* All of these: process context.  init(), once: checks the module's parameter. */
int sysprof_session_init(void);
struct sysprof_session *sysprof_session_create(void);
void sysprof_session_destroy(struct sysprof_session *session);
/*
 * @config has the request, checked by the device, and on return what is granted.  @keeps_budget: no
 * rate was requested.  @filter and @cpus are from filter.c; the session owns the filter from then
 * on, unless this fails.
 */
int sysprof_session_configure(struct sysprof_session *session, struct sysprof_config *config,
			      bool keeps_budget, struct sysprof_filter *filter,
			      const struct cpumask *cpus);
/*
 * Samples at most one in @part of its periods from now on.  -EINVAL if the session requested a
 * rate, or if @part is out of range.
 */
int sysprof_session_slow(struct sysprof_session *session, u32 part);
/* The tables that the session shares, from now until it is destroyed; NULL: no memory. */
struct sysprof_tables *sysprof_session_tables(struct sysprof_session *session);
int sysprof_session_start(struct sysprof_session *session, struct sysprof_start *ret);
void sysprof_session_stop(struct sysprof_session *session);
/*
 * Reads the account of @stats->cpu.  Also puts reports of losses into the ring, as far as there is
 * room.
 */
int sysprof_session_stats(struct sysprof_session *session, struct sysprof_stats *stats);
/* The same for one of the session's sources; -EINVAL if none has that number. */
struct sysprof_source_stats;
int sysprof_session_source_stats(struct sysprof_session *session,
				 struct sysprof_source_stats *stats);

#endif /* _SYSPROF_SESSION_H */
