/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each CPU has a ring, and a thread that moves leaves its texts in several.  So they are put in the
 * order of their times once all rings have been read after them, and their threads are known.
 */
#include "record/trace-marker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "record/mark-spans.h"
#include "record/systrace-text.h"
#include "record/trace-page.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#define INSTANCES   SPT_POINT_TRACEFS "/instances"
#define OURS	    "sysprof-marks-"
#define RING_KIB    "1024"
#define PATIENCE_NS 2000000000ULL	/* until a thread should be known */
/* At a step and of a CPU; the rest is for the next one. */
#define MOST_PAGES  256u
#define MOST_TEXTS  262144u		/* that wait */
#define TEXT_BYTES  1024u		/* of each */
#define MOST_THREADS 16384u		/* that have spans */
#define MOST_OPEN   65536u		/* spans of no one thread */
#define CATEGORY    "trace_marker"

/* Of an event "print", as its format says on 64 bits. */
#define PID_AT	    4u
#define TEXT_AT	    16u

struct marker_text {
	uint64_t time;
	uint32_t tid;
	char *text;
};

struct marker_thread {
	uint32_t thread;		/* of the capture */
	SptMarkSpans *spans;
};

struct SptTraceMarker {
	SptSaid *said;
	const SptThreadIds *threads;
	char *instance;			/* its folder */
	GArray *rings;			/* int: descriptors */
	uint16_t print_id;
	uint8_t *page;
	size_t page_bytes;
	GArray *texts;			/* struct marker_text */
	GHashTable *by_tid;		/* tid -> struct marker_thread */
	GHashTable *open;		/* "pid|track|name|cookie" -> struct open_span */
	uint64_t begin_ns;		/* 0: not yet */
	uint64_t n, lost, invalid;
};

/* The instance. */

static bool marker_write(const SptTraceMarker *marker, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(marker->instance, name, NULL);
	int fd = open(path, O_WRONLY | O_CLOEXEC), failure;
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	failure = errno;
	if (fd >= 0)
		close(fd);
	errno = failure;
	return ok;
}

/* Those of recorders that were killed. */
static void remove_stale(void)
{
	DIR *directory = opendir(INSTANCES);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		pid_t pid = g_str_has_prefix(entry->d_name, OURS) ?
				    (pid_t)strtol(entry->d_name + strlen(OURS), NULL, 10) : 0;
		g_autofree char *path = g_build_filename(INSTANCES, entry->d_name, NULL);

		if (pid > 0 && (pid == getpid() || (kill(pid, 0) < 0 && errno == ESRCH)))
			rmdir(path);
	}
	if (directory)
		closedir(directory);
}

static void open_rings(SptTraceMarker *marker)
{
	g_autofree char *cpus = g_build_filename(marker->instance, "per_cpu", NULL);
	DIR *directory = opendir(cpus);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		g_autofree char *path =
			g_build_filename(cpus, entry->d_name, "trace_pipe_raw", NULL);
		int fd = *entry->d_name == '.' ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

		if (fd >= 0)
			g_array_append_val(marker->rings, fd);
	}
	if (directory)
		closedir(directory);
}

static bool find_print_id(SptTraceMarker *marker)
{
	g_autofree char *text = NULL;
	const char *id = NULL;

	if (g_file_get_contents(SPT_POINT_TRACEFS "/events/ftrace/print/format", &text, NULL, NULL))
		id = strstr(text, "\nID: ");
	marker->print_id = id ? (uint16_t)strtoul(id + strlen("\nID: "), NULL, 10) : 0;
	return marker->print_id;
}

