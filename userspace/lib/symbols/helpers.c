/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trusted end: it starts helpers, hands files to idle ones, and limits the time and the amount
 * of their answers.
 */
#include "symbols/helpers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"
#include "base/realtime.h"
#include "base/words.h"
#include "scripts/interpreter.h"
#include "symbols/places.h"
#include "symbols/helpers-private.h"
#include "trace/trace.h"

/* Larger than any answer that was seen; a helper that sends more is broken. */
#define ANSWER_MAX_BYTES (1ull << 30)
#define STEP_BYTES	 (256u << 10)
/* until the process that reads files has reported how it is confined */
#define PROTECTIONS_MS 10000
#define STOP_MS	       100 /* interval at which it checks whether anybody still waits */

extern char **environ;

struct helper {
	pid_t pid; /* 0: not started */
	int socket;
	bool is_busy;
	enum spt_helper_block block; /* what it was asked for */
	uint32_t tag;
	/* Files that may be opened and downloaded for it */
	char *path, *fetched;
	bool download;
	uint8_t build_id[SPT_BUILD_ID_MAX];
	unsigned build_id_bytes;
	pid_t fetch_pid; /* 0: nothing is downloaded */
	int fetch_socket;
	uint64_t *offsets; /* of what it reads */
	uint32_t n;
	GByteArray *answer;
	int64_t deadline_us;
	char *problem; /* the reason why no request was sent */
};

struct SptHelpers {
	char *program;
	char *dirs; /* each with its nul */
	uint32_t dirs_bytes;
	unsigned patience_ms, n;
	struct helper *all;
	SptHelperProgress progress;
	void *progress_data;
	char **environment; /* of helpers; NULL: this process's */
};

static const char *own_helper;

void spt_helpers_set_own(const char *path)
{
	own_helper = path;
}

/* Beside the program when it was built, or where it is installed. */
char *spt_helper_program(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *home = g_path_get_dirname(self ? self : ".");
	static const char *const places[] = { "../libexec/" SPT_HELPER, SPT_HELPER_NAME,
					      "../" SPT_HELPER_NAME };

	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
		char *path = g_build_filename(home, places[i], NULL);

		if (access(path, X_OK) == 0)
			return path;
		g_free(path);
	}
	return g_strdup(own_helper && access(SPT_LIBEXEC "/" SPT_HELPER, X_OK) < 0 ? own_helper :
										     SPT_LIBEXEC
				"/" SPT_HELPER);
}

SptHelpers *spt_helpers_new(const char *program, unsigned n_helpers, unsigned patience_ms,
			    const char *const *debug_dirs)
{
	SptHelpers *helpers = g_new0(SptHelpers, 1);
	g_autoptr(GByteArray) dirs = g_byte_array_new();

	helpers->program = program ? g_strdup(program) : spt_helper_program();
	for (; debug_dirs && *debug_dirs; debug_dirs++)
		g_byte_array_append(dirs, (const uint8_t *)*debug_dirs, strlen(*debug_dirs) + 1);
	helpers->dirs_bytes = MIN(dirs->len, SPT_HELPER_TEXT_MAX_BYTES);
	helpers->dirs = g_memdup2(dirs->data, helpers->dirs_bytes);
	helpers->patience_ms = patience_ms;
	helpers->n = MAX(n_helpers, 1);
	helpers->all = g_new0(struct helper, helpers->n);
	return helpers;
}

void spt_helpers_set_servers(SptHelpers *helpers, const char *servers)
{
	g_strfreev(helpers->environment);
	helpers->environment = g_environ_setenv(g_get_environ(), "DEBUGINFOD_URLS", servers, TRUE);
}

void spt_helpers_set_progress(SptHelpers *helpers, SptHelperProgress progress, void *data)
{
	helpers->progress = progress;
	helpers->progress_data = data;
}

