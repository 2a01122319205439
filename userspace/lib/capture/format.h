/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers of format.md. */
#ifndef SPT_CAPTURE_FORMAT_H
#define SPT_CAPTURE_FORMAT_H

#include <stdint.h>

#define SPT_FILE_MAGIC "\x8fSPTCAP\n"
#define SPT_FILE_MAGIC_BYTES 8
#define SPT_FILE_HEADER_BYTES 16
#define SPT_FILE_VERSION 3
#define SPT_FILE_OLDEST_VERSION 3	/* readers of all later versions open it */

#define SPT_BLOCK_MAGIC "SPTB"
#define SPT_BLOCK_MAGIC_BYTES 4
#define SPT_BLOCK_HEADER_BYTES 24
#define SPT_BLOCK_ZSTD (1 << 0)
#define SPT_BLOCK_MAX_BYTES (8u << 20)

#define SPT_TABLE_MAX_ROWS (1u << 24)
#define SPT_TABLE_MAX_COLUMNS 64
#define SPT_PLANES_HEAD_BYTES 2
/* Followers of a frame that are searched for the frame of a node. */
#define SPT_MOST_FOLLOWERS 32
/* Of offsets in source files: the line; above it is the number of a function. */
#define SPT_SOURCE_LINE_BITS 20
#define SPT_SOURCE_LINE_MASK ((1u << SPT_SOURCE_LINE_BITS) - 1)
/* Most functions at one place, inlined ones included. */
#define SPT_MOST_LEVELS 64

typedef enum {
	SPT_BLOCK_HOST = 1,
	SPT_BLOCK_OBJECT = 2,
	SPT_BLOCK_PROCESS = 3,
	SPT_BLOCK_THREAD = 4,
	SPT_BLOCK_NODE = 5,
	SPT_BLOCK_STREAM = 6,
	SPT_BLOCK_STREAM_COLUMN = 7,
	SPT_BLOCK_EVENT = 8,
	SPT_BLOCK_NAME = 9,
	SPT_BLOCK_ACCOUNT = 10,
	SPT_BLOCK_LOSS = 11,
	SPT_BLOCK_FILE = 12,
	SPT_BLOCK_INDEX = 13,
	SPT_BLOCK_END = 14,
	SPT_BLOCK_PROCESS_END = 15,
	SPT_BLOCK_FRAME = 16,
	SPT_BLOCK_OLD_FRAME = 17,
	SPT_BLOCK_TEXT = 18,
	SPT_BLOCK_BUNDLED = 19,
	SPT_BLOCK_COMMAND_LINE = 20,
	SPT_BLOCK_MAP = 21,
} SptBlockType;

typedef enum {
	SPT_CODING_VARINT = 0,
	SPT_CODING_ZIGZAG = 1,
	SPT_CODING_DELTA = 2,
	SPT_CODING_CONST = 3,
	SPT_CODING_BYTES = 4,
	SPT_CODING_PLANES = 5,
	SPT_CODING_RISING = 6,
	SPT_CODING_SCALED = 7,
} SptCoding;

typedef enum {
	SPT_STREAM_SAMPLES = 0,
	SPT_STREAM_SPANS = 1,
	SPT_STREAM_COUNTER = 2,
	SPT_STREAM_MARKS = 3,
	SPT_STREAM_SUMS = 4,
	SPT_STREAM_SWITCHES = 5,
} SptStreamKind;

typedef enum {
	SPT_ROLE_TIME = 1,
	SPT_ROLE_CPU = 2,
	SPT_ROLE_THREAD = 3,
	SPT_ROLE_NODE = 4,
	SPT_ROLE_WEIGHT = 5,
	SPT_ROLE_DURATION = 6,
	SPT_ROLE_OTHER_NODE = 7,
	SPT_ROLE_COOKIE = 8,
	SPT_ROLE_DELAY = 9,
	SPT_ROLE_USER_END = 10,
	SPT_ROLE_KERNEL_END = 11,
	SPT_ROLE_CONTEXT = 12,
	SPT_ROLE_VALUE = 13,
	SPT_ROLE_TEXT = 14,
	SPT_ROLE_HANDLE = 15,
	SPT_ROLE_SIZE = 16,
	SPT_ROLE_RAW_STACK = 17,
	SPT_ROLE_KERNEL_NODE = 18,
	SPT_ROLE_STATE = 19,
	SPT_ROLE_WAKER = 20,		/* -> THREAD */
	SPT_ROLE_RUNNABLE = 21,
	SPT_ROLE_FLAGS = 22,
	SPT_ROLE_CPU_BEFORE = 23,
	SPT_ROLE_STATE_NS = 24,		/* and 11 more: ns in each state */
	SPT_ROLE_VOLUNTARY = 36,
	SPT_ROLE_INVOLUNTARY = 37,
	SPT_ROLE_WAKES = 38,
	SPT_ROLE_LONGEST = 39,
	SPT_ROLE_SINCE = 40,
	SPT_ROLE_HAS_BEGIN = 41,
	SPT_ROLE_HAS_END = 42,
	SPT_ROLE_COST = 43,
	SPT_ROLE_CALLS = 44,
	SPT_ROLE_SOURCE = 45,
	SPT_ROLE_MEMORY_NODE = 46,
	SPT_ROLE_FIELD = 47,		/* of a declared kind */
	SPT_ROLE_TALLY = 64,		/* and 51 more */
} SptRole;

/* How the frame of a node is stored. */
typedef enum {
	SPT_NODE_NEW_FRAME = 0,
	SPT_NODE_OLD_FRAME = 1,
	/* and up: follower of the parent's frame, from the latest on */
	SPT_NODE_FOLLOWER = 2,
} SptNodeFrame;

/*
 * Why the user part of a stack ends (SPT_ROLE_USER_END), beyond the device's enum sysprof_end, if
 * it was unwound from a copy of the stack.
 */
typedef enum {
	SPT_END_CUT = 16,		/* the copy is too short */
	/* The outermost frame's function has neither unwind information nor a frame pointer */
	SPT_END_NO_INFO = 17,
	/*
	 * Added to one of the device's: the stack was not copied, but walked along frame pointers.
	 */
	SPT_END_FRAME_POINTERS = 32,
} SptUserEnd;

/* What happened to a mapping. */
typedef enum {
	SPT_MAP_MADE = 0,
	SPT_MAP_SEEN = 1,		/* it had been mapped before */
	SPT_MAP_GONE = 2,		/* it was unmapped by then */
} SptMapHow;

/* Most rows of mappings of a process that count.  If there are more, the list is incomplete. */
#define SPT_MOST_MAPS 8192

/* Column of an EVENT that holds the stream. */
#define SPT_EVENT_STREAM_COLUMN 0

#endif
