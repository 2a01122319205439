/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an importer, which can open nothing, asks the process that started it: about files of this
 * machine, by path and build-id as the imported file has them.  Neither side trusts the other.
 */
#ifndef SPT_IMPORT_QUESTIONS_H
#define SPT_IMPORT_QUESTIONS_H

#include "capture/capture.h"
#include "unwind/table.h"

G_BEGIN_DECLS

/* Answered at most; the rest is refused. */
#define SPT_IMPORT_QUESTIONS (1u << 14)
#define SPT_IMPORT_PATH_BYTES 4096

enum spt_import_subject {
	/* Build-id, size and time of the file at the path, if it is older than the imported one. */
	SPT_IMPORT_IDENTITY,
	/* The unwind table of that file, if it is the one of the build-id. */
	SPT_IMPORT_TABLE,
	/* The symbols of the running kernel, if it has the build-id; without one, the release. */
	SPT_IMPORT_KERNEL,
};

struct spt_import_question {
	uint32_t subject;		/* enum spt_import_subject */
	uint32_t build_id_bytes;
	uint8_t build_id[64];
	uint64_t bytes, mtime_ns;	/* of the file; 0: not known */
	char path[SPT_IMPORT_PATH_BYTES];	/* or the kernel's release; ends with a nul */
};

/* It comes with a descriptor, but for SPT_IMPORT_IDENTITY. */
struct spt_import_answer {
	uint32_t is_known;
	uint32_t build_id_bytes;
	uint8_t build_id[64];
	uint64_t bytes, mtime_ns;
};

/* The importer's side: a socket that keeps messages apart; -1: nobody answers. */

/* Adds to @row what is known of the file at its path. */
void spt_import_ask_identity(int socket, SptObjectRow *row);
/* The caller's to free; NULL: there is none. */
SptUnwindTable *spt_import_ask_table(int socket, const SptObjectRow *row);
/*
 * The text of /proc/kallsyms, the caller's to free; NULL: it is another kernel, or hidden.  @bytes
 * 0: the build-id is not known, and the release decides.
 */
char *spt_import_ask_kernel(int socket, const uint8_t *build_id, unsigned bytes,
			    const char *release);

/* The other side. */
typedef struct SptImportAnswers SptImportAnswers;
/* @file: the imported file, which is borrowed. */
SptImportAnswers *spt_import_answers_new(int socket, int file);
void spt_import_answers_free(SptImportAnswers *answers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptImportAnswers, spt_import_answers_free)
/* Takes one question and answers it; false: there is none, or it is none. */
bool spt_import_answers_next(SptImportAnswers *answers);

G_END_DECLS

#endif
