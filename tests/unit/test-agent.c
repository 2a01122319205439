/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the agent by themselves: labels of control groups, the spool, and when to try again. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include "agent/agent.h"
#include "agent/grpc.h"
#include "agent/keep.h"
#include "agent/http-door.h"
#include "agent/pods.h"
#include "agent/sender.h"
#include "agent/spool.h"
#include "agent/target.h"
#include "agent/watch.h"
#include "export/labels.h"
#include "record/command-line.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD "12345678-1234-1234-1234-123456789abc"

static void test_cgroups(void)
{
	static const struct {
		const char *path, *unit, *container, *pod;
	} cases[] = {
		{ "/system.slice/nginx.service", "nginx.service", NULL, NULL },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/a.scope",
		  "user@1000.service", NULL, NULL },
		{ "/system.slice/docker-" ID ".scope", "docker-" ID ".scope", ID, NULL },
		{ "/docker/" ID, NULL, ID, NULL },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-"
		  "pod12345678_1234_1234_1234_123456789abc.slice/cri-containerd-" ID ".scope",
		  "cri-containerd-" ID ".scope", ID, POD },
		{ "/kubepods/burstable/pod" POD "/" ID, NULL, ID, POD },
		{ "/a/pod12345678-1234-1234-1234-123456789abg", NULL, NULL, NULL },
		{ "/pod", NULL, NULL, NULL },
		{ "/" ID "0", NULL, NULL, NULL },
		{ "", NULL, NULL, NULL },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *unit = spt_cgroup_unit(cases[i].path),
				*container = spt_cgroup_container(cases[i].path),
				*pod = spt_cgroup_pod(cases[i].path);

		g_assert_cmpstr(unit, ==, cases[i].unit);
		g_assert_cmpstr(container, ==, cases[i].container);
		g_assert_cmpstr(pod, ==, cases[i].pod);
	}
}

static void test_pods(void)
{
	static const struct {
		const char *head;
		unsigned status, seconds;
		const char *metric;
	} cases[] = {
		{ "GET /debug/pprof/profile?seconds=7 HTTP/1.1\r\nHost: x\r\n\r\n", 0, 7, "cpu" },
		{ "GET /debug/pprof/offcpu HTTP/1.0\r\n\r\n", 0, 10, "off-cpu" },
		{ "GET /debug/pprof/locks?seconds=300 HTTP/1.0\n\n", 0, 300, "lock" },
		{ "GET /debug/pprof/profile?seconds=301 HTTP/1.1\r\n\r\n", 400, 0, NULL },
		{ "GET /debug/pprof/profile?seconds=0 HTTP/1.1\r\n\r\n", 400, 0, NULL },
		{ "GET /debug/pprof/profile?seconds=4294967297 HTTP/1.1\r\n\r\n", 400, 0, NULL },
		{ "GET /debug/pprof/profile?seconds=-1 HTTP/1.1\r\n\r\n", 400, 0, NULL },
		{ "GET /debug/pprof/profile?minutes=1 HTTP/1.1\r\n\r\n", 400, 0, NULL },
		{ "GET /debug/pprof/profiles HTTP/1.1\r\n\r\n", 404, 0, NULL },
		{ "GET /metrics HTTP/1.1\r\n\r\n", 404, 0, NULL },
		{ "GET /debug/pprof/profile\r\n\r\n", 400, 0, NULL },
		{ "POST /debug/pprof/profile HTTP/1.1\r\n\r\n", 405, 0, NULL },
		{ "GET \n", 400, 0, NULL },
		{ "", 400, 0, NULL },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *metric = NULL;
		unsigned seconds = 0;

		g_assert_cmpuint(spt_pods_parse(cases[i].head, strlen(cases[i].head), &metric,
						&seconds),
				 ==, cases[i].status);
		if (cases[i].status)
			continue;
		g_assert_cmpstr(metric, ==, cases[i].metric);
		g_assert_cmpuint(seconds, ==, cases[i].seconds);
	}
	g_assert_true(spt_pods_is_below("/pods/a", "/pods/a"));
	g_assert_true(spt_pods_is_below("/pods/a/b", "/pods/a"));
	g_assert_false(spt_pods_is_below("/pods/ab", "/pods/a"));
	g_assert_false(spt_pods_is_below("/pods", "/pods/a"));
	/* As an agent sees groups that is in a namespace of groups itself. */
	g_assert_true(spt_pods_is_served("/pods/a") && spt_pods_is_served("/../../pods/a"));
	g_assert_true(spt_pods_is_served("/..a") && spt_pods_is_served("/a.."));
	g_assert_false(spt_pods_is_served("/") || spt_pods_is_served("/..") ||
		       spt_pods_is_served("/../.."));
}

