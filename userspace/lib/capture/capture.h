/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The capture file (format.md): the rows of writer and reader, the writer, and the reader. */
#ifndef SPT_CAPTURE_H
#define SPT_CAPTURE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/byte-span.h"
#include "events/declared.h"
#include "stash/stash.h"

G_BEGIN_DECLS

#define SPT_CAPTURE_ERROR (spt_capture_error_quark())
GQuark spt_capture_error_quark(void);
enum {
	SPT_CAPTURE_ERROR_NOT_A_CAPTURE,
	SPT_CAPTURE_ERROR_VERSION,
	SPT_CAPTURE_ERROR_DAMAGED,
	SPT_CAPTURE_ERROR_IO,
	SPT_CAPTURE_ERROR_EMPTY,	/* see spt_capture_writer_keep_old() */
	SPT_CAPTURE_ERROR_BUSY,		/* see spt_capture_writer_new() */
};

typedef enum {
	SPT_OBJECT_UNKNOWN = 0,
	SPT_OBJECT_KERNEL = 1,
	SPT_OBJECT_MODULES = 2,
	SPT_OBJECT_ANON = 3,
	SPT_OBJECT_VDSO = 4,
	SPT_OBJECT_FILE = 5,
	SPT_OBJECT_SOURCE = 6,		/* the file of a script */
	SPT_OBJECT_EMBEDDED = 7,	/* a file that is embedded, and has no code (embedded.h) */
} SptObjectKind;

/* Path of the object whose names are those of events and their files, and the name of no file. */
#define SPT_EVENT_OBJECT  "[event]"
/* The innermost name of a wait for a futex; the one that calls it is the futex's own. */
#define SPT_EVENT_FUTEX   "futex"
#define SPT_NO_FILE_KNOWN "[no file known]"
#define SPT_NO_LOCK_KNOWN "[lock not known]"
/* Path of the object above stacks of which a copy has only the inner part. */
#define SPT_STACK_CUT_OFF "[stack cut off]"

/*
 * All strings in rows are borrowed.  The writer copies them; those of the reader are valid as long
 * as the capture.
 */
typedef struct {
	uint32_t id;
	SptObjectKind kind;
	const char *path;
	uint8_t build_id[64];
	uint8_t build_id_bytes;
	uint32_t dev_major, dev_minor, generation;
	uint64_t inode, bytes, mtime_ns;
	const char *language;		/* of a script: "Python"; else "" or NULL */
} SptObjectRow;

#define SPT_PROCESS_KTHREAD (1 << 0)
/* No process, but a machine: what it ran are its children (import/fleet.h). */
#define SPT_PROCESS_HOST    (1 << 1)

typedef struct {
	uint32_t id, pid, parent, flags;
	uint64_t start_time, end_time;
	const char *name;
} SptProcessRow;

/*
 * A process's command line: its arguments with blanks between them, quoted for a shell where that
 * is needed.
 */
#define SPT_COMMAND_LINE_BYTES 1024
typedef struct {
	uint32_t process;
	const char *text;		/* "": the text before was wrong */
	const char *cgroup;		/* its control group, if that was asked for; else "" */
} SptCommandLineRow;

/* A change of a process's executable mappings (maps.h turns them into spans). */
typedef struct {
	uint32_t process, object;
	uint64_t time, start, bytes, offset;	/* offset: of start in the object */
	uint8_t how;			/* SptMapHow */
} SptMapRow;

typedef struct {
	uint32_t id, process, tid;
	uint64_t start_time, end_time;
	const char *name;		/* the last one that it had */
	/* Those that it had before, each with a line's end behind it; "" or NULL: none. */
	const char *former;
} SptThreadRow;

/*
 * Times of samples, processes and threads are kept to the microsecond, which is about the length of
 * an interrupt.
 */
#define SPT_CAPTURE_TIME_UNIT_NS 1000

#define SPT_CONTEXT_KERNEL (1 << 0)
#define SPT_CONTEXT_IRQ (1 << 1)
/* From this bit on: enum sysprof_context plus one; 0: not known. */
#define SPT_CONTEXT_AT 2
#define SPT_CONTEXT_MASK 7

typedef struct {
	uint64_t time;
	uint64_t delay_ns;		/* a capture keeps it to one in 32 */
	uint32_t cpu, thread, node, weight;
	uint8_t kernel_end, user_end, context;
} SptSampleRow;