static bool make_instance(SptTraceMarker *marker, GError **error)
{
	remove_stale();
	marker->instance = g_strdup_printf(INSTANCES "/" OURS "%d", (int)getpid());
	if (mkdir(marker->instance, 0700) < 0) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			      "Cannot make a trace of our own in %s: %s", INSTANCES,
			      g_strerror(errno));
		g_clear_pointer(&marker->instance, g_free);
		return false;
	}
	if (!find_print_id(marker) || !marker_write(marker, "trace_clock", "mono") ||
	    !marker_write(marker, "buffer_size_kb", RING_KIB) ||
	    !marker_write(marker, "options/copy_trace_marker", "1")) {
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "This kernel does not copy what is written into trace_marker (tracefs's option copy_trace_marker): %s",
			      g_strerror(errno));
		return false;
	}
	open_rings(marker);
	return true;
}

static void marker_text_clear(void *text)
{
	g_free(((struct marker_text *)text)->text);
}

static void marker_thread_free(void *data)
{
	struct marker_thread *thread = data;

	spt_mark_spans_free(thread->spans);
	g_free(thread);
}

SptTraceMarker *spt_trace_marker_new(SptSaid *said, const SptThreadIds *threads, GError **error)
{
	g_autoptr(SptTraceMarker) marker = g_new0(SptTraceMarker, 1);

	marker->said = said;
	marker->threads = threads;
	marker->rings = g_array_new(FALSE, FALSE, sizeof(int));
	marker->texts = g_array_new(FALSE, FALSE, sizeof(struct marker_text));
	g_array_set_clear_func(marker->texts, marker_text_clear);
	marker->by_tid = g_hash_table_new_full(NULL, NULL, NULL, marker_thread_free);
	marker->open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	marker->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	marker->page = g_malloc(marker->page_bytes);
	if (!spt_point_can_trace(error) || !make_instance(marker, error))
		return NULL;
	return g_steal_pointer(&marker);
}

void spt_trace_marker_begin(SptTraceMarker *marker)
{
	marker->begin_ns = spt_clock_ns(CLOCK_MONOTONIC);
}

void spt_trace_marker_free(SptTraceMarker *marker)
{
	if (!marker)
		return;
	for (unsigned i = 0; i < marker->rings->len; i++)
		close(g_array_index(marker->rings, int, i));
	if (marker->instance)
		rmdir(marker->instance);
	g_array_unref(marker->rings);
	g_array_unref(marker->texts);
	g_hash_table_unref(marker->by_tid);
	g_hash_table_unref(marker->open);
	g_free(marker->instance);
	g_free(marker->page);
	g_free(marker);
}

/* Texts. */

static void put_marker_span(SptTraceMarker *marker, uint32_t thread, const char *category,
			    const char *name, const char *message, uint64_t begin, uint64_t end)
{
	const SptSaidMark mark = {
		.time = begin,
		.duration_ns = end > begin ? end - begin : 0,
		.thread = thread,
		.category = *category ? category : CATEGORY,
		.name = name,
		.message = message,
	};

	spt_said_mark(marker->said, &mark);
	marker->n++;
}

/* Of a thread; begun anew if its number is another one's by now.  NULL: there are too many. */
static SptMarkSpans *marker_spans_of(SptTraceMarker *marker, uint32_t tid, uint32_t thread)
{
	struct marker_thread *known = g_hash_table_lookup(marker->by_tid, GUINT_TO_POINTER(tid));

	if (known && known->thread == thread)
		return known->spans;
	if (!known && g_hash_table_size(marker->by_tid) >= MOST_THREADS)
		return NULL;
	known = g_new(struct marker_thread, 1);
	*known = (struct marker_thread){ thread, spt_mark_spans_new() };
	g_hash_table_replace(marker->by_tid, GUINT_TO_POINTER(tid), known);
	return known->spans;
}

static void end_marker_span(SptTraceMarker *marker, SptMarkSpans *spans, uint32_t thread,
			    uint64_t time)
{
	SptOpenSpan span;

	if (!spans || !spt_mark_spans_end_last(spans, &span)) {
		marker->invalid++;
		return;
	}
	put_marker_span(marker, thread, span.category, span.name, "", span.begin_ns, time);
	spt_open_span_clear(&span);
}

