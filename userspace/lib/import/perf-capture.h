/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The capture that an imported perf.data becomes, from records in the form of the device's. */
#ifndef SPT_IMPORT_PERF_CAPTURE_H
#define SPT_IMPORT_PERF_CAPTURE_H

#include "capture/capture.h"
#include "import/perf-data-file.h"
#include "trace/perf/records.h"

G_BEGIN_DECLS

typedef struct SptImportPerfCapture SptImportPerfCapture;

/* @questions: a socket of questions.h, or -1.  @writer outlives it. */
SptImportPerfCapture *spt_import_perf_capture_new(SptCaptureWriter *writer, int questions);
void spt_import_perf_capture_free(SptImportPerfCapture *capture);

/* The kernel has made code at @start, which is called @name: a program of BPF, for example. */
void spt_import_perf_capture_symbol(SptImportPerfCapture *capture, uint64_t start, uint64_t bytes,
				    const char *name);
/* The kernel's own code, or a module's, is at @start. */
void spt_import_perf_capture_kernel_map(SptImportPerfCapture *capture, uint64_t start,
					uint64_t bytes, uint64_t symbol, const char *path);
/*
 * The symbols for kernel addresses of the file, owned by the capture; called after the kernel's
 * maps, and before the first record.
 */
SptKallsyms *spt_import_perf_capture_kernel(SptImportPerfCapture *capture,
					    const SptPerfData *data);
/* What takes the records. */
struct spt_perf_sink spt_import_perf_capture_sink(SptImportPerfCapture *capture);
/* The next sample weighs @weight, 0: it is none; @had_copy: the file has a copy of its stack. */
void spt_import_perf_capture_weigh(SptImportPerfCapture *capture, uint64_t weight, bool had_copy);
/* The next sample is no sample but an event of a declared kind, with these values. */
void spt_import_perf_capture_event(SptImportPerfCapture *capture, const SptDeclaredRow *row);
void spt_import_perf_capture_declare(SptImportPerfCapture *capture, const SptDeclarationRow *row);
/*
 * For import/perf-waits.c: the node of the last sample's stack, 0 if it is empty; the thread of a
 * record; the thread of a tid, and its process, 0 if it is not known; a row that is no sample.
 */
uint32_t spt_import_perf_capture_node(const SptImportPerfCapture *capture);
uint32_t spt_import_perf_capture_waiter(SptImportPerfCapture *capture,
					const struct sysprof_record *record, uint64_t mm);
uint32_t spt_import_perf_capture_thread(const SptImportPerfCapture *capture, uint32_t tid,
					uint32_t *ret_pid);
void spt_import_perf_capture_put(SptImportPerfCapture *capture, SptRowKind type, const void *row,
				 uint64_t time);
uint64_t spt_import_perf_capture_events(const SptImportPerfCapture *capture);
void spt_import_perf_capture_lost(SptImportPerfCapture *capture, uint64_t time, uint64_t n);
uint64_t spt_import_perf_capture_samples(const SptImportPerfCapture *capture);
/* Called often, between records: drops what has ended, and writes what was put, if it is much. */
void spt_import_perf_capture_let_go(SptImportPerfCapture *capture);
/* NULL, or why it cannot go on, as a clause about the file. */
const char *spt_import_perf_capture_excess(const SptImportPerfCapture *capture);
/* Sets the error of a clause, unless writing failed; returns false. */
bool spt_import_perf_capture_refuse(const SptImportPerfCapture *capture, const char *why,
				    GError **error);
/*
 * Finishes the file, with its facts; @period_ns 0: it is not known.  @note gets more of what people
 * need to know.
 */
bool spt_import_perf_capture_finish(SptImportPerfCapture *capture, const SptPerfData *data,
				    SptPerfRecords *records, const char *event, uint64_t period_ns,
				    GString *note, GError **error);

G_END_DECLS

#endif
