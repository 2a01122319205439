// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include "contexts.h"

void sysprof_contexts_free(struct sysprof_contexts __percpu *contexts)
{
	struct sysprof_contexts *own;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		own = per_cpu_ptr(contexts, cpu);
		for (i = 0; i < ARRAY_SIZE(own->memory); i++) {
			kvfree(own->memory[i]);
			own->memory[i] = NULL;
		}
	}
}

int sysprof_contexts_alloc(struct sysprof_contexts __percpu *contexts, size_t bytes)
{
	struct sysprof_contexts *own;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		own = per_cpu_ptr(contexts, cpu);
		for (i = 0; i < ARRAY_SIZE(own->memory); i++) {
			own->memory[i] = kvzalloc_node(bytes, GFP_KERNEL, cpu_to_node(cpu));
			if (!own->memory[i]) {
				sysprof_contexts_free(contexts);
				return -ENOMEM;
			}
		}
	}
	return 0;
}
