/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent would send, for people. */
#include <inttypes.h>

#include "agent/agent.h"
#include "agent/window.h"
#include "base/words.h"
#include "profile/selection.h"
#include "profile/stack-sums.h"

#ifdef SPT_HAS_AGENT

/* Each set with its samples and its labels. */
static void explain_sets(const SptExportInput *input, GString *to)
{
	const SptMetric *metric = spt_profile_metric(input->profile);
	unsigned n = spt_labels_n_sets(input->labels);
	g_autofree uint64_t *samples = g_new0(uint64_t, MAX(n, 1));
	g_autoptr(GArray) sums =
		spt_stack_sums_new(input->capture, input->symbols, metric, NULL);

	for (guint i = 0; i < sums->len; i++) {
		const SptStackSum *sum = &g_array_index(sums, SptStackSum, i);
		const SptProcessRow *process = spt_process_of_thread(input->capture, sum->thread);
		unsigned set = spt_labels_of(input->labels, process ? process->id : 0);

		if (set < n)
			samples[set] += sum->samples;
	}
	for (unsigned i = 0; i < n; i++) {
		const SptLabelSet *set = spt_labels_set(input->labels, i);

		if (!samples[i])
			continue;
		g_string_append_printf(to, "  %s, %" PRIu64 " samples:", metric->name, samples[i]);
		for (unsigned k = 0; k < set->n; k++)
			g_string_append_printf(to, " %s=%s", set->labels[k].key,
					       set->labels[k].value);
		g_string_append_c(to, '\n');
	}
}

static bool explain_target(const SptTarget *target, const SptAgentWindow *window, GString *to,
			   GError **error)
{
	const char *metric;

	for (unsigned i = 0; (metric = spt_agent_window_metric(i)); i++) {
		g_autoptr(SptProfile) profile = spt_agent_window_profile(window, metric);
		SptExportInput input = spt_agent_window_input(window, profile);
		g_autoptr(GString) request = g_string_new(NULL);

		if (!profile)
			continue;
		if (!spt_target_encode(target, &input, request, error))
			return false;
		g_string_append_printf(to, "%s at %s: %s, %zu bytes of %s%s\n", target->kind->name,
				       target->host, metric, (size_t)request->len,
				       target->kind->content_type,
				       target->kind->is_packed ? ", packed" : "");
		explain_sets(&input, to);
	}
	return true;
}

/* Nobody is sent anything: what is served or kept. */
static void explain_window(const SptAgentWindow *window, GString *to)
{
	const char *metric;

	g_string_append(to, "Nothing is sent (--to); what can be fetched or kept:\n");
	for (unsigned i = 0; (metric = spt_agent_window_metric(i)); i++) {
		g_autoptr(SptProfile) profile = spt_agent_window_profile(window, metric);
		SptExportInput input = spt_agent_window_input(window, profile);

		if (profile)
			explain_sets(&input, to);
	}
}

bool spt_agent_explain(const SptAgentOptions *options, const char *path, GString *to,
		       GError **error)
{
	g_autoptr(SptPublished) published = spt_published_new("/proc");
	SptAgentWindow window;
	bool ok = true;

	if (!spt_agent_window_open(&window, path, &options->rules, NULL, published, error))
		return false;
	for (const char *const *text = options->targets; ok && *text; text++) {
		g_autoptr(SptTarget) target = spt_target_new(*text, error);

		ok = target && explain_target(target, &window, to, error);
	}
	if (!*options->targets)
		explain_window(&window, to);
	spt_agent_window_clear(&window);
	return ok;
}

#endif
