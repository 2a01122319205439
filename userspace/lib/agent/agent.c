/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Windows are numbered as they end.  A profile on request waits for the end of one, then for the
 * requested time, and for the end of another.  It is what lies between: each sample is in it once.
 * What somebody waits for stays where it is until it was read, and no more than that: who asks
 * again and again must not fill the disk.
 */
#include "agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <malloc.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "agent/pods.h"
#include "agent/window.h"
#include "base/clock.h"
#include "base/realtime.h"
#include "base/words.h"
#include "rewrite/merge.h"

#ifdef SPT_HAS_AGENT

/* Windows that wait to be encoded; more are dropped. */
#define WAITING_MAX 8
#define WAITING_FEW 2
#define NAMES_MAX   8192
#define END_US	    (20 * G_TIME_SPAN_SECOND) /* a window that somebody asked for ends in it */

struct ended {
	uint64_t number;
	uint64_t end_ns;		/* CLOCK_MONOTONIC */
	bool is_bad;			/* it cannot be read */
	char *path;
};

struct SptAgent {
	const SptAgentOptions *options;
	char *directory;		/* of windows */
	int spool_lock;
	GPtrArray *senders;
	SptKeep *keep, *captures;	/* NULL: nothing is kept */
	GMutex names_lock;		/* who has it opens a window and clears it */
	SptRemembered *names;
	SptPublished *published;	/* likewise */
	GThread *thread;
	GMutex lock;
	GCond cond;
	GQueue waiting;			/* struct ended: to be encoded */
	GQueue held;			/* struct ended: encoded, but somebody waits */
	uint64_t n_paths, n_ended, n_encoded;
	GQueue needed;			/* uint64_t *: somebody needs the windows behind it */
	GArray *gaps;			/* uint64_t: windows that were dropped meanwhile */
	uint64_t next_capture_ns;	/* the earliest time of one, CLOCK_MONOTONIC */
	bool wants_window, is_encoding, is_closing;
	bool is_profiling;		/* somebody's profile is being made */
	SptAgentStatus status;
};

static void ended_free(void *data)
{
	struct ended *ended = data;

	g_unlink(ended->path);
	g_free(ended->path);
	g_free(ended);
}

/* Requests of a window, for all targets. */
static void encode_metric(SptAgent *agent, const SptAgentWindow *window, const char *metric)
{
	g_autoptr(SptProfile) profile = spt_agent_window_profile(window, metric);
	SptExportInput input = spt_agent_window_input(window, profile);

	for (unsigned i = 0; profile && i < agent->senders->len; i++) {
		SptSender *sender = agent->senders->pdata[i];
		g_autoptr(GString) request = g_string_new(NULL);
		g_autoptr(GError) error = NULL;

		if (!spt_target_encode(spt_sender_target(sender), &input, request, &error))
			agent->options->tell(error->message, agent->options->tell_data);
		else if (request->len)
			spt_sender_put(sender, request->str, request->len);
	}
}

/* A window that stays is read where its files are not, as well.  Without room it stays as it is. */
static void keep_named(SptAgent *agent, SptAgentWindow *window, const char *path)
{
	g_autofree char *named = g_strconcat(path, ".named", NULL);
	bool has_names = spt_agent_window_write(window, named, NULL);

	g_free(spt_keep_window(agent->keep, has_names ? named : path, NULL));
	g_unlink(named);
}

static bool encode_window(SptAgent *agent, const char *path)
{
	g_autoptr(GError) error = NULL;
	const char *metric;
	SptAgentWindow window;
	bool ok;

	g_mutex_lock(&agent->names_lock);
	ok = spt_agent_window_open(&window, path, &agent->options->rules, agent->names,
				   agent->published, &error);
	for (unsigned i = 0; ok && (metric = spt_agent_window_metric(i)); i++)
		encode_metric(agent, &window, metric);
	if (ok && agent->keep)
		keep_named(agent, &window, path);
	if (ok)
		spt_agent_window_clear(&window);
	else
		agent->options->tell(error->message, agent->options->tell_data);
	g_mutex_unlock(&agent->names_lock);
	return ok;
}