static void test_names_of_doors(void)
{
	static const char *const taken[] = { "localhost", "LocalHost:6060", "localhost.", "127.0.0.1",
					     "127.8.9.1:1", "[::1]:6060", "here.example:6060",
					     "HERE.example", NULL };
	static const char *const refused[] = { "", ":6060", "evil.example", "localhost.evil.example",
					       "127.0.0.1.evil.example", "here.example.evil", "[::1",
					       "[fe80::1]:1", "::1", "10.0.0.1", "0x7f000001", "[]",
					       "evil.example, localhost", "128.0.0.1", NULL };

	for (const char *const *header = taken; *header; header++)
		g_assert_true(spt_door_is_named("here.example", *header));
	for (const char *const *header = refused; *header; header++)
		g_assert_false(spt_door_is_named("here.example", *header));
	g_assert_true(spt_door_is_named("127.0.0.1", NULL));
}

/* Reads a little now and then. */
static gpointer read_slowly(gpointer data)
{
	char bytes[4096];

	while (read(GPOINTER_TO_INT(data), bytes, sizeof(bytes)) > 0)
		g_usleep(20000);
	return NULL;
}

/* 4 MiB would take such a reader 20 s; the agent's end is no time to wait, either. */
static void test_slow_reader(void)
{
	g_autofree char *text = g_malloc0(4u << 20);
	gint64 begin = g_get_monotonic_time();
	int sockets[2], stop[2];
	GThread *thread;

	g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), ==, 0);
	g_assert_cmpint(pipe(stop), ==, 0);
	thread = g_thread_new("slow", read_slowly, GINT_TO_POINTER(sockets[1]));
	g_assert_true(spt_pods_send(sockets[0], stop[0], text, 10, 500));
	g_assert_false(spt_pods_send(sockets[0], stop[0], text, 4u << 20, 500));
	close(stop[1]);
	g_assert_false(spt_pods_send(sockets[0], stop[0], text, 4u << 20, 15000));
	g_assert_cmpint(g_get_monotonic_time() - begin, <, 10 * G_TIME_SPAN_SECOND);
	close(sockets[0]);
	g_thread_join(thread);
	close(sockets[1]);
	close(stop[0]);
}

static void test_cgroup_lines(void)
{
	g_autofree char *second = spt_cgroup_of_text("0::/system.slice/a.service\n"),
			*hybrid = spt_cgroup_of_text("9:name=systemd:/b.service\n1:cpu:/x\n0::/\n"),
			*none = spt_cgroup_of_text("4:memory:/x\n0::/\n"),
			*odd = spt_cgroup_of_text("0::"), *empty = spt_cgroup_of_text("");

	g_assert_cmpstr(second, ==, "/system.slice/a.service");
	g_assert_cmpstr(hybrid, ==, "/b.service");
	g_assert_null(none);
	g_assert_null(odd);
	g_assert_null(empty);
}

/* A capture in memory of processes with these control groups. */
static SptLabels *labels_of(SptCapture *capture, SptProcessRow *processes,
			    SptCommandLineRow *rows, unsigned n, const SptLabelRules *rules)
{
	for (unsigned i = 1; i <= n; i++) {
		processes[i].id = processes[i].pid = i;
		rows[i - 1].process = i;
		rows[i - 1].text = "";
	}
	capture->processes = processes;
	capture->n_processes = n + 1;
	capture->command_lines = rows;
	capture->n_command_lines = n;
	return spt_labels_new(capture, rules, NULL);
}

/* What was read of a process after its end is its pid's next owner's, and taken back. */
static void test_next_owner(void)
{
	SptCommandLineRow rows[] = { { .process = 1, .text = "a", .cgroup = "/pods/red" },
				     { .process = 2, .text = "", .cgroup = "/pods/blue" },
				     { .process = 1, .text = "" },
				     { .process = 2, .text = "b" } };
	const SptCapture capture = { .command_lines = rows,
				     .n_command_lines = G_N_ELEMENTS(rows) };
	g_autoptr(GHashTable) cgroups = spt_capture_cgroups(&capture);

	g_assert_null(g_hash_table_lookup(cgroups, GUINT_TO_POINTER(1)));
	g_assert_cmpstr(g_hash_table_lookup(cgroups, GUINT_TO_POINTER(2)), ==, "/pods/blue");
}

