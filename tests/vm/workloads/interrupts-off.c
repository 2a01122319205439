// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interrupts-off MODULE [nmi]: loads the irqsoff of tests/vm/modules, which holds interrupts off
 * for 1, 2 and 5 ms, ROUNDS times each, while counters of cycles sample every millisecond.  Where
 * their interrupts are NMIs what it does is found; else they wait until interrupts are on again,
 * and find where that is.
 */
#include "abi.h"

#include <sys/syscall.h>

#define ROUNDS		40
#define MAX_FRAMES	(1U << 17)

static const char *const holders[] = { "irqs_off_1ms", "irqs_off_2ms", "irqs_off_5ms" };

/* The kernel frames of all samples, one after the other, and which sample each is of. */
static struct sysprof_name names[MAX_FRAMES];
static uint32_t sample_of[MAX_FRAMES];
static uint32_t n_frames, n_samples;

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;

	(void)data;
	if (record->type != SYSPROF_SAMPLE)
		return;
	for (unsigned i = 0; i < sample->n_kernel && n_frames < MAX_FRAMES; i++) {
		bool exact = i == 0 && record->flags & SYSPROF_SAMPLE_KERNEL_EXACT;

		sample_of[n_frames] = n_samples;
		names[n_frames++].frame = sample->frames[i] - !exact;
	}
	n_samples++;
}

static void count_by_cycles(struct session *session)
{
	struct sysprof_config config = { .size = sizeof(config),
					 .clock = SYSPROF_CLOCK_PMU,
					 .event_period = NS_PER_MS,
					 .ring_bytes = session->config.ring_bytes };

	ok(!ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config), "CONFIGURE by cycles: %s",
	   strerror(errno));
	session->config = config;
}

/* The module is there still: its functions have names as long as it is. */
static void record(struct session *session, const char *module)
{
	unsigned unlawful = 0, unreadable = 0;
	int fd = open(module, O_RDONLY | O_CLOEXEC), failed;
	struct sysprof_account account;
	uint64_t lost = 0;

	if (fd < 0)
		err(1, "cannot open %s", module);
	ok(!ioctl(session->fd, SYSPROF_IOC_START, NULL), "START");
	failed = syscall(SYS_finit_module, fd, "", 0);
	ioctl(session->fd, SYSPROF_IOC_STOP);
	close(fd);
	ok(!failed, "the module holds interrupts off: %s", strerror(failed ? errno : 0));
	for (unsigned cpu = 0; cpu < session->cpus; cpu++) {
		unreadable += !session_drain(session, cpu, look_at, NULL);
		unlawful += !account_get(session->fd, cpu, &account) ||
			    account.grid != account_sum(&account);
		for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
			lost += account.lost[i];
	}
	ok(!unreadable && !unlawful, "the loss law adds up on each CPU, and the rings are whole");
	ok(!lost, "nothing was lost (%u)", (unsigned)lost);
}

static void judge(bool nmi)
{
	unsigned samples[3] = { 0 }, inside = 0;

	for (uint32_t i = 0, first = 0; i < n_frames; i++) {
		if (sample_of[i] != sample_of[first])
			first = i;
		for (unsigned h = 0; h < 3; h++) {
			if (strcmp(names[i].symbol, holders[h]))
				continue;
			samples[h]++;
			/*
			 * What it calls all the time to see how late it is.  Interrupts are put on
			 * again by the function itself; the first that comes then may let others
			 * in.
			 */
			inside += i != first && strncmp(names[i - 1].symbol, "el1", strlen("el1"));
		}
	}
	for (unsigned h = 0; h < 3; h++)
		printf("# %s: %u samples of %u times\n", holders[h], samples[h], ROUNDS);
	if (nmi) {
		timed(samples[2] >= 3 * ROUNDS,
		      "5 ms without interrupts have more than one sample each (%u)", samples[2]);
		timed(samples[0] < samples[1] && samples[1] < samples[2],
		      "... those of 1 and 2 ms have fewer (%u, %u)", samples[0], samples[1]);
		timed(inside >= ROUNDS, "... and what is called in there is found (%u)", inside);
	} else {
		timed(samples[2] >= ROUNDS / 2 && samples[2] <= 2 * ROUNDS,
		      "5 ms without interrupts have one sample each, at their end (%u)",
		      samples[2]);
		ok(!inside, "... and what is called in there is not found (%u)", inside);
	}
}

int main(int argc, char **argv)
{
	struct session session = session_open(NS_PER_MS, 1U << 20);

	if (argc < 2)
		errx(1, "say which module holds interrupts off");
	count_by_cycles(&session);
	record(&session, argv[1]);
	ok(n_frames > 0 && names_get(session.fd, names, n_frames),
	   "NAMES of %u frames of %u samples", n_frames, n_samples);
	judge(argc > 2 && !strcmp(argv[2], "nmi"));
	session_close(&session);
	syscall(SYS_delete_module, "irqsoff", O_NONBLOCK);
	return tests_end();
}
