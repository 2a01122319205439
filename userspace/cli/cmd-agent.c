/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli agent: records all the time, and sends each few seconds as a profile.  This thread
 * records; encoding, sending and serving have threads of their own.
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent-options.h"
#include "agent/http-door.h"
#include "agent/pods.h"
#include "base/clock.h"
#include "base/heap.h"
#include "cmd.h"

#ifdef SPT_HAS_AGENT

#define STEP_MS		250
#define PATIENCE_MS	3000	/* for what still is to be sent at the end */
#define CLOCK_STEP_NS	200000000ll
#define LEAST_WINDOW_NS 1000000000ull
/*
 * A recorder numbers threads, and knows something of each until its end: after that number there is
 * a new one.
 */
#define RENEW_THREADS	16384

static volatile sig_atomic_t agent_ended, agent_reload;

static void agent_on_end(int number)
{
	(void)number;
	agent_ended = 1;
}

static void agent_on_reload(int number)
{
	(void)number;
	agent_reload = 1;
}

static void agent_catch_signals(void)
{
	struct sigaction action = { .sa_handler = agent_on_end };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	action.sa_handler = agent_on_reload;
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

/* What the door's threads see of the recorder, and the sums of those before. */
struct shown {
	GMutex lock;
	SptRecorderStatus status, before;
	unsigned n_before;
	uint64_t missed_ns;		/* between a recorder's last window and the next recorder */
	unsigned clock_steps;
	SptWatch *watch;		/* NULL: nothing is watched */
	SptPods *pods;			/* NULL: containers are not served */
};

static double rate_of(const SptRecorderStatus *status)
{
	return status->period_ns ? 1e9 / (double)status->period_ns /
					   MAX(status->self_limit.rate_part, 1) :
				   0;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void append_own_metrics(GString *to, void *data)
{
	struct shown *shown = data;
	SptRecorderStatus status, before;
	unsigned n_before, clock_steps;
	uint64_t missed_ns;
	struct rusage self, others;
	g_autofree char *statm = NULL;
	unsigned long all, resident = 0;
	SptPodsStatus pods = { 0 };

	if (shown->pods)
		spt_pods_status(shown->pods, &pods);
	g_mutex_lock(&shown->lock);
	status = shown->status;
	before = shown->before;
	n_before = shown->n_before;
	missed_ns = shown->missed_ns;
	clock_steps = shown->clock_steps;
	g_mutex_unlock(&shown->lock);
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &others);
	if (g_file_get_contents("/proc/self/statm", &statm, NULL, NULL))
		sscanf(statm, "%lu %lu", &all, &resident);
	g_string_append_printf(to,
			       "sysprof_agent_samples_total %" PRIu64 "\n"
			       "sysprof_agent_lost_total %" PRIu64 "\n"
			       "sysprof_agent_waits_total %" PRIu64 "\n"
			       "sysprof_agent_waits_lost_total %" PRIu64 "\n"
			       "sysprof_agent_events_total %" PRIu64 "\n"
			       "sysprof_agent_events_lost_total %" PRIu64 "\n"
			       "sysprof_agent_skipped_total %" PRIu64 "\n"
			       "sysprof_agent_renewals_total %u\n"
			       "sysprof_agent_renewal_missed_seconds_total %.6f\n"
			       "sysprof_agent_clock_steps_total %u\n"
			       "sysprof_agent_rate_hertz %.6g\n"
			       "sysprof_agent_cost_percent %.4f\n"
			       "sysprof_agent_over_budget %u\n"
			       "sysprof_agent_conditions_total %" PRIu64 "\n"
			       "sysprof_agent_pods_served_total %" PRIu64 "\n"
			       "sysprof_agent_pods_refused_total %" PRIu64 "\n"
			       "sysprof_agent_cpu_seconds_total %.6f\n"
			       "sysprof_agent_resident_bytes %lu\n",
			       before.samples + status.samples, before.lost + status.lost,
			       before.waits + status.waits, before.waits_lost + status.waits_lost,
			       before.events + status.events,
			       before.events_lost + status.events_lost,
			       before.budget + status.budget, n_before,
			       (double)missed_ns / 1e9, clock_steps, rate_of(&status),
			       status.self_limit.cost_pct, status.self_limit.is_over_budget,
			       shown->watch ? spt_watch_count(shown->watch) : 0, pods.served,
			       pods.refused,
			       seconds_of(self.ru_utime) + seconds_of(self.ru_stime) +
				       seconds_of(others.ru_utime) + seconds_of(others.ru_stime),
			       resident * (unsigned long)sysconf(_SC_PAGESIZE));
}

/* When the window ends that begins now, by CLOCK_MONOTONIC. */
static uint64_t end_of_window(const struct spt_agent_options *options)
{
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC);

	if (!options->is_aligned)
		return now + options->every_ns;
	return now + options->every_ns - spt_clock_ns(CLOCK_REALTIME) % options->every_ns;
}