static void test_hostile_labels(void)
{
	g_autofree char *name = g_strnfill(4000, 'x'),
			*path = g_strconcat("/", name, "\xff\n\x1b[2J.service", NULL);
	SptProcessRow processes[3] = { 0 };
	SptCommandLineRow rows[2] = { { .cgroup = path }, { .cgroup = "/\xc3\x28\"\\.service" } };
	SptCapture capture = { 0 };
	g_autoptr(SptLabels) labels = labels_of(&capture, processes, rows, 2, NULL);

	for (unsigned process = 1; process <= 2; process++) {
		const SptLabelSet *set =
			spt_labels_set(labels, spt_labels_of(labels, process));
		const char *unit = spt_label_set_value(set, "systemd.unit");

		g_assert_nonnull(unit);
		g_assert_cmpuint(strlen(unit), <=, 256);
		g_assert_true(g_utf8_validate(unit, -1, NULL));
		g_assert_null(strpbrk(unit, "\n\x1b"));
	}
}

static void test_bounded_sets(void)
{
	enum { N = 1000 };
	SptProcessRow *processes = g_new0(SptProcessRow, N + 1);
	SptCommandLineRow *rows = g_new0(SptCommandLineRow, N);
	SptCapture capture = { 0 };
	SptLabels *labels;
	const SptLabelSet *last;

	for (unsigned i = 0; i < N; i++)
		rows[i].cgroup = g_strdup_printf("/%u.service", i);
	labels = labels_of(&capture, processes, rows, N, NULL);
	g_assert_cmpuint(spt_labels_n_sets(labels), <=, 256);
	last = spt_labels_set(labels, spt_labels_of(labels, N));
	g_assert_cmpstr(spt_label_set_value(last, "service.name"), ==, "other");
	spt_labels_free(labels);
	for (unsigned i = 0; i < N; i++)
		g_free((char *)rows[i].cgroup);
	g_free(rows);
	g_free(processes);
}

static void test_rules(void)
{
	static const char *const added[] = { "team=red", "host.name=there", NULL };
	static const char *const only[] = { "service.name=a*", "service.name=b*", NULL };
	static const char *const except[] = { "service.name=*x*", NULL };
	const SptLabelRules rules = { added, only, except },
			    wrong = { .only = (const char *const[]){ "a b=c", NULL } };
	SptProcessRow processes[5] = { 0 };
	SptCommandLineRow rows[4] = { { .cgroup = "/a.service" },
				      { .cgroup = "/b.service" },
				      { .cgroup = "/ax.service" },
				      { .cgroup = "/c.service" } };
	SptCapture capture = { 0 };
	g_autoptr(SptLabels) labels = labels_of(&capture, processes, rows, 4, &rules);
	const SptLabelSet *set = spt_labels_set(labels, spt_labels_of(labels, 1));

	g_assert_cmpstr(spt_label_set_value(set, "team"), ==, "red");
	g_assert_cmpstr(spt_label_set_value(set, "host.name"), ==, "there");
	g_assert_cmpuint(spt_labels_of(labels, 2), !=, UINT_MAX);
	g_assert_cmpuint(spt_labels_of(labels, 3), ==, UINT_MAX);
	g_assert_cmpuint(spt_labels_of(labels, 4), ==, UINT_MAX);
	g_assert_null(spt_label_rules_problem(&rules));
	g_assert_cmpstr(spt_label_rules_problem(&wrong), ==, "a b=c");
}

static void damage(const char *directory, uint64_t number, char byte)
{
	g_autofree char *path = g_strdup_printf("%s/%020" G_GUINT64_FORMAT, directory, number);
	g_autofree char *text = NULL;
	gsize bytes;

	g_assert_true(g_file_get_contents(path, &text, &bytes, NULL));
	text[bytes - 1] = byte;
	g_assert_true(g_file_set_contents(path, text, (gssize)bytes, NULL));
}

