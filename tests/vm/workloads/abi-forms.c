// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two forms of user frames.  An ordinary user gets places in objects and nothing else: no MAP
 * record, no word that is an address of a program.  A privileged one may have both, and they must
 * agree: two sessions at once see the same ticks, and /proc/self/maps says where an address lies.
 */
#include "abi.h"

#define MAX_SAMPLES	4096
/* Below any address of a 64-bit program, above any file's size. */
#define LOWEST_USER	0x10000000000ULL

struct sample {
	uint64_t delay_ns, time;
	uint32_t cpu, n_user;
	uint64_t user[64];
};

struct seen {
	struct sample *samples;
	unsigned n, maps, flagged, places, leaks;
};

static void look_at(const struct sysprof_record *record, void *data)
{
	const struct sysprof_sample *sample = (const void *)record;
	struct seen *seen = data;
	struct sample *copy;

	seen->maps += record->type == SYSPROF_MAP;
	if (record->type != SYSPROF_SAMPLE)
		return;
	seen->flagged += !!(record->flags & SYSPROF_SAMPLE_ADDRESSES);
	for (unsigned i = 0; i < sample->n_user; i++) {
		uint64_t frame = sample->frames[sample->n_kernel + i];
		uint64_t offset = frame & SYSPROF_FRAME_OFFSET_MASK;

		seen->places += frame >> SYSPROF_FRAME_OBJECT_SHIFT >= SYSPROF_OBJECT_ANON;
		seen->leaks += frame >= LOWEST_USER && offset >= LOWEST_USER / 8;
	}
	if (record->pid != (uint32_t)getpid() || sample->n_user > 64 || seen->n == MAX_SAMPLES)
		return;
	copy = &seen->samples[seen->n++];
	copy->delay_ns = sample->delay_ns;
	copy->time = record->time;
	copy->cpu = record->cpu;
	copy->n_user = sample->n_user;
	memcpy(copy->user, sample->frames + sample->n_kernel, sample->n_user * sizeof(uint64_t));
}

static void drain(struct session *session, struct seen *seen)
{
	for (unsigned cpu = 0; cpu < session->cpus; cpu++)
		session_drain(session, cpu, look_at, seen);
}

static bool set_form(struct session *session, uint32_t form)
{
	struct sysprof_config config = {
		.size = sizeof(config),
		.period_ns = NS_PER_MS,
		.ring_bytes = session->config.ring_bytes,
		.form = form,
	};

	return !ioctl(session->fd, SYSPROF_IOC_CONFIGURE, &config);
}

/*
 * The offset in its file of what lies at @address, by the kernel's own list; false for what is no
 * file's code.
 */
static bool offset_of(uint64_t address, uint64_t *ret)
{
	static struct { uint64_t start, end, offset; } maps[512];
	static unsigned n;
	char line[512], path[256], permissions[8];
	unsigned long start, end, offset, inode;
	FILE *file;

	if (!n) {
		file = fopen("/proc/self/maps", "re");
		while (file && n < 512 && fgets(line, sizeof(line), file)) {
			if (sscanf(line, "%lx-%lx %7s %lx %*s %lu %255s", &start, &end, permissions,
				   &offset, &inode, path) < 5 ||
			    permissions[2] != 'x' || !inode)
				continue;
			maps[n].start = start;
			maps[n].end = end;
			maps[n++].offset = offset;
		}
		if (file)
			fclose(file);
	}
	for (unsigned i = 0; i < n; i++) {
		if (address < maps[i].start || address >= maps[i].end)
			continue;
		*ret = address - maps[i].start + maps[i].offset;
		return true;
	}
	return false;
}

/* Of two samples of one tick: the places are where the addresses say, as far as they go. */
static bool agrees(const struct sample *address, const struct sample *place, unsigned *compared)
{
	for (unsigned i = 0; i < place->n_user; i++) {
		uint64_t expected, place_of_call = place->user[i] - (i > 0);

		if (i >= address->n_user)
			return false;
		if (!offset_of(address->user[i] - (i > 0), &expected))
			continue;
		if ((place_of_call & SYSPROF_FRAME_OFFSET_MASK) != expected)
			return false;
		++*compared;
	}
	/* What was cut off is in no code. */
	for (unsigned i = place->n_user; i < address->n_user && i == place->n_user; i++) {
		uint64_t unexpected;

		if (offset_of(address->user[i] - (i > 0), &unexpected))
			return false;
	}
	return true;
}