/* Spans of no one thread: a track names them, or else they do themselves. */
static char *key_of_open(const SptSystraceText *text)
{
	return g_strjoin("|", text->pid, text->track, *text->track ? "" : text->name, text->cookie,
			 NULL);
}

struct open_span {
	uint64_t begin_ns;
	char name[TEXT_BYTES];
};

static void open_marker_span(SptTraceMarker *marker, const SptSystraceText *text, uint64_t time)
{
	struct open_span *span;

	if (g_hash_table_size(marker->open) >= MOST_OPEN) {
		marker->invalid++;
		return;
	}
	span = g_malloc(offsetof(struct open_span, name) + strlen(text->name) + 1);
	span->begin_ns = time;
	strcpy(span->name, text->name);
	g_hash_table_replace(marker->open, key_of_open(text), span);
}

static void close_marker_span(SptTraceMarker *marker, const SptSystraceText *text, uint64_t time)
{
	g_autofree char *key = key_of_open(text);
	const struct open_span *span = g_hash_table_lookup(marker->open, key);

	if (!span) {
		marker->invalid++;
		return;
	}
	put_marker_span(marker, 0, text->track, span->name, "", span->begin_ns, time);
	g_hash_table_remove(marker->open, key);
}

static void put_marker_counter(SptTraceMarker *marker, const SptSystraceText *text, uint64_t time,
			       uint32_t thread)
{
	const SptSaidCounter counter = { text->name, NULL, "" };

	if (spt_said_count(marker->said, &counter, time, thread, text->value))
		marker->n++;
	else
		marker->invalid++;
}

static void put_text(SptTraceMarker *marker, const struct marker_text *from)
{
	uint32_t thread = spt_thread_ids_find(marker->threads, from->tid, from->time);
	SptMarkSpans *spans;
	SptSystraceText text;

	spt_systrace_parse(from->text, &text);
	switch (text.type) {
	case SPT_SYSTRACE_BEGIN:
		spans = marker_spans_of(marker, from->tid, thread);
		if (spans)
			spt_mark_spans_begin(spans, CATEGORY, text.name, from->time);
		else
			marker->invalid++;
		break;
	case SPT_SYSTRACE_END:
		end_marker_span(marker, marker_spans_of(marker, from->tid, thread), thread,
				from->time);
		break;
	case SPT_SYSTRACE_COUNTER:
		put_marker_counter(marker, &text, from->time, thread);
		break;
	case SPT_SYSTRACE_START:
	case SPT_SYSTRACE_TRACK_START:
		open_marker_span(marker, &text, from->time);
		break;
	case SPT_SYSTRACE_FINISH:
	case SPT_SYSTRACE_TRACK_FINISH:
		close_marker_span(marker, &text, from->time);
		break;
	case SPT_SYSTRACE_INSTANT:
	case SPT_SYSTRACE_TRACK_INSTANT:
		put_marker_span(marker, thread, text.track, text.name, "", from->time, from->time);
		break;
	default:
		spt_said_line(marker->said, from->time, thread, 6, CATEGORY, text.name);
		marker->n++;
	}
}

/* Rings. */

static void keep_event(SptTraceMarker *marker, const SptTraceEvent *event)
{
	struct marker_text text = { .time = event->time };
	uint16_t type;

	if (event->bytes <= TEXT_AT)
		return;
	memcpy(&type, event->data, sizeof(type));
	memcpy(&text.tid, event->data + PID_AT, sizeof(text.tid));
	if (type != marker->print_id || !marker->begin_ns || event->time < marker->begin_ns)
		return;
	if (marker->texts->len >= MOST_TEXTS) {
		marker->lost++;
		return;
	}
	text.text = g_strndup((const char *)event->data + TEXT_AT,
			      MIN(event->bytes - TEXT_AT, TEXT_BYTES - 1));
	g_array_append_val(marker->texts, text);
}