static void test_spool(void)
{
	g_autofree char *directory = g_dir_make_tmp("spool-XXXXXX", NULL), *first = NULL;
	SptSpool *spool = spt_spool_new(directory, 1000, NULL);
	char request[300];
	SptSpoolStatus status;
	uint64_t number;
	size_t bytes;

	for (unsigned i = 0; i < 5; i++) {
		memset(request, (int)('a' + i), sizeof(request));
		spt_spool_put(spool, request, sizeof(request));
	}
	spt_spool_status(spool, &status);
	g_assert_cmpuint(status.requests, ==, 3);
	g_assert_cmpuint(status.dropped, ==, 2);
	g_assert_cmpuint(status.bytes, <=, 1000);
	spt_spool_free(spool);

	/* Another life: what was damaged in between is skipped. */
	damage(directory, 2, '?');
	spool = spt_spool_new(directory, 1000, NULL);
	first = spt_spool_oldest(spool, &bytes, &number);
	g_assert_cmpuint(bytes, ==, sizeof(request));
	g_assert_cmpuint(number, ==, 3);
	g_assert_cmpint(first[0], ==, 'd');
	spt_spool_done(spool, 3);
	spt_spool_done(spool, 3);
	spt_spool_put(spool, "f", 1);
	spt_spool_status(spool, &status);
	g_assert_cmpuint(status.damaged, ==, 1);
	g_assert_cmpuint(status.requests, ==, 2);
	for (unsigned i = 4; i <= 5; i++) {
		g_autofree char *next = spt_spool_oldest(spool, &bytes, &number);

		g_assert_cmpuint(number, ==, i);
		spt_spool_done(spool, number);
	}
	g_assert_null(spt_spool_oldest(spool, &bytes, &number));
	spt_spool_free(spool);
	g_assert_cmpint(g_rmdir(directory), ==, 0);
}

static void test_targets(void)
{
	static const struct {
		const char *text, *url, *host;
	} cases[] = {
		{ "otlp=http://h:4318", "http://h:4318/v1development/profiles", "h:4318" },
		{ "otlp=https://h/", "https://h/v1development/profiles", "h" },
		{ "pyroscope=http://a:b@c:1/x", "http://a:b@c:1/x", "c:1" },
		{ "parca=http://[::1]:7070", "http://[::1]:7070/api/profiles/writeraw", "[::1]:7070" },
		{ "otlp-grpc=h:4317",
		  "http://h:4317/opentelemetry.proto.collector.profiles.v1development."
		  "ProfilesService/Export",
		  "h:4317" },
		{ "otlp-grpc=https://h/x", "https://h/x", "h" },
		{ "otlp=http://h:0", NULL, NULL },
		{ "otlp=http://h:", NULL, NULL },
		{ "otlp=http://h:65536", NULL, NULL },
		{ "otlp=http://a:b@:1", NULL, NULL },
		{ "otlp=http://[::1", NULL, NULL },
		{ "otlp=http://[::1]:x", NULL, NULL },
		{ "otlp-grpc=:4317", NULL, NULL },
		{ "otlp-grpc=", NULL, NULL },
		{ "otlp-grpc=ftp://h", NULL, NULL },
		{ "otlp=", NULL, NULL },
		{ "otlp=ftp://h", NULL, NULL },
		{ "otlp=http://", NULL, NULL },
		{ "otlp=http://a b", NULL, NULL },
		{ "nothing=http://h", NULL, NULL },
		{ "http://h", NULL, NULL },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(SptTarget) target = spt_target_new(cases[i].text, &error);

		g_assert_cmpstr(target ? target->url : NULL, ==, cases[i].url);
		g_assert_cmpstr(target ? target->host : NULL, ==, cases[i].host);
		g_assert_true(!target == !!error);
	}
}

static unsigned grpc_status_of(const char *const *lines)
{
	SptGrpcStatus status = { .status = -1 };
	unsigned http;

	for (; *lines; lines++)
		spt_grpc_take_line(&status, *lines, strlen(*lines));
	http = spt_grpc_http_status(&status);
	spt_grpc_status_clear(&status);
	return http;
}

