/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recording says of its machine and of what was asked for. */
#include <sys/utsname.h>
#include <unistd.h>

#include "profile/idle.h"
#include "record/recorder-private.h"

/* What a report must not say anything of, as nobody looked. */
static void note_scope(SptRecorder *recorder, const SptTraceFilter *filter)
{
	bool no_kernel = filter->only_user || spt_trace_shows_only_user(recorder->trace);

	spt_recorder_note(recorder, "sides",
			  no_kernel	       ? "user" :
			  filter->only_kernel ? "kernel" :
						"both");
	spt_recorder_note(recorder, "whose",
			  spt_trace_shows_only_own(recorder->trace) ? "own" : "all");
}

void spt_recorder_note_host(SptRecorder *recorder, const SptRecorderOptions *options)
{
	struct utsname name;

	if (uname(&name) == 0) {
		spt_recorder_note(recorder, "host", name.nodename);
		spt_recorder_note(recorder, "kernel", name.release);
		spt_recorder_note(recorder, "arch", name.machine);
	}
	spt_recorder_note_number(recorder, "cpus", g_get_num_processors());
	spt_recorder_note(recorder, "source", recorder->status.source);
	spt_recorder_note(recorder, "recorder", "sysprof " SPT_VERSION);
	spt_recorder_note_number(recorder, SPT_RECORDER_PID, (uint64_t)getpid());
	note_scope(recorder, &options->filter);
	if (recorder->config.by_tables)
		spt_recorder_note(recorder, "stacks", "table");
	else if (recorder->config.raw_bytes)
		spt_recorder_note(recorder, "stacks", options->raw_if_needed ? "auto" : "dwarf");
	if (recorder->status.has_calls)
		spt_recorder_note(recorder, "waits", "calls");
	if (options->command)
		spt_recorder_note(recorder, "command", options->command);
	else if (options->filter.n_pids)
		spt_recorder_note_number(recorder, "pid", options->filter.pids[0]);
}