/* With the lock.  A window is not there for who waits for a profile with it. */
static void count_dropped(SptAgent *agent, uint64_t number)
{
	agent->status.dropped++;
	if (agent->needed.head)
		g_array_append_val(agent->gaps, number);
}

/* With the lock.  What ended recently may be asked for as a capture. */
static void drop_held(SptAgent *agent)
{
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC), last = UINT64_MAX,
		 last_ns = agent->captures ? agent->options->last_ns : 0;
	struct ended *ended;

	for (GList *link = agent->needed.head; link; link = link->next)
		last = MIN(last, *(uint64_t *)link->data);
	while (agent->gaps->len && g_array_index(agent->gaps, uint64_t, 0) <= last)
		g_array_remove_index(agent->gaps, 0);
	while ((ended = g_queue_peek_head(&agent->held)) && ended->number <= last &&
	       ended->end_ns + last_ns <= now)
		ended_free(g_queue_pop_head(&agent->held));
}

static gpointer encode_all(gpointer data)
{
	SptAgent *agent = data;
	struct ended *ended;

	spt_realtime_none();
	g_mutex_lock(&agent->lock);
	for (;;) {
		bool ok;

		while (!(ended = g_queue_pop_head(&agent->waiting)) && !agent->is_closing)
			g_cond_wait(&agent->cond, &agent->lock);
		if (!ended)
			break;
		agent->is_encoding = true;
		g_mutex_unlock(&agent->lock);
		ok = encode_window(agent, ended->path);
		g_mutex_lock(&agent->lock);
		ended->is_bad = !ok;
		if (!ok)
			count_dropped(agent, ended->number);
		/* A window's memory lies between blocks that stay. */
		malloc_trim(0);
		agent->status.encoding_ns = spt_clock_ns(CLOCK_THREAD_CPUTIME_ID);
		agent->is_encoding = false;
		agent->n_encoded =
			g_queue_is_empty(&agent->waiting) ? agent->n_ended : ended->number;
		g_queue_push_tail(&agent->held, ended);
		drop_held(agent);
		g_cond_broadcast(&agent->cond);
	}
	g_mutex_unlock(&agent->lock);
	return NULL;
}

/* Two agents would send each other's requests. */
static bool lock_spool(SptAgent *agent, GError **error)
{
	const char *directory = agent->options->spool;
	g_autofree char *path = g_build_filename(directory, "lock", NULL);

	g_mkdir_with_parents(directory, 0700);
	agent->spool_lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (agent->spool_lock < 0) {
		spt_set_error(
			error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			"Cannot keep requests in %s: %s; name another directory with --spool",
			directory, g_strerror(errno));
		return false;
	}
	if (flock(agent->spool_lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_BUSY,
		      "Another agent keeps its requests in %s; give this one its own with --spool",
		      directory);
	return false;
}

static bool add_sender(SptAgent *agent, const char *text, GError **error)
{
	const SptAgentOptions *options = agent->options;
	SptTarget *target = spt_target_new(text, error);
	g_autofree char *sum =
		target ? g_compute_checksum_for_string(G_CHECKSUM_SHA256, target->url, -1) : NULL;
	g_autofree char *name =
		target ? g_strdup_printf("%s-%.16s", target->kind->name, sum) : NULL;
	g_autofree char *spool = target ? g_build_filename(options->spool, name, NULL) : NULL;
	SptSender *sender;

	if (!target)
		return false;
	sender = spt_sender_new(target, spool, options->spool_bytes, &options->http, options->tell,
				options->tell_data, error);
	if (sender)
		g_ptr_array_add(agent->senders, sender);
	return sender;
}

static bool make_directory(SptAgent *agent, GError **error)
{
	const char *runtime = g_getenv("RUNTIME_DIRECTORY");
	g_autofree char *pattern = g_build_filename(runtime ? runtime : g_get_tmp_dir(),
						    "sysprof-agent-XXXXXX", NULL);

	if (g_mkdtemp_full(pattern, 0700)) {
		agent->directory = g_steal_pointer(&pattern);
		return true;
	}
	spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
		      "Cannot make a directory like %s for recordings: %s; set TMPDIR to another place",
		      pattern, g_strerror(errno));
	return false;
}

