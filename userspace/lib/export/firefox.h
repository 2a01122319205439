/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that write a profile for the Firefox Profiler have in common. */
#ifndef SPT_EXPORT_FIREFOX_H
#define SPT_EXPORT_FIREFOX_H

#include "export/by-thread.h"
#include "export/export.h"
#include "export/numbers.h"
#include "export/sayings.h"

/* Categories of the profile, by number. */
typedef enum {
	FIREFOX_OTHER,
	FIREFOX_USER,
	FIREFOX_KERNEL,
	FIREFOX_WAIT,
	FIREFOX_EVENT,
	FIREFOX_MARK,
} SptFirefoxCategory;

struct spt_firefox {
	const SptExportInput *input;
	SptOut *out;
	SptNumbers numbers;
	GHashTable *files;		/* base name -> row of the capture's objects; 0: several */
	uint64_t period_ns;		/* of CPU time; 0: not known, or another metric */
	uint32_t first_marker_name;	/* in the table of strings */
	uint32_t first_saying_name;	/* likewise */
	SptByThread *rows, *spans, *sayings;	/* SptProfileRow; SptSpan; SptSaying */
	const GPtrArray *saying_names;
};

/* "key":[value,value,...], with @n times the same value. */
void spt_firefox_repeat(struct spt_firefox *firefox, const char *key, const char *value,
			uint32_t n);
/* firefox-tables.c: "libs" and "shared". */
void spt_firefox_write_libs(struct spt_firefox *firefox);
void spt_firefox_write_shared(struct spt_firefox *firefox);
/* firefox-threads.c: the thread's samples and markers, if it has any. */
bool spt_firefox_has_thread(const struct spt_firefox *firefox, uint32_t thread);
void spt_firefox_write_thread(struct spt_firefox *firefox, uint32_t thread);
/* firefox-markers.c: the thread's markers; how they are shown; and names of the string table. */
void spt_firefox_write_markers(struct spt_firefox *firefox, uint32_t thread);
void spt_firefox_write_schemas(struct spt_firefox *firefox);
void spt_firefox_append_marker_names(struct spt_firefox *firefox, bool is_first);
/* firefox-sayings.c: the values of a column of markers for what the thread's program has said. */
typedef enum {
	SPT_FIREFOX_NAME,
	SPT_FIREFOX_BEGIN,
	SPT_FIREFOX_END,
	SPT_FIREFOX_PHASE,
	SPT_FIREFOX_CATEGORY,
	SPT_FIREFOX_DATA,
} SptFirefoxColumn;
void spt_firefox_write_sayings(struct spt_firefox *firefox, uint32_t thread,
			       SptFirefoxColumn column, bool is_first);
void spt_firefox_append_saying_schema(GString *text);
void spt_firefox_append_saying_names(struct spt_firefox *firefox);

#endif
