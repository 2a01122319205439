/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of agent.  Lines of its file are put before the arguments, as if they were some. */
#include "agent-options.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "record-options.h"

#define EVERY	       "10s"
#define LEAST_EVERY_NS 1000000000ull
#define MOST_EVERY_NS  600000000000ull
#define RAW_BYTES      16384
#define SPOOL_BYTES    (64ull << 20)
#define KEEP_BYTES     (256ull << 20)
#define CAPTURES_BYTES (256ull << 20)
#define LAST_NS	       30000000000ull
#define LEAST_BYTES    (1ull << 20)
#define DOOR	       "pprof="

struct spt_agent_words {
	char **to, **labels, **only, **except, **headers, **capture_on;
	char *every, *at, *stacks, *source, *waits, *also, *memory, *spool, *spool_limit, *keep,
		*keep_limit, *captures, *captures_limit, *last, *token, *ca, *certificate, *key,
		*door_token, *config, *budget, *pods;
	double rate;
	gboolean is_dry, no_command_lines;
	GPtrArray *targets;		/* those of @to that are no door; with a NULL at the end */
};

static bool check_every(struct spt_agent_options *options, const struct spt_agent_words *words)
{
	const char *text = words->every ? words->every : EVERY;

	if (words->at && words->every) {
		spt_cli_complain("--at says how long a window is, and so does --every; leave one out");
		return false;
	}
	if (words->at) {
		if (!g_str_has_prefix(words->at, "*/")) {
			spt_cli_complain("--at takes */ and a time, such as */10s, not \"%s\"",
					 words->at);
			return false;
		}
		options->is_aligned = true;
		text = words->at + strlen("*/");
	}
	if (spt_parse_ns(text, &options->every_ns) && options->every_ns >= LEAST_EVERY_NS &&
	    options->every_ns <= MOST_EVERY_NS)
		return true;
	spt_cli_complain("A window lasts from 1 s to 600 s (--every 10s), not \"%s\"", text);
	return false;
}

static bool parse_limit(const char *option, const char *text, uint64_t fallback, uint64_t *ret)
{
	*ret = fallback;
	if (!text || (spt_parse_bytes(text, ret) && *ret >= LEAST_BYTES))
		return true;
	spt_cli_complain("%s takes a size of at least 1M, not \"%s\"", option, text);
	return false;
}

/* A door, or an engine, is not there twice: both would have one spool. */
static bool add_target(struct spt_agent_options *options, struct spt_agent_words *words, char *to)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptTarget) target = NULL;
	bool is_door = g_str_has_prefix(to, DOOR), is_twice = is_door && options->door;

	if (!is_door) {
		target = spt_target_new(to, &error);
		if (!target) {
			spt_cli_complain("%s", error->message);
			return false;
		}
	}
	for (unsigned i = 0; !is_door && i < words->targets->len; i++) {
		g_autoptr(SptTarget) other = spt_target_new(words->targets->pdata[i], NULL);

		is_twice |= other->kind == target->kind && strcmp(other->url, target->url) == 0;
	}
	if (is_twice) {
		spt_cli_complain("--to has %s%s twice; leave one out",
				 is_door ? "pprof=" : "the server ",
				 is_door ? "" : target->host);
		return false;
	}
	if (is_door)
		options->door = to + strlen(DOOR);
	else
		g_ptr_array_add(words->targets, to);
	return true;
}

static bool check_targets(struct spt_agent_options *options, struct spt_agent_words *words)
{
	words->targets = g_ptr_array_new();
	for (char **to = words->to; to && *to; to++)
		if (!add_target(options, words, *to))
			return false;
	if (!words->targets->len && !options->door && !words->keep && !words->captures &&
	    !words->pods && options->pods_fd < 0) {
		spt_cli_complain(
			"agent needs to know where profiles go: --to otlp=, otlp-grpc=, pyroscope= or parca= and a URL, --to pprof=PORT, --keep DIRECTORY, --captures DIRECTORY or --pods SOCKET");
		return false;
	}
	g_ptr_array_add(words->targets, NULL);
	options->agent.targets = (const char *const *)words->targets->pdata;
	return true;
}

/* What is in the file of @option, the caller's; NULL: complained, or there is no such option. */
static char *read_file_of(const char *option, const char *path, bool *ret_ok)
{
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	if (path && !g_file_get_contents(path, &text, NULL, &error)) {
		spt_cli_complain("%s names a file that cannot be read: %s", option, error->message);
		*ret_ok = false;
	}
	return text;
}