/*
 * The name at @offset.  With @symbol_bytes it is also the name of every other place from @offset -
 * @distance on that has no row of its own.
 */
typedef struct {
	uint32_t object;
	uint64_t offset;
	const char *symbol;		/* "" for none */
	uint64_t distance, symbol_bytes;
	const char *module;		/* "" for the object's own name */
} SptNameRow;

/*
 * The function and line of a place, from the files of the recorded machine.  The rows of one place
 * follow each other, innermost first: inlined functions, and last, with level 0, the function
 * itself.
 */
typedef struct {
	uint32_t object, level;
	uint64_t offset;
	const char *function, *directory, *file; /* as in symbols/dwarf/debug-info.h; "" for none */
	uint32_t line;			/* 0: not known */
	/* With level 0: */
	/* The function is a symbol's name; else it is from debug information. */
	uint8_t is_symbol;
	uint8_t is_all;			/* in memory only: files know no more of the place */
	uint64_t distance, symbol_bytes;
} SptBundledRow;

/* States of a thread: the device's enum sysprof_state. */
#define SPT_THREAD_STATES 12

#define SPT_WAIT_CUT_BEGIN (1 << 0)	/* began before the recording */
#define SPT_WAIT_CUT_END (1 << 1)	/* had not ended with the recording */
#define SPT_WAIT_NO_WAKING (1 << 2)	/* no waking was seen: all of it counts as blocked */

/*
 * A thread was off its CPU: first blocked, then runnable.  A preempted thread was runnable all the
 * time.
 */
typedef struct {
	/* when it ran again; with CUT_END, the end of the recording */
	uint64_t time;
	uint64_t duration_ns;
	uint64_t runnable_ns;		/* the last part of the duration */
	/*
	 * Time that it represents: its duration where every wait is recorded, else a multiple of a
	 * grid's
	 */
	uint64_t weight_ns;
	uint32_t cpu, cpu_before;
	uint32_t thread, node;		/* node: where it waited */
	uint32_t waker, waker_node;	/* thread and stack of who ended it; 0: not known */
	uint8_t state;			/* in which it was blocked; PREEMPTED: it was not */
	uint8_t flags;			/* SPT_WAIT_* */
	uint8_t waker_context;		/* enum sysprof_context */
} SptWaitRow;

/* Something the kernel did, in the midst of what a thread did. */
typedef struct {
	uint64_t time;			/* when it ended */
	uint64_t duration_ns;
	uint64_t weight;		/* what it represents, in the unit of its metric */
	uint32_t cpu, thread, node;	/* node: the innermost frame names what it was */
	uint32_t kind;			/* number of its SptEventKind, which has fields */
	uint32_t holder;		/* thread that held the lock; 0: not known, or no lock */
	uint32_t holder_node;		/* its stack, below the lock; 0: no lock */
	uint32_t depth;			/* requests under way on the device, with this one */
	uint64_t value;			/* bytes of a request; ns of a page fault */
	uint8_t context;		/* enum sysprof_context: what was interrupted */
	uint8_t flags;			/* of a page fault: SYSPROF_FAULT_* */
} SptEventRow;

/* Where all of a thread's time went from @since to @time, and how often it was switched. */
typedef struct {
	uint64_t time, since;
	uint64_t ns[SPT_THREAD_STATES];	/* by state */
	uint64_t voluntary, involuntary, wakes, longest_ns;
	uint32_t thread;
	uint8_t has_begin, has_end;	/* it was made, or ended, meanwhile */
} SptThreadTimeRow;

/* Where the events of a source went, on one CPU since the start; as struct sysprof_tally. */
enum {
	SPT_TALLY_SEEN,
	SPT_TALLY_DELIVERED,
	SPT_TALLY_NOT_PICKED,		/* by the grid; their time is in the weight of others */
	SPT_TALLY_BELOW,		/* the threshold */
	SPT_TALLY_EXCLUDED,
	SPT_TALLY_LOST,			/* and 7 more, by reason */
	SPT_TALLIES = SPT_TALLY_LOST + 8,
};

typedef struct {
	uint64_t events, value, ns, weight;
} SptTally;

