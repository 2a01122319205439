// SPDX-License-Identifier: GPL-2.0-only
/* The memory of sessions' rings: one on each possible CPU, all of them together below a cap. */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/topology.h>

#include "session.h"

static atomic64_t ring_bytes_used = ATOMIC64_INIT(0);
static u64 ring_bytes_cap;

void sysprof_sessions_set_cap(u64 bytes)
{
	ring_bytes_cap = bytes;
}

void sysprof_session_free_rings(struct sysprof_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!session->cpus[cpu].ring.bytes)
			continue;
		atomic64_sub(session->cpus[cpu].ring.bytes, &ring_bytes_used);
		sysprof_ring_deinit(&session->cpus[cpu].ring);
	}
}

int sysprof_session_make_rings(struct sysprof_session *session, u32 bytes)
{
	int cpu, err;

	sysprof_session_free_rings(session);
	for_each_possible_cpu(cpu) {
		if (atomic64_add_return(bytes, &ring_bytes_used) > ring_bytes_cap) {
			atomic64_sub(bytes, &ring_bytes_used);
			err = -ENOSPC;
			goto err_free;
		}
		err = sysprof_ring_init(&session->cpus[cpu].ring, bytes, cpu_to_node(cpu));
		if (err) {
			atomic64_sub(bytes, &ring_bytes_used);
			goto err_free;
		}
	}
	return 0;

err_free:
	sysprof_session_free_rings(session);
	session->config.ring_bytes = 0;
	return err;
}
