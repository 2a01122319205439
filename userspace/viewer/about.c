/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses the window's texts, which are translated. */
#include "about.h"

#include <glib/gi18n.h>
#include <string.h>

#include "profile/wholeness.h"
#include "text.h"

char *spt_about_numbers(const SptDocument *document)
{
	const SptSummary *summary = &document->summary;
	g_autofree char *samples = spt_text_count(summary->samples);
	g_autofree char *lost = spt_text_count(summary->lost);
	g_autofree char *duration = spt_text_duration(summary->end_ns - summary->start_ns);
	g_autofree char *rate =
		spt_text_rate(summary->period_ns, summary->delivered, summary->budget);
	const char *notice = spt_capture_host(document->capture, "notice");
	g_autofree char *stacks = spt_wholeness_line(document->capture, NULL);
	GString *text = g_string_new(NULL);

	g_string_printf(text, _("%s samples, %s lost, in %s"), samples, lost, duration);
	if (summary->n_cpus)
		g_string_append_printf(text, ngettext(" on %u CPU", " on %u CPUs", summary->n_cpus),
				       summary->n_cpus);
	if (summary->period_ns)
		g_string_append_printf(text, ", %s", rate);
	if (stacks)
		g_string_append_printf(text, ". %s", stacks);
	if (notice)
		g_string_append_printf(text, _(". Note: %s"), _(notice));
	if (document->capture->damage)
		g_string_append_printf(text, _(". Damaged: %s"), document->capture->damage);
	else if (!document->capture->finished)
		g_string_append(
			text,
			_(". The recording was cut off; this is what it holds up to its last flush"));
	return g_string_free(text, FALSE);
}

char *spt_about_program(const char *command)
{
	g_auto(GStrv) words = NULL;

	if (!g_shell_parse_argv(command, NULL, &words, NULL))
		return g_strndup(command, strcspn(command, " "));
	return g_path_get_basename(words[0]);
}

char *spt_about_origin(const SptDocument *document)
{
	const char *command = spt_capture_host(document->capture, "command");
	const char *host = spt_capture_host(document->capture, "host");
	g_autofree char *name = command ? spt_about_program(command) : g_strdup(_("Whole system"));
	g_autofree char *text =
		g_strdup_printf(_("%s on %s"), name, host ? host : _("an unnamed machine"));
	char *made;
	const char *shown = spt_text_name(text, &made);

	return made ? made : g_strdup(shown);
}

char *spt_about_word(const SptDocument *document)
{
	const char *command = spt_capture_host(document->capture, "command");
	g_autofree char *program = command ? spt_about_program(command) : g_strdup("system");
	char *made;
	const char *shown = spt_text_name(program, &made);

	return made ? made : g_strdup(shown);
}