typedef struct {
	uint64_t time, cost_ns, calls;
	SptTally tallies[SPT_TALLIES];
	uint32_t cpu, kind;		/* kind: enum sysprof_source_kind */
} SptSourceAccountRow;

/* A CPU began to run another thread. */
typedef struct {
	uint64_t time;
	uint32_t cpu, thread;		/* thread 0: idle, or one that is not wanted */
	uint8_t state;			/* in which the one before was left */
} SptLaneRow;

/* What became of a block of memory, and how it came about. */
#define SPT_ALLOCATION_OPEN	 (1 << 0) /* it was not freed when the row was written */
#define SPT_ALLOCATION_CLOSE	 (1 << 1) /* it was freed, which an OPEN row could not know */
#define SPT_ALLOCATION_TEMPORARY (1 << 2) /* freed before its thread's next allocation */
#define SPT_ALLOCATION_CROSSED	 (1 << 3) /* freed by another thread */
#define SPT_ALLOCATION_RESIZED	 (1 << 4) /* allocated by realloc() in place of another block */
#define SPT_ALLOCATION_MOVED	 (1 << 5) /* freed by realloc() */
#define SPT_ALLOCATION_SLAB	 (1 << 6) /* the kernel's: kmalloc() and slab caches */
#define SPT_ALLOCATION_PAGE	 (1 << 7) /* the kernel's: pages */
#define SPT_ALLOCATION_PERCPU	 (1 << 8) /* the kernel's: memory per CPU */
#define SPT_ALLOCATION_AREA	 (1 << 9) /* the kernel's: areas of vmalloc() */
#define SPT_ALLOCATION_MAPPING	 (1 << 10) /* a program's, by mmap() */
#define SPT_ALLOCATION_ENDED	 (1 << 11) /* only in a file: time is that of the free */
#define SPT_ALLOCATION_KERNEL                                                                      \
	(SPT_ALLOCATION_SLAB | SPT_ALLOCATION_PAGE | SPT_ALLOCATION_PERCPU | SPT_ALLOCATION_AREA)

/* A block from its allocation to its free, or one end of it (OPEN, CLOSE). */
typedef struct {
	uint64_t time;			/* of the allocation; in a CLOSE, of the free */
	/* From allocation to free; in an OPEN 0; in a CLOSE a capture keeps it to one in 32 */
	uint64_t duration_ns;
	uint64_t bytes;			/* as the program requested */
	uint64_t weight;		/* bytes that it represents */
	uint64_t handle;		/* the same in an OPEN and its CLOSE; else 0 */
	uint32_t thread, node;		/* thread and stack of the allocation */
	uint32_t free_node;		/* stack of the free; 0: not recorded */
	uint32_t flags;			/* SPT_ALLOCATION_* */
	uint32_t memory_node;		/* NUMA node, plus one; 0: any, or not known */
} SptAllocationRow;

/* How much memory of a process was resident from then on; 0: it has ended. */
typedef struct {
	uint64_t time, bytes;
	uint32_t thread;		/* the process's first one */
} SptResidentRow;

/*
 * A kind of events that is declared while a recording runs or a file is imported; @id is the
 * caller's, for its rows.  Kinds that are declared alike become one.
 */
typedef struct {
	uint32_t id;
	SptDeclaredShape shape;
	const char *name, *title;	/* title: for people; NULL or "": the name */
	unsigned n_fields;
	SptDeclaredField fields[SPT_DECLARED_FIELDS];
} SptDeclarationRow;

/* An event of a declared kind. */
typedef struct {
	uint64_t time;			/* of an interval: when it began */
	uint64_t duration_ns;
	uint32_t kind;			/* id of its SptDeclarationRow */
	uint32_t cpu, thread, node;	/* thread and node: 0 if there is none */
	SptValue values[SPT_DECLARED_FIELDS];	/* as many as the kind has fields */
} SptDeclaredRow;

/* A piece of an embedded file.  Pieces of a file follow each other. */
#define SPT_FILE_PIECE_BYTES (64u << 10)
typedef struct {
	uint64_t position;
	uint32_t object, kind;		/* kind: 0, the object itself */
	SptBytes data;			/* at most SPT_FILE_PIECE_BYTES */
} SptFileRow;

#define SPT_LOST_REASONS 8

