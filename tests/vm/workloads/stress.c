// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stress SECONDS [SESSIONS]: many sessions at once, each with its own rate, ring and reader; one
 * reader stops and never comes back.  Meanwhile CPUs go and come, programs are forked, exec'ed and
 * ended, memory is mapped executable and unmapped, and the page cache is pressed out.  Now and then
 * a session stops and starts at another rate.  In the end each session's account must add up,
 * period by period, on every CPU, and what was delivered must be what its reader read.
 */
#include "abi.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>

#define MAX_SESSIONS	64
#define STOPPED		0	/* the session whose reader does not read */

static struct reader {
	pthread_t thread;
	struct session session;
	uint64_t weight, samples, lost, resyncs, rounds, started_ns;
	bool bad_account, bad_walk, bad_weight, busy;
} readers[MAX_SESSIONS];

static unsigned n_sessions;
static bool ended;
static uint64_t forks, maps, offlines, pressures;
extern char **environ;

/* Says so if not. */
static bool adds_up(const struct sysprof_account *account, const char *where)
{
	uint64_t sum = account_sum(account);

	if (sum == account->grid)
		return true;
	printf("# %s: of %llu periods %llu are accounted for\n", where,
	       (unsigned long long)account->grid, (unsigned long long)sum);
	return false;
}

static bool is_over(void)
{
	return __atomic_load_n(&ended, __ATOMIC_RELAXED);
}

static void on_record(const struct sysprof_record *record, void *data)
{
	struct reader *reader = data;

	switch (record->type) {
	case SYSPROF_SAMPLE:
		reader->weight += ((const struct sysprof_sample *)record)->weight;
		reader->samples++;
		break;
	case SYSPROF_LOST:
		reader->lost += ((const struct sysprof_lost *)record)->periods;
		break;
	case SYSPROF_RESYNC:
		reader->resyncs++;
		break;
	case SYSPROF_ACCOUNT: {
		const struct sysprof_account *account =
			&((const struct sysprof_account_record *)record)->account;

		reader->bad_account |= !adds_up(account, "a record");
		break;
	}
	}
}

static void drain(struct reader *reader)
{
	for (unsigned cpu = 0; cpu < reader->session.cpus; cpu++)
		reader->bad_walk |= !session_drain(&reader->session, cpu, on_record, reader);
}

/*
 * STOP, and what STATS, the ACCOUNTs and the samples say must agree to the period.  The storm's end
 * may fall into the first period of a round; a round of a second has periods on every CPU.
 */
static void end_round(struct reader *reader, bool reads)
{
	bool has_periods = wall_ns() - reader->started_ns > NS_PER_S;
	uint64_t delivered = 0, lost = 0;

	ioctl(reader->session.fd, SYSPROF_IOC_STOP);
	if (reads)
		drain(reader);
	for (unsigned cpu = 0; cpu < reader->session.cpus; cpu++) {
		struct sysprof_account account;

		/* A CPU number that has no CPU has no account. */
		if (!account_get(reader->session.fd, cpu, &account))
			continue;
		reader->bad_account |=
			!adds_up(&account, "after STOP") || (has_periods && !account.grid);
		if (has_periods && !account.grid)
			printf("# CPU %u: no period in a whole round\n", cpu);
		delivered += account.delivered;
		for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
			lost += account.lost[i];
	}
	if (reads && delivered != reader->weight) {
		reader->bad_weight = true;
		printf("# %" PRIu64 " delivered, %" PRIu64 " read\n", delivered, reader->weight);
	}
	reader->rounds++;
	reader->weight = 0;
}

/* Its own rate each time, from 50 to 2000 Hz. */
static void start(struct reader *reader, unsigned number)
{
	struct sysprof_config config = reader->session.config;
	static const unsigned periods_us[] = { 1000, 500, 20000, 1000, 3000, 10000, 7000 };

	config.period_ns =
		periods_us[(number + reader->rounds) %
			   (sizeof(periods_us) / sizeof(periods_us[0]))] *
		1000ULL;
	reader->busy |= ioctl(reader->session.fd, SYSPROF_IOC_CONFIGURE, &config) ||
			ioctl(reader->session.fd, SYSPROF_IOC_START, NULL);
	reader->started_ns = wall_ns();
}

static void *read_session(void *data)
{
	struct reader *reader = data;
	unsigned number = reader - readers;
	uint64_t until = 0;

	while (!is_over()) {
		start(reader, number);
		until = wall_ns() + (2 + number % 5) * NS_PER_S;
		while (!is_over() && wall_ns() < until) {
			usleep(5000 + 1000 * number);
			drain(reader);
		}
		end_round(reader, true);
	}
	return NULL;
}

/* Programs come and go, four at a time. */
static void *storm_forks(void *unused)
{
	static char *const arguments[] = { "true", NULL };

	while (!is_over()) {
		pid_t pids[4];

		for (unsigned i = 0; i < 4; i++) {
			if (i % 2 &&
			    !posix_spawn(&pids[i], "/bin/true", NULL, NULL, arguments, environ))
				continue;
			pids[i] = fork();
			if (!pids[i])
				_exit(0);
		}
		for (unsigned i = 0; i < 4; i++)
			if (pids[i] > 0)
				waitpid(pids[i], NULL, 0);
		forks += 4;
	}
	return unused;
}

