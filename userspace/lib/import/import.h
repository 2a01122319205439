/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles that other programs wrote.  A format is a row, in a file of its own.  Their contents are
 * read in a confined helper process (symbols/confine.h), which writes a capture into a socket; this
 * process stores it, within a bound, and opens it as it opens any capture.
 */
#ifndef SPT_IMPORT_H
#define SPT_IMPORT_H

#include "capture/capture.h"

G_BEGIN_DECLS

#define SPT_IMPORT_ERROR (spt_import_error_quark())
GQuark spt_import_error_quark(void);
enum {
	SPT_IMPORT_ERROR_FORMAT,	/* no importer knows it */
	SPT_IMPORT_ERROR_REFUSED,	/* its importer refused it, or the helper failed */
};

/* Most bytes of a line, frames of a stack, distinct names, places on stacks, and samples. */
#define SPT_IMPORT_LINE_BYTES (1u << 20)
#define SPT_IMPORT_FRAMES     2048
#define SPT_IMPORT_FUNCTIONS  (1u << 22)
#define SPT_IMPORT_NODES      (1u << 25)
#define SPT_IMPORT_SAMPLES    (1u << 30)
#define SPT_IMPORT_CPUS	      (1u << 14)
/* Bytes that a probe gets, if the file has them. */
#define SPT_IMPORT_PROBE_BYTES (1u << 16)

/* Fact of the capture: what people need to know of what could not be imported, in English. */
#define SPT_IMPORT_NOTE "imported"

typedef struct {
	int fd;				/* of the file, which is borrowed */
	int questions;			/* socket of questions.h; -1: nobody answers */
} SptImportInput;

typedef struct {
	const char *name;
	/* Whether the first @bytes of a file, unpacked, are of this format. */
	bool (*probe)(const char *begin, size_t bytes);
	/*
	 * Reads the file from its start and finishes @writer.  False: a clause about the file.
	 */
	bool (*read)(const SptImportInput *input, SptCaptureWriter *writer, GError **error);
	bool unpacks;			/* it takes files that gzip or zstd packed, too */
} SptImporter;

/* Every format, in the order in which they are tried. */
#define SPT_IMPORTERS(ROW)                                                                         \
	ROW(speedscope)                                                                            \
	ROW(chrome)                                                                                \
	ROW(firefox)                                                                               \
	ROW(cpuprofile)                                                                            \
	ROW(heaptrack)                                                                             \
	ROW(syscap)                                                                                \
	ROW(pprof)                                                                                 \
	ROW(perfetto)                                                                              \
	ROW(perf_data)                                                                             \
	ROW(callgrind)                                                                             \
	ROW(xml)                                                                                   \
	ROW(perf_script)                                                                           \
	ROW(folded)

#define SPT_IMPORT_DECLARE(name) extern const SptImporter spt_import_##name;
SPT_IMPORTERS(SPT_IMPORT_DECLARE)
#undef SPT_IMPORT_DECLARE

/*
 * Reads the file at @path, of any format, and writes it as a capture into @to_fd, a regular file.
 * False with a sentence.
 */
bool spt_import_file(const char *path, int to_fd, GError **error);
/* Opens the file at @path as a capture that is in no directory. */
SptCapture *spt_import_open(const char *path, GError **error);
/*
 * Where opening a capture failed with *@error: the file as that of another program, and *@error is
 * cleared.  NULL: it is none, and *@error stays, or says why it was refused.
 */
SptCapture *spt_import_instead(const char *path, GError **error);

/* The first importer that takes the file for its own, or NULL. */
const SptImporter *spt_import_find(int fd);
/* The end of an importer that refuses its file, with a clause in SPT_WORDS(): always false. */
bool spt_import_refuse(GError **error, const char *clause);

/*
 * The helper's side: reads the file that comes through @socket, if the arguments of the program say
 * so.  *@ret_status is the exit status.  False: the arguments are others.
 */
bool spt_import_run(int socket, int argc, char **argv, int *ret_status);

G_END_DECLS

#endif