static void test_agreement(struct session *addresses)
{
	struct session places = session_open(NS_PER_MS, addresses->config.ring_bytes);
	struct seen seen[2] = {
		{ .samples = calloc(MAX_SAMPLES, sizeof(struct sample)) },
		{ .samples = calloc(MAX_SAMPLES, sizeof(struct sample)) },
	};
	unsigned pairs = 0, wrong = 0, compared = 0;
	uint64_t dummy;

	offset_of(0, &dummy);
	ok(!ioctl(addresses->fd, SYSPROF_IOC_START, NULL) &&
		   !ioctl(places.fd, SYSPROF_IOC_START, NULL),
	   "both forms at once");
	for (unsigned round = 0; round < 50; round++) {
		burn_ms(20);
		drain(addresses, &seen[0]);
		drain(&places, &seen[1]);
	}
	ioctl(addresses->fd, SYSPROF_IOC_STOP);
	ioctl(places.fd, SYSPROF_IOC_STOP);
	drain(addresses, &seen[0]);
	drain(&places, &seen[1]);

	for (unsigned i = 0, j = 0; i < seen[0].n; i++) {
		const struct sample *address = &seen[0].samples[i];

		/*
		 * The same tick has the same delay; the one session is written right after the
		 * other.
		 */
		for (j = 0; j < seen[1].n; j++)
			if (seen[1].samples[j].cpu == address->cpu &&
			    seen[1].samples[j].delay_ns == address->delay_ns &&
			    seen[1].samples[j].time - address->time < 20 * NS_PER_MS)
				break;
		if (j == seen[1].n)
			continue;
		pairs++;
		wrong += !agrees(address, &seen[1].samples[j], &compared);
	}
	timed(pairs > 200 && compared > pairs / 2,
	      "the same ticks in both (%u, %u frames compared)", pairs, compared);
	ok(!wrong, "the kernel resolves to what /proc/self/maps says (%u do not)", wrong);
	free(seen[0].samples);
	free(seen[1].samples);
	session_close(&places);
}

int main(void)
{
	struct session session = session_open(NS_PER_MS, 1U << 20);
	struct seen seen = { .samples = calloc(MAX_SAMPLES, sizeof(struct sample)) };
	static uint8_t buffer[1 << 20];
	struct sysprof_snapshot snapshot = {
		.size = sizeof(snapshot),
		.buffer = (uintptr_t)buffer,
		.buffer_bytes = sizeof(buffer),
	};

	ok(!ioctl(session.fd, SYSPROF_IOC_START, NULL), "START of the default form");
	for (unsigned round = 0; round < 50; round++) {
		burn_ms(20);
		drain(&session, &seen);
	}
	while (!ioctl(session.fd, SYSPROF_IOC_SNAPSHOT, &snapshot) && snapshot.filled_bytes)
		for (size_t at = 0; at < snapshot.filled_bytes;
		     at += ((struct sysprof_record *)(buffer + at))->size * 8U)
			look_at((struct sysprof_record *)(buffer + at), &seen);
	ioctl(session.fd, SYSPROF_IOC_STOP);
	drain(&session, &seen);
	timed(seen.places > 200, "user frames are places in objects (%u)", seen.places);
	ok(!seen.maps && !seen.flagged, "no MAP record, no sample with addresses (%u, %u)",
	   seen.maps, seen.flagged);
	ok(!seen.leaks, "no word of a user part looks like an address (%u do)", seen.leaks);
	free(seen.samples);

	if (geteuid()) {
		ok(!set_form(&session, SYSPROF_FORM_ADDRESS) && errno == EPERM,
		   "addresses are refused");
	} else if (ok(set_form(&session, SYSPROF_FORM_ADDRESS), "root may have addresses")) {
		test_agreement(&session);
	}
	session_close(&session);
	return tests_end();
}
