/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder notes the number of the command's first process.  All other processes of the command
 * are its descendants.  Of merged recordings, in which numbers may be there twice, the first
 * processes of all commands are noted by id.
 */
#include "profile/command.h"

#include <signal.h>
#include <string.h>

#include "base/words.h"

uint64_t spt_command_fact(const SptCapture *capture, const char *key)
{
	const char *text = spt_capture_host(capture, key);
	uint64_t value = 0;

	return text && g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &value, NULL) ? value :
											   0;
}

/* Whose parents are wanted are wanted, too. */
static void add_descendants(const SptCapture *capture, bool *is_wanted)
{
	bool is_new = true;

	/* Parents mostly have smaller numbers: two passes are enough then. */
	while (is_new) {
		is_new = false;
		for (uint32_t i = 1; i < capture->n_processes; i++) {
			if (is_wanted[i] || !is_wanted[capture->processes[i].parent])
				continue;
			is_wanted[i] = is_new = true;
		}
	}
}

bool *spt_processes_below(const SptCapture *capture, uint64_t pid)
{
	bool *is_wanted = g_new0(bool, MAX(capture->n_processes, 1));

	for (uint32_t i = 0; i < capture->n_processes; i++)
		is_wanted[i] =
			pid == 0 || (capture->processes[i].id && capture->processes[i].pid == pid);
	if (pid != 0)
		add_descendants(capture, is_wanted);
	return is_wanted;
}

/* Of merged recordings: "12 5010".  NULL: it is none. */
static bool *processes_of_commands(const SptCapture *capture)
{
	const char *ids = spt_capture_host(capture, "command_ids");
	g_auto(GStrv) words = ids ? g_strsplit(ids, " ", -1) : NULL;
	bool *is_wanted = words ? g_new0(bool, MAX(capture->n_processes, 1)) : NULL;

	for (char **word = words; word && *word; word++) {
		uint64_t id;

		if (g_ascii_string_to_unsigned(*word, 10, 1, UINT32_MAX, &id, NULL) &&
		    id < capture->n_processes && capture->processes[id].id)
			is_wanted[id] = true;
	}
	if (is_wanted)
		add_descendants(capture, is_wanted);
	return is_wanted;
}

/*
 * Until it executes the command its process is a copy of the recorder, whose name it has: the first
 * image of that number, if another one follows.
 */
static void leave_out_recorder(const SptCapture *capture, uint64_t pid, bool *is_wanted)
{
	const SptProcessRow *first = NULL;

	for (uint32_t i = 1; i < capture->n_processes; i++) {
		const SptProcessRow *process = &capture->processes[i], *parent;

		if (!process->id || process->pid != pid)
			continue;
		if (first) {
			is_wanted[first->id] = process->parent != first->id;
			return;
		}
		parent = &capture->processes[process->parent];
		if (!parent->id || g_strcmp0(parent->name, process->name) != 0)
			return;
		first = process;
	}
}

bool *spt_command_processes(const SptCapture *capture)
{
	uint64_t pid = spt_command_fact(capture, "command_pid");
	g_autofree bool *processes = processes_of_commands(capture);

	if (!processes && pid) {
		processes = spt_processes_below(capture, pid);
		leave_out_recorder(capture, pid, processes);
	}
	for (uint32_t i = 1; processes && i < capture->n_processes; i++)
		if (processes[i])
			return g_steal_pointer(&processes);
	return NULL;
}

bool spt_command_is_known(const SptCapture *capture)
{
	return spt_capture_host(capture, "command_ids") || spt_command_fact(capture, "command_pid");
}

/*
 * The command line as it was typed does not show where its first word ends, so that its name is
 * noted, too; but not in recordings of before that.
 */
char *spt_command_name(const SptCapture *capture)
{
	const char *command = spt_capture_host(capture, "command"),
		   *name = spt_capture_host(capture, "command_name");
	bool is_merged = command && spt_capture_host(capture, "command_ids");
	g_auto(GStrv) commands = g_strsplit(command ? command : "", " + ", is_merged ? -1 : 1);
	GString *names;

	if (name && *name)
		return g_strdup(name);
	if (!command || !*command || *command == ' ')
		return NULL;
	names = g_string_new(NULL);
	for (char **one = commands; *one; one++) {
		g_autofree char *first = g_strndup(*one, strcspn(*one, " "));
		g_autofree char *base = g_path_get_basename(first);

		g_string_append_printf(names, "%s%s", names->len ? " + " : "", base);
	}
	return g_string_free(names, FALSE);
}

bool spt_command_leads(const SptCapture *capture)
{
	return g_strcmp0(spt_capture_host(capture, "leads"), "system") != 0;
}

char *spt_command_failed_with(unsigned status)
{
	unsigned number = status - SPT_SIGNAL_STATUS;

	if (status == 0)
		return NULL;
	if (status <= SPT_SIGNAL_STATUS || number >= NSIG)
		return g_strdup_printf(spt_words("failed with status %u"), status);
	return g_strdup_printf(spt_words("was ended by signal %u (%s)"), number,
			       strsignal((int)number));
}

char *spt_command_failure(const SptCapture *capture)
{
	return spt_command_failed_with((unsigned)spt_command_fact(capture, "exit_status"));
}