typedef struct {
	uint64_t time, grid, delivered, idle, offline, excluded, budget, pending, samples,
		state_lost, cost_ns, ticks, filtered;
	uint64_t lost[SPT_LOST_REASONS];
	uint32_t cpu;
} SptAccountRow;

typedef struct {
	uint64_t first_time, last_time, weight;
	uint32_t cpu, reason;
} SptLossRow;

/*
 * grid - (delivered + lost + idle + offline + excluded + budget + pending); 0 if the loss law
 * holds.
 */
int64_t spt_account_residue(const SptAccountRow *row);
uint64_t spt_account_lost(const SptAccountRow *row);
/* Adds @row to @sum, with @scale of the sum's periods for each of its own. */
void spt_account_add(SptAccountRow *sum, const SptAccountRow *row, uint64_t scale);
/*
 * The name of a reason: "ring full", "too big", ...; "reason 7" if it has no name here.  In
 * English, for spt_words().
 */
const char *spt_lost_reason_name(unsigned reason);

/*
 * The kinds of rows that a recorder puts one by one, in the order in which a flush writes them: ids
 * come before their use.
 */
typedef enum {
	SPT_ROW_OBJECT,
	SPT_ROW_FILE,
	SPT_ROW_PROCESS,
	SPT_ROW_THREAD,
	SPT_ROW_COMMAND_LINE,
	SPT_ROW_MAP,
	SPT_ROW_NAME,
	SPT_ROW_SAMPLE,
	SPT_ROW_WAIT,
	SPT_ROW_EVENT,			/* one of a kind that has no stream is dropped */
	SPT_ROW_THREAD_TIME,
	SPT_ROW_LANE,
	SPT_ROW_SOURCE_ACCOUNT,
	SPT_ROW_ALLOCATION,
	SPT_ROW_RESIDENT,
	SPT_ROW_DECLARATION,		/* comes before the kind's first event */
	SPT_ROW_DECLARED,		/* one of a kind that was not declared is dropped */
	SPT_ROW_LOSS,
	SPT_ROW_ACCOUNT,
	SPT_ROWS,
} SptRowKind;

/*
 * The writer.  It collects rows, and spt_capture_writer_flush() writes them as one block per type
 * (or several if there are many).  Every id comes before its use in the file, so rows may be given
 * in any order between two flushes.  If a flush does not fit into the file, the file is cut back to
 * the end of the flush before.  The file is FILE.part; finish() adds index and end and renames it
 * to FILE.  Text beyond 16 KiB is cut.  After a failed write all later calls fail with the same
 * error; what was flushed before stays readable.
 */
typedef struct SptCaptureWriter SptCaptureWriter;

/*
 * @path must be a regular file, which is replaced at the end, or not exist.  Fails with
 * SPT_CAPTURE_ERROR_BUSY while another writer has that name.
 */
SptCaptureWriter *spt_capture_writer_new(const char *path, GError **error);
/*
 * Writes the same bytes into @fd, a pipe or socket, and closes it at the end.  Messages use @name.
 */
SptCaptureWriter *spt_capture_writer_new_stream(int fd, const char *name, GError **error);
/*
 * Makes the capture @path of what @fill writes, which has the bytes of one already.  Nothing stays
 * of it if @fill fails, with its error.
 */
typedef bool (*SptCaptureFill)(int fd, void *data, GError **error);
bool spt_capture_save(const char *path, SptCaptureFill fill, void *data, GError **error);
/*
 * For recordings: finish() keeps the file that it replaces, as FILE.old.  Without a sample or an
 * event it replaces nothing, fails with SPT_CAPTURE_ERROR_EMPTY, and removes the .part file.
 */
void spt_capture_writer_keep_old(SptCaptureWriter *writer);
/*
 * Frees the writer.  If it was not finished, its .part file stays, unless nothing was ever flushed.
 */
void spt_capture_writer_free(SptCaptureWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCaptureWriter, spt_capture_writer_free)

void spt_capture_writer_host(SptCaptureWriter *writer, const char *key, const char *value);
/*
 * Adds @n rows, of the struct of their kind.  Their nodes are those of the stash that the next
 * flush gets.
 */
void spt_capture_writer_put_rows(SptCaptureWriter *writer, SptRowKind kind, const void *rows,
				 size_t n);

