/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that is being made, by a recorder in a thread of its own, while the window goes on
 * living.  Its file is then opened like any other (opening.h).
 */
#ifndef SPT_RECORD_RUN_H
#define SPT_RECORD_RUN_H

#include <gio/gio.h>

#include "record/recorder.h"
#include "record/statement-options.h"

#define SPT_TYPE_RECORD_RUN (spt_record_run_get_type())
G_DECLARE_FINAL_TYPE(SptRecordRun, spt_record_run, SPT, RECORD_RUN, GObject)

/* Signal "ended": the file is complete, or as far as it came; spt_record_run_error() says which. */

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
	bool everything;		/* of all users, for which polkit is asked */
	uint32_t pid;			/* only this process and what it starts; 0: all */
	char *names;			/* of events to be recorded, too: "NAME,..."; NULL: none */
	bool only_count;		/* of those, how often each comes */
	unsigned statements;		/* what is said: bits of SptStatement */
	char *start_at, *stop_at;	/* names of marks of the command; NULL or "": none */
} SptRecordOptions;

void spt_record_options_clear(SptRecordOptions *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SptRecordOptions, spt_record_options_clear)

/* Begins a recording into @path.  NULL if the command cannot be run. */
SptRecordRun *spt_record_run_start(const char *path, const SptRecordOptions *options,
				  GError **error);
/*
 * All three return at once.  Reset forgets what there is and goes on; discard ends and leaves no
 * file.
 */
void spt_record_run_stop(SptRecordRun *recording);
void spt_record_run_reset(SptRecordRun *recording);
void spt_record_run_discard(SptRecordRun *recording);
/* Not if the command reports to the recorder itself, which a new one would not hear. */
bool spt_record_run_can_reset(SptRecordRun *recording);
/* Waits until it has ended; "ended" is still to come. */
void spt_record_run_wait(SptRecordRun *recording);

/* How far it is; false: it does not run yet, or failed to. */
bool spt_record_run_status(SptRecordRun *recording, SptRecorderStatus *ret);
/* The mark of the command that it waits for to begin; NULL: it does not. */
const char *spt_record_run_awaited(SptRecordRun *recording);
/* What it has; another one after a reset.  To be unreferenced. */
SptLive *spt_record_run_live(SptRecordRun *recording);
/* After it ended: why it failed, or NULL. */
const GError *spt_record_run_error(SptRecordRun *recording);
/*
 * "false failed with status 1.", or by which signal it was ended, and what could not be recorded of
 * what is said; NULL: there is nothing to say.  To be freed.
 */
char *spt_record_run_how_it_ended(SptRecordRun *recording);
/* Of the file, or with ".part" if it was cut off; neither is there if it was discarded. */
const char *spt_record_run_path(SptRecordRun *recording);

#endif