/* A file that is wrong now may be right later, but who begins with it has most likely mistyped. */
static bool check_token(const char *option, const char *path)
{
	bool ok = true;
	g_autofree char *text = read_file_of(option, path, &ok);

	if (!text)
		return ok;
	text[strcspn(text, "\r\n")] = '\0';
	g_strstrip(text);
	if (!*text)
		spt_cli_complain("%s takes a file with the token in its first line, and %s has none there",
				 option, path);
	return *text;
}

static bool check_pem(const char *option, const char *path)
{
	bool ok = true;
	g_autofree char *text = read_file_of(option, path, &ok);

	if (!text || strstr(text, "-----BEGIN "))
		return ok;
	spt_cli_complain("%s takes a file in PEM (-----BEGIN ...), which %s is not", option, path);
	return false;
}

static bool check_headers(char **headers)
{
	for (; headers && *headers; headers++) {
		size_t name = strcspn(*headers, ": \t");

		if (name && (*headers)[name] == ':' && !strpbrk(*headers, "\r\n"))
			continue;
		/* It may be a secret. */
		spt_cli_complain("--header takes a line such as \"X-Scope-OrgID: team\": a name, a colon and a value");
		return false;
	}
	return true;
}

/* An option that means something beside another one only. */
static bool check_beside(const char *option, const void *given, const char *other,
			 const void *is_there)
{
	if (!given || is_there)
		return true;
	spt_cli_complain("%s needs %s; give that, too, or leave it out", option, other);
	return false;
}

static bool check_connections(const struct spt_agent_options *options,
			      const struct spt_agent_words *words)
{
	if (words->pods && options->pods_fd >= 0) {
		spt_cli_complain("--pods %s is one socket for containers, and systemd has handed in another; leave --pods out, or disable sysprof-agent-pods.socket",
				 words->pods);
		return false;
	}
	return check_token("--token", words->token) && check_pem("--ca", words->ca) &&
	       check_pem("--cert", words->certificate) && check_pem("--key", words->key) &&
	       check_beside("--key", words->key, "--cert FILE", words->certificate) &&
	       check_headers(words->headers) &&
	       check_beside("--door-token", words->door_token, "--to pprof=PORT", options->door) &&
	       check_token("--door-token", words->door_token) &&
	       check_beside("--keep-limit", words->keep_limit, "--keep DIRECTORY", words->keep) &&
	       check_beside("--captures-limit", words->captures_limit, "--captures DIRECTORY",
			    words->captures) &&
	       check_beside("--capture-last", words->last, "--captures DIRECTORY",
			    words->captures);
}

static bool check_rules(struct spt_agent_options *options, const struct spt_agent_words *words)
{
	const char *wrong;

	options->agent.rules = (SptLabelRules){ (const char *const *)words->labels,
						(const char *const *)words->only,
						(const char *const *)words->except };
	wrong = spt_label_rules_problem(&options->agent.rules);
	if (!wrong)
		return true;
	spt_cli_complain(
		"--label takes KEY=VALUE, --only and --except KEY=PATTERN with letters, digits and . _ - / in the key, not \"%s\"",
		wrong);
	return false;
}

/* What starts a capture, and what it has. */
static bool check_captures(struct spt_agent_options *options, const struct spt_agent_words *words)
{
	options->agent.captures = words->captures;
	options->agent.last_ns = LAST_NS;
	for (char **text = words->capture_on; text && *text; text++)
		if (!spt_watch_parse(&options->watch, *text)) {
			spt_cli_complain("--capture-on takes load=, cpu=, io= or memory= and a number, or late= and a time (late=5ms), not \"%s\"",
					 *text);
			return false;
		}
	if (words->last && (!spt_parse_ns(words->last, &options->agent.last_ns) ||
			    options->agent.last_ns < LEAST_EVERY_NS ||
			    options->agent.last_ns > MOST_EVERY_NS)) {
		spt_cli_complain("--capture-last takes a time from 1 s to 600 s, not \"%s\"",
				 words->last);
		return false;
	}
	if (spt_watch_is_on(&options->watch) && !words->captures) {
		spt_cli_complain("--capture-on needs --captures DIRECTORY, where captures are kept");
		return false;
	}
	if (options->watch.limits[SPT_WATCH_LATE] > 0)
		options->recorder.late_ns = (uint64_t)options->watch.limits[SPT_WATCH_LATE];
	return parse_limit("--captures-limit", words->captures_limit, CAPTURES_BYTES,
			   &options->agent.captures_bytes);
}

#define LEAST_BUDGET_NS 5000000000ull

