/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread accepts, and never waits for anything else: a number is looked at before it can be
 * somebody else's.  Each connection has a thread for one request; their numbers are bounded, in all
 * and by control group.
 */
#include "agent/pods.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/proc-stat.h"
#include "base/realtime.h"
#include "base/words.h"
#include "record/command-line.h"

#ifdef SPT_HAS_AGENT

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define ALL_MAX		16
#define GROUP_MAX	2
#define HEAD_BYTES	4096
#define HEAD_MS		5000
#define SEND_MS		15000	/* of the head, and of what follows */
#define SECONDS_DEFAULT 10
#define TEXT_BYTES	4096
#define START_FIELD	22	/* in /proc/PID/stat: ticks since the boot */

struct SptPods {
	char *path;		/* NULL: somebody else made the socket */
	SptAgent *agent;
	int listener, stop[2];	/* stop: a pipe; its end ends all threads */
	GThread *thread;
	GMutex lock;
	GCond cond;
	unsigned n;		/* connections */
	GHashTable *groups;	/* control group -> number of its connections */
	SptPodsStatus status;
};

struct visit {
	SptPods *pods;
	int fd;
	char *group;
};

static const struct {
	const char *path, *metric;
} served[] = {
	{ "/debug/pprof/profile", "cpu" },
	{ "/debug/pprof/offcpu", "off-cpu" },
	{ "/debug/pprof/locks", "lock" },
};

/* Requests. */

/* The number behind "seconds=" in a query; 0: it is none. */
static unsigned pods_seconds_of(const char *query, size_t bytes)
{
	static const char key[] = "seconds=";
	unsigned value = 0;

	if (!bytes)
		return SECONDS_DEFAULT;
	if (bytes <= strlen(key) || strncmp(query, key, strlen(key)) != 0)
		return 0;
	for (size_t i = strlen(key); i < bytes; i++) {
		if (!g_ascii_isdigit(query[i]))
			return 0;
		value = value * 10 + (unsigned)(query[i] - '0');
		if (value > SPT_AGENT_PROFILE_SECONDS_MAX)
			return 0;
	}
	return value;
}

unsigned spt_pods_parse(const char *head, size_t bytes, const char **ret_metric,
			unsigned *ret_seconds)
{
	static const char get[] = "GET ";
	const char *end = memchr(head, '\n', bytes), *path = head + strlen(get), *query, *space;

	if (!end || (size_t)(end - head) <= strlen(get))
		return 400;
	if (strncmp(head, get, strlen(get)) != 0)
		return 405;
	space = memchr(path, ' ', (size_t)(end - path));
	if (!space)
		return 400;
	query = memchr(path, '?', (size_t)(space - path));
	query = query ? query : space;
	for (unsigned i = 0; i < G_N_ELEMENTS(served); i++) {
		if ((size_t)(query - path) != strlen(served[i].path) ||
		    strncmp(path, served[i].path, strlen(served[i].path)) != 0)
			continue;
		*ret_metric = served[i].metric;
		*ret_seconds =
			query == space ?
				SECONDS_DEFAULT :
				pods_seconds_of(query + 1, (size_t)(space - query - 1));
		return *ret_seconds ? 0 : 400;
	}
	return 404;
}

bool spt_pods_is_served(const char *group)
{
	return strcmp(group, "/") != 0 && !g_str_has_suffix(group, "/..");
}

bool spt_pods_is_below(const char *path, const char *group)
{
	size_t n = strlen(group);

	return strncmp(path, group, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

/* Who asks. */

static bool runs_still(int process)
{
	return syscall(SYS_pidfd_send_signal, process, 0, NULL, 0) == 0 || errno == EPERM;
}

/*
 * A descriptor of the process that connected.  Where the kernel gives only its number, the process
 * that has it now is older than the connection was when it was accepted.
 */
static int find_peer(int fd, uint64_t accepted_ns, SptProcFiles *files, uint32_t *ret_pid)
{
	uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK), started;
	g_autofree char *stat = NULL;
	struct ucred credentials;
	socklen_t bytes = sizeof(credentials);
	int process = -1;
	gsize length;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &bytes) != 0 ||
	    credentials.pid <= 0)
		return -1;
	*ret_pid = (uint32_t)credentials.pid;
	bytes = sizeof(process);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &process, &bytes) == 0)
		return process;
	process = (int)syscall(SYS_pidfd_open, credentials.pid, 0);
	stat = spt_proc_files_read(files, *ret_pid, "stat", TEXT_BYTES, &length);
	started = stat ? spt_proc_stat_field(stat, START_FIELD) : 0;
	if (process >= 0 && started && started < accepted_ns / (1000000000ull / MAX(ticks, 1)))
		return process;
	if (process >= 0)
		close(process);
	return -1;
}

/* The control group of who connected, the caller's; NULL: it has none, or is not there any more. */
static char *find_group(int fd, uint64_t accepted_ns)
{
	g_autoptr(SptProcFiles) files = spt_proc_files_new("/proc");
	g_autofree char *group = NULL;
	uint32_t pid;
	int process = find_peer(fd, accepted_ns, files, &pid);

	if (process < 0)
		return NULL;
	group = spt_cgroup_read(files, pid);
	/* If it has run until now, the number was its own. */
	if (group && (!runs_still(process) || !spt_pods_is_served(group)))
		g_clear_pointer(&group, g_free);
	close(process);
	return g_steal_pointer(&group);
}

