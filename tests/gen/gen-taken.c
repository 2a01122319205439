/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gen-taken COMMAND...: runs it as a recorder of memory would, without a source of samples, and
 * prints what its rings say.  COMMAND sets LD_PRELOAD itself.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/namespace.h"
#include "rings/reader.h"

#define PAUSE_US 1000
#define LEAST_WAIT_NS 20000000

struct sums {
	uint64_t calls, bytes, frees, waits;
	bool is_broken;
};

static void take(struct sums *sums, const SptRingRecord *record)
{
	switch (record->type) {
	case SPT_RING_ALLOC:
	case SPT_RING_BIG:
	case SPT_RING_REALLOC_ALLOC:
		sums->calls++;
		sums->bytes += record->bytes;
		break;
	case SPT_RING_FREE:
	case SPT_RING_REALLOC_FREE:
		sums->frees++;
		break;
	case SPT_RING_REALLOC_FAILED:
		sums->frees--;
		break;
	case SPT_RING_WAIT:
		sums->waits++;
		break;
	default:
		break;
	}
}

static void take_all(void *rings, struct sums *sums)
{
	static SptRingReader *readers[SPT_RINGS_SLOTS];
	const struct spt_rings_programs *programs = spt_rings_programs(rings);
	uint32_t n = MIN(__atomic_load_n(&programs->next_slot, __ATOMIC_RELAXED), SPT_RINGS_SLOTS);
	SptRingRecord record;

	for (uint32_t i = 0; i < n; i++) {
		/* Pairs with the release by which the thread has made it ready. */
		if (!__atomic_load_n(&spt_rings_slot(rings, i)->is_ready, __ATOMIC_ACQUIRE))
			continue;
		if (!readers[i]) {
			readers[i] = g_new(SptRingReader, 1);
			spt_ring_reader_init(readers[i], rings, i);
		}
		spt_ring_reader_begin(readers[i]);
		while (spt_ring_reader_next(readers[i], &record))
			take(sums, &record);
		spt_ring_reader_end(readers[i]);
		sums->is_broken |= readers[i]->is_broken;
	}
}

static bool has_unseen(void *rings)
{
	const struct spt_rings_programs *programs = spt_rings_programs(rings);

	for (unsigned i = 0; i < SPT_UNSEEN_PLACES; i++)
		for (unsigned reason = 0; reason < SPT_UNSEEN_REASONS; reason++)
			if (programs->unseen[i].calls[reason])
				return true;
	return false;
}

int main(int argc, char **argv)
{
	int fd = memfd_create("rings", MFD_CLOEXEC), status = 0;
	g_autofree char *path = g_strdup_printf("/proc/%d/fd/%d", (int)getpid(), fd);
	struct spt_rings_header *header;
	struct sums sums = { 0 };
	pid_t child;

	if (argc < 2 || fd < 0 || ftruncate(fd, (off_t)spt_rings_bytes()) < 0)
		return 1;
	header = mmap(NULL, spt_rings_bytes(), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (header == MAP_FAILED)
		return 1;
	header->pid_namespace = spt_pid_namespace();
	header->n_slots = SPT_RINGS_SLOTS;
	header->ring_words = SPT_RING_WORDS;
	header->clock = SPT_RINGS_MONOTONIC;
	header->least_wait_ns = LEAST_WAIT_NS;
	header->version = SPT_RINGS_VERSION;
	header->magic = SPT_RINGS_MAGIC;
	setenv(SPT_RINGS_VARIABLE, path, 1);
	child = fork();
	if (child == 0) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	while (waitpid(child, &status, WNOHANG) == 0) {
		take_all(header, &sums);
		usleep(PAUSE_US);
	}
	take_all(header, &sums);
	printf("%lu %lu %lu %lu\n", sums.calls, sums.bytes, sums.frees, sums.waits);
	return status != 0 || sums.is_broken || has_unseen(header);
}