SptAgent *spt_agent_new(const SptAgentOptions *options, GError **error)
{
	SptAgent *agent = g_new0(SptAgent, 1);
	bool ok;

	agent->options = options;
	agent->senders = g_ptr_array_new();
	agent->gaps = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	agent->spool_lock = -1;
	agent->names = spt_remembered_new(NAMES_MAX);
	agent->published = spt_published_new("/proc");
	g_mutex_init(&agent->names_lock);
	g_mutex_init(&agent->lock);
	g_cond_init(&agent->cond);
	ok = make_directory(agent, error) && (!*options->targets || lock_spool(agent, error));
	if (ok && options->keep) {
		agent->keep =
			spt_keep_new(options->keep, options->keep_bytes, 0, "--keep", error);
		ok = agent->keep;
	}
	if (ok && options->captures) {
		agent->captures = spt_keep_new(options->captures, options->captures_bytes,
					       SPT_AGENT_CAPTURES_MAX, "--captures", error);
		ok = agent->captures;
	}
	for (const char *const *target = options->targets; ok && *target; target++)
		ok = add_sender(agent, *target, error);
	if (!ok) {
		spt_agent_free(agent, 0);
		return NULL;
	}
	agent->thread = g_thread_new("encoder", encode_all, agent);
	return agent;
}

void spt_agent_close(SptAgent *agent)
{
	g_mutex_lock(&agent->lock);
	agent->is_closing = true;
	g_cond_broadcast(&agent->cond);
	g_mutex_unlock(&agent->lock);
}

void spt_agent_free(SptAgent *agent, unsigned patience_ms)
{
	if (!agent)
		return;
	spt_agent_close(agent);
	if (agent->thread)
		g_thread_join(agent->thread);
	for (unsigned i = 0; i < agent->senders->len; i++)
		spt_sender_free(agent->senders->pdata[i], patience_ms);
	g_ptr_array_unref(agent->senders);
	spt_keep_free(agent->keep);
	spt_keep_free(agent->captures);
	g_queue_clear_full(&agent->held, ended_free);
	g_array_unref(agent->gaps);
	spt_remembered_free(agent->names);
	spt_published_free(agent->published);
	g_mutex_clear(&agent->names_lock);
	g_mutex_clear(&agent->lock);
	g_cond_clear(&agent->cond);
	if (agent->spool_lock >= 0)
		close(agent->spool_lock);
	if (agent->directory)
		g_rmdir(agent->directory);
	g_free(agent->directory);
	g_free(agent);
}

char *spt_agent_next_path(SptAgent *agent)
{
	return g_strdup_printf("%s/%" PRIu64 ".capture", agent->directory, ++agent->n_paths);
}

void spt_agent_take(SptAgent *agent, const char *path)
{
	struct ended *ended = NULL;

	g_mutex_lock(&agent->lock);
	agent->n_ended++;
	agent->wants_window = false;
	agent->status.windows++;
	agent->status.empty += !path;
	if (path) {
		ended = g_new(struct ended, 1);
		*ended = (struct ended){ .number = agent->n_ended,
					 .end_ns = spt_clock_ns(CLOCK_MONOTONIC),
					 .path = g_strdup(path) };
		g_queue_push_tail(&agent->waiting, ended);
	} else if (g_queue_is_empty(&agent->waiting) && !agent->is_encoding) {
		agent->n_encoded = agent->n_ended;
	}
	if (g_queue_get_length(&agent->waiting) > WAITING_MAX) {
		ended = g_queue_pop_head(&agent->waiting);
		count_dropped(agent, ended->number);
		ended_free(ended);
	}
	g_cond_broadcast(&agent->cond);
	g_mutex_unlock(&agent->lock);
}

