// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi-modules ROUNDS: sessions with sources come and go, root's and a member's, while their module
 * is unloaded: in one round it is tried at any moment, in the next one from when a session has
 * loaded it until it works, and no new session begins.  The next session loads it again.  Sessions
 * without sources must not notice.
 */
#include "waits.h"

#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define NOBODY		65534U
#define SOURCES_MODULE	"sysprof_sources"
#define SOURCES_PATH	"/sys/module/" SOURCES_MODULE
#define RING_BYTES	(64U << 10)
/* Of a session, and at most between two attempts to unload. */
#define SESSION_MS	5U
#define PAUSE_MS	100U
#define PATIENCE_MS	60000U

/* What one kind of sessions went through. */
struct tally {
	unsigned done;
	unsigned missing;	/* the module went three times between its loading and its use */
	unsigned failed;
	int error;		/* the last one's */
};

enum actor { ROOT, MEMBER, ASKER, PLAIN, LASTING, ACTORS };

static struct shared {
	bool stop;
	bool quiet;		/* no new session with sources begins */
	struct tally tallies[ACTORS];
	uint64_t samples, lost;
} *shared;

static void pause_ms(unsigned ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

static int ask(int fd, struct sysprof_source *list, unsigned n)
{
	struct sysprof_sources arg = { .size = sizeof(arg),
				       .nr = n,
				       .source_bytes = sizeof(*list),
				       .sources = (uintptr_t)list };

	return ioctl(fd, SYSPROF_IOC_SOURCES, &arg) ? errno : 0;
}

static int run_session(int fd)
{
	struct sysprof_source_stats stats = { .size = sizeof(stats), .source = 1 };

	if (ioctl(fd, SYSPROF_IOC_START, NULL))
		return errno;
	pause_ms(SESSION_MS);
	ioctl(fd, SYSPROF_IOC_SOURCE_STATS, &stats);
	return 0;
}

/* One in three goes on without sources, one ends while it runs. */
static int with_sources(int fd, unsigned round)
{
	struct sysprof_source list[] = {
		{ .kind = SYSPROF_SOURCE_WAIT, .period = NS_PER_MS, .stacks = STACKS },
		{ .kind = SYSPROF_SOURCE_IRQ, .flags = SYSPROF_SOURCE_OPTIONAL },
		{ .kind = SYSPROF_SOURCE_IRQS_OFF, .flags = SYSPROF_SOURCE_OPTIONAL },
		{ .kind = SYSPROF_SOURCE_LOCK, .flags = SYSPROF_SOURCE_OPTIONAL },
		{ .kind = SYSPROF_SOURCE_HOLD, .flags = SYSPROF_SOURCE_OPTIONAL },
	};
	int error = ask(fd, list, sizeof(list) / sizeof(*list));

	if (!error)
		error = run_session(fd);
	if (error || round % 3 == 0)
		return error;
	if (ioctl(fd, SYSPROF_IOC_STOP, NULL))
		return errno;
	if (round % 3 == 1)
		return 0;
	error = ask(fd, NULL, 0);
	return error ? error : run_session(fd);
}

static int ask_for_infos(int fd)
{
	struct sysprof_source_info list[SYSPROF_SOURCES_MAX];
	struct sysprof_source_infos arg = { .size = sizeof(arg),
					    .nr = SYSPROF_SOURCES_MAX,
					    .info_bytes = sizeof(*list),
					    .infos = (uintptr_t)list };

	if (ioctl(fd, SYSPROF_IOC_SOURCE_INFO, &arg))
		return errno;
	return arg.nr > 1 && list[0].kind == SYSPROF_SOURCE_WAIT ? 0 : EINVAL;
}

static void act_once(enum actor actor, unsigned round)
{
	struct tally *tally = &shared->tallies[actor];
	int fd = device_open(), error;

	configured(fd, NS_PER_MS, RING_BYTES);
	error = actor == PLAIN	? run_session(fd) :
		actor == ASKER	? ask_for_infos(fd) :
				  with_sources(fd, round);
	close(fd);
	if (!error) {
		tally->done++;
	} else if (error == ENOPKG) {
		tally->missing++;
	} else {
		tally->failed++;
		tally->error = error;
	}
}

static void count_sample(const struct sysprof_record *record, void *data)
{
	(void)data;
	shared->samples += record->type == SYSPROF_SAMPLE;
}

/* One session without sources, all the time. */
static void act_lasting(void)
{
	struct session session = session_open(NS_PER_MS, 1U << 20);

	if (ioctl(session.fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	while (!__atomic_load_n(&shared->stop, __ATOMIC_RELAXED)) {
		pause_ms(SESSION_MS);
		for (unsigned cpu = 0; cpu < session.cpus; cpu++)
			session_drain(&session, cpu, count_sample, NULL);
	}
	for (unsigned cpu = 0; cpu < session.cpus; cpu++) {
		struct sysprof_stats stats = { .size = sizeof(stats), .cpu = cpu };

		if (ioctl(session.fd, SYSPROF_IOC_STATS, &stats))
			err(1, "STATS");
		shared->lost += stats.account.lost[SYSPROF_LOST_RING_FULL];
	}
	shared->tallies[LASTING].done++;
}

/* Without any right but that to open the device, by its group. */
static void become_member(void)
{
	struct stat st;

	if (stat(SYSPROF_DEVICE, &st) || setgroups(1, &st.st_gid) ||
	    setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		err(1, "cannot become a member");
}

static pid_t begin_actor(enum actor actor)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	if (actor == MEMBER)
		become_member();
	if (actor == LASTING) {
		act_lasting();
		_exit(0);
	}
	for (unsigned round = 0; !__atomic_load_n(&shared->stop, __ATOMIC_RELAXED);)
		if (actor != PLAIN && __atomic_load_n(&shared->quiet, __ATOMIC_RELAXED))
			pause_ms(1);
		else
			act_once(actor, round++);
	_exit(0);
}

static int unload(const char *module)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? errno : 0;
}

/* Until it goes; nobody takes it any more. */
static int unload_when_quiet(void)
{
	int error = 0;

	for (unsigned ms = 0; access(SOURCES_PATH, F_OK) && ms < PATIENCE_MS; ms++)
		pause_ms(1);
	__atomic_store_n(&shared->quiet, true, __ATOMIC_RELAXED);
	for (unsigned ms = 0; ms < PATIENCE_MS; ms++) {
		error = unload(SOURCES_MODULE);
		/* It is in use, or just being loaded. */
		if (error != EWOULDBLOCK && error != EBUSY)
			break;
		pause_ms(1);
	}
	__atomic_store_n(&shared->quiet, false, __ATOMIC_RELAXED);
	return error;
}

static void test_storm(unsigned rounds)
{
	static const char *const names[] = { "root's sessions with sources",
					     "a member's sessions with sources",
					     "questions for sources",
					     "sessions without sources",
					     "a session that lasts" };
	unsigned unloaded = 0, refused = 0, absent = 0, others = 0;
	pid_t pids[ACTORS];

	for (unsigned i = 0; i < ACTORS; i++)
		pids[i] = begin_actor(i);
	srandom(1);
	for (unsigned i = 0; i < rounds; i++) {
		pause_ms((unsigned)random() % PAUSE_MS);
		switch (i % 2 ? unload_when_quiet() : unload(SOURCES_MODULE)) {
		case 0:
			unloaded++;
			break;
		case EBUSY: /* it is just being loaded */
		case EWOULDBLOCK:
			refused++;
			break;
		case ENOENT:
			absent++;
			break;
		default:
			others++;
		}
	}
	__atomic_store_n(&shared->stop, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < ACTORS; i++) {
		int status;

		waitpid(pids[i], &status, 0);
		ok(!status && shared->tallies[i].done && !shared->tallies[i].failed,
		   "%s: %u, and none failed", names[i], shared->tallies[i].done);
		if (shared->tallies[i].failed)
			printf("# %u failed, the last one: %s\n", shared->tallies[i].failed,
			       strerror(shared->tallies[i].error));
		timed(shared->tallies[i].missing <= shared->tallies[i].done / 20,
		      "... %u times the module had gone again", shared->tallies[i].missing);
	}
	ok(unloaded >= rounds / 2 && refused && !others,
	   "of %u times the module was unloaded %u, and in use %u times", rounds, unloaded, refused);
	printf("# %u times it was not there\n", absent);
	ok(shared->samples > rounds, "the lasting session got samples all the time");
	timed(!shared->lost, "... and lost none for want of room");
}

/* What a killed process held goes with it, and the order is kept. */
static void test_ends(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		err(1, "pipe");
	pid = fork();
	if (!pid) {
		int fd = device_open();

		configured(fd, NS_PER_MS, RING_BYTES);
		if (with_sources(fd, 0) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ready[0], &byte, 1) != 1)
		err(1, "the session does not begin");
	ok(unload(SOURCES_MODULE) == EWOULDBLOCK, "a session with sources keeps their module");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(unload("sysprof") == EWOULDBLOCK, "the other module is kept by it");
	ok(unload(SOURCES_MODULE) == 0, "it goes when the session's process was killed");
	ok(unload("sysprof") == 0, "... and then the other");
}

int main(int argc, char **argv)
{
	if (argc != 2)
		errx(1, "usage: abi-modules ROUNDS");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED)
		err(1, "mmap");
	test_storm((unsigned)atoi(argv[1]));
	test_ends();
	return tests_end();
}