/* Ends it and reports how it ended: by itself, if it was about to. */
static int end_helper(struct helper *helper)
{
	int status = 0;

	close(helper->socket);
	kill(helper->pid, SIGKILL);
	while (waitpid(helper->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	helper->pid = 0;
	return status;
}

static void end_fetch(struct helper *helper)
{
	if (!helper->fetch_pid)
		return;
	close(helper->fetch_socket);
	kill(helper->fetch_pid, SIGKILL);
	while (waitpid(helper->fetch_pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	helper->fetch_pid = 0;
}

void spt_helpers_free(SptHelpers *helpers)
{
	if (!helpers)
		return;
	for (unsigned i = 0; i < helpers->n; i++) {
		struct helper *helper = &helpers->all[i];

		if (helper->pid)
			end_helper(helper);
		end_fetch(helper);
		g_clear_pointer(&helper->answer, g_byte_array_unref);
		g_free(helper->offsets);
		g_free(helper->problem);
		g_free(helper->path);
		g_free(helper->fetched);
	}
	g_free(helpers->all);
	g_free(helpers->program);
	g_free(helpers->dirs);
	g_strfreev(helpers->environment);
	g_free(helpers);
}

/* Its standard input is our socket.  Output of its libraries goes nowhere. */
static int spawn(const SptHelpers *helpers, int socket, char *option, char *value, pid_t *ret_pid)
{
	char *arguments[] = { SPT_HELPER_NAME, option, value, NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int status;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	/* A group of its own: Ctrl-C is for the recording, whose names are still wanted. */
	posix_spawnattr_setflags(&attributes,
				 POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
					 POSIX_SPAWN_SETSIGDEF |
					 (spt_realtime_is_there() ? POSIX_SPAWN_SETSCHEDULER : 0));
	posix_spawnattr_setschedpolicy(&attributes, SCHED_OTHER);
	posix_spawnattr_setschedparam(&attributes, &(struct sched_param){ 0 });
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	status = posix_spawn(ret_pid, helpers->program, &actions, &attributes, arguments,
			     helpers->environment ? helpers->environment : environ);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

/* Its socket, or -1; *@ret_pid is 0 then. */
static int helper_start(const SptHelpers *helpers, char *option, char *value, pid_t *ret_pid,
			char **ret_problem)
{
	const struct timeval patience = { helpers->patience_ms / 1000,
					  helpers->patience_ms % 1000 * 1000 };
	int ends[2], status;

	*ret_pid = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
		*ret_problem = g_strdup_printf(SPT_HELPER_FAILED "no socket for %s: %s",
					       helpers->program, g_strerror(errno));
		return -1;
	}
	status = spawn(helpers, ends[1], option, value, ret_pid);
	close(ends[1]);
	if (status != 0) {
		*ret_pid = 0;
		close(ends[0]);
		*ret_problem = g_strdup_printf(SPT_HELPER_FAILED
					       "%s, which reads files, cannot be run: %s",
					       helpers->program, g_strerror(status));
		return -1;
	}
	setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	return ends[0];
}

static bool start_helper(const SptHelpers *helpers, struct helper *helper)
{
	if (!helper->pid)
		helper->socket = helper_start(helpers, NULL, NULL, &helper->pid, &helper->problem);
	return helper->pid;
}

static struct helper *idle_helper(const SptHelpers *helpers)
{
	struct helper *idle = NULL;

	for (unsigned i = 0; i < helpers->n; i++) {
		struct helper *helper = &helpers->all[i];

		/* Prefers a helper that runs. */
		if (!helper->is_busy && (!idle || (helper->pid && !idle->pid)))
			idle = helper;
	}
	return idle;
}

bool spt_helpers_has_room(const SptHelpers *helpers)
{
	return idle_helper(helpers) != NULL;
}

static int reader_compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

void spt_helper_sort(GArray *offsets)
{
	unsigned n = 0;

	g_array_sort(offsets, reader_compare_offsets);
	for (unsigned i = 0; i < offsets->len; i++)
		if (i == 0 ||
		    g_array_index(offsets, uint64_t, i) != g_array_index(offsets, uint64_t, n - 1))
			g_array_index(offsets, uint64_t, n++) = g_array_index(offsets, uint64_t, i);
	g_array_set_size(offsets, n);
}

static bool send_request(const SptHelpers *helpers, int socket, const SptReadRequest *request,
			 enum spt_helper_block block)
{
	struct spt_helper_request head = {
		.path_bytes = strnlen(request->path, SPT_HELPER_TEXT_MAX_BYTES),
		.dirs_bytes = helpers->dirs_bytes,
		.n_offsets = request->n,
		.depth = (uint8_t)request->depth,
		.has_row = request->row != NULL,
		.download = request->download,
		.names_bytes = request->names ? request->names->len : 0,
		.keep = request->keep,
		.block = block,
	};
	ssize_t n;

	if (request->row) {
		head.file_bytes = request->row->bytes;
		head.mtime_ns = request->row->mtime_ns;
		head.build_id_bytes = request->row->build_id_bytes;
		memcpy(head.build_id, request->row->build_id, sizeof(head.build_id));
	}
	n = spt_send_descriptor(socket, &head, sizeof(head), request->fd, 0);
	return n > 0 && spt_helper_send(socket, (const char *)&head + n, sizeof(head) - n) &&
	       spt_helper_send(socket, request->path, head.path_bytes) &&
	       spt_helper_send(socket, helpers->dirs, head.dirs_bytes) &&
	       spt_helper_send(socket, request->offsets, request->n * sizeof(uint64_t)) &&
	       (!request->names ||
		spt_helper_send(socket, request->names->data, request->names->len));
}

static void reader_begin(SptHelpers *helpers, uint32_t tag, const SptReadRequest *request,
			 enum spt_helper_block block)
{
	struct helper *helper = idle_helper(helpers);

	helper->is_busy = true;
	helper->block = block;
	helper->tag = tag;
	helper->n = request->n;
	helper->offsets = g_memdup2(request->offsets, request->n * sizeof(uint64_t));
	helper->answer = g_byte_array_new();
	g_free(helper->path);
	helper->path = g_strdup(request->path);
	helper->download = request->download;
	helper->build_id_bytes =
		request->row ? MIN(request->row->build_id_bytes, SPT_BUILD_ID_MAX) : 0;
	if (helper->build_id_bytes)
		memcpy(helper->build_id, request->row->build_id, helper->build_id_bytes);
	helper->deadline_us = g_get_monotonic_time() + helpers->patience_ms * 1000ll;
	if (request->n > SPT_PLACES_MAX ||
	    (request->names && request->names->len > SPT_HELPER_NAMES_MAX_BYTES))
		helper->problem = g_strdup("is at too many places");
	else if (start_helper(helpers, helper))
		/* A helper that takes no request gives no answer, and the answer has the reason. */
		send_request(helpers, helper->socket, request, block);
}

void spt_helpers_begin(SptHelpers *helpers, uint32_t tag, const SptReadRequest *request)
{
	reader_begin(helpers, tag, request, SPT_HELPER_NO_BLOCK);
}

/* The header of an answer for unwinding; NULL: this is none. */
static const struct spt_helpers_unwind *unwind_head(const struct helper *helper)
{
	const struct spt_helpers_unwind *head = (const void *)helper->answer->data;

	G_STATIC_ASSERT(sizeof(*head) == SPT_PLACE_TABLE_HEAD_BYTES);
	return helper->block && head->magic == SPT_HELPER_UNWIND &&
			       head->bytes <= ANSWER_MAX_BYTES ?
		       head :
		       NULL;
}

/* NULL: it is an answer. */
static const struct spt_helper_call *call_head(const struct helper *helper)
{
	const struct spt_helper_call *head = (const void *)helper->answer->data;

	G_STATIC_ASSERT(sizeof(*head) == SPT_PLACE_TABLE_HEAD_BYTES);
	return head->magic == SPT_HELPER_OPEN || head->magic == SPT_HELPER_FETCH ? head : NULL;
}

/* Size of an answer or a call whose header has arrived; 0: it is neither. */
static uint64_t answer_bytes(const struct helper *helper)
{
	const struct spt_helpers_unwind *head = unwind_head(helper);
	const struct spt_helper_call *call = call_head(helper);

	if (call)
		return call->bytes <= SPT_HELPER_TEXT_MAX_BYTES ? sizeof(*call) + call->bytes : 0;
	return head ? sizeof(*head) + head->bytes : spt_place_table_bytes(helper->answer->data);
}

static bool reader_is_whole(const struct helper *helper)
{
	return helper->answer->len >= SPT_PLACE_TABLE_HEAD_BYTES &&
	       answer_bytes(helper) == helper->answer->len;
}

/* Calls: one at a time, and the helper waits for the reply. */

static void open_for(const SptHelpers *helpers, struct helper *helper, const char *path)
{
	int fd = spt_helpers_open_for(path, helper->path, helpers->dirs, helpers->dirs_bytes,
				      helper->fetched);
	const struct spt_helper_reply reply = { .problem = fd < 0 ? errno : 0 };

	/* A helper that takes no reply gives no answer, and the answer has the reason. */
	spt_send_descriptor(helper->socket, &reply, sizeof(reply), fd, 0);
	if (fd >= 0)
		close(fd);
}

/* @path: the downloaded file, or NULL. */
static void reply_fetched(struct helper *helper, const char *path)
{
	const struct spt_helper_reply reply = { .problem = path ? 0 : ENOENT,
						.path_bytes = path ? strlen(path) : 0 };

	end_fetch(helper);
	g_free(helper->fetched);
	helper->fetched = g_strdup(path);
	if (spt_helper_send(helper->socket, &reply, sizeof(reply)))
		spt_helper_send(helper->socket, path, reply.path_bytes);
}

/*
 * Only build-ids that were recorded: a helper under an attacker's control can send the servers
 * nothing.
 */
static void begin_fetch(const SptHelpers *helpers, struct helper *helper, const uint8_t *id,
			unsigned n)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *problem = NULL;

	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(text, "%02x", id[i]);
	if (helper->download && helper->build_id_bytes > 0 && n >= helper->build_id_bytes &&
	    n <= SPT_BUILD_ID_MAX && !memcmp(id, helper->build_id, helper->build_id_bytes))
		helper->fetch_socket =
			helper_start(helpers, "--fetch", text->str, &helper->fetch_pid, &problem);
	if (!helper->fetch_pid)
		reply_fetched(helper, NULL);
}

/* Reports of the download since then. */
static void fetch_on(const SptHelpers *helpers, struct helper *helper)
{
	struct spt_fetch_state state;
	g_autofree char *path = NULL;
	ssize_t n = recv(helper->fetch_socket, &state, sizeof(state), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n == sizeof(state) && !state.is_done) {
		/* It may be slow, as long as there is progress. */
		helper->deadline_us = g_get_monotonic_time() + helpers->patience_ms * 1000ll;
		if (!helpers->progress ||
		    helpers->progress(helper->tag, state.done_bytes, state.total_bytes,
				      helpers->progress_data))
			return;
		n = 0;
	}
	if (n == sizeof(state) && state.path_bytes > 0 &&
	    state.path_bytes <= SPT_HELPER_TEXT_MAX_BYTES) {
		path = g_malloc0(state.path_bytes + 1);
		if (recv(helper->fetch_socket, path, state.path_bytes, MSG_WAITALL) !=
		    (ssize_t)state.path_bytes)
			g_clear_pointer(&path, g_free);
	}
	reply_fetched(helper, path);
}

/* The data is no table yet; takes it over. */
static void take_call(const SptHelpers *helpers, struct helper *helper)
{
	const struct spt_helper_call *head =
		reader_is_whole(helper) && !helper->fetch_pid ? call_head(helper) : NULL;
	g_autofree char *text = NULL;

	if (!head)
		return;
	text = g_strndup((const char *)(head + 1), head->bytes);
	if (head->magic == SPT_HELPER_OPEN)
		open_for(helpers, helper, text);
	else
		begin_fetch(helpers, helper, (const uint8_t *)(head + 1), head->bytes);
	g_byte_array_set_size(helper->answer, 0);
}

/* Continues reading; false: there will be no more of it. */
static bool read_on(struct helper *helper)
{
	unsigned before = helper->answer->len;
	uint64_t wanted = SPT_PLACE_TABLE_HEAD_BYTES;
	ssize_t n;

	if (before >= SPT_PLACE_TABLE_HEAD_BYTES)
		wanted = answer_bytes(helper);
	if (wanted <= before || wanted > ANSWER_MAX_BYTES)
		return false;
	g_byte_array_set_size(helper->answer, before + MIN(wanted - before, STEP_BYTES));
	n = recv(helper->socket, helper->answer->data + before, helper->answer->len - before,
		 MSG_DONTWAIT);
	g_byte_array_set_size(helper->answer, before + MAX(n, 0));
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* The reason why the helper has not answered. */
static char *end_early(struct helper *helper)
{
	bool is_late = g_get_monotonic_time() >= helper->deadline_us;
	int status = end_helper(helper);

	if (is_late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
		return g_strdup(SPT_HELPER_FAILED "the process that reads it took too long");
	if (WIFSIGNALED(status))
		return g_strdup_printf(SPT_HELPER_FAILED "the process that reads it crashed (%s)",
				       g_strsignal(WTERMSIG(status)));
	return g_strdup_printf(SPT_HELPER_FAILED "the process that reads it gave up (status %d)",
			       WEXITSTATUS(status));
}

static void end_answer(struct helper *helper)
{
	g_clear_pointer(&helper->answer, g_byte_array_unref);
	g_clear_pointer(&helper->offsets, g_free);
	g_clear_pointer(&helper->problem, g_free);
	g_clear_pointer(&helper->fetched, g_free);
	end_fetch(helper);
	helper->is_busy = false;
}

static SptPlaceTable *reader_finish(struct helper *helper, uint32_t *ret_tag)
{
	SptPlaceTable *table = NULL;

	if (!helper->problem && reader_is_whole(helper))
		table = spt_place_table_new(g_steal_pointer(&helper->answer), helper->offsets,
					    helper->n);
	if (!table && !helper->problem)
		helper->problem = end_early(helper);
	if (!table)
		table = spt_place_table_new(spt_place_table_write_problem(helper->problem,
									  helper->n),
					    helper->offsets, helper->n);
	end_answer(helper);
	*ret_tag = helper->tag;
	return table;
}

/* Waits for any of the files that are read, until the first of them is late, or until @until. */
static void wait_for_any(const SptHelpers *helpers, int64_t until)
{
	g_autofree struct pollfd *polled = g_new(struct pollfd, 2 * helpers->n);
	int64_t now = g_get_monotonic_time();

	for (unsigned i = 0; i < helpers->n; i++) {
		const struct helper *helper = &helpers->all[i];

		polled[2 * i] = (struct pollfd){ .fd = helper->is_busy ? helper->socket : -1,
						 .events = POLLIN };
		polled[2 * i + 1] =
			(struct pollfd){ .fd = helper->fetch_pid ? helper->fetch_socket : -1,
					 .events = POLLIN };
		if (helper->is_busy)
			until = MIN(until, helper->deadline_us);
	}
	poll(polled, 2 * helpers->n,
	     until > now ? (int)MIN((until - now) / 1000 + 1, INT32_MAX) : 0);
}

SptPlaceTable *spt_helpers_wait(SptHelpers *helpers, uint32_t *ret_tag)
{
	return spt_helpers_wait_for(helpers, -1, ret_tag);
}

/* A file whose answer is complete; NULL: none is, after this time. */
static struct helper *wait_for_end(SptHelpers *helpers, int timeout_ms)
{
	int64_t until = timeout_ms < 0 ? INT64_MAX : g_get_monotonic_time() + timeout_ms * 1000ll;

	for (bool is_over = false;; is_over = g_get_monotonic_time() >= until) {
		bool any = false;

		for (unsigned i = 0; i < helpers->n; i++) {
			struct helper *helper = &helpers->all[i];

			if (!helper->is_busy)
				continue;
			any = true;
			if (helper->fetch_pid)
				fetch_on(helpers, helper);
			if (!helper->problem && read_on(helper)) {
				take_call(helpers, helper);
				if (!reader_is_whole(helper) &&
				    g_get_monotonic_time() < helper->deadline_us)
					continue;
			}
			return helper;
		}
		if (!any || is_over)
			return NULL;
		wait_for_any(helpers, until);
	}
}

SptPlaceTable *spt_helpers_wait_for(SptHelpers *helpers, int timeout_ms, uint32_t *ret_tag)
{
	struct helper *helper = wait_for_end(helpers, timeout_ms);

	return helper ? reader_finish(helper, ret_tag) : NULL;
}

/* The block that has arrived; NULL: there is none. */
static GBytes *take_block(const struct helper *helper, bool *ret_has_debug)
{
	const struct spt_helpers_unwind *head =
		!helper->problem && reader_is_whole(helper) ? unwind_head(helper) : NULL;

	if (head)
		*ret_has_debug = head->has_debug;
	return head ? g_bytes_new(head + 1, head->bytes) : NULL;
}

/* Waits for a block of @file, until *@stop is not 0.  NULL: read_problem() says why. */
static GBytes *reader_read_block(SptHelpers *helpers, const SptObject *file,
				 enum spt_helper_block block, const gint *stop,
				 struct helper **ret_helper, bool *ret_has_debug)
{
	const SptReadRequest request = { .fd = spt_object_fd(file), .path = spt_object_name(file) };
	struct helper *helper = idle_helper(helpers);

	*ret_helper = helper;
	*ret_has_debug = false;
	reader_begin(helpers, 0, &request, block);
	while (!wait_for_end(helpers, STOP_MS)) {
		if (!stop || !g_atomic_int_get(stop))
			continue;
		end_helper(helper);
		helper->problem = g_strdup(SPT_HELPER_FAILED "nobody waits for it");
	}
	return take_block(helper, ret_has_debug);
}

/* Ends the answer of @helper, which has no block, and sets @error to the reason. */
static void read_problem(struct helper *helper, GQuark domain, int none, int unreadable,
			 GError **error)
{
	uint32_t tag;
	g_autoptr(SptPlaceTable) said = reader_finish(helper, &tag);
	const char *problem = spt_place_table_problem(said);
	bool is_failure = !problem || g_str_has_prefix(problem, SPT_HELPER_FAILED);

	g_set_error_literal(error, domain, is_failure ? unreadable : none,
			    problem ? problem :
				      SPT_HELPER_FAILED
				    "the process that reads it returned no table");
}

SptUnwindTable *spt_helpers_unwind_table(SptHelpers *helpers, const SptObject *file,
					 const gint *stop, bool *ret_has_debug, GError **error)
{
	struct helper *helper;
	g_autoptr(GBytes) bytes = reader_read_block(helpers, file, SPT_HELPER_UNWIND_TABLE, stop,
						    &helper, ret_has_debug);
	SptUnwindTable *table = bytes ? spt_unwind_table_new_from_bytes(bytes, NULL) : NULL;

	if (table) {
		end_answer(helper);
		return table;
	}
	if (bytes) {
		end_helper(helper);
		helper->problem =
			g_strdup(SPT_HELPER_FAILED "the process that reads it returned no table");
	}
	read_problem(helper, SPT_UNWIND_ERROR, SPT_UNWIND_ERROR_NO_INFO,
		     SPT_UNWIND_ERROR_UNREADABLE, error);
	return NULL;
}

GBytes *spt_helpers_chain(SptHelpers *helpers, const SptObject *file, const gint *stop,
			  GError **error)
{
	struct helper *helper;
	bool has_debug;
	GBytes *chain =
		reader_read_block(helpers, file, SPT_HELPER_CHAIN, stop, &helper, &has_debug);

	if (!chain) {
		read_problem(helper, SPT_INTERPRETER_ERROR, SPT_INTERPRETER_ERROR_UNKNOWN,
			     SPT_INTERPRETER_ERROR_UNREADABLE, error);
		return NULL;
	}
	end_answer(helper);
	if (g_bytes_get_size(chain) > 0)
		return chain;
	g_bytes_unref(chain);
	return NULL;
}

char *spt_helpers_places(SptHelpers *helpers, const SptObject *file, const char *query,
			 GError **error)
{
	g_autoptr(GByteArray) names = g_byte_array_new();
	const SptReadRequest request = { .fd = spt_object_fd(file),
					 .path = spt_object_name(file),
					 .names = names };
	const struct spt_helpers_unwind *head;
	struct helper *helper = idle_helper(helpers);
	g_autoptr(SptPlaceTable) said = NULL;
	const char *problem;
	char *text;
	uint32_t tag;

	g_byte_array_append(names, (const uint8_t *)query, (guint)strlen(query));
	reader_begin(helpers, 0, &request, SPT_HELPER_PLACES);
	while (!wait_for_end(helpers, STOP_MS))
		;
	head = !helper->problem && reader_is_whole(helper) ? unwind_head(helper) : NULL;
	if (head && head->bytes <= SPT_PLACES_ANSWER_MAX_BYTES) {
		text = g_strndup((const char *)(head + 1), head->bytes);
		end_answer(helper);
		return text;
	}
	said = reader_finish(helper, &tag);
	problem = spt_place_table_problem(said);
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
		      "Cannot look for places of probes in %s: %s", spt_object_name(file),
		      problem ? problem : "the process that reads it returned no table");
	return NULL;
}

bool spt_helper_protections(unsigned *ret)
{
	g_autoptr(SptHelpers) helpers = spt_helpers_new(NULL, 1, PROTECTIONS_MS, NULL);
	const struct timeval patience = { .tv_sec = PROTECTIONS_MS / 1000 };
	g_autofree char *problem = NULL;
	struct helper helper = { 0 };
	bool ok;

	helper.socket = helper_start(helpers, "--protections", NULL, &helper.pid, &problem);
	if (!helper.pid)
		return false;
	setsockopt(helper.socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	ok = recv(helper.socket, ret, sizeof(*ret), MSG_WAITALL) == sizeof(*ret);
	end_helper(&helper);
	return ok;
}