/* False: complained. */
static bool cut_window(SptRecorder *recorder, SptAgent *agent)
{
	g_autofree char *path = spt_agent_next_path(agent);
	g_autoptr(GError) error = NULL;

	if (spt_recorder_write_window(recorder, path, &error)) {
		spt_agent_take(agent, path);
		return true;
	}
	/* Nothing ran, or there was no room for it. */
	spt_agent_take(agent, NULL);
	if (g_error_matches(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY))
		return true;
	spt_cli_complain("%s", error->message);
	return g_error_matches(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO);
}

/* Whether the file of options can be read as it is now. */
static bool may_reload(int argc, char **argv)
{
	struct spt_agent_options options;
	bool ok = spt_agent_options_parse(&options, argc, argv);

	spt_agent_options_clear(&options);
	if (!ok)
		spt_cli_complain("The options stay as they were");
	return ok;
}

struct run {
	const struct spt_agent_options *options;
	SptRecorder *recorder;
	SptAgent *agent;
	struct shown shown;
	int argc;
	char **argv;
	bool is_reload;
	unsigned rate_part;		/* that was said; 0: none */
	bool is_over_budget;		/* likewise */
	int64_t clock_offset_ns;	/* of CLOCK_REALTIME, at the last step */
};

static int64_t clock_offset_ns(void)
{
	return (int64_t)spt_clock_ns(CLOCK_REALTIME) - (int64_t)spt_clock_ns(CLOCK_MONOTONIC);
}

/* Windows are as long as before, and have the new time of the day. */
static void watch_clock(struct run *run)
{
	int64_t offset = clock_offset_ns(), moved = offset - run->clock_offset_ns;

	run->clock_offset_ns = offset;
	if (moved > -CLOCK_STEP_NS && moved < CLOCK_STEP_NS)
		return;
	spt_cli_complain("The clock of the day was set by %+.3f s", (double)moved / 1e9);
	g_mutex_lock(&run->shown.lock);
	run->shown.clock_steps++;
	g_mutex_unlock(&run->shown.lock);
}

/* A rate that has changed, or that does not help. */
static void tell_rate(struct run *run)
{
	const SptRecorderStatus *status = &run->shown.status;
	const SptSelfLimitStatus *limit = &status->self_limit;
	double budget = run->options->recorder.budget_pct;
	/* A recorder that has just begun has none. */
	unsigned part = MAX(limit->rate_part, 1);

	if (budget <= 0)
		return;
	if (run->rate_part && part != run->rate_part)
		spt_cli_complain("Recording %.4g times a second from now on: it took %.2f %% of a CPU, of a budget of %.4g %%",
				 rate_of(status), limit->cost_pct, budget);
	else if (limit->is_over_budget && !run->is_over_budget)
		spt_cli_complain("Recording took %.2f %% of a CPU, of a budget of %.4g %%, and a lower rate does not help",
				 limit->cost_pct, budget);
	run->rate_part = part;
	run->is_over_budget = limit->is_over_budget;
}

static void show_status(struct run *run)
{
	g_mutex_lock(&run->shown.lock);
	spt_recorder_status(run->recorder, &run->shown.status);
	g_mutex_unlock(&run->shown.lock);
	tell_rate(run);
	if (run->shown.status.late_ns)
		spt_watch_late(run->shown.watch, run->shown.status.late_ns);
}

/*
 * Right behind a window, which was cut from @since on, another recorder begins, before the old one
 * ends: what is in between is missed.  The next windows say so as if recording had paused.
 */
