/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures of GNOME Sysprof: a header of 256 bytes, then frames, each with its length, CPU,
 * process, time and type.  Frames begin at multiples of eight.  Numbers have the byte order of the
 * machine that wrote them, and the header says which.
 *
 * Layout: sysprof-capture-types.h of libsysprof-capture.
 */
#ifndef SPT_SYSCAP_H
#define SPT_SYSCAP_H

#include <glib.h>
#include <stdint.h>

#define SYSCAP_MAGIC  0xfdca975eu
/* Addresses from here on are names in a frame of SYSCAP_NAMES, up to those of contexts. */
#define SYSCAP_JITMAP 0xe000000000000000u
/* Addresses from here on say whether what follows is of the kernel or a program. */
#define SYSCAP_CONTEXT 0xfffffffffffff001u
#define SYSCAP_KERNEL  0xffffffffffffff80u

enum {
	SYSCAP_SAMPLE = 2,
	SYSCAP_MAP = 3,
	SYSCAP_PROCESS = 4,
	SYSCAP_NAMES = 7,
	SYSCAP_COUNTERS = 8,
	SYSCAP_VALUES = 9,
	SYSCAP_MARK = 10,
	SYSCAP_LINE = 12,
	SYSCAP_ALLOCATION = 14,
};

struct syscap_header {
	uint32_t magic;
	uint8_t version, is_little_endian, padding[2];
	char wall_clock[64];
	int64_t begin, end;
	char rest[168];
} __attribute__((packed));
G_STATIC_ASSERT(sizeof(struct syscap_header) == 256);

struct syscap_frame {
	uint16_t bytes;
	int16_t cpu;
	int32_t pid;
	int64_t time;
	uint8_t type, padding[7];
} __attribute__((packed));
G_STATIC_ASSERT(sizeof(struct syscap_frame) == 24);

/* Behind the frame of a sample; then addresses, innermost first. */
struct syscap_sample {
	uint16_t n, padding;
	int32_t tid;
} __attribute__((packed));

/* Behind that of an allocation, or, without bytes, of a free; then addresses, likewise. */
struct syscap_allocation {
	uint64_t address;
	int64_t bytes;
	int32_t tid;
	uint16_t n, padding;
} __attribute__((packed));

/* Behind that of a mapping; then the path. */
struct syscap_map {
	uint64_t start, end, offset, inode;
} __attribute__((packed));

/* Behind that of a mark; then a message, with a NUL. */
struct syscap_mark {
	int64_t duration_ns;
	char group[24], name[40];
} __attribute__((packed));
G_STATIC_ASSERT(sizeof(struct syscap_mark) == 72);

/* Behind that of a line of a log; then the line, with a NUL. */
struct syscap_line {
	uint16_t level, padding[3];	/* as GLib's: one of its bits */
	char domain[32];
} __attribute__((packed));
G_STATIC_ASSERT(sizeof(struct syscap_line) == 40);

/* Where exports put counters that have no category. */
#define SYSCAP_OWN_COUNTERS "Counters"

struct syscap_counter {
	char category[32], name[32], description[52];
	uint32_t id_and_type;	/* the number in 24 bits; above them 1 for a double */
	double value;
} __attribute__((packed));
G_STATIC_ASSERT(sizeof(struct syscap_counter) == 128);

/* Of a place for eight values at a time, one is used. */
struct syscap_value {
	uint32_t ids[8];
	double values[8];
} __attribute__((packed));
G_STATIC_ASSERT(sizeof(struct syscap_value) == 96);

#endif