/* "1%", or a number of percent. */
static bool check_budget(struct spt_agent_options *options, const struct spt_agent_words *words)
{
	SptRecorderOptions *recorder = &options->recorder;
	char *end;

	if (!words->budget)
		return true;
	recorder->budget_pct = g_ascii_strtod(words->budget, &end);
	recorder->budget_window_ns = MAX(options->every_ns, LEAST_BUDGET_NS);
	if (end != words->budget && (!*end || !strcmp(end, "%")) && recorder->budget_pct >= 0.01 &&
	    recorder->budget_pct <= 100)
		return true;
	spt_cli_complain("--budget takes a percentage of a CPU from 0.01 to 100, such as 1%%, not \"%s\"",
			 words->budget);
	return false;
}

static bool check_recording(struct spt_agent_options *options, const struct spt_agent_words *words)
{
	static const char *const kinds[] = { "auto", "fp", "table", "none", NULL };
	SptRecorderOptions *recorder = &options->recorder;
	bool is_auto = strcmp(words->stacks, "auto") == 0;

	*recorder = (SptRecorderOptions){
		.by_windows = true,
		.cgroups = true,
		.period_ns = (uint64_t)(1e9 / MAX(words->rate, 1) + 0.5),
		.no_user = strcmp(words->stacks, "none") == 0,
		.raw_bytes = is_auto ? RAW_BYTES : 0,
		.raw_most_bytes = is_auto ? SPT_TRACE_RAW_MAX_BYTES : 0,
		.raw_if_needed = is_auto,
		.by_tables = is_auto || strcmp(words->stacks, "table") == 0,
		.no_command_lines = true,
		.no_maps = true,
		.kmem_bytes = SPT_TRACE_KMEM_BYTES,
	};
	if (!(words->rate >= 1 && words->rate <= 10000))
		spt_cli_complain("--rate takes 1 to 10000 samples a second, not %g", words->rate);
	else if (!g_strv_contains(kinds, words->stacks))
		spt_cli_complain("--stacks takes auto, fp, table or none, not \"%s\"",
				 words->stacks);
	else if (words->memory && (!spt_parse_bytes(words->memory, &recorder->memory_bytes) ||
				   recorder->memory_bytes < 16 * LEAST_BYTES))
		spt_cli_complain("--memory-limit takes at least 16M, not \"%s\"", words->memory);
	else
		return spt_record_parse_source(&recorder->source, words->source) &&
		       spt_record_parse_waits(&recorder->waits, words->waits) &&
		       spt_record_parse_also(recorder, words->also);
	return false;
}

#define HANDED_IN_FD 3			/* the first of sd_listen_fds(3) */

/* The one socket that systemd hands in for a unit (sysprof-agent-pods.socket), or -1. */
static int find_handed_in(void)
{
	const char *pid = g_getenv("LISTEN_PID"), *n = g_getenv("LISTEN_FDS");
	guint64 own, fds;

	if (!pid || !n || !g_ascii_string_to_unsigned(pid, 10, 1, G_MAXINT, &own, NULL) ||
	    own != (guint64)getpid() ||
	    !g_ascii_string_to_unsigned(n, 10, 1, 1, &fds, NULL))
		return -1;
	return fcntl(HANDED_IN_FD, F_SETFD, FD_CLOEXEC) == 0 ? HANDED_IN_FD : -1;
}

/* Below what systemd gives a service, or the user's own. */
static char *default_spool(void)
{
	const char *state = g_getenv("STATE_DIRECTORY");

	return state && *state ? g_build_filename(state, "spool", NULL) :
				 g_build_filename(g_get_user_cache_dir(), "sysprof", "agent", NULL);
}

static bool check_all(struct spt_agent_options *options)
{
	struct spt_agent_words *words = options->words;

	if (!words->spool)
		words->spool = default_spool();
	options->agent.spool = words->spool;
	options->agent.keep = words->keep;
	options->agent.http = (SptHttpOptions){ .token = words->token,
						.ca = words->ca,
						.certificate = words->certificate,
						.key = words->key,
						.headers = (const char *const *)words->headers };
	options->door_token = words->door_token;
	options->pods = words->pods;
	options->pods_fd = find_handed_in();
	options->is_dry = words->is_dry;
	return check_every(options, words) && check_targets(options, words) &&
	       check_connections(options, words) &&
	       check_rules(options, words) && check_recording(options, words) &&
	       check_budget(options, words) &&
	       check_captures(options, words) &&
	       parse_limit("--spool-limit", words->spool_limit, SPOOL_BYTES,
			   &options->agent.spool_bytes) &&
	       parse_limit("--keep-limit", words->keep_limit, KEEP_BYTES,
			   &options->agent.keep_bytes);
}

