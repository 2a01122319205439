/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder: source -> processes and address spaces -> stash -> capture file.  One thread drives
 * it: start(), then step() repeatedly, then finish().  The command line and the viewer both use it.
 */
#ifndef SPT_RECORDER_H
#define SPT_RECORDER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/live.h"
#include "record/self-limit.h"
#include "rings/layout.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* What is recorded with --memory. */
typedef struct {
	uint64_t mean_bytes;		/* mean distance of picked allocations; 0: all */
	bool has_free_stacks;		/* also the stacks that free */
	bool has_mappings;		/* also mmap() and the like */
	/* 0, or the process, which runs already, instead of a command.  With @mean_bytes. */
	uint32_t attached_pid;
} SptMemoryOptions;

/* Whether waits are those of the command's calls of the C library (libspt-io.so). */
typedef enum {
	SPT_CALLS_NEVER,
	SPT_CALLS_IF_NEEDED,		/* where the source's waits have no stacks */
	SPT_CALLS_ALWAYS,
} SptCalls;

/* Counters of the machine and of recorded processes, once a second. */
typedef struct {
	bool has_sources;		/* all that record/counters.h has */
	/* Files with a number each, as NAME=PATH, NULL at the end; the path may be a pattern. */
	const char *const *files;
	const char *root;		/* of /proc and /sys; NULL: "/" */
} SptCounterOptions;

/* Files that are embedded in the capture, for those who read it elsewhere (embed.h). */
typedef struct {
	bool has_system;		/* what says which system it is */
	const char *const *files;	/* others, NULL at the end; NULL: none */
	const char *root;		/* of the system's files; NULL: "/" */
} SptEmbedOptions;

typedef struct {
	SptTraceSource source;
	/* NULL, or a source to record from instead, which the recorder then owns. */
	SptTrace *trace;
	/* FILE; FILE.part until it is finished.  For a stream: its name in messages. */
	const char *output;
	/* > 0: a socket or pipe to write to instead; closed at the end */
	int stream_fd;
	/*
	 * > 0: keep only the last @last_ns in memory; spt_recorder_write_last() and finish() write
	 * them
	 */
	uint64_t last_ns;
	/* Keep everything in memory until spt_recorder_write_window().  Not with last_ns. */
	bool by_windows;
	bool cgroups;			/* of processes are read; with no_command_lines */
	bool script_loops;		/* also the native frames that execute those of scripts */
	bool script_names;		/* the command's interpreters are asked to report theirs */
	uint64_t late_ns;		/* > 0: a tick that is this late is noted in the status */
	/* Most memory of the recorder; 0: default. */
	uint64_t memory_bytes;
	uint64_t period_ns;		/* 0: default */
	/*
	 * > 0: the rate is lowered while this process and the source's hooks take more of a CPU,
	 * judged in windows of budget_window_ns
	 */
	double budget_pct;
	uint64_t budget_window_ns;
	SptTraceClock clock;
	uint32_t event_type;		/* as in SptTraceConfig */
	uint64_t event_config;
	uint32_t ring_bytes;		/* 0: default */
	bool no_user;			/* no user stacks */
	/* User stacks from copies of this number of bytes; 0: by frame pointers */
	uint32_t raw_bytes;
	/*
	 * > 0: if the source supports it, copies begin small and grow up to this size where they
	 * are too short
	 */
	uint32_t raw_most_bytes;
	/* Also, if the source supports it, stacks that frame pointers can follow are not copied. */
	bool raw_if_needed;
	/*
	 * user stacks by unwind tables in the module; with raw_bytes: if the source supports it,
	 * and copies only where a table is missing
	 */
	bool by_tables;
	/*
	 * the same with few tables: those that the module has, and those that stacks needed;
	 * elsewhere frame pointers are followed
	 */
	bool frugal_tables;
	SptTraceWaits waits;		/* threads off their CPUs, too */
	/* With waits: the command is run with spt_recorder_environment(). */
	SptCalls calls;
	unsigned kernel;		/* also the kernel's own work: bits of SptEventOption */
	uint32_t kmem_bytes;		/* as in SptTraceConfig */
	bool kernel_is_optional;	/* likewise */
	/* Events by name (SptPoint *, trace/points/point.h), which outlive it; NULL: none. */
	const GPtrArray *points;
	bool only_counts_points;	/* how often each comes, and no hit by itself */
	SptTraceFilter filter;		/* the part of the system to record */
	const char *command;		/* noted in the file; may be NULL */
	/*
	 * 0, or the process that will execute the command.  How much memory the command and its
	 * children have is recorded, and that of the filter's processes.  Not with last_ns.
	 */
	uint32_t command_pid;
	/* Command lines of processes are not read, since they may hold secrets. */
	bool no_command_lines;
	/* Mappings of processes are not recorded, since they reveal addresses. */
	bool no_maps;
	/*
	 * The memory that the command allocates, if it is run with spt_recorder_environment().
	 * Not with last_ns.
	 */
	bool memory;
	SptMemoryOptions memory_options;
	/* What the command says of itself with spt/mark.h, likewise. */
	bool marks;
	/* Also, or instead, what programs say that run already. */
	bool running_marks;
	/* Names of marks, or NULL.  start_at: see spt_recorder_wait_for_start(). */
	const char *start_at, *stop_at;
	SptCounterOptions counters;
	SptEmbedOptions embed;
	/* Lines of the kernel's log, and those that come by a socket (> 0), closed at the end. */
	bool logs;
	int lines_fd;
	bool journal;			/* systemd's journal, as far as it may be read */
	bool trace_marker;		/* what programs write there, for root */
	bool dbus;			/* calls and signals on D-Bus */
	/* Marks of this name that last longer are counted in the status; NULL: none. */
	const char *when_mark;
	uint64_t when_mark_ns;
	/* > 0: our side of the sockets of GNOME's profiler (control.h); closed at the end */
	int control_fd;
	/* NULL, or a live view, updated some times a second; not with last_ns. */
	SptLive *live;
} SptRecorderOptions;

