/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Uses the window's texts, which are translated. */
#include "about.h"

#include <glib/gi18n.h>
#include <string.h>

#include "profile/command.h"
#include "profile/sentences.h"
#include "profile/span.h"
#include "profile/wholeness.h"
#include "reach.h"
#include "text.h"

/* Of the command that is shown at first: stacks of what else ran are not its own. */
static char *about_stacks(const SptDocument *document)
{
	const SptCapture *capture = document->recording->capture;
	SptRestrictions *restrictions = document->look.restrictions;
	g_autofree char *word = NULL, *line = NULL;

	if (!restrictions || !spt_restrictions_find(restrictions, SPT_RESTRICT_COMMAND))
		return spt_wholeness_line(capture, NULL);
	line = spt_wholeness_line(capture, spt_restrictions_filter(restrictions));
	word = spt_about_word(document);
	return line ? g_strdup_printf("%s: %s", word, line) : NULL;
}

char *spt_about_numbers(const SptDocument *document)
{
	const SptSummary *summary = &document->recording->summary;
	g_autofree char *samples = spt_text_count(summary->samples);
	g_autofree char *lost = spt_text_count(summary->lost);
	g_autofree char *duration = spt_text_duration(summary->end_ns - summary->start_ns);
	g_autofree char *rate =
		spt_text_rate(summary->period_ns, summary->delivered, summary->budget);
	const char *notice = spt_capture_host(document->recording->capture, "notice");
	g_autofree char *stacks = about_stacks(document);
	bool is_timed = spt_span_is_known(document->recording->capture);
	GString *text = g_string_new(NULL);

	if (is_timed)
		g_string_printf(text, _("%s samples, %s lost, in %s"), samples, lost, duration);
	else
		g_string_printf(text, _("%s samples, %s lost, without times"), samples, lost);
	if (is_timed && summary->n_cpus)
		g_string_append_printf(text, ngettext(" on %u CPU", " on %u CPUs", summary->n_cpus),
				       summary->n_cpus);
	if (summary->period_ns)
		g_string_append_printf(text, ", %s", rate);
	if (stacks)
		g_string_append_printf(text, ". %s", stacks);
	if (notice)
		g_string_append_printf(text, _(". Note: %s"), _(notice));
	if (document->recording->capture->damage)
		g_string_append_printf(text, _(". Damaged: %s"),
				       document->recording->capture->damage);
	else if (!document->recording->capture->finished)
		g_string_append(
			text,
			_(". The recording was cut off; this is what it holds up to its last flush"));
	return g_string_free(text, FALSE);
}

static char *about_program(const char *command)
{
	g_auto(GStrv) words = NULL;

	if (!g_shell_parse_argv(command, NULL, &words, NULL))
		return g_strndup(command, strcspn(command, " "));
	return g_path_get_basename(words[0]);
}

static char *about_process(uint32_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/comm", pid);
	char *name = NULL;

	if (!g_file_get_contents(path, &name, NULL, NULL))
		return g_strdup_printf("%u", pid);
	return g_strchomp(name);
}

/* Of the command or process that was recorded; NULL: there was none. */
static char *program_of(const SptCapture *capture)
{
	const char *command = spt_capture_host(capture, "command");
	uint64_t pid = spt_command_fact(capture, "pid");

	for (uint32_t i = 1; pid && i < capture->n_processes; i++)
		if (capture->processes[i].id && capture->processes[i].pid == pid)
			return g_strdup(capture->processes[i].name);
	return command ? about_program(command) : NULL;
}

char *spt_about_origin(const SptDocument *document)
{
	const SptCapture *capture = document->recording->capture;
	const char *host = spt_capture_host(capture, "host"),
		   *source = spt_capture_host(capture, "source");
	SptReach reach = spt_reach_of(capture);
	g_autofree char *program = program_of(capture), *made_by = NULL, *text = NULL;

	/* What was imported does not say whether it was everything. */
	if (!program && !spt_capture_host(capture, SPT_RECORDED_WHOSE))
		made_by = source ? g_strdup_printf(_("From %s"), source) : g_strdup(_("Imported"));
	if (made_by && !host)
		text = g_steal_pointer(&made_by);
	else
		text = g_strdup_printf(_("%s on %s"),
				       program ? program :
				       made_by ? made_by :
						 spt_reach_title(reach),
				       host ? host : _("an unnamed machine"));
	char *made;
	const char *shown = spt_text_name(text, &made);

	return made ? made : g_strdup(shown);
}

char *spt_about_word(const SptDocument *document)
{
	g_autofree char *program = program_of(document->recording->capture);
	char *made;
	const char *shown = spt_text_name(program ? program : "system", &made);

	return made ? made : g_strdup(shown);
}

char *spt_about_request(const SptRecordOptions *options)
{
	if (options->command)
		return about_program(options->command);
	if (options->pid)
		return about_process(options->pid);
	return g_strdup(
		spt_reach_promise(options->everything ? SPT_REACH_ALL : spt_reach_here()));
}
