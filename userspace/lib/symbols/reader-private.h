/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two ends of a helper's socket say: this, with the file's descriptor, then texts, offsets
 * and names; a place table comes back, or one to unwind by.
 */
#ifndef SPT_READER_PRIVATE_H
#define SPT_READER_PRIVATE_H

#include <stdint.h>

/* Of the path, and of the debug directories. */
#define SPT_READER_TEXT_MAX_BYTES (64u << 10)
#define SPT_READER_NAMES_MAX_BYTES (1u << 29)

struct spt_reader_request {
	uint32_t path_bytes, dirs_bytes;	/* dirs: each with its nul; 0: the usual ones */
	uint32_t n_offsets;
	/* give_up: no question, and no file; what is downloaded is not wanted */
	uint8_t depth, has_row, download, give_up;
	uint64_t file_bytes, mtime_ns;		/* what the row says */
	uint32_t build_id_bytes;
	uint8_t build_id[64];
	/* Of a kernel, as kernel-answer.h packs them; 0: it is a file of programs */
	uint32_t names_bytes;
	uint32_t keep, unwind;
};

/* May come before the table, as long as one's head. */
#define SPT_READER_PROGRESS 0x72707073

struct spt_reader_progress {
	uint32_t magic, reserved;
	uint64_t done_bytes, total_bytes, unused;
};

/* Before a table to unwind by; where there is none comes a place table that says why. */
#define SPT_READER_UNWIND 0x75707073

struct spt_reader_unwind {
	uint32_t magic, has_debug;
	uint64_t bytes;
	uint64_t reserved[2];
};

#endif