/* Answers. */

bool spt_pods_send(int fd, int stop, const char *text, size_t bytes, unsigned within_ms)
{
	gint64 until = g_get_monotonic_time() + within_ms * G_TIME_SPAN_MILLISECOND;

	for (;;) {
		struct pollfd ready[] = { { fd, POLLOUT, 0 }, { stop, POLLIN, 0 } };
		ssize_t n = send(fd, text, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
		gint64 left_ms = (until - g_get_monotonic_time()) / G_TIME_SPAN_MILLISECOND;

		if (n < 0 && errno != EAGAIN)
			return false;
		text += MAX(n, 0);
		bytes -= (size_t)MAX(n, 0);
		if (!bytes)
			return true;
		if (left_ms <= 0 || poll(ready, 2, (int)left_ms) <= 0 || ready[1].revents)
			return false;
	}
}

static void pods_answer(const SptPods *pods, int fd, unsigned status, const char *type,
			const char *text, size_t bytes)
{
	g_autofree char *head = g_strdup_printf("HTTP/1.0 %u %s\r\nContent-Type: %s\r\n"
						"Content-Length: %zu\r\nConnection: close\r\n\r\n",
						status, status == 200 ? "OK" : "No", type, bytes);

	if (spt_pods_send(fd, pods->stop[0], head, strlen(head), SEND_MS))
		spt_pods_send(fd, pods->stop[0], text, bytes, SEND_MS);
}

static void answer_refusal(const SptPods *pods, int fd, unsigned status, const char *sentence)
{
	g_autofree char *line = g_strconcat(sentence, "\n", NULL);

	pods_answer(pods, fd, status, "text/plain; charset=utf-8", line, strlen(line));
}

/* The head of a request, up to the empty line; false: it did not come. */
static bool read_head(const struct visit *visit, char head[HEAD_BYTES], size_t *ret_bytes)
{
	gint64 until = g_get_monotonic_time() + HEAD_MS * G_TIME_SPAN_MILLISECOND;
	size_t n = 0;

	while (n < HEAD_BYTES - 1) {
		struct pollfd ready[] = { { visit->fd, POLLIN, 0 },
					  { visit->pods->stop[0], POLLIN, 0 } };
		gint64 left_ms = (until - g_get_monotonic_time()) / G_TIME_SPAN_MILLISECOND;
		ssize_t got;

		if (left_ms <= 0 || poll(ready, 2, (int)left_ms) <= 0 || ready[1].revents)
			return false;
		got = recv(visit->fd, head + n, HEAD_BYTES - 1 - n, MSG_DONTWAIT);
		if (got <= 0)
			return false;
		n += (size_t)got;
		head[n] = '\0';
		if (strstr(head, "\r\n\r\n") || strstr(head, "\n\n"))
			break;
	}
	*ret_bytes = n;
	return true;
}

static void answer_visit(const struct visit *visit)
{
	g_autoptr(GString) profile = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	const char *metric = NULL;
	unsigned seconds = 0, status;
	char head[HEAD_BYTES];
	size_t bytes;

	if (!read_head(visit, head, &bytes))
		return;
	status = spt_pods_parse(head, bytes, &metric, &seconds);
	if (status)
		answer_refusal(visit->pods, visit->fd, status,
			       "GET /debug/pprof/profile, offcpu or locks, with ?seconds=1 to 300");
	else if (spt_agent_profile(visit->pods->agent, metric, seconds, visit->group, profile,
				   &error))
		pods_answer(visit->pods, visit->fd, 200, "application/octet-stream", profile->str,
			    profile->len);
	else
		answer_refusal(visit->pods, visit->fd,
			       g_error_matches(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY) ?
				       404 :
				       503,
			       error->message);
}

/* With the lock. */
static unsigned visits_of(SptPods *pods, const char *group)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(pods->groups, group));
}

static void end_visit(struct visit *visit)
{
	SptPods *pods = visit->pods;

	close(visit->fd);
	g_mutex_lock(&pods->lock);
	if (visits_of(pods, visit->group) > 1)
		g_hash_table_insert(pods->groups, g_strdup(visit->group),
				    GUINT_TO_POINTER(visits_of(pods, visit->group) - 1));
	else
		g_hash_table_remove(pods->groups, visit->group);
	pods->n--;
	pods->status.served++;
	g_cond_signal(&pods->cond);
	g_mutex_unlock(&pods->lock);
	g_free(visit->group);
	g_free(visit);
}

static gpointer run_visit(gpointer data)
{
	spt_realtime_none();
	answer_visit(data);
	end_visit(data);
	return NULL;
}

