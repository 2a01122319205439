/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recorder: source -> processes and address spaces -> stash -> capture file.  One thread drives
 * it: start(), then step() until enough, then finish().  Used by the command line and the viewer
 * alike.
 */
#ifndef SPT_RECORDER_H
#define SPT_RECORDER_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "record/live.h"
#include "record/thrift.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct {
	SptTraceSource source;
	/* NULL, or one to record from instead; the recorder's from then on */
	SptTrace *trace;
	/* FILE; FILE.part until it is finished.  For a stream: what it is called */
	const char *output;
	/* > 0: a socket or pipe to write to instead; closed at the end */
	int stream_fd;
	/*
	 * > 0: keep only so much in memory, to be written by spt_recorder_write_last() and finish()
	 */
	uint64_t last_ns;
	uint64_t late_ns;		/* > 0: note in the status when a tick came so late */
	/* That the recorder may take for itself, at any time; 0: default */
	uint64_t memory_bytes;
	uint64_t period_ns;		/* 0: default */
	SptTraceClock clock;
	uint32_t event_type;		/* as in SptTraceConfig */
	uint64_t event_config;
	uint32_t ring_bytes;		/* 0: default */
	bool no_user;			/* no user stacks */
	/*
	 * User stacks without frame pointers, from copies of this number of bytes; 0: by frame
	 * pointers
	 */
	uint32_t raw_bytes;
	/*
	 * > 0: where the source can, copies begin small, and grow up to this where they are too
	 * short
	 */
	uint32_t raw_most_bytes;
	/* And, where it can, stacks that frame pointers lead through are not copied */
	bool raw_if_needed;
	/*
	 * user stacks by unwind tables in the module; with raw_bytes: instead of copies, where the
	 * source can
	 */
	bool by_tables;
	/*
	 * the same without a look at all that is mapped: by tables that the module has, and those
	 * that stacks were missing; where there are no tables along frame pointers
	 */
	bool frugal_tables;
	SptTraceWaits waits;		/* threads off their CPUs, too */
	unsigned kernel;		/* and the kernel's own work: SPT_TRACE_INTERRUPTS ... */
	uint32_t kmem_bytes;		/* as in SptTraceConfig */
	bool kernel_is_optional;	/* likewise */
	SptTraceFilter filter;		/* what of the system */
	const char *command;		/* to be noted in the file; may be NULL */
	/* How processes were called is not read: it may hold secrets */
	bool no_command_lines;
	/* Mappings of processes are not recorded: they reveal addresses */
	bool no_maps;
	/*
	 * What the command allocates, which is run with spt_recorder_environment(): all of it, or
	 * with memory_mean_bytes on average one allocation for that number of bytes; not with
	 * last_ns
	 */
	bool memory;
	uint64_t memory_mean_bytes;
	/* NULL, or who is to know some times a second what there is; not with last_ns */
	SptLive *live;
} SptRecorderOptions;

/* Of --memory. */
typedef struct {
	uint64_t calls, bytes, frees;	/* that were recorded; bytes as asked for */
	uint64_t frees_before;		/* of what was there before the recording, or a fork */
	uint64_t waits, waited_ns;	/* of threads whose ring was full */
	uint64_t lost;			/* calls that could not be recorded */
	uint64_t broken;		/* rings with what no ring has: the rest is lost */
	/* Programs with an allocator of their own inside, whose calls are not seen; one's path */
	uint64_t own_allocators;
	const char *own_program;	/* NULL: there is none; of the recorder */
} SptMemoryStatus;

typedef struct {
	uint64_t samples, weight;	/* written to the file */
	uint64_t waits;			/* likewise */
	uint64_t events, events_lost;	/* of the kernel's own work, likewise */
	uint64_t waits_lost;		/* as far as they could be counted */
	uint64_t lost;			/* weight of samples that found no room */
	uint64_t elapsed_ns;
	uint64_t period_ns;		/* as granted */
	uint64_t cost_ns, ticks;	/* what the ticks cost the machine */
	/* Periods sampled, and skipped to keep to the budget; up to the last account */
	uint64_t delivered, budget;
	uint64_t file_bytes;
	uint32_t threads;		/* that had samples */
	/* How late the latest tick was since the last seconds were written; 0: below the limit */
	uint64_t late_ns;
	uint32_t late_cpu;
	bool has_ended;			/* every process of the filter, and what they started */
	SptThriftStatus thrift;
	SptMemoryStatus memory;
	const char *source;		/* "module" or "perf" */
	/* What this recording cannot show on this machine, or NULL; known after start */
	const char *notice;
} SptRecorderStatus;

typedef struct SptRecorder SptRecorder;

/* Opens source and output; nothing runs yet. */
SptRecorder *spt_recorder_new(const SptRecorderOptions *options, GError **error);
/* A recording that was not finished leaves its .part file, if anything was written. */
void spt_recorder_free(SptRecorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptRecorder, spt_recorder_free)

/* With options->memory: what the command's environment needs, names and values in turn; or NULL. */
const char *const *spt_recorder_environment(const SptRecorder *recorder);
bool spt_recorder_start(SptRecorder *recorder, GError **error);
/*
 * @program, a path, is about to begin: waits a moment (0.3 s at most) until stacks can be walked
 * through it and its libraries.
 */
void spt_recorder_expect(SptRecorder *recorder, const char *program);
/* Waits at most @timeout_ms for records, takes what is there, and writes it once a second. */
bool spt_recorder_step(SptRecorder *recorder, int timeout_ms, GError **error);
/* Another fact for the file's HOST block, before finish(). */
void spt_recorder_note(SptRecorder *recorder, const char *key, const char *value);
/*
 * A flight recorder writes what it has, to FILE and then to FILE-2, FILE-3 ..., and goes on.
 * @ret_path: the file.
 */
bool spt_recorder_write_last(SptRecorder *recorder, char **ret_path, GError **error);
/*
 * Stops, takes the rest and completes the file.  @ret_path (may be NULL): the file.  What it
 * replaces is FILE.old from then on; without a sample it replaces nothing, and fails with
 * SPT_CAPTURE_ERROR_EMPTY.
 */
bool spt_recorder_finish(SptRecorder *recorder, char **ret_path, GError **error);
/*
 * The descriptor by which the recorder holds the file of an object, which may have no name any
 * more; -1: it does not.
 */
int spt_recorder_file(SptRecorder *recorder, uint32_t object);
void spt_recorder_status(const SptRecorder *recorder, SptRecorderStatus *ret);

G_END_DECLS

#endif