bool spt_agent_wants_window(SptAgent *agent)
{
	bool wants;

	g_mutex_lock(&agent->lock);
	wants = agent->wants_window;
	g_mutex_unlock(&agent->lock);
	return wants;
}

void spt_agent_status(SptAgent *agent, SptAgentStatus *ret)
{
	g_mutex_lock(&agent->lock);
	*ret = agent->status;
	g_mutex_unlock(&agent->lock);
	ret->has_keep = agent->keep;
	ret->has_captures = agent->captures;
	if (agent->keep)
		spt_keep_status(agent->keep, &ret->keep);
	if (agent->captures)
		spt_keep_status(agent->captures, &ret->captures);
}

unsigned spt_agent_n_senders(const SptAgent *agent)
{
	return agent->senders->len;
}

SptSender *spt_agent_sender(const SptAgent *agent, unsigned i)
{
	return agent->senders->pdata[i];
}

/* Profiles on request. */

/* With the lock: the number of the window that ends next; 0: it does not. */
static uint64_t wait_for_window(SptAgent *agent)
{
	uint64_t before = agent->n_ended;
	gint64 until = g_get_monotonic_time() + END_US;

	agent->wants_window = true;
	while (agent->n_ended == before && !agent->is_closing)
		if (!g_cond_wait_until(&agent->cond, &agent->lock, until))
			break;
	return agent->n_ended == before ? 0 : agent->n_ended;
}

/* With the lock.  False: the agent ends. */
static bool wait_for_encoding(SptAgent *agent, uint64_t number)
{
	gint64 until = g_get_monotonic_time() + END_US;

	while (agent->n_encoded < number && !agent->is_closing)
		if (!g_cond_wait_until(&agent->cond, &agent->lock, until))
			break;
	return agent->n_encoded >= number;
}

static void pause_for(SptAgent *agent, unsigned seconds)
{
	gint64 until = g_get_monotonic_time() + seconds * G_TIME_SPAN_SECOND;

	while (!agent->is_closing)
		if (!g_cond_wait_until(&agent->cond, &agent->lock, until))
			break;
}

/* Windows behind @first up to @last, which stay as long as somebody waits. */
static GPtrArray *list_windows(const SptAgent *agent, uint64_t first, uint64_t last)
{
	GPtrArray *paths = g_ptr_array_new();

	for (GList *link = agent->held.head; link; link = link->next) {
		const struct ended *ended = link->data;

		if (ended->number > first && ended->number <= last && !ended->is_bad)
			g_ptr_array_add(paths, ended->path);
	}
	return paths;
}

/* One capture of several; the caller's path. */
static char *merge_windows(const SptAgent *agent, const GPtrArray *paths, uint64_t last,
			   GError **error)
{
	g_autoptr(GPtrArray) captures =
		g_ptr_array_new_with_free_func((GDestroyNotify)spt_capture_free);
	g_autofree char *path =
		g_strdup_printf("%s/%p-%" PRIu64 ".merged", agent->directory, (void *)paths, last);

	for (unsigned i = 0; i < paths->len; i++) {
		SptCapture *capture = spt_capture_open(paths->pdata[i], error);

		if (!capture)
			return NULL;
		g_ptr_array_add(captures, capture);
	}
	return spt_merge_captures((const SptCapture *const *)captures->pdata, captures->len, path,
				  error) ?
		       g_steal_pointer(&path) :
		       NULL;
}