/* Executable memory, of this program's file and of none, comes, changes, moves and goes. */
static void *storm_maps(void *unused)
{
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (self < 0)
		err(1, "cannot open this program");
	while (!is_over()) {
		void *at[16];

		for (unsigned i = 0; i < 16; i++) {
			at[i] = mmap(NULL, 4 * PAGE, PROT_READ | PROT_EXEC,
				     MAP_PRIVATE | (i % 2 ? MAP_ANONYMOUS : 0), i % 2 ? -1 : self,
				     0);
			if (at[i] == MAP_FAILED)
				err(1, "cannot map");
			mprotect((uint8_t *)at[i] + PAGE, PAGE,
				 i % 3 ? PROT_READ : PROT_READ | PROT_WRITE);
			mprotect((uint8_t *)at[i] + PAGE, PAGE, PROT_READ | PROT_EXEC);
		}
		for (unsigned i = 0; i < 16; i++)
			munmap(at[i], i % 4 ? 4 * PAGE : PAGE);
		for (unsigned i = 0; i < 16; i += 4)
			munmap((uint8_t *)at[i] + PAGE, 3 * PAGE);
		maps += 16;
	}
	close(self);
	return unused;
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		errno = 0;
	close(fd);
}

/* Every CPU but the first goes and comes back. */
static void *storm_hotplug(void *unused)
{
	unsigned cpu = 0, cpus = sysconf(_SC_NPROCESSORS_CONF);

	while (!is_over() && cpus > 1) {
		char path[64];

		cpu = cpu + 1 < cpus ? cpu + 1 : 1;
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
		write_file(path, "0");
		usleep(200000);
		write_file(path, "1");
		usleep(300000);
		offlines++;
	}
	return unused;
}

static void *storm_memory(void *unused)
{
	while (!is_over()) {
		size_t bytes = 64 << 20;
		uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (memory != MAP_FAILED) {
			for (size_t i = 0; i < bytes; i += PAGE)
				memory[i] = 1;
			munmap(memory, bytes);
		}
		write_file("/proc/sys/vm/drop_caches", "3");
		write_file("/proc/sys/vm/compact_memory", "1");
		pressures++;
		usleep(500000);
	}
	return unused;
}

int main(int argc, char **argv)
{
	static void *(*const storms[])(void *) = { storm_forks, storm_maps, storm_hotplug,
						   storm_memory };
	unsigned seconds = argc > 1 ? atoi(argv[1]) : 10,
		 n_storms = sizeof(storms) / sizeof(storms[0]);
	bool bad_account = false, bad_walk = false, bad_weight = false, busy = false;
	uint64_t samples = 0, lost = 0, resyncs = 0, rounds = 0, delivered = 0;
	pthread_t threads[sizeof(storms) / sizeof(storms[0])];

	n_sessions = argc > 2 ? atoi(argv[2]) : 16;
	if (n_sessions < 2 || n_sessions > MAX_SESSIONS)
		errx(2, "sessions must be 2 to %u", MAX_SESSIONS);
	for (unsigned i = 0; i < n_sessions; i++)
		readers[i].session = session_open(NS_PER_MS, PAGE << (2 + i % 5));
	for (unsigned i = 0; i < n_storms; i++)
		if (pthread_create(&threads[i], NULL, storms[i], NULL))
			errx(1, "cannot make a thread");
	start(&readers[STOPPED], STOPPED);
	for (unsigned i = 1; i < n_sessions; i++)
		if (pthread_create(&readers[i].thread, NULL, read_session, &readers[i]))
			errx(1, "cannot make a thread");

	sleep(seconds);
	__atomic_store_n(&ended, true, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < n_storms; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 1; i < n_sessions; i++)
		pthread_join(readers[i].thread, NULL);
	end_round(&readers[STOPPED], false);

	for (unsigned i = 0; i < n_sessions; i++) {
		bad_account |= readers[i].bad_account;
		bad_walk |= readers[i].bad_walk;
		bad_weight |= readers[i].bad_weight;
		busy |= readers[i].busy;
		samples += readers[i].samples;
		lost += readers[i].lost;
		resyncs += readers[i].resyncs;
		rounds += readers[i].rounds;
	}
	for (unsigned cpu = 0; cpu < readers[STOPPED].session.cpus; cpu++) {
		struct sysprof_account account;

		if (account_get(readers[STOPPED].session.fd, cpu, &account)) {
			delivered += account.delivered;
			busy |= !account.lost[SYSPROF_LOST_RING_FULL];
		}
	}
	printf("# %u s: %" PRIu64 " forks, %" PRIu64 " mappings, %" PRIu64
	       " times a CPU went, %" PRIu64 " times pressed\n",
	       seconds, forks, maps, offlines, pressures);
	printf("# %" PRIu64 " samples read in %" PRIu64 " rounds of %u sessions, %" PRIu64
	       " periods lost, %" PRIu64 " resyncs; "
	       "%" PRIu64 " periods before the stopped reader's rings were full\n",
	       samples, rounds, n_sessions, lost, resyncs, delivered);
	ok(forks && maps && pressures && (offlines || sysconf(_SC_NPROCESSORS_CONF) == 1),
	   "there was stress");
	ok(samples && rounds >= n_sessions, "each session ran");
	ok(!busy, "every start was granted, and only the reader that stopped ran full for good");
	ok(!bad_walk, "every record could be walked");
	ok(!bad_account, "the loss law holds to the period, in each ACCOUNT and after each STOP");
	ok(!bad_weight, "what was delivered is what was read");
	for (unsigned i = 0; i < n_sessions; i++)
		session_close(&readers[i].session);
	return tests_end();
}