static void renew(struct run *run, uint64_t since)
{
	struct shown *shown = &run->shown;
	g_autofree char *key = g_strdup_printf("pause@%" PRIu64, since), *text = NULL;
	uint64_t missed_ns;
	g_autoptr(GError) error = NULL;
	g_autoptr(SptRecorder) next = spt_recorder_new(&run->options->recorder, &error);
	SptRecorder *old = run->recorder;

	if (!next || !spt_recorder_start(next, &error)) {
		spt_cli_complain("%s", error->message);
		return;
	}
	missed_ns = spt_clock_ns(CLOCK_MONOTONIC) - since;
	text = g_strdup_printf("%" PRIu64, missed_ns);
	spt_recorder_note(next, key, text);
	g_mutex_lock(&shown->lock);
	shown->missed_ns += missed_ns;
	shown->before.samples += shown->status.samples;
	shown->before.lost += shown->status.lost;
	shown->before.waits += shown->status.waits;
	shown->before.waits_lost += shown->status.waits_lost;
	shown->before.events += shown->status.events;
	shown->before.events_lost += shown->status.events_lost;
	shown->before.budget += shown->status.budget;
	shown->n_before++;
	g_mutex_unlock(&shown->lock);
	run->recorder = g_steal_pointer(&next);
	show_status(run);
	spt_recorder_free(old);
	malloc_trim(0);
}

/* Until a signal.  False: complained. */
static bool run_windows(struct run *run)
{
	uint64_t begun = spt_clock_ns(CLOCK_MONOTONIC), end = end_of_window(run->options);
	g_autoptr(GError) error = NULL;

	run->clock_offset_ns = clock_offset_ns();
	while (!agent_ended && !run->is_reload) {
		uint64_t now;

		if (!spt_recorder_step(run->recorder, STEP_MS, &error)) {
			spt_cli_complain("%s", error->message);
			return false;
		}
		show_status(run);
		watch_clock(run);
		now = spt_clock_ns(CLOCK_MONOTONIC);
		if (now >= end || (spt_agent_wants_window(run->agent) &&
				   now - begun >= LEAST_WINDOW_NS)) {
			if (!cut_window(run->recorder, run->agent))
				return false;
			if (run->shown.status.known_threads >= RENEW_THREADS)
				renew(run, now);
			begun = now;
			end = end_of_window(run->options);
		}
		if (agent_reload) {
			agent_reload = 0;
			run->is_reload = may_reload(run->argc, run->argv);
		}
	}
	return cut_window(run->recorder, run->agent);
}

static void tell_sentence(const char *sentence, G_GNUC_UNUSED void *data)
{
	spt_cli_complain("%s", sentence);
}

/* False: complained. */
static bool print_window(SptRecorder *recorder, const struct spt_agent_options *options)
{
	uint64_t end = spt_clock_ns(CLOCK_MONOTONIC) + options->every_ns;
	g_autofree char *directory = g_dir_make_tmp("sysprof-agent-XXXXXX", NULL),
			*path = g_build_filename(directory ? directory : g_get_tmp_dir(),
						 "window.capture", NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	bool ok = true;

	while (ok && !agent_ended && spt_clock_ns(CLOCK_MONOTONIC) < end)
		ok = spt_recorder_step(recorder, STEP_MS, &error);
	ok = ok && spt_recorder_write_window(recorder, path, &error) &&
	     spt_agent_explain(&options->agent, path, text, &error);
	g_unlink(path);
	if (directory)
		g_rmdir(directory);
	if (!ok) {
		spt_cli_complain("%s", error->message);
		return false;
	}
	fputs(text->str, stdout);
	return spt_cli_flush();
}

static int run_dry(const struct spt_agent_options *options)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptRecorder) recorder = spt_recorder_new(&options->recorder, &error);

	agent_catch_signals();
	if (!recorder || !spt_recorder_start(recorder, &error)) {
		spt_cli_complain("%s", error->message);
		return SPT_EXIT_FAILURE;
	}
	return print_window(recorder, options) ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

/* For people and for who waits for the first line. */
static void tell_start(const struct run *run, const SptDoor *door)
{
	SptRecorderStatus status;

	spt_recorder_status(run->recorder, &status);
	fprintf(stderr, "Recording %.4g times a second (source: %s), a window each %.4g s",
		1e9 / (double)status.period_ns, status.source,
		(double)run->options->every_ns / 1e9);
	if (door)
		fprintf(stderr, ", profiles at port %u", spt_door_port(door));
	fprintf(stderr, ".\n");
	if (status.notice)
		fprintf(stderr, "Note: %s.\n", status.notice);
	if (run->options->watch.limits[SPT_WATCH_LATE] > 0 && !status.reports_delays)
		fprintf(stderr, "Note: late ticks are seen by the module alone (--capture-on late=).\n");
}