static void test_grpc_statuses(void)
{
	static const struct {
		const char *const lines[4];
		unsigned status;
	} cases[] = {
		{ { "HTTP/2 200\r\n", "grpc-status: 0\r\n" }, 200 },
		{ { "Grpc-Status:14\r\n" }, 503 },
		{ { "grpc-status: 16\r\n" }, 401 },
		{ { "grpc-status: 3\r\n", "grpc-message: a\x1b[2Jb\r\n" }, 400 },
		{ { "grpc-status: 8\r\n" }, 413 },
		{ { "grpc-status: 8\r\n", "grpc-status-details-bin: eA\r\n" }, 429 },
		{ { "grpc-status: 17\r\n" }, 400 },
		{ { "grpc-status: -1\r\n" }, 400 },
		{ { "grpc-status\r\n", "grpc-statuses: 0\r\n", "" }, 0 },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
		g_assert_cmpuint(grpc_status_of(cases[i].lines), ==, cases[i].status);
}

static void test_grpc_messages(void)
{
	g_autoptr(GString) text = g_string_new("hello");

	spt_grpc_pack(text, false);
	g_assert_cmpmem(text->str, text->len, "\0\0\0\0\5hello", 10);
	g_assert_true(spt_grpc_unpack(text));
	g_assert_cmpstr(text->str, ==, "hello");
	/* Shorter than the prefix, than it says, and compressed. */
	g_string_truncate(text, 4);
	g_assert_false(spt_grpc_unpack(text));
	spt_grpc_pack(text, false);
	g_string_truncate(text, 8);
	g_assert_false(spt_grpc_unpack(text));
	spt_grpc_pack(text, true);
	g_assert_false(spt_grpc_unpack(text));
}

static SptWatchOptions watch_of(const char *text, bool ok)
{
	SptWatchOptions options = { 0 };

	g_assert_true(spt_watch_parse(&options, text) == ok);
	g_assert_true(spt_watch_is_on(&options) == ok);
	return options;
}

static void test_watch(void)
{
	static const char *const wrong[] = { "",	"load",	    "load=",   "load=x", "load=-1",
					     "load=0",	"load=nan", "load=1x", "late=5", "late=ms",
					     "late=0s", "heat=5",   "loads=1" };
	static const char psi[] = "some avg10=12.50 avg60=1.00 avg300=0.10 total=1\n"
				  "full avg10=99.00 avg60=0 avg300=0 total=0\n";

	g_assert_cmpfloat(watch_of("load=2.5", true).limits[SPT_WATCH_LOAD], ==, 2.5);
	g_assert_cmpfloat(watch_of("memory=10", true).limits[SPT_WATCH_MEMORY], ==, 10);
	g_assert_cmpfloat(watch_of("late=5ms", true).limits[SPT_WATCH_LATE], ==, 5e6);
	for (unsigned i = 0; i < G_N_ELEMENTS(wrong); i++)
		watch_of(wrong[i], false);
	g_assert_cmpfloat(spt_watch_value(SPT_WATCH_LOAD, "3.00 2 1 1/2 3\n", 2), ==, 1.5);
	g_assert_cmpfloat(spt_watch_value(SPT_WATCH_IO, psi, 2), ==, 12.5);
	g_assert_cmpfloat(spt_watch_value(SPT_WATCH_IO, "full avg10=1\n", 2), <, 0);
	g_assert_cmpfloat(spt_watch_value(SPT_WATCH_LOAD, "", 2), <, 0);
}

static unsigned kept_files(const char *directory, const char *contains)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;
	unsigned n = 0;

	while ((name = g_dir_read_name(dir)))
		n += strstr(name, contains) != NULL;
	return n;
}

static void remove_files(const char *directory)
{
	g_autoptr(GDir) dir = g_dir_open(directory, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(directory, name, NULL);

		g_assert_cmpint(g_unlink(path), ==, 0);
	}
	g_assert_cmpint(g_rmdir(directory), ==, 0);
}

/* The oldest make room, of this host alone; what is too large is counted. */
static void test_keep(void)
{
	g_autofree char *directory = g_dir_make_tmp("keep-XXXXXX", NULL),
			*window = g_build_filename(directory, "window", NULL),
			*other = g_strdup_printf("%s/%s-2-20260101T000000.000000Z.capture", directory,
						 g_get_host_name()),
			*last = NULL;
	SptKeep *keep = spt_keep_new(directory, 100, 2, "--captures", NULL);
	SptKeepStatus status;

	g_assert_true(g_file_set_contents(window, "0123456789", 10, NULL));
	g_assert_true(g_file_set_contents(other, "x", 1, NULL));
	for (unsigned i = 0; i < 3; i++) {
		g_free(last);
		last = spt_keep_window(keep, window, i == 1 ? NULL : "load");
		g_assert_nonnull(last);
	}
	g_assert_cmpuint(kept_files(directory, "+load-"), ==, 1);
	g_assert_cmpuint(kept_files(directory, ".capture"), ==, 3);
	g_assert_true(g_file_test(last, G_FILE_TEST_IS_REGULAR));
	g_assert_true(g_file_test(other, G_FILE_TEST_IS_REGULAR));
	spt_keep_free(keep);
	keep = spt_keep_new(directory, 5, 2, "--captures", NULL);
	g_assert_null(spt_keep_window(keep, window, "load"));
	spt_keep_status(keep, &status);
	g_assert_cmpuint(status.failed, ==, 1);
	g_assert_cmpuint(status.kept, ==, 0);
	spt_keep_free(keep);
	remove_files(directory);
}

