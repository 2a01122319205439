/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers are those of the kernel's files, which the kernel averages by itself. */
#include "agent/watch.h"

#include <string.h>

#include "base/realtime.h"
#include "base/words.h"

static const struct {
	const char *name;		/* in --capture-on, and of captures */
	const char *path;		/* NULL: it comes from elsewhere */
} watched[SPT_WATCH_KINDS] = {
	[SPT_WATCH_LOAD] = { "load", "/proc/loadavg" },
	[SPT_WATCH_CPU] = { "cpu", "/proc/pressure/cpu" },
	[SPT_WATCH_IO] = { "io", "/proc/pressure/io" },
	[SPT_WATCH_MEMORY] = { "memory", "/proc/pressure/memory" },
	[SPT_WATCH_LATE] = { "late", NULL },
};

/* "5ms", "300us", "1s" in ns; 0: it is none. */
static double late_of_text(const char *text)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double value = g_ascii_strtod(text, &end);

	for (unsigned i = 0; end != text && i < G_N_ELEMENTS(units); i++)
		if (strcmp(end, units[i].unit) == 0)
			return value * units[i].ns;
	return 0;
}

bool spt_watch_parse(SptWatchOptions *options, const char *text)
{
	size_t name = strcspn(text, "=");
	const char *value = text[name] ? text + name + 1 : "";

	for (unsigned kind = 0; kind < SPT_WATCH_KINDS; kind++) {
		char *end;
		double limit;

		if (strlen(watched[kind].name) != name ||
		    strncmp(watched[kind].name, text, name) != 0)
			continue;
		if (kind == SPT_WATCH_LATE) {
			limit = late_of_text(value);
		} else {
			limit = g_ascii_strtod(value, &end);
			if (end == value || *end)
				return false;
		}
		/* Pressure is a part of the time. */
		if (!(limit > 0 && limit < (kind == SPT_WATCH_LOAD || kind == SPT_WATCH_LATE ?
						    1e12 : 100)))
			return false;
		options->limits[kind] = limit;
		return true;
	}
	return false;
}

bool spt_watch_is_on(const SptWatchOptions *options)
{
	for (unsigned kind = 0; kind < SPT_WATCH_KINDS; kind++)
		if (options->limits[kind] > 0)
			return true;
	return false;
}

#ifdef SPT_HAS_AGENT

#define STEP_US G_TIME_SPAN_SECOND
/* A condition that has not held for so long may start another capture. */
#define CALM_US (60 * G_TIME_SPAN_SECOND)

struct SptWatch {
	SptWatchOptions options;
	SptAgent *agent;
	SptSenderTell tell;
	void *tell_data;
	GThread *thread;
	GMutex lock;
	GCond cond;
	bool is_closing;
	uint64_t late_ns;		/* the latest tick since it was looked at */
	uint64_t n_begun;
	gint64 held_us[SPT_WATCH_KINDS];	/* when it held last; 0: never */
};

double spt_watch_value(SptWatchKind kind, const char *text, unsigned n_cpus)
{
	static const char average[] = "avg10=";
	const char *number = text;
	char *end;
	double value;

	if (kind != SPT_WATCH_LOAD) {
		number = g_str_has_prefix(text, "some ") ? strstr(text, average) : NULL;
		if (!number)
			return -1;
		number += strlen(average);
	}
	value = g_ascii_strtod(number, &end);
	if (end == number || !(value >= 0))
		return -1;
	return kind == SPT_WATCH_LOAD ? value / MAX(n_cpus, 1) : value;
}

static double value_now(SptWatch *watch, SptWatchKind kind)
{
	g_autofree char *text = NULL;
	double value;

	if (kind == SPT_WATCH_LATE) {
		g_mutex_lock(&watch->lock);
		value = (double)watch->late_ns;
		watch->late_ns = 0;
		g_mutex_unlock(&watch->lock);
		return value;
	}
	return g_file_get_contents(watched[kind].path, &text, NULL, NULL) ?
		       spt_watch_value(kind, text, g_get_num_processors()) :
		       -1;
}

/* Whether a condition begins to hold that was not known to. */
static bool has_begun(SptWatch *watch, SptWatchKind kind)
{
	gint64 now = g_get_monotonic_time(), before = watch->held_us[kind];

	if (watch->options.limits[kind] <= 0 ||
	    value_now(watch, kind) < watch->options.limits[kind])
		return false;
	watch->held_us[kind] = now;
	return !before || now - before >= CALM_US;
}

static void watch_capture(SptWatch *watch, SptWatchKind kind)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = spt_agent_capture(watch->agent, watched[kind].name, &error),
			*sentence = NULL;

	g_mutex_lock(&watch->lock);
	watch->n_begun++;
	g_mutex_unlock(&watch->lock);
	if (path)
		return;
	sentence = g_strdup_printf("No capture was kept (%s): %s", watched[kind].name,
				   error->message);
	watch->tell(sentence, watch->tell_data);
}

static gpointer watch_all(gpointer data)
{
	SptWatch *watch = data;

	spt_realtime_none();
	g_mutex_lock(&watch->lock);
	while (!watch->is_closing) {
		g_cond_wait_until(&watch->cond, &watch->lock, g_get_monotonic_time() + STEP_US);
		g_mutex_unlock(&watch->lock);
		for (unsigned kind = 0; kind < SPT_WATCH_KINDS; kind++)
			if (has_begun(watch, kind))
				watch_capture(watch, kind);
		g_mutex_lock(&watch->lock);
	}
	g_mutex_unlock(&watch->lock);
	return NULL;
}

static bool check_files(const SptWatchOptions *options, GError **error)
{
	for (unsigned kind = 0; kind < SPT_WATCH_KINDS; kind++) {
		const char *path = watched[kind].path;
		g_autofree char *text = NULL;

		if (options->limits[kind] <= 0 || !path ||
		    g_file_get_contents(path, &text, NULL, NULL))
			continue;
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			      "Cannot watch for \"%s\": this kernel has no %s (psi=1 on its command line, CONFIG_PSI); leave it out of --capture-on",
			      watched[kind].name, path);
		return false;
	}
	return true;
}

SptWatch *spt_watch_new(const SptWatchOptions *options, SptAgent *agent, SptSenderTell tell,
			void *tell_data, GError **error)
{
	SptWatch *watch;

	if (!check_files(options, error))
		return NULL;
	watch = g_new0(SptWatch, 1);
	watch->options = *options;
	watch->agent = agent;
	watch->tell = tell;
	watch->tell_data = tell_data;
	g_mutex_init(&watch->lock);
	g_cond_init(&watch->cond);
	watch->thread = g_thread_new("watch", watch_all, watch);
	return watch;
}

void spt_watch_free(SptWatch *watch)
{
	if (!watch)
		return;
	g_mutex_lock(&watch->lock);
	watch->is_closing = true;
	g_cond_signal(&watch->cond);
	g_mutex_unlock(&watch->lock);
	g_thread_join(watch->thread);
	g_mutex_clear(&watch->lock);
	g_cond_clear(&watch->cond);
	g_free(watch);
}

void spt_watch_late(SptWatch *watch, uint64_t late_ns)
{
	if (!watch)
		return;
	g_mutex_lock(&watch->lock);
	watch->late_ns = MAX(watch->late_ns, late_ns);
	g_mutex_unlock(&watch->lock);
}

uint64_t spt_watch_count(SptWatch *watch)
{
	uint64_t n;

	g_mutex_lock(&watch->lock);
	n = watch->n_begun;
	g_mutex_unlock(&watch->lock);
	return n;
}

#endif
