/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The protocol of a helper's socket.  A request has the file's descriptor, then texts, offsets and
 * names.  The answer is a place table, or an unwind table.  Before it the helper, which can open
 * nothing, may call for files that belong to the one it reads; each call is answered.
 */
#ifndef SPT_HELPER_PRIVATE_H
#define SPT_HELPER_PRIVATE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Most bytes of the path, and of the debug directories. */
#define SPT_HELPER_TEXT_MAX_BYTES  (64u << 10)
#define SPT_HELPER_NAMES_MAX_BYTES (1u << 29)

struct spt_helper_request {
	uint32_t path_bytes, dirs_bytes; /* dirs: each with its nul; 0: the usual ones */
	uint32_t n_offsets;
	uint8_t depth, has_row, download, reserved;
	uint64_t file_bytes, mtime_ns; /* from the object's row */
	uint32_t build_id_bytes;
	uint8_t build_id[64];
	/* Bytes of a kernel's names, as kernel-answer.h packs them; 0: it is a program's file. */
	uint32_t names_bytes;
	uint32_t keep;
	uint32_t block; /* enum spt_helper_block */
};

/*
 * What comes instead of a place table: an unwind table, an interpreter's chain, or the text of an
 * answer about places (places.h), whose query the names are.
 */
enum spt_helper_block {
	SPT_HELPER_NO_BLOCK,
	SPT_HELPER_UNWIND_TABLE,
	SPT_HELPER_CHAIN,
	SPT_HELPER_PLACES,
};

/* As long as the head of a table; @bytes follow. */
#define SPT_HELPER_OPEN	 0x6f707073 /* the path of a debug file */
#define SPT_HELPER_FETCH 0x66707073 /* a build-id, whose debug file is to be downloaded */

struct spt_helper_call {
	uint32_t magic, reserved;
	uint64_t bytes;
	uint64_t unused[2];
};

/*
 * After OPEN it comes with the descriptor, unless problem says why not; after FETCH the path
 * follows.
 */
struct spt_helper_reply {
	int32_t problem; /* errno */
	uint32_t path_bytes;
};

/* Sends all of it; false: the other end has exited, or is too slow. */
bool spt_helper_send(int socket, const void *data, size_t bytes);

/*
 * Opens the debug file at @path for the helper of @of: a descriptor, or -1 and errno.  EACCES:
 * debug files of @of are not looked for there, or it is not an ELF file.  @dirs: each with its nul.
 */
int spt_helpers_open_for(const char *path, const char *of, const char *dirs, uint32_t dirs_bytes,
			 const char *fetched);

/* Reads files until the other end closes @socket. */
void spt_helper_serve(int socket);

/* State of a download: its progress, or that it is done, and the path of the file. */
struct spt_fetch_state {
	uint64_t done_bytes, total_bytes;
	uint32_t is_done, path_bytes;
};

/* Comes before a block.  If there is none, a place table that says why comes instead. */
#define SPT_HELPER_UNWIND 0x75707073

struct spt_helpers_unwind {
	uint32_t magic, has_debug;
	uint64_t bytes;
	uint64_t reserved[2];
};

#endif