/* The counts of --memory. */
typedef struct {
	uint64_t calls, bytes, frees;	/* recorded ones; bytes as requested */
	/* frees of blocks from before the recording, or before a fork */
	uint64_t frees_before;
	/* The part of them that is neither: nobody saw their allocations. */
	uint64_t frees_unknown;
	uint64_t mappings, mapped_bytes, unmapped_bytes;
	uint64_t waits, waited_ns;	/* of threads whose ring was full */
	uint64_t lost;			/* calls that could not be recorded */
	uint64_t wait_rows;		/* not of memory: waits of calls */
	uint64_t broken;		/* rings with impossible content; their rest is lost */
	uint64_t nameless;		/* threads with rows that the source does not know */
	uint64_t unread;		/* rings whose end took too long to read */
	/* Part of the lost ones: calls that were not seen, by enum spt_unseen. */
	uint64_t unseen[SPT_UNSEEN_REASONS];
	/* Programs that were started without the library, and the name of one. */
	uint64_t unconnected;
	const char *unconnected_name;	/* NULL: there is none; owned by the recorder */
	/* Programs that cannot be recorded, by enum spt_program_note, and the path of one. */
	struct {
		uint64_t programs;
		const char *name;	/* NULL: there is none; owned by the recorder */
	} noted[SPT_NOTES];
} SptMemoryStatus;

/* The counts of what programs say of themselves: spt/mark.h, and GNOME's control socket. */
typedef struct {
	uint64_t marks, counts, lines;	/* written to the file */
	uint64_t lost;			/* found no room */
	uint64_t broken;		/* rings with impossible content; their rest is lost */
	/* Begins and ends without the other, counters without a number, and so on. */
	uint64_t invalid;
	/* Threads of other users' programs that are not shown to be of such a process. */
	uint64_t refused;
	uint64_t users;			/* others, whose programs could say something ... */
	uint64_t users_lost;		/* ... and what these say that they lost */
	uint64_t roomless;		/* users for whose programs there was no memory */
	uint64_t others;		/* users whose programs were another recorder's */
	bool has_started, has_stopped;	/* the marks options->start_at and stop_at have come */
	/* Marks of options->when_mark that were slow, so far. */
	uint64_t slow;
	/* Why programs that run cannot be reached; NULL: they can, or need not; the recorder's. */
	const char *unreachable;
	/* Why a bus of D-Bus is not watched; NULL: both are, or none is to be; the recorder's. */
	const char *unwatched;
	/* What journalctl has complained of; NULL or "": nothing; the recorder's. */
	const char *journal_complaint;
} SptMarksStatus;

/* How often a point came that was only counted. */
typedef struct {
	const char *name;
	uint64_t n;
	uint64_t ns;			/* for how long it was counted */
} SptHitCount;