/* Threads are started before the recorder gives this one precedence. */
static bool run_with_agent(struct run *run)
{
	const struct spt_agent_options *options = run->options;
	g_autoptr(GError) error = NULL;
	SptDoor *door = NULL;
	bool ok = true;

	if (spt_watch_is_on(&options->watch)) {
		run->shown.watch = spt_watch_new(&options->watch, run->agent, tell_sentence, NULL,
						 &error);
		ok = run->shown.watch;
	}
	if (ok && (options->pods || options->pods_fd >= 0)) {
		run->shown.pods = spt_pods_new(options->pods, options->pods_fd, run->agent, &error);
		ok = run->shown.pods;
	}
	if (ok && options->door) {
		door = spt_door_new(options->door, options->door_token, run->agent,
				    append_own_metrics, &run->shown, &error);
		ok = door;
	}
	if (ok) {
		run->recorder = spt_recorder_new(&options->recorder, &error);
		ok = run->recorder && spt_recorder_start(run->recorder, &error);
	}
	if (!ok) {
		spt_cli_complain("%s", error->message);
	} else {
		tell_start(run, door);
		ok = run_windows(run);
	}
	g_clear_pointer(&run->recorder, spt_recorder_free);
	spt_agent_close(run->agent);
	spt_door_free(door);
	g_clear_pointer(&run->shown.pods, spt_pods_free);
	g_clear_pointer(&run->shown.watch, spt_watch_free);
	return ok;
}

static int run_agent_with(const struct spt_agent_options *options, int argc, char **argv,
			  bool *ret_reload)
{
	struct run run = { .options = options, .argc = argc, .argv = argv };
	g_autoptr(GError) error = NULL;
	bool ok;

	agent_catch_signals();
	if (!spt_http_init(&error)) {
		spt_cli_complain("%s", error->message);
		return SPT_EXIT_FAILURE;
	}
	run.agent = spt_agent_new(&options->agent, &error);
	if (!run.agent) {
		spt_cli_complain("%s", error->message);
		return SPT_EXIT_FAILURE;
	}
	g_mutex_init(&run.shown.lock);
	ok = run_with_agent(&run);
	spt_agent_free(run.agent, run.is_reload ? 0 : PATIENCE_MS);
	g_mutex_clear(&run.shown.lock);
	*ret_reload = run.is_reload;
	return ok ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

/* Begins anew with the same arguments: what waited is in the spool. */
static int reload(int argc, char **argv)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	g_ptr_array_add(all, (gpointer)spt_cli_called());
	for (int i = 0; i < argc; i++)
		g_ptr_array_add(all, argv[i]);
	g_ptr_array_add(all, NULL);
	fflush(NULL);
	execv("/proc/self/exe", (char **)all->pdata);
	spt_cli_complain("Cannot begin anew with the new options: %s; restart the agent",
			 g_strerror(errno));
	return SPT_EXIT_FAILURE;
}

static int run_agent(int argc, char **argv)
{
	g_autofree char **arguments = g_memdup2(argv, ((size_t)argc + 1) * sizeof(*argv));
	struct spt_agent_options options;
	int status = SPT_EXIT_USAGE;
	bool is_reload = false;

	spt_heap_give_back();
	/* Threads that work one after the other need no memory of their own. */
	mallopt(M_ARENA_MAX, 1);
	if (spt_agent_options_parse(&options, argc, argv)) {
		options.agent.tell = tell_sentence;
		status = options.is_dry ? run_dry(&options) :
					  run_agent_with(&options, argc, arguments, &is_reload);
	}
	spt_agent_options_clear(&options);
	return is_reload ? reload(argc, arguments) : status;
}

#else

static int run_agent(int argc, char **argv)
{
	struct spt_agent_options options;
	bool ok = spt_agent_options_parse(&options, argc, argv);

	spt_agent_options_clear(&options);
	if (!ok)
		return SPT_EXIT_USAGE;
	spt_cli_complain(
		"This program was built without libcurl, libmicrohttpd or protobuf-c, which an agent needs");
	return SPT_EXIT_FAILURE;
}

#endif

const struct spt_command cmd_agent = {
	.name = "agent",
	.usage = "--to KIND=WHERE ...",
	.help = "Record all the time, and send profiles to engines that keep those of many hosts",
	.run = run_agent,
};