static inline void spt_capture_writer_put(SptCaptureWriter *writer, SptRowKind kind,
					  const void *row)
{
	spt_capture_writer_put_rows(writer, kind, row, 1);
}

static inline void spt_capture_writer_object(SptCaptureWriter *writer, const SptObjectRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_OBJECT, row);
}

static inline void spt_capture_writer_process(SptCaptureWriter *writer, const SptProcessRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_PROCESS, row);
}

static inline void spt_capture_writer_thread(SptCaptureWriter *writer, const SptThreadRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_THREAD, row);
}

static inline void spt_capture_writer_command_line(SptCaptureWriter *writer,
						   const SptCommandLineRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_COMMAND_LINE, row);
}

static inline void spt_capture_writer_map(SptCaptureWriter *writer, const SptMapRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_MAP, row);
}

static inline void spt_capture_writer_sample(SptCaptureWriter *writer, const SptSampleRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_SAMPLE, row);
}

static inline void spt_capture_writer_name(SptCaptureWriter *writer, const SptNameRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_NAME, row);
}

static inline void spt_capture_writer_loss(SptCaptureWriter *writer, const SptLossRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_LOSS, row);
}

static inline void spt_capture_writer_account(SptCaptureWriter *writer, const SptAccountRow *row)
{
	spt_capture_writer_put(writer, SPT_ROW_ACCOUNT, row);
}

void spt_capture_writer_bundled(SptCaptureWriter *writer, const SptBundledRow *row);
/* Writes the collected rows, and the nodes of @stash that no earlier flush wrote. */
bool spt_capture_writer_flush(SptCaptureWriter *writer, SptStash *stash, GError **error);
/* After a flush: the next one gets another stash, without the earlier nodes. */
void spt_capture_writer_next_stash(SptCaptureWriter *writer);
bool spt_capture_writer_finish(SptCaptureWriter *writer, SptStash *stash, uint64_t time,
			       GError **error);
/* Bytes of the file up to the last flush. */
uint64_t spt_capture_writer_bytes(const SptCaptureWriter *writer);

/*
 * The reader: the file decoded into flat arrays, except for its samples.  A row with an id is at
 * that index; holes have id 0 and empty strings.  Row 0 is always a hole, so that a reference that
 * is 0 can be followed like any other.
 */
typedef struct {
	uint32_t id, kind;
	const char *name, *metric, *unit;
	uint64_t factor;		/* what one weight is worth in units; 0: 1 */
	const char *title;		/* of a declared kind (declared.h); "": it is none */
	uint64_t rows;			/* number of rows in the file, of known kinds or not */
} SptStreamRow;

/* A column of a stream, and what it holds (SptRole). */
typedef struct {
	uint32_t stream, column, role;
	const char *name;
	uint32_t type;			/* SptValueType of a declared kind's field; 0: it is none */
	const char *unit;
} SptStreamColumnRow;

/* The place of a block whose rows were only counted (events.h). */
typedef struct {
	uint64_t position;
	uint32_t bytes;			/* with its header */
	uint32_t type, stream;
} SptBlockPlace;

/*
 * The sum of the samples of one process image with one innermost frame.  A node with very many
 * processes may have several rows of a process.
 */
typedef struct {
	uint32_t process, node;
	uint64_t weight;
	uint64_t samples;
} SptLeafRow;

typedef struct SptSampleBlocks SptSampleBlocks;