/* By id: the processes whose own control group is @group, or below it. */
static bool *find_members(const SptCapture *capture, const char *group)
{
	g_autoptr(GHashTable) cgroups = spt_capture_cgroups(capture);
	bool *members = g_new0(bool, MAX(capture->n_processes, 1));

	for (uint32_t i = 1; i < capture->n_processes; i++) {
		const char *path = g_hash_table_lookup(cgroups, GUINT_TO_POINTER(i));

		members[i] = path && spt_pods_is_below(path, group);
	}
	return members;
}

/* What somebody wants to see. */
struct asked {
	const char *metric, *group;	/* group NULL: of all processes */
	char *remark;			/* NULL, or what is missing */
};

static bool encode_profile(SptAgent *agent, const char *path, const struct asked *asked,
			   GString *to, GError **error)
{
	g_autofree bool *members = NULL;
	SptFilter filter = { 0 };
	SptProfile *profile;
	g_autoptr(SptOut) out = spt_out_new_memory(to);
	SptExportInput input;
	SptAgentWindow window;
	bool ok = false;

	g_mutex_lock(&agent->names_lock);
	if (!spt_agent_window_open(&window, path, &agent->options->rules, agent->names,
				   agent->published, error)) {
		g_mutex_unlock(&agent->names_lock);
		return false;
	}
	profile = spt_agent_window_profile(&window, asked->metric);
	input = spt_agent_window_input(&window, profile);
	input.remark = asked->remark;
	if (asked->group) {
		filter.processes = members = find_members(window.capture, asked->group);
		input.filter = &filter;
	}
	if (profile)
		ok = spt_export_pprof.write(&input, out, error) && spt_out_finish(out, error);
	else
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      "Nothing of \"%s\" was recorded; does the agent record it (--waits, --also)?",
			      asked->metric);
	spt_profile_free(profile);
	spt_agent_window_clear(&window);
	g_mutex_unlock(&agent->names_lock);
	return ok;
}

static bool profile_of_windows(SptAgent *agent, const GPtrArray *paths, uint64_t last,
			       const struct asked *asked, GString *to, GError **error)
{
	g_autofree char *merged = NULL;
	bool ok;

	if (!paths->len) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      asked->remark ?
				      "All of that time was dropped: the machine is too slow for the agent" :
				      "There was no sample in that time: nothing ran");
		return false;
	}
	if (paths->len == 1)
		return encode_profile(agent, paths->pdata[0], asked, to, error);
	merged = merge_windows(agent, paths, last, error);
	ok = merged && encode_profile(agent, merged, asked, to, error);
	if (merged)
		g_unlink(merged);
	return ok;
}

/*
 * With the lock: one profile is made at a time, and none while windows wait: they need the same
 * names, and who asks again and again must not keep windows from being sent.
 */
static bool begin_profile(SptAgent *agent)
{
	gint64 until = g_get_monotonic_time() + END_US;

	while (agent->is_profiling || g_queue_get_length(&agent->waiting) > WAITING_FEW)
		if (agent->is_closing || !g_cond_wait_until(&agent->cond, &agent->lock, until))
			return false;
	agent->is_profiling = true;
	return true;
}

/* With the lock: what is missing behind window @first up to @last, a sentence; NULL: nothing is. */
static char *remark_on_gaps(const SptAgent *agent, uint64_t first, uint64_t last)
{
	unsigned n = 0;

	for (guint i = 0; i < agent->gaps->len; i++) {
		uint64_t number = g_array_index(agent->gaps, uint64_t, i);

		n += number > first && number <= last;
	}
	return n ? g_strdup_printf("%u of %" PRIu64 " windows of this time were dropped: the machine was too slow for the agent",
				   n, last - first) :
		   NULL;
}

