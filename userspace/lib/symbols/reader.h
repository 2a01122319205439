/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that programs run from are read by helper processes, a file at a time in each: what makes a
 * parser crash, hang or take all memory costs the helper.  The file is then one that cannot be
 * read, and the next one has a new helper.  Not for two threads at a time.
 */
#ifndef SPT_READER_H
#define SPT_READER_H

#include "capture/capture.h"
#include "symbols/place-table.h"
#include "unwind/table.h"

G_BEGIN_DECLS

typedef struct {
	int fd;				/* of the file; stays the caller's */
	const char *path;		/* beside it debug files may lie; text for messages */
	const SptObjectRow *row;	/* what the file has to be; NULL: anything */
	const uint64_t *offsets;	/* ascending */
	uint32_t n;
	/*
	 * Its debug information, if that is not here, from $DEBUGINFOD_URLS; only by the build-id
	 * of @row
	 */
	bool download;
	SptReadDepth depth;
	/*
	 * symbols that were read: there will be more questions about this file; with
	 * SPT_READ_SYMBOLS
	 */
	bool keep;
	/*
	 * of a kernel or one of its modules, which offsets are then of (kernel-answer.h); NULL: it
	 * is neither
	 */
	const GByteArray *names;
} SptReadRequest;

/* What a table says where it was the helper that failed begins so. */
#define SPT_READER_FAILED "cannot be read: "

typedef struct SptReader SptReader;

/* @program: NULL for the one that belongs to this program.  @n_helpers at most; @patience_ms is
 *	what one file may take.  @debug_dirs as
 * in dwarf/symtab.h.  Starts nothing yet. */
SptReader *spt_reader_new(const char *program, unsigned n_helpers, unsigned patience_ms,
			  const char *const *debug_dirs);
void spt_reader_free(SptReader *reader);
/*
 * A program that is a reader, too, if it is started by the name SPT_READER_NAME: its own path.
 * Where none is installed it is taken.
 */
#define SPT_READER_NAME "sysprof-reader"
void spt_reader_set_own(const char *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptReader, spt_reader_free)

/* How far a download is; false: it is not wanted any more. */
typedef bool (*SptReaderProgress)(uint32_t tag, uint64_t done_bytes, uint64_t total_bytes,
				  void *data);
/*
 * Downloads come from these servers, not from those of $DEBUGINFOD_URLS; to be called before
 * anything is asked.
 */
void spt_reader_set_servers(SptReader *reader, const char *servers);
/* Called from spt_reader_wait(). */
void spt_reader_set_progress(SptReader *reader, SptReaderProgress progress, void *data);
/* One more can be begun. */
bool spt_reader_has_room(const SptReader *reader);
/* Sorts what is to be asked for, uint64_t, as a request has them: ascending, each once. */
void spt_reader_sort(GArray *offsets);
/* Begins to read; @tag says which it was when it is done.  There must be room. */
void spt_reader_begin(SptReader *reader, uint32_t tag, const SptReadRequest *request);
/*
 * Waits for one of those that were begun; a table that says why where a file could not be read.
 * NULL: there is none to wait for.
 */
SptPlaceTable *spt_reader_wait(SptReader *reader, uint32_t *ret_tag);
/* The same, or NULL if none is done after @timeout_ms; -1: no limit. */
SptPlaceTable *spt_reader_wait_for(SptReader *reader, int timeout_ms, uint32_t *ret_tag);

/*
 * The table to unwind @file by, which has a descriptor, its debug file's part included
 * (*@ret_has_debug: there is one); waits for it, while nothing else is read, until *@stop is not 0
 * (NULL: it never is).  NULL and an SPT_UNWIND_ERROR: it has none, or what read it failed
 * (SPT_UNWIND_ERROR_UNREADABLE), a part of a sentence then.
 */
SptUnwindTable *spt_reader_unwind_table(SptReader *reader, const SptObject *file, const gint *stop,
					bool *ret_has_debug, GError **error);

/* Reports the progress of a download; false: give up. */
typedef bool (*SptReaderGoesOn)(uint64_t done_bytes, uint64_t total_bytes, void *data);
/*
 * The path, to be freed, of the debug file for a build-id; NULL: there is none, or it was given up.
 */
typedef char *(*SptReaderFetch)(const uint8_t *build_id, unsigned bytes, SptReaderGoesOn goes_on,
				void *data);
/*
 * What a program does that is started as SPT_READER_NAME, with its arguments; @socket leads to who
 * has started it.  Without any it confines itself (confine.h) and reads files until the end;
 * "--fetch BUILD-ID": downloads, apart from who reads files, by @fetch, which may be NULL;
 * "--protections": confines itself and says how far.  False: it does none of them.
 */
bool spt_reader_run(int socket, int argc, char **argv, SptReaderFetch fetch);
/*
 * What a helper of this program could confine itself by, SPT_CONFINE_ bits; false: it cannot be
 * run.
 */
bool spt_reader_protections(unsigned *ret);
/* The program that helpers run; to be freed. */
char *spt_reader_program(void);

G_END_DECLS

#endif