typedef struct {
	const char *path;
	bool finished;			/* has an END block */
	uint64_t end_time;		/* when it was finished; 0 if it was not */
	/*
	 * NULL, or a text that follows the file's name: from where on it could not be read, and
	 * why.
	 */
	char *damage;
	uint64_t file_bytes;
	GHashTable *host;		/* key -> value */
	SptObjectRow *objects;		uint32_t n_objects;
	SptProcessRow *processes;	uint32_t n_processes;
	SptThreadRow *threads;		uint32_t n_threads;
	SptNode *nodes;			uint32_t n_nodes;	/* with the root */
	uint32_t n_frames;		/* frames of the nodes, with the root's */
	SptStreamRow *streams;		uint32_t n_streams;	/* by id */
	/* In file order; the last row for a column of a stream counts. */
	SptStreamColumnRow *columns;	uint64_t n_columns;
	uint32_t samples_stream;	/* 0: none */
	/* Of streams other than the samples, and of embedded files */
	SptBlockPlace *places;		uint64_t n_places;
	int fd;				/* of the file, if there are places; else -1 */
	/*
	 * The stream "samples".  The samples stay packed, and spt_samples_next() returns them one
	 * by one.  The members below are known without that.
	 */
	SptSampleBlocks *blocks;
	uint64_t n_samples, weight;
	/* The smallest and the largest; UINT64_MAX and 0 if there are none */
	uint64_t first_time, last_time;
	uint32_t last_cpu;
	/*
	 * By process.  Without has_leaves there are none, since they would take too much memory;
	 * sums then need a pass over the samples.
	 */
	SptLeafRow *leaves;		uint64_t n_leaves;
	bool has_leaves;
	/* NULL; code that makes a capture in memory sets this with n_samples, and no blocks. */
	SptSampleRow *samples;
	SptNameRow *names;		uint64_t n_names;
	/* All rows of a place are together; the last ones of a place count. */
	SptBundledRow *bundled;		uint64_t n_bundled;
	/* In file order; the last row of a CPU has its sums. */
	SptAccountRow *accounts;	uint64_t n_accounts;
	SptLossRow *losses;		uint64_t n_losses;
	/* In file order; the last row of a process counts. */
	SptCommandLineRow *command_lines;	uint64_t n_command_lines;
	SptMapRow *maps;		uint64_t n_maps;	/* in file order */
	GPtrArray *texts;		/* owns the strings of all rows */
	GHashTable *kept;		/* spt_capture_keep(); NULL: nothing yet */
	uint64_t *thread_weights;	/* by thread, of its samples; NULL: as without leaves */
} SptCapture;

/*
 * Opens FILE or FILE.part by its exact name.  Ids in rows were checked: threads, nodes, objects and
 * parents exist or are 0, and no process is its own ancestor.  A row with a wrong id counts as
 * damage.  Of a damaged file, everything before the damage is there.  NULL with a sentence if it is
 * not a capture or has no whole block.  Memory is limited to 64 MiB plus 64 times the file's size,
 * or, if it was finished, to a sixteenth of the machine's if that is more; a file that needs more
 * counts as damaged.
 */
SptCapture *spt_capture_open(const char *path, GError **error);
/* Progress, 0 to 1.  Returns false if the result is not needed any more. */
typedef bool (*SptProgress)(double done, void *data);
SptCapture *spt_capture_open_watched(const char *path, SptProgress progress, void *data,
				     GError **error);
/* A table from a process's id to its command line, which the capture owns. */
GHashTable *spt_capture_command_lines(const SptCapture *capture);
/* The same for its control group: "/system.slice/nginx.service". */
GHashTable *spt_capture_cgroups(const SptCapture *capture);
void spt_capture_free(SptCapture *capture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCapture, spt_capture_free)

/* NULL: it is not there. */
const char *spt_capture_host(const SptCapture *capture, const char *key);
uint64_t spt_capture_period_ns(const SptCapture *capture);			/* 0 if not there */

/*
 * The samples, some at a time, in the order of the file (nearly that of time).  Any number of
 * cursors may run at once, each in one thread.
 */
typedef struct SptSamples SptSamples;

/* @capture must outlive it. */
SptSamples *spt_samples_new(const SptCapture *capture);
void spt_samples_free(SptSamples *samples);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSamples, spt_samples_free)
/* The next @ret_n rows, valid until the next call; NULL behind the last one. */
const SptSampleRow *spt_samples_next(SptSamples *samples, uint32_t *ret_n);

/*
 * Something that is computed from the rows once, under @key, and is valid as long as the capture:
 * @make is called for it at the first time, and @free in the end.  Threads may ask at the same
 * time.
 */
gconstpointer spt_capture_keep(const SptCapture *capture, gpointer key,
			       gpointer (*make)(const SptCapture *capture, gpointer key),
			       GDestroyNotify free);

/* By node: the weight of the samples that end there.  The caller frees it. */
uint64_t *spt_capture_weigh_nodes(const SptCapture *capture);
/* By thread: the weight of its samples.  The caller frees it. */
uint64_t *spt_capture_weigh_threads(const SptCapture *capture);

G_END_DECLS

#endif