static void say_nothing(const char *sentence, void *data)
{
	(void)sentence;
	(void)data;
}

struct asking {
	SptAgent *agent;
	GThread *thread;
	int is_answered;		/* atomic */
};

static gpointer ask(gpointer data)
{
	struct asking *asking = data;
	g_autoptr(GString) profile = g_string_new(NULL);

	/* These windows are no captures. */
	g_assert_false(spt_agent_profile(asking->agent, "cpu", 1, "/pod", profile, NULL));
	g_atomic_int_set(&asking->is_answered, 1);
	return NULL;
}

static void begin_to_ask(struct asking *asking, SptAgent *agent)
{
	*asking = (struct asking){ .agent = agent };
	asking->thread = g_thread_new("asks", ask, asking);
}

static void end_window(SptAgent *agent)
{
	g_autofree char *path = spt_agent_next_path(agent);

	g_assert_true(g_file_set_contents(path, "x", 1, NULL));
	spt_agent_take(agent, path);
	g_usleep(20000);
}

/*
 * Two who ask in turn, so that always somebody waits: windows stay for the time that was asked for,
 * and not as long as anybody asks.
 */
static void test_windows(void)
{
	const char *const targets[] = { NULL };
	g_autofree char *directory = g_dir_make_tmp("agent-XXXXXX", NULL);
	const SptAgentOptions options = { .targets = targets, .tell = say_nothing };
	struct asking askings[2];
	unsigned most = 0, ended = 0;
	SptAgent *agent;

	g_setenv("RUNTIME_DIRECTORY", directory, TRUE);
	agent = spt_agent_new(&options, NULL);
	g_assert_nonnull(agent);
	for (unsigned i = 0; i < 6; i++) {
		unsigned had = ended, files = 0;
		g_autofree char *windows = NULL;
		GDir *dir = g_dir_open(directory, 0, NULL);

		/* The other one has waited for some of its time. */
		begin_to_ask(&askings[i % 2], agent);
		for (; ended < had + 10; ended++)
			end_window(agent);
		for (; i && !g_atomic_int_get(&askings[1 - i % 2].is_answered); ended++)
			end_window(agent);
		if (i)
			g_thread_join(askings[1 - i % 2].thread);
		windows = g_build_filename(directory, g_dir_read_name(dir), NULL);
		files = kept_files(windows, ".capture");
		most = MAX(most, files);
		g_dir_close(dir);
	}
	spt_agent_close(agent);
	g_thread_join(askings[1].thread);
	g_test_message("%u windows, at most %u at a time", ended, most);
	g_assert_cmpuint(most, <, ended / 2);
	spt_agent_free(agent, 0);
	g_assert_cmpint(g_rmdir(directory), ==, 0);
}

static void end_good_window(SptAgent *agent)
{
	g_autofree char *path = spt_agent_next_path(agent);
	SptCaptureWriter *writer = spt_capture_writer_new(path, NULL);
	SptStash *stash = spt_stash_new();

	spt_capture_writer_host(writer, "period_ns", "1000000");
	spt_capture_writer_process(writer, &(SptProcessRow){ .id = 1, .pid = 1, .name = "one" });
	spt_capture_writer_thread(writer, &(SptThreadRow){ .id = 1, .process = 1, .tid = 1 });
	spt_capture_writer_sample(writer, &(SptSampleRow){ .time = 1000, .thread = 1,
							   .weight = 1 });
	g_assert_true(spt_capture_writer_finish(writer, stash, 2000, NULL));
	spt_capture_writer_free(writer);
	spt_stash_free(stash);
	spt_agent_take(agent, path);
	g_usleep(20000);
}

struct profiling {
	SptAgent *agent;
	GString *profile;
	bool is_ok;
	gint is_answered;
};