/* False: there are too many already. */
static bool begin_visit(SptPods *pods, int fd, const char *group)
{
	struct visit *visit;
	GThread *thread;
	bool has_room;

	g_mutex_lock(&pods->lock);
	has_room = pods->n < ALL_MAX && visits_of(pods, group) < GROUP_MAX;
	if (has_room) {
		pods->n++;
		g_hash_table_insert(pods->groups, g_strdup(group),
				    GUINT_TO_POINTER(visits_of(pods, group) + 1));
	}
	g_mutex_unlock(&pods->lock);
	if (!has_room)
		return false;
	visit = g_new(struct visit, 1);
	*visit = (struct visit){ pods, fd, g_strdup(group) };
	thread = g_thread_try_new("pod", run_visit, visit, NULL);
	if (thread)
		g_thread_unref(thread);
	else
		end_visit(visit);
	return true;
}

static void take_visitor(SptPods *pods, int fd)
{
	uint64_t accepted_ns = spt_clock_ns(CLOCK_BOOTTIME);
	g_autofree char *group = find_group(fd, accepted_ns);

	if (group && begin_visit(pods, fd, group))
		return;
	g_mutex_lock(&pods->lock);
	pods->status.refused++;
	g_mutex_unlock(&pods->lock);
	if (group)
		answer_refusal(pods, fd, 429, "There are too many requests already");
	else
		answer_refusal(pods, fd, 403, "Only processes in a control group of their own are served");
	close(fd);
}

static gpointer accept_all(gpointer data)
{
	SptPods *pods = data;

	spt_realtime_none();
	for (;;) {
		struct pollfd ready[] = { { pods->listener, POLLIN, 0 },
					  { pods->stop[0], POLLIN, 0 } };
		int fd;

		if (poll(ready, 2, -1) < 0 && errno != EINTR)
			return NULL;
		if (ready[1].revents)
			return NULL;
		fd = accept4(pods->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			take_visitor(pods, fd);
	}
}

/* Who may connect is who has the socket: it is for everybody whom somebody gives it. */
static int pods_listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;

	if (fd < 0)
		return -1;
	if (g_strlcpy(address.sun_path, path, sizeof(address.sun_path)) >=
	    sizeof(address.sun_path)) {
		close(fd);
		errno = ENAMETOOLONG;
		return -1;
	}
	if (lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
		g_unlink(path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    g_chmod(path, 0666) == 0 && listen(fd, ALL_MAX) == 0)
		return fd;
	close(fd);
	return -1;
}

/* One of our own, as closing it must not end the other one; its O_NONBLOCK is that of both. */
static int pods_listen_on(int inherited)
{
	int fd = fcntl(inherited, F_DUPFD_CLOEXEC, 0), is_listening = 0;
	socklen_t bytes = sizeof(is_listening);
	struct sockaddr_un address = { .sun_family = AF_UNSPEC };
	socklen_t length = sizeof(address);

	if (fd < 0)
		return -1;
	if (getsockname(fd, (struct sockaddr *)&address, &length) == 0 &&
	    address.sun_family == AF_UNIX &&
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &bytes) == 0 &&
	    is_listening && fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
		return fd;
	close(fd);
	errno = ENOTSOCK;
	return -1;
}

SptPods *spt_pods_new(const char *path, int inherited, SptAgent *agent, GError **error)
{
	SptPods *pods = g_new0(SptPods, 1);

	pods->path = g_strdup(path);
	pods->agent = agent;
	pods->stop[0] = pods->stop[1] = -1;
	pods->groups = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_mutex_init(&pods->lock);
	g_cond_init(&pods->cond);
	pods->listener = path ? pods_listen_at(path) : pods_listen_on(inherited);
	if (pods->listener >= 0 && pipe2(pods->stop, O_CLOEXEC) == 0) {
		pods->thread = g_thread_new("pods", accept_all, pods);
		return pods;
	}
	/* What a service may not do (RestrictAddressFamilies=), and why its unit says so. */
	if (errno == EAFNOSUPPORT || errno == EPERM)
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			      "The service may make no socket for containers (--pods %s): leave --pods out, and enable sysprof-agent-pods.socket, which makes it",
			      path ? path : "");
	else
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			      "Cannot listen for containers at %s: %s; name another path with --pods",
			      path ? path : "the socket of systemd", g_strerror(errno));
	spt_pods_free(pods);
	return NULL;
}

void spt_pods_free(SptPods *pods)
{
	if (!pods)
		return;
	if (pods->stop[1] >= 0)
		close(pods->stop[1]);
	if (pods->thread)
		g_thread_join(pods->thread);
	g_mutex_lock(&pods->lock);
	while (pods->n)
		g_cond_wait(&pods->cond, &pods->lock);
	g_mutex_unlock(&pods->lock);
	if (pods->listener >= 0) {
		close(pods->listener);
		if (pods->path)
			g_unlink(pods->path);
	}
	if (pods->stop[0] >= 0)
		close(pods->stop[0]);
	g_hash_table_unref(pods->groups);
	g_mutex_clear(&pods->lock);
	g_cond_clear(&pods->cond);
	g_free(pods->path);
	g_free(pods);
}

void spt_pods_status(SptPods *pods, SptPodsStatus *ret)
{
	g_mutex_lock(&pods->lock);
	*ret = pods->status;
	g_mutex_unlock(&pods->lock);
}

#endif
