/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the events besides samples the module can record on this kernel, and why not others. */
#include "doctor.h"
#include "trace/trace.h"

static const struct {
	const char *option;
	unsigned kernel;		/* 0: waits */
} sources[] = {
	{ "--waits", 0 },
	{ "--interrupts", SPT_TRACE_INTERRUPTS },
	{ "--locks", SPT_TRACE_LOCKS },
	{ "--faults", SPT_TRACE_FAULTS },
	{ "--kmem", SPT_TRACE_KMEM },
	{ "--io", SPT_TRACE_BLOCK },
};

void spt_doctor_check_sources(void)
{
	g_autoptr(SptTrace) trace = spt_trace_open_source(SPT_TRACE_MODULE, NULL);
	g_autoptr(GString) works = g_string_new(NULL);

	for (unsigned i = 0; trace && i < G_N_ELEMENTS(sources); i++) {
		const SptTraceConfig config = {
			.kernel = sources[i].kernel,
			.kmem_bytes = SPT_TRACE_KMEM_BYTES,
			.waits = { .is_on = !sources[i].kernel, .period_ns = 1000000 },
		};
		g_autoptr(GError) error = NULL;

		if (spt_trace_can(trace, &config, &error))
			g_string_append_printf(works, "%s%s", works->len ? ", " : "",
					       sources[i].option);
		else
			spt_doctor_tell(SPT_FINDING_NOTE, NULL, "%s.", error->message);
	}
	if (works->len)
		spt_doctor_tell(SPT_FINDING_OK, NULL, "Besides samples the module records: %s.",
				works->str);
}
