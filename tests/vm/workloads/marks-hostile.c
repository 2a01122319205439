/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks-hostile WAY SECONDS [PID]: what one user may try against a recorder of all users, and other
 * users' marks in it.  It waits until it is recorded, and prints what it has done.  The ways:
 *
 * flood: marks, counters and flows of ever new names, as fast as they go, and JOINs beside them.
 *
 * forge: marks "forged" in rings that say that they are process PID's, in each way.
 *
 * junk: any bytes in all of the memory, which it also tries to make shorter.
 */
#include <pthread.h>
#include <spt/mark.h>
#include <stdio.h>

static uint64_t end_ns;

static uint64_t hostile_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *hostile_marks(void *data)
{
	uint64_t *n = data;
	char name[32];

	for (; hostile_now() < end_ns; ++*n) {
		snprintf(name, sizeof(name), "flood %llu", (unsigned long long)*n % 100000);
		spt_mark_instant("flood", name, "of some length, so that the ring is full soon");
		spt_mark_counter(name, (double)*n);
		spt_mark_flow_begin(name, *n);
		spt_mark_flow_end("job", *n);
		spt_mark_open("flood", name);
	}
	return NULL;
}

static void *hostile_joins(void *data)
{
	uint64_t *n = data;

	for (; hostile_now() < end_ns; ++*n) {
		int node = open(SPT_MARK_NODE, O_RDONLY | O_CLOEXEC);
		int fd = ioctl(node, SPT_MARK_NODE_JOIN, (unsigned long)spt_mark_bell.ring);

		if (fd >= 0)
			close(fd);
		fd = ioctl(node, SPT_MARK_NODE_BELL, 0);
		if (fd >= 0)
			close(fd);
		close(node);
	}
	return NULL;
}

static void hostile_flood(void)
{
	uint64_t marks[4] = { 0 }, joins[2] = { 0 }, all = 0;
	pthread_t threads[6];

	for (unsigned i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, hostile_marks, &marks[i]);
	for (unsigned i = 0; i < 2; i++)
		pthread_create(&threads[4 + i], NULL, hostile_joins, &joins[i]);
	for (unsigned i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < 4; i++)
		all += marks[i];
	printf("marks %llu\njoins %llu\n", (unsigned long long)all,
	       (unsigned long long)(joins[0] + joins[1]));
}

static void hostile_put(struct spt_marks_slot *slot, uint64_t *words)
{
	static const char name[8] = "forged\0";
	uint32_t at = slot->head & (SPT_MARKS_WORDS - 1);

	if (at > SPT_MARKS_WORDS - 8)
		return;
	words[at] = SPT_MARK_INSTANT | 4ull << 5 | 6ull << 32;
	words[at + 1] = hostile_now();
	words[at + 2] = 0;
	memcpy(&words[at + 3], name, 8);
	__atomic_store_n(&slot->head, slot->head + 4, __ATOMIC_RELEASE);
}

static void hostile_forge(uint32_t victim)
{
	struct spt_marks_header *marks = spt_mark_link.marks;
	uint32_t own = (uint32_t)getpid(), n_slots = spt_mark_link.n_slots;
	unsigned long n = 0;

	while (hostile_now() < end_ns) {
		for (uint32_t i = 1; i < n_slots; i++) {
			struct spt_marks_slot *slot = spt_marks_slot(marks, i);

			if (!slot->is_ready) {
				slot->owner = 1;
				slot->pid = i % 4 == 1 ? own : victim;
				slot->tid = victim;
				slot->image = i;
				slot->is_foreign = i % 4 == 2;
				slot->begin_ns = i % 4 == 3 ? 0 : hostile_now();
				slot->has_exited = 0;
				__atomic_store_n(&slot->is_ready, 1, __ATOMIC_RELEASE);
			}
			hostile_put(slot, spt_marks_words(marks, i));
			n++;
		}
		spt_marks_programs(marks)->next_slot = n_slots;
		/* Rings are freed, and taken again. */
		for (uint32_t i = 1; i < n_slots; i += 3)
			spt_marks_slot(marks, i)->has_exited = 1;
		usleep(1000);
	}
	printf("forged %lu\n", n);
}

static void hostile_junk(void)
{
	struct spt_marks_header *marks = spt_mark_link.marks;
	uint64_t bytes = spt_marks_bytes_of(spt_mark_link.n_slots), seed = 88172645463325252ull;
	int node = open(SPT_MARK_NODE, O_RDONLY | O_CLOEXEC);
	int fd = ioctl(node, SPT_MARK_NODE_JOIN, (unsigned long)spt_mark_bell.ring);
	unsigned long n = 0;

	printf("cut %d\n", fd < 0 || ftruncate(fd, 4096) == 0 ||
				   fcntl(fd, 1033 /* F_ADD_SEALS */, 8 /* write */) == 0);
	while (hostile_now() < end_ns) {
		for (unsigned i = 0; i < 20000; i++, n++) {
			uint64_t *word;

			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			/* Half of it where the slots are. */
			word = (uint64_t *)marks +
			       (seed >> 32) % (i % 2 ? bytes : SPT_MARKS_WORDS_AT) / 8;
			*word = i % 3 ? seed : seed & 0x3ff;
		}
		fallocate(fd, 3 /* keep size, punch hole */, 0, (off_t)bytes);
		usleep(1000);
	}
	printf("junk %lu\n", n);
}

int main(int argc, char **argv)
{
	const char *way = argc > 2 ? argv[1] : "";

	if (argc < 3)
		return 2;
	while (!spt_mark_is_recorded())
		usleep(10000);
	spt_mark_instant("hostile", way, NULL);
	printf("begun\n");
	fflush(stdout);
	end_ns = hostile_now() + strtoull(argv[2], NULL, 10) * 1000000000;
	if (strcmp(way, "flood") == 0)
		hostile_flood();
	else if (strcmp(way, "forge") == 0 && argc > 3)
		hostile_forge((uint32_t)strtoul(argv[3], NULL, 10));
	else if (strcmp(way, "junk") == 0)
		hostile_junk();
	else
		return 2;
	return 0;
}
