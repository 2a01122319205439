/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names are found here, where the files are. */
#include "agent/window.h"

#include <string.h>

#include "export/span-keys.h"
#include "profile/selection.h"
#include "rewrite/bundle.h"
#include "rewrite/merge.h"

static const char *const sent[] = { "cpu", "off-cpu", "lock", "kmem" };

bool spt_agent_window_open(SptAgentWindow *window, const char *path, const SptLabelRules *rules,
			   SptRemembered *names, SptPublished *published, GError **error)
{
	const SptLabelSource source = { spt_published_find, spt_published_find_key, published };

	*window = (SptAgentWindow){ .capture = spt_capture_open(path, error), .names = names };
	if (!window->capture)
		return false;
	if (names)
		spt_remembered_put(names, window->capture);
	if (published)
		spt_published_look(published, window->capture);
	window->symbols = spt_symbols_new(window->capture, NULL);
	spt_symbols_set_detail(window->symbols, 0);
	window->labels = spt_labels_new(window->capture, rules, published ? &source : NULL);
	return true;
}

/* Names of keys are the process's, which may have ended when somebody reads the window. */
static char *name_keys(const SptCapture *capture, const char *kind, const char *field,
		       uint32_t thread, const char *text, void *data)
{
	const SptAgentWindow *window = data;

	if ((strcmp(kind, SPT_LINKS_OF_CPU) != 0 && strcmp(kind, SPT_LINKS_OF_WAITS) != 0) ||
	    strcmp(field, SPT_LINKS_ATTRIBUTES) != 0)
		return NULL;
	return spt_span_named(window->labels, spt_process_of_thread(capture, thread), text);
}

bool spt_agent_window_write(SptAgentWindow *window, const char *path, GError **error)
{
	const SptCapture *const captures[] = { window->capture };
	const SptMergeTexts texts = { name_keys, window };

	if (window->names)
		spt_remembered_learn(window->names, window->capture, window->symbols);
	window->names = NULL;
	spt_bundle(window->capture, window->symbols);
	return spt_merge_captures_saying(captures, 1, path, &texts, error);
}

void spt_agent_window_clear(SptAgentWindow *window)
{
	if (window->names)
		spt_remembered_learn(window->names, window->capture, window->symbols);
	spt_labels_free(window->labels);
	spt_symbols_free(window->symbols);
	spt_capture_free(window->capture);
}

const char *spt_agent_window_metric(unsigned i)
{
	return i < G_N_ELEMENTS(sent) ? sent[i] : NULL;
}

SptProfile *spt_agent_window_profile(const SptAgentWindow *window, const char *name)
{
	const SptMetric *metric = spt_metric_find(name);

	return metric && spt_metric_is_in(metric, window->capture) ?
		       spt_profile_new(window->capture, window->symbols, metric, NULL) :
		       NULL;
}

SptExportInput spt_agent_window_input(const SptAgentWindow *window, const SptProfile *profile)
{
	return (SptExportInput){
		.profile = profile,
		.capture = window->capture,
		.symbols = window->symbols,
		.labels = window->labels,
	};
}
