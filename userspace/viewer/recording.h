/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recording that runs in a thread of its own while the window goes on living. */
#ifndef SPT_RECORDING_H
#define SPT_RECORDING_H

#include <gio/gio.h>

#include "record/recorder.h"

#define SPT_TYPE_RECORDING (spt_recording_get_type())
G_DECLARE_FINAL_TYPE(SptRecording, spt_recording, SPT, RECORDING, GObject)

/* Signal "ended": the file is complete, or as far as it came; spt_recording_error() says which. */

typedef enum {
	/* By tables in the module, or from copies of the stack where there are none */
	SPT_STACKS_AUTO,
	SPT_STACKS_FP,			/* along frame pointers */
	SPT_STACKS_NONE,		/* the kernel's part alone */
} SptStacksChoice;

/* All empty: the whole system, as it is done where nothing else is asked for. */
typedef struct {
	/* A line as in a shell, which is run; the recording lasts until it ends */
	char *command;
	char *directory;		/* where it runs */
	char *environment; /* "NAME=VALUE ..." as in a shell: what it finds beside what the viewer has */
	unsigned rate_hz;
	SptStacksChoice stacks;
	bool no_command_lines;		/* command lines of processes are not recorded */
	bool waits;			/* threads off their CPUs, too */
	unsigned kernel;		/* the kernel's own work: bits of SptEventOption */
	bool memory;			/* what the command allocates */
	bool only_command;		/* the rest of the system is not recorded */
	unsigned event;			/* perf's number of a hardware event, and 1; 0: the timer */
	uint32_t pid;			/* only this process and what it starts; 0: all */
	char *names;			/* of events to be recorded, too: "NAME,..."; NULL: none */
} SptRecordingOptions;

void spt_recording_options_clear(SptRecordingOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SptRecordingOptions, spt_recording_options_clear)

/* Begins a recording into @path.  NULL if the command cannot be run. */
SptRecording *spt_recording_start(const char *path, const SptRecordingOptions *options,
				  GError **error);
/*
 * All three return at once.  Reset forgets what there is and goes on; discard ends and leaves no
 * file.
 */
void spt_recording_stop(SptRecording *recording);
void spt_recording_reset(SptRecording *recording);
void spt_recording_discard(SptRecording *recording);
/* Not if the command reports to the recorder itself, which a new one would not hear. */
bool spt_recording_can_reset(SptRecording *recording);
/* Waits until it has ended; "ended" is still to come. */
void spt_recording_wait(SptRecording *recording);

/* How far it is; false: it does not run yet, or failed to. */
bool spt_recording_status(SptRecording *recording, SptRecorderStatus *ret);
/* What it has; another one after a reset.  To be unreferenced. */
SptLive *spt_recording_live(SptRecording *recording);
/* After it ended: why it failed, or NULL. */
const GError *spt_recording_error(SptRecording *recording);
/*
 * "false failed with status 1.", or by which signal it was ended; NULL: there was no command, or
 * nothing to say of its end.  To be freed.
 */
char *spt_recording_how_it_ended(SptRecording *recording);
/* Of the file, or with ".part" if it was cut off; neither is there if it was discarded. */
const char *spt_recording_path(SptRecording *recording);

#endif