/* "to otlp=http://here" -> "--to=otlp=http://here"; NULL: the line says nothing. */
static char *option_of_line(char *line)
{
	size_t name;

	g_strstrip(line);
	if (!*line || *line == '#')
		return NULL;
	name = strcspn(line, " \t");
	return line[name] ? g_strdup_printf("--%.*s=%s", (int)name, line,
					    g_strchug(line + name)) :
			    g_strdup_printf("--%s", line);
}

/* Whether a line of the file is complete: the next argument is no value of it. */
static bool check_line(const char *option)
{
	static const char *const alone[] = { "--dry-run", "--waits", NULL };

	if (g_str_has_prefix(option, "--config")) {
		spt_cli_complain("A file of options (--config) cannot name another one; write its lines into it");
		return false;
	}
	if (strchr(option, '=') || g_strv_contains(alone, option))
		return true;
	spt_cli_complain("\"%s\" in the file of options (--config) has no value; write NAME VALUE",
			 option + strlen("--"));
	return false;
}

/* The arguments with those of the file before them; elements are interned.  NULL: complained. */
static GPtrArray *agent_add_file(const char *path, int argc, char **argv)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) lines = NULL;

	if (path && !g_file_get_contents(path, &text, NULL, &error)) {
		spt_cli_complain("Cannot read the options of agent (--config): %s",
				 error->message);
		return NULL;
	}
	g_ptr_array_add(all, argv[0]);
	lines = g_strsplit(text ? text : "", "\n", -1);
	for (char **line = lines; *line; line++) {
		g_autofree char *option = option_of_line(*line);

		if (option && !check_line(option))
			return NULL;
		if (option)
			g_ptr_array_add(all, (gpointer)g_intern_string(option));
	}
	for (int i = 1; i < argc; i++)
		g_ptr_array_add(all, argv[i]);
	g_ptr_array_add(all, NULL);
	return g_steal_pointer(&all);
}

static const char *find_config(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (g_str_has_prefix(argv[i], "--config="))
			return argv[i] + strlen("--config=");
		if (strcmp(argv[i], "--config") == 0 && i + 1 < argc)
			return argv[i + 1];
	}
	return NULL;
}