static gpointer profile_one(gpointer data)
{
	struct profiling *profiling = data;

	profiling->is_ok = spt_agent_profile(profiling->agent, "cpu", 1, NULL,
					     profiling->profile, NULL);
	g_atomic_int_set(&profiling->is_answered, 1);
	return NULL;
}

/* Whether the profile, as it is packed, has @text. */
static bool has_text(const GString *packed, const char *text)
{
	g_autofree guint8 *room = g_malloc(1 << 20);
	z_stream stream = { .next_in = (Bytef *)packed->str, .avail_in = (uInt)packed->len,
			    .next_out = room, .avail_out = 1 << 20 };
	bool is_there;

	g_assert_cmpint(inflateInit2(&stream, 15 + 16), ==, Z_OK);
	g_assert_cmpint(inflate(&stream, Z_FINISH), ==, Z_STREAM_END);
	is_there = memmem(room, stream.total_out, text, strlen(text)) != NULL;
	inflateEnd(&stream);
	return is_there;
}

/* A profile of which a window is missing says so; others do not. */
static void test_gaps(void)
{
	const char *const targets[] = { NULL };
	g_autofree char *directory = g_dir_make_tmp("agent-XXXXXX", NULL);
	const SptAgentOptions options = { .targets = targets, .tell = say_nothing };

	g_setenv("RUNTIME_DIRECTORY", directory, TRUE);
	for (unsigned gaps = 0; gaps < 2; gaps++) {
		SptAgent *agent = spt_agent_new(&options, NULL);
		struct profiling profiling = { agent, g_string_new(NULL), false, 0 };
		GThread *thread = g_thread_new("asks", profile_one, &profiling);

		for (unsigned n = 0; !g_atomic_int_get(&profiling.is_answered); n++) {
			end_good_window(agent);
			if (gaps)
				end_window(agent);
		}
		g_thread_join(thread);
		g_assert_true(profiling.is_ok);
		g_assert_cmpint(has_text(profiling.profile, "windows of this time were dropped"),
				==, gaps);
		g_string_free(profiling.profile, TRUE);
		spt_agent_free(agent, 0);
	}
	g_unsetenv("RUNTIME_DIRECTORY");
	g_rmdir(directory);
}

static void test_backoff(void)
{
	g_assert_cmpuint(spt_sender_backoff_us(1, 0, 0), ==, 500000);
	g_assert_cmpuint(spt_sender_backoff_us(1, 0, 1), ==, 1000000);
	g_assert_cmpuint(spt_sender_backoff_us(3, 0, 1), ==, 4000000);
	g_assert_cmpuint(spt_sender_backoff_us(1000, 0, 1), ==, 60000000);
	g_assert_cmpuint(spt_sender_backoff_us(1, 30, 0), ==, 30000000);
	g_assert_cmpuint(spt_sender_backoff_us(1, 100000, 0), ==, 600000000);
	g_assert_true(spt_sender_is_for_now(0) && spt_sender_is_for_now(429) &&
		      spt_sender_is_for_now(503) && spt_sender_is_for_now(401));
	g_assert_false(spt_sender_is_for_now(400) || spt_sender_is_for_now(413) ||
		       spt_sender_is_for_now(415));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/agent/pods", test_pods);
	g_test_add_func("/agent/slow-reader", test_slow_reader);
	g_test_add_func("/agent/names-of-doors", test_names_of_doors);
	g_test_add_func("/agent/cgroups", test_cgroups);
	g_test_add_func("/agent/cgroup-lines", test_cgroup_lines);
	g_test_add_func("/agent/next-owner", test_next_owner);
	g_test_add_func("/agent/hostile-labels", test_hostile_labels);
	g_test_add_func("/agent/bounded-sets", test_bounded_sets);
	g_test_add_func("/agent/rules", test_rules);
	g_test_add_func("/agent/spool", test_spool);
	g_test_add_func("/agent/targets", test_targets);
	g_test_add_func("/agent/grpc-statuses", test_grpc_statuses);
	g_test_add_func("/agent/grpc-messages", test_grpc_messages);
	g_test_add_func("/agent/watch", test_watch);
	g_test_add_func("/agent/keep", test_keep);
	g_test_add_func("/agent/windows", test_windows);
	g_test_add_func("/agent/gaps", test_gaps);
	g_test_add_func("/agent/backoff", test_backoff);
	return g_test_run();
}
