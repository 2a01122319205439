/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder notes the number of the command's first process.  All other processes of the command
 * are its descendants.
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

bool *spt_processes_below(const SptCapture *capture, uint64_t pid)
{
	bool *is_wanted = g_new0(bool, MAX(capture->n_processes, 1));
	bool is_new = true;

	for (uint32_t i = 0; i < capture->n_processes; i++)
		is_wanted[i] =
			pid == 0 || (capture->processes[i].id && capture->processes[i].pid == pid);
	/* Parents mostly have smaller numbers: two passes are enough then. */
	while (pid != 0 && is_new) {
		is_new = false;
		for (uint32_t i = 1; i < capture->n_processes; i++) {
			if (is_wanted[i] || !is_wanted[capture->processes[i].parent])
				continue;
			is_wanted[i] = is_new = true;
		}
	}
	return is_wanted;
}

bool *spt_command_processes(const SptCapture *capture)
{
	uint64_t pid = spt_command_fact(capture, "command_pid");
	g_autofree bool *processes = pid ? spt_processes_below(capture, pid) : NULL;

	for (uint32_t i = 1; processes && i < capture->n_processes; i++)
		if (processes[i])
			return g_steal_pointer(&processes);
	return NULL;
}

/* The command line as it was typed does not show where its first word ends. */
char *spt_command_name(const SptCapture *capture)
{
	const char *command = spt_capture_host(capture, "command");
	g_autofree char *first = command ? g_strndup(command, strcspn(command, " ")) : NULL;

	return first && *first ? g_path_get_basename(first) : NULL;
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