static void read_ring(SptTraceMarker *marker, int fd)
{
	for (unsigned i = 0; i < MOST_PAGES; i++) {
		ssize_t got = read(fd, marker->page, marker->page_bytes);
		SptTracePage page;
		SptTraceEvent event;

		if (got <= 0)
			return;
		if (!spt_trace_page_begin(&page, marker->page, (size_t)got))
			continue;
		while (spt_trace_page_next(&page, &event))
			keep_event(marker, &event);
	}
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	const struct marker_text *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* @now: what was written before is in the rings that are read now. */
static void take_rings(SptTraceMarker *marker, uint64_t now, bool is_last)
{
	unsigned n = 0;

	for (unsigned i = 0; i < marker->rings->len; i++)
		read_ring(marker, g_array_index(marker->rings, int, i));
	g_array_sort(marker->texts, compare_texts);
	for (; n < marker->texts->len; n++) {
		const struct marker_text *text =
			&g_array_index(marker->texts, struct marker_text, n);

		if (!is_last && (text->time >= now ||
				 (spt_thread_ids_passed(marker->threads) <= text->time &&
				  now - text->time < PATIENCE_NS)))
			break;
		put_text(marker, text);
	}
	if (n)
		g_array_remove_range(marker->texts, 0, n);
}

uint64_t spt_trace_marker_step(SptTraceMarker *marker)
{
	uint64_t before = marker->n;

	take_rings(marker, spt_clock_ns(CLOCK_MONOTONIC), false);
	return marker->n - before;
}

/* As the kernel counts them: overwritten before they were read, or without room. */
static uint64_t lost_in_rings(const SptTraceMarker *marker)
{
	g_autofree char *cpus = g_build_filename(marker->instance, "per_cpu", NULL);
	DIR *directory = opendir(cpus);
	const struct dirent *entry;
	uint64_t lost = 0;

	while (directory && (entry = readdir(directory))) {
		g_autofree char *path = g_build_filename(cpus, entry->d_name, "stats", NULL),
				*text = NULL;
		const char *at;

		if (*entry->d_name == '.' || !g_file_get_contents(path, &text, NULL, NULL))
			continue;
		at = strstr(text, "\noverrun: ");
		lost += at ? g_ascii_strtoull(at + strlen("\noverrun: "), NULL, 10) : 0;
		at = strstr(text, "\ndropped events: ");
		lost += at ? g_ascii_strtoull(at + strlen("\ndropped events: "), NULL, 10) : 0;
	}
	if (directory)
		closedir(directory);
	return lost;
}

uint64_t spt_trace_marker_finish(SptTraceMarker *marker)
{
	uint64_t before = marker->n, now = spt_clock_ns(CLOCK_MONOTONIC);
	struct marker_thread *thread;
	struct open_span *open;
	GHashTableIter each;
	SptOpenSpan span;

	take_rings(marker, now, true);
	marker->lost += lost_in_rings(marker);
	g_hash_table_iter_init(&each, marker->by_tid);
	while (g_hash_table_iter_next(&each, NULL, (void **)&thread)) {
		while (spt_mark_spans_pop(thread->spans, &span)) {
			put_marker_span(marker, thread->thread, span.category, span.name,
					"[not ended]", span.begin_ns, now);
			spt_open_span_clear(&span);
		}
		marker->invalid += spt_mark_spans_take_forgotten(thread->spans);
	}
	g_hash_table_iter_init(&each, marker->open);
	while (g_hash_table_iter_next(&each, NULL, (void **)&open))
		put_marker_span(marker, 0, "", open->name, "[not ended]", open->begin_ns, now);
	return marker->n - before;
}

uint64_t spt_trace_marker_lost(const SptTraceMarker *marker)
{
	return marker->lost;
}

uint64_t spt_trace_marker_invalid(const SptTraceMarker *marker)
{
	return marker->invalid;
}
