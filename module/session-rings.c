// SPDX-License-Identifier: GPL-2.0-only
/* The memory of sessions' rings: one on each possible CPU, paid for by the opener. */
#include <linux/cpumask.h>
#include <linux/topology.h>

#include "charge.h"
#include "session-rings.h"

void sysprof_session_free_rings(struct sysprof_session *session)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!session->cpus[cpu].ring.bytes)
			continue;
		sysprof_charge_sub(session->charge, session->cpus[cpu].ring.bytes);
		sysprof_ring_deinit(&session->cpus[cpu].ring);
	}
}

int sysprof_session_make_rings(struct sysprof_session *session, u32 bytes)
{
	int cpu, err;

	sysprof_session_free_rings(session);
	for_each_possible_cpu(cpu) {
		err = sysprof_charge_add(session->charge, bytes);
		if (err)
			goto err_free;
		err = sysprof_ring_init(&session->cpus[cpu].ring, bytes, cpu_to_node(cpu));
		if (err) {
			sysprof_charge_sub(session->charge, bytes);
			goto err_free;
		}
	}
	return 0;

err_free:
	sysprof_session_free_rings(session);
	session->config.ring_bytes = 0;
	return err;
}