static bool parse_words(struct spt_agent_words *words, int argc, char **argv)
{
	const GOptionEntry entries[] = {
		{ "to", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->to,
		  "Where profiles go: otlp=URL (an OpenTelemetry Collector), otlp-grpc=HOST:PORT, pyroscope=URL, parca=URL, or pprof=PORT to serve them here; may be given several times",
		  "KIND=WHERE" },
		{ "every", 0, 0, G_OPTION_ARG_STRING, &words->every,
		  "How long a window is, which is sent as one profile (10s)", "TIME" },
		{ "at", 0, 0, G_OPTION_ARG_STRING, &words->at,
		  "Windows end at multiples of a time of the day, on all machines alike: */10s",
		  "*/TIME" },
		{ "rate", 'F', 0, G_OPTION_ARG_DOUBLE, &words->rate,
		  "Samples per second and CPU (100)", "HZ" },
		{ "budget", 0, 0, G_OPTION_ARG_STRING, &words->budget,
		  "What all of it may cost of a CPU: the rate is halved while it costs more, and doubled again, up to --rate, when it costs less (no bound)",
		  "PCT%" },
		{ "stacks", 0, 0, G_OPTION_ARG_STRING, &words->stacks,
		  "Stacks of programs: auto, fp (frame pointers), table (unwind tables in the module) or none",
		  "KIND" },
		{ "waits", 0, 0, G_OPTION_ARG_STRING, &words->waits,
		  "Also threads off their CPUs, as with record", SPT_CLI_OPTIONAL("all|TIME") },
		{ "also", 0, 0, G_OPTION_ARG_STRING, &words->also,
		  "Also the kernel's own work, as with record: locks, kmem ...", "LIST" },
		{ "source", 0, 0, G_OPTION_ARG_STRING, &words->source,
		  "module, perf or auto (the module if it is loaded)", "SOURCE" },
		{ "label", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->labels,
		  "A label for everything that is sent; may be given several times", "KEY=VALUE" },
		{ "only", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->only,
		  "Send only what has a label like this: service.name=nginx*", "KEY=PATTERN" },
		{ "except", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->except,
		  "Do not send what has a label like this", "KEY=PATTERN" },
		{ "token", 0, 0, G_OPTION_ARG_FILENAME, &words->token,
		  "A file with the bearer token that servers ask for; it is read for each request",
		  "FILE" },
		{ "header", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->headers,
		  "A header of each request: \"X-Scope-OrgID: team\"", "LINE" },
		{ "ca", 0, 0, G_OPTION_ARG_FILENAME, &words->ca,
		  "Certificates to believe, instead of the system's", "FILE" },
		{ "cert", 0, 0, G_OPTION_ARG_FILENAME, &words->certificate,
		  "The agent's own certificate", "FILE" },
		{ "key", 0, 0, G_OPTION_ARG_FILENAME, &words->key, "Its key", "FILE" },
		{ "door-token", 0, 0, G_OPTION_ARG_FILENAME, &words->door_token,
		  "A file with the bearer token that callers of pprof= have to send", "FILE" },
		{ "spool", 0, 0, G_OPTION_ARG_FILENAME, &words->spool,
		  "Where requests wait for servers that do not answer", "DIRECTORY" },
		{ "spool-limit", 0, 0, G_OPTION_ARG_STRING, &words->spool_limit,
		  "How much may wait for each server, then the oldest is dropped (64M)", "SIZE" },
		{ "keep", 0, 0, G_OPTION_ARG_FILENAME, &words->keep,
		  "Also keep windows here, as recordings", "DIRECTORY" },
		{ "keep-limit", 0, 0, G_OPTION_ARG_STRING, &words->keep_limit,
		  "How much is kept, then the oldest is removed (256M)", "SIZE" },
		{ "captures", 0, 0, G_OPTION_ARG_FILENAME, &words->captures,
		  "Where a condition (--capture-on) or POST /capture keeps what was recorded last; at most 20 stay",
		  "DIRECTORY" },
		{ "captures-limit", 0, 0, G_OPTION_ARG_STRING, &words->captures_limit,
		  "How much of them stays, then the oldest is removed (256M)", "SIZE" },
		{ "capture-last", 0, 0, G_OPTION_ARG_STRING, &words->last,
		  "How far a capture goes back (30s)", "TIME" },
		{ "capture-on", 0, 0, G_OPTION_ARG_STRING_ARRAY, &words->capture_on,
		  "Keep a capture at load=N per CPU, cpu=, io= or memory= percent of pressure, or late=TIME of a tick; may be given several times",
		  "KIND=LIMIT" },
		{ "pods", 0, 0, G_OPTION_ARG_FILENAME, &words->pods,
		  "A socket for containers: each client gets profiles of its own control group alone",
		  "SOCKET" },
		{ "memory-limit", 0, 0, G_OPTION_ARG_STRING, &words->memory,
		  "Most memory of the recorder (1G)", "SIZE" },
		{ "config", 0, 0, G_OPTION_ARG_FILENAME, &words->config,
		  "A file with more options, one a line, without the dashes; SIGHUP reads it again",
		  "FILE" },
		{ "dry-run", 0, 0, G_OPTION_ARG_NONE, &words->is_dry,
		  "Record one window, print what would be sent of it, and end", NULL },
		{ 0 },
	};

	if (!spt_cli_parse(&cmd_agent, entries, &argc, &argv))
		return false;
	if (argc == spt_cli_first_operand(argc, argv))
		return true;
	spt_cli_complain("agent takes options only, not \"%s\"", argv[1]);
	return false;
}

bool spt_agent_options_parse(struct spt_agent_options *options, int argc, char **argv)
{
	g_autoptr(GPtrArray) all = agent_add_file(find_config(argc, argv), argc, argv);

	*options = (struct spt_agent_options){ .words = g_new0(struct spt_agent_words, 1) };
	*options->words = (struct spt_agent_words){ .stacks = g_strdup("auto"),
						    .source = g_strdup("auto"),
						    .rate = 100 };
	return all &&
	       parse_words(options->words, (int)all->len - 1, (char **)all->pdata) &&
	       check_all(options);
}

void spt_agent_options_clear(struct spt_agent_options *options)
{
	struct spt_agent_words *words = options->words;
	char **lists[] = { words->to, words->labels, words->only, words->except, words->headers,
			   words->capture_on };
	char *texts[] = { words->every, words->at, words->stacks, words->source, words->waits,
			  words->also, words->memory, words->spool, words->spool_limit,
			  words->keep, words->keep_limit, words->captures,
			  words->captures_limit, words->last, words->token, words->ca,
			  words->certificate, words->key, words->door_token, words->config,
			  words->budget, words->pods };

	for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++)
		g_strfreev(lists[i]);
	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		g_free(texts[i]);
	g_clear_pointer(&words->targets, g_ptr_array_unref);
	g_free(words);
}
