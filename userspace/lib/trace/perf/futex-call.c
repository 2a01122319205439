/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program has few places in the kernel where it waits: each is named once. */
#include "trace/perf/futex-call.h"

#include <elf.h>


#define MOST_PLACES 65536u
/* Numbers of the first argument's register, in the order of struct sysprof_raw. */
#define X86_DI	    5
#define AARCH64_X0  0

enum place { IS_OTHER = 1, IS_FUTEX };

struct SptPerfFutexCall {
	SptKallsyms *kallsyms;
	GHashTable *places;		/* a kernel frame -> enum place */
};

SptPerfFutexCall *spt_perf_futex_call_new(SptKallsyms *kallsyms)
{
	SptPerfFutexCall *futexes = g_new0(SptPerfFutexCall, 1);

	futexes->kallsyms = kallsyms;
	futexes->places = g_hash_table_new(NULL, NULL);
	return futexes;
}

void spt_perf_futex_call_free(SptPerfFutexCall *futexes)
{
	if (!futexes)
		return;
	g_hash_table_unref(futexes->places);
	g_free(futexes);
}

static enum place futex_find_place(SptPerfFutexCall *futexes, uint64_t frame)
{
	/* The functions that wait, of all calls that there are. */
	static const char *const waits[] = { "futex_wait",	    "futex_lock_pi",
					     "futex_wait_requeue_pi", "__futex_wait" };
	struct sysprof_name name = { .frame = frame };

	spt_kallsyms_name(futexes->kallsyms, &name);
	for (unsigned i = 0; i < G_N_ELEMENTS(waits); i++)
		if (g_str_equal(name.symbol, waits[i]))
			return IS_FUTEX;
	return IS_OTHER;
}

bool spt_perf_futex_call_is_in(SptPerfFutexCall *futexes, const struct sysprof_event *event)
{
	for (unsigned i = 0; i < event->n_kernel; i++) {
		gpointer key = GSIZE_TO_POINTER(event->frames[i]);
		unsigned place = GPOINTER_TO_UINT(g_hash_table_lookup(futexes->places, key));

		if (!place) {
			if (g_hash_table_size(futexes->places) >= MOST_PLACES)
				g_hash_table_remove_all(futexes->places);
			place = futex_find_place(futexes, event->frames[i]);
			g_hash_table_insert(futexes->places, key, GUINT_TO_POINTER(place));
		}
		if (place == IS_FUTEX)
			return true;
	}
	return false;
}

uint64_t spt_perf_futex_call_address(const struct sysprof_event *event)
{
	const __u64 *at = event->frames + event->n_kernel + event->n_user;
	const struct sysprof_part *part = (const void *)at;
	const struct sysprof_raw *raw = (const void *)(at + 1);
	unsigned number;

	if (!event->n_parts || part->type != SYSPROF_PART_RAW)
		return 0;
	number = raw->arch == EM_X86_64 ? X86_DI : AARCH64_X0;
	return number < raw->n_regs ? raw->regs[number] : 0;
}