bool spt_agent_profile(SptAgent *agent, const char *metric, unsigned seconds, const char *group,
		       GString *to, GError **error)
{
	struct asked asked = { .metric = metric, .group = group };
	g_autoptr(GPtrArray) paths = NULL;
	uint64_t first, last = 0;
	bool ok = false;

	g_mutex_lock(&agent->lock);
	first = agent->n_ended;
	g_queue_push_tail(&agent->needed, &first);
	first = wait_for_window(agent);
	if (first) {
		pause_for(agent, seconds);
		last = wait_for_window(agent);
	}
	if (last && wait_for_encoding(agent, last) && begin_profile(agent))
		paths = list_windows(agent, first, last);
	if (paths)
		asked.remark = remark_on_gaps(agent, first, last);
	g_mutex_unlock(&agent->lock);
	if (paths)
		ok = profile_of_windows(agent, paths, last, &asked, to, error);
	else
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_BUSY,
			      "The agent ends, or the machine is too slow for it; ask again");
	g_mutex_lock(&agent->lock);
	if (paths) {
		agent->is_profiling = false;
		g_cond_broadcast(&agent->cond);
	}
	g_queue_remove(&agent->needed, &first);
	drop_held(agent);
	g_mutex_unlock(&agent->lock);
	g_free(asked.remark);
	return ok;
}

/* Captures on request. */

/* With the lock: whether one may be made now; then the next one has to wait. */
static bool may_capture(SptAgent *agent, GError **error)
{
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC);

	if (now >= agent->next_capture_ns) {
		agent->next_capture_ns = now + SPT_AGENT_CAPTURE_PAUSE_S * 1000000000ull;
		return true;
	}
	agent->status.too_soon++;
	spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_BUSY,
		      "The last capture was less than %d s ago; ask again",
		      SPT_AGENT_CAPTURE_PAUSE_S);
	return false;
}

/* With the lock: the number of the last window that is too old. */
static uint64_t before_last(const SptAgent *agent)
{
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC), first = 0;

	for (GList *link = agent->held.head; link; link = link->next) {
		const struct ended *ended = link->data;

		if (ended->end_ns + agent->options->last_ns <= now)
			first = ended->number;
	}
	return first;
}

static char *keep_capture(SptAgent *agent, const GPtrArray *paths, uint64_t last, const char *why,
			  GError **error)
{
	g_autofree char *merged = NULL, *kept = NULL, *sentence = NULL;

	if (!paths->len) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      "There was no sample in that time: nothing ran");
		return NULL;
	}
	merged = merge_windows(agent, paths, last, error);
	if (!merged)
		return NULL;
	kept = spt_keep_window(agent->captures, merged, why);
	g_unlink(merged);
	if (!kept) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			      "Cannot keep a capture in %s: there is no room for it",
			      agent->options->captures);
		return NULL;
	}
	sentence = g_strdup_printf("Kept the last %.4g s (%s): %s",
				   (double)agent->options->last_ns / 1e9, why, kept);
	agent->options->tell(sentence, agent->options->tell_data);
	return g_steal_pointer(&kept);
}

char *spt_agent_capture(SptAgent *agent, const char *why, GError **error)
{
	g_autoptr(GPtrArray) paths = NULL;
	uint64_t first, last;
	char *path = NULL;

	if (!agent->captures) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			      "The agent has no place for captures (--captures DIRECTORY)");
		return NULL;
	}
	g_mutex_lock(&agent->lock);
	if (!may_capture(agent, error)) {
		g_mutex_unlock(&agent->lock);
		return NULL;
	}
	first = before_last(agent);
	g_queue_push_tail(&agent->needed, &first);
	last = wait_for_window(agent);
	if (last && wait_for_encoding(agent, last))
		paths = list_windows(agent, first = before_last(agent), last);
	g_mutex_unlock(&agent->lock);
	if (paths)
		path = keep_capture(agent, paths, last, why, error);
	else
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      "The agent ends, or the machine is too slow for it; ask again");
	g_mutex_lock(&agent->lock);
	g_queue_remove(&agent->needed, &first);
	drop_held(agent);
	g_mutex_unlock(&agent->lock);
	return path;
}

#endif
