/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chance, for fuzz-device: numbers and places of the kind that break things. */
#ifndef FUZZ_HAND_H
#define FUZZ_HAND_H

#include "abi.h"

#define SLOTS		8
#define MAPPINGS	16
#define BUFFER_BYTES	(256 * 1024)
/*
 * Each thread's memory is in an area of its own, where nothing else is: a pointer whose lower half
 * is spoilt, through which the kernel writes, leads to nobody else's.
 */
#define AREAS		(1ULL << 40)
#define AREA_BYTES	(1ULL << 32)
#define AREA_PLACES	128U	/* for mappings of the device */
#define OWN_DESCRIPTORS	512	/* from here on they are of one thread, or of its mates */

/* What one thread (or child) has to itself. */
struct hand {
	uint64_t random;
	uint8_t *buffer;	/* BUFFER_BYTES, with an unmapped page behind it; begins the area */
	unsigned place;		/* the next one for a mapping */
	struct {
		void *at;
		size_t bytes;
		bool is_tail;
	} mappings[MAPPINGS];
};

static int slots[SLOTS];
static uint64_t calls_wanted, calls_made;

static inline bool time_is_up(void)
{
	return __atomic_load_n(&calls_made, __ATOMIC_RELAXED) >= calls_wanted;
}

static uint64_t draw(struct hand *hand)
{
	hand->random ^= hand->random << 13;
	hand->random ^= hand->random >> 7;
	hand->random ^= hand->random << 17;
	return hand->random * 0x2545f4914f6cdd1dULL >> 16;
}

static unsigned below(struct hand *hand, unsigned n)
{
	return draw(hand) % n;
}

static bool one_in(struct hand *hand, unsigned n)
{
	return !below(hand, n);
}

/* A number of the kind that breaks things. */
static uint64_t number(struct hand *hand)
{
	uint64_t power = 1ULL << below(hand, 64);

	switch (below(hand, 6)) {
	case 0: return 0;
	case 1: return below(hand, 10);
	case 2: return power;
	case 3: return power - 1;
	case 4: return -(uint64_t)below(hand, 4097);
	default: return draw(hand);
	}
}

/*
 * Somewhere: mostly the thread's buffer, so that @bytes end where it ends or lie at its beginning.
 * The kernel writes there, and more than @bytes where a number is spoilt: behind the buffer nothing
 * is mapped.
 */
static void *place(struct hand *hand, size_t bytes)
{
	if (bytes > BUFFER_BYTES)
		bytes = BUFFER_BYTES;
	switch (below(hand, 12)) {
	case 0: return NULL;
	case 1: return (void *)(uintptr_t)number(hand);
	case 2: return (void *)0xffffffff81000000UL;
	case 3: return hand->buffer + BUFFER_BYTES - bytes / 2;
	case 4: return hand->buffer + BUFFER_BYTES - bytes;
	case 5: return hand->buffer;
	default: return hand->buffer + BUFFER_BYTES / 2;
	}
}

/* The same for exactly @bytes, which may be in a mapping of the device. */
static void *place_of(struct hand *hand, size_t bytes)
{
	return one_in(hand, 12) && hand->mappings[0].at && hand->mappings[0].bytes >= bytes ?
		       hand->mappings[0].at :
		       place(hand, bytes);
}

/*
 * The device at a number that other threads do not have: one that was closed is still used for a
 * while, and may be given out again meanwhile, for something else.
 */
static inline int open_for_one(int flags)
{
	int fd = -1;

	while (fd < 0) {
		int low = open(SYSPROF_DEVICE, flags | O_CLOEXEC);

		if (low < 0)
			return -1;
		fd = fcntl(low, F_DUPFD_CLOEXEC, OWN_DESCRIPTORS);
		close(low);
	}
	return fd;
}

/* Where the next mapping of the device may be: never where the one before it is. */
static inline void *place_for_mapping(struct hand *hand)
{
	hand->place = hand->place % AREA_PLACES + 1;
	return hand->buffer + AREA_BYTES / 2 / AREA_PLACES * hand->place;
}

static int slot(struct hand *hand)
{
	return __atomic_load_n(&slots[below(hand, SLOTS)], __ATOMIC_RELAXED);
}

/* Spoils one word, or the size, or nothing. */
static void spoil(struct hand *hand, void *arg, size_t bytes)
{
	static const int sizes[] = { 0, 4, 8, -8, -4, 8, 64, 4096, 8192 };
	uint32_t size = bytes;
	unsigned which;

	memcpy(arg, &size, sizeof(size));
	switch (below(hand, 4)) {
	case 0:
		which = below(hand, bytes / 4);
		*(uint32_t *)((uint8_t *)arg + which * 4) = number(hand);
		break;
	case 1:
		which = below(hand, sizeof(sizes) / sizeof(sizes[0]));
		size = which < 3 ? (uint32_t)sizes[which] : bytes + sizes[which];
		memcpy(arg, &size, sizeof(size));
		break;
	}
}

static void hand_make(struct hand *hand, uint64_t seed)
{
	static uint64_t n_areas;
	uint64_t area = AREAS + AREA_BYTES * __atomic_fetch_add(&n_areas, 1, __ATOMIC_RELAXED);

	memset(hand, 0, sizeof(*hand));
	hand->random = seed * 0x9e3779b97f4a7c15ULL + 1;
	hand->buffer = mmap((void *)(uintptr_t)area, BUFFER_BYTES + PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (hand->buffer == MAP_FAILED || mprotect(hand->buffer + BUFFER_BYTES, PAGE, PROT_NONE))
		err(1, "cannot have memory");
}

#endif