typedef struct {
	uint64_t samples, weight;	/* written to the file */
	uint64_t waits;			/* likewise */
	bool has_calls;			/* waits are those of calls: see SptCalls */
	uint64_t events, events_lost;	/* of the kernel's own work, written and lost */
	const char *limited;		/* of these, what came too often; or NULL */
	uint64_t hits, hits_lost;	/* of points, written and lost */
	uint64_t hits_open;		/* calls whose return was not seen */
	const char *hits_notice;	/* on counters that were shared, or NULL; the recorder's */
	const GArray *hit_counts;	/* SptHitCount, or NULL; the recorder's */
	uint64_t waits_lost;		/* as far as they could be counted */
	uint64_t lost;			/* weight of samples that found no room */
	uint64_t elapsed_ns;
	uint64_t period_ns;		/* as granted */
	uint64_t cost_ns, ticks;	/* what the ticks cost the machine */
	uint64_t hooks_ns;		/* what the hooks of events cost it, as of their accounts */
	/* Periods that were sampled, and skipped to keep to the budget, up to the last account. */
	uint64_t delivered, budget;
	uint64_t file_bytes;
	uint32_t threads;		/* threads with samples */
	uint32_t known_threads;		/* that there were, since the start */
	/* Delay of the latest tick since the last seconds were written; 0: below the limit. */
	uint64_t late_ns;
	uint32_t late_cpu;
	/* all processes of the filter, and what they started, have ended */
	bool has_ended;
	SptSelfLimitStatus self_limit;
	SptMemoryStatus memory;
	SptMarksStatus marks;
	const char *source;		/* "module" or "perf" */
	bool reports_delays;		/* the source does, so that late_ns means something */
	/*
	 * A sentence on what this recording cannot show on this machine, or NULL; known after
	 * start().
	 */
	const char *notice;
} SptRecorderStatus;

typedef struct SptRecorder SptRecorder;

/* Opens source and output; nothing runs yet. */
SptRecorder *spt_recorder_new(const SptRecorderOptions *options, GError **error);
/* A recording that was not finished leaves its .part file, if anything was written. */
void spt_recorder_free(SptRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptRecorder, spt_recorder_free)

/* The variables that the command needs, names and values in turn; or NULL. */
const char *const *spt_recorder_environment(const SptRecorder *recorder);
/*
 * With options->start_at, before start(): waits at most @timeout_ms for that mark, which a program
 * makes that runs with spt_recorder_environment().  True: it has come.
 */
bool spt_recorder_wait_for_start(SptRecorder *recorder, int timeout_ms);
bool spt_recorder_start(SptRecorder *recorder, GError **error);
/*
 * @program, a path, is about to begin: waits at most 0.3 s until its stacks and those of its
 * libraries can be walked.
 */
void spt_recorder_expect(SptRecorder *recorder, const char *program);
/*
 * The command, which has waited so far, is about to be let go: what it waited for the recorder is
 * not recorded.
 */
void spt_recorder_command_begins(SptRecorder *recorder);
/* Waits at most @timeout_ms for records, takes what is there, and writes it once a second. */
bool spt_recorder_step(SptRecorder *recorder, int timeout_ms, GError **error);
/* Adds a fact to the file's HOST block, before finish(). */
void spt_recorder_note(SptRecorder *recorder, const char *key, const char *value);
/*
 * Writes what a flight recorder has, to FILE and then to FILE-2, FILE-3 ..., and continues.
 * @ret_path: the file.
 */
bool spt_recorder_write_last(SptRecorder *recorder, char **ret_path, GError **error);
/*
 * With options->by_windows: writes what was recorded since the last window to @path, and forgets
 * it.  SPT_CAPTURE_ERROR_EMPTY: there was no sample, and there is no file.
 */
bool spt_recorder_write_window(SptRecorder *recorder, const char *path, GError **error);
/*
 * Stops, takes the rest and completes the file.  @ret_path (may be NULL): the file.  A file that it
 * replaces becomes FILE.old.  Without a sample it replaces nothing, and fails with
 * SPT_CAPTURE_ERROR_EMPTY.
 */
bool spt_recorder_finish(SptRecorder *recorder, char **ret_path, GError **error);
/*
 * The descriptor of an object's file that the recorder holds; the file may have no name any more.
 * -1: it is not held.
 */
int spt_recorder_file(SptRecorder *recorder, uint32_t object);
void spt_recorder_status(const SptRecorder *recorder, SptRecorderStatus *ret);

G_END_DECLS

#endif
