// SPDX-License-Identifier: GPL-2.0-only
/* The memory of sessions' rings: one on each possible CPU, charged to the opener. */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "chain.h"
#include "session-quota.h"
#include "session-rings.h"

void sysprof_session_free_rings(struct sysprof_session *session)
{
	u32 bytes;
	int cpu;

	for_each_possible_cpu(cpu) {
		bytes = session->cpus[cpu].ring.bytes;
		if (!bytes)
			continue;
		sysprof_ring_deinit(&session->cpus[cpu].ring);
		sysprof_session_quota_sub(session->charge, sysprof_ring_cost(bytes));
	}
}

/*
 * An absent CPU has a ring like all others: a reader maps all rings once, before it starts the
 * session, and would not know of a later one.
 */
int sysprof_session_make_rings(struct sysprof_session *session, u32 bytes)
{
	int cpu, err;

	sysprof_session_free_rings(session);
	for_each_possible_cpu(cpu) {
		err = sysprof_session_quota_add(session->charge, sysprof_ring_cost(bytes));
		if (err)
			goto err_free;
		err = sysprof_ring_init(&session->cpus[cpu].ring, bytes, cpu_to_node(cpu));
		if (err) {
			sysprof_session_quota_sub(session->charge, sysprof_ring_cost(bytes));
			goto err_free;
		}
	}
	return 0;

err_free:
	sysprof_session_free_rings(session);
	session->config.ring_bytes = 0;
	return err;
}

void sysprof_session_free_sent(struct sysprof_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!session->cpus[cpu].sent)
			continue;
		kvfree(session->cpus[cpu].sent);
		session->cpus[cpu].sent = NULL;
		sysprof_session_quota_sub(session->charge, sizeof(struct sysprof_sent));
	}
}

static int make_sent(struct sysprof_session *session, int cpu)
{
	int err = sysprof_session_quota_add(session->charge, sizeof(struct sysprof_sent));

	if (err)
		return err;
	session->cpus[cpu].sent =
		kvzalloc_node(sizeof(struct sysprof_sent), GFP_KERNEL, cpu_to_node(cpu));
	if (session->cpus[cpu].sent)
		return 0;
	sysprof_session_quota_sub(session->charge, sizeof(struct sysprof_sent));
	return -ENOMEM;
}

int sysprof_session_make_sent(struct sysprof_session *session)
{
	int cpu, err = 0;

	for_each_possible_cpu(cpu) {
		if (session->cpus[cpu].sent)
			continue;
		err = make_sent(session, cpu);
		if (err)
			break;
	}
	/* A part of it is kept: CONFIGURE can be called again. */
	return err;
}

u32 sysprof_session_default_ring(void)
{
	u64 room = div_u64(sysprof_session_quota_default(), nr_cpu_ids);
	u32 bytes = SYSPROF_DEFAULT_RING_BYTES;

	while (bytes > PAGE_SIZE && sysprof_ring_cost(bytes) > room)
		bytes /= 2;
	return bytes;
}
