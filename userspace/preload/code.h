/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of files that is in the process's memory.  What is there before main() is read from the
 * kernel's list of mappings; libraries that come later are added when their code is first met.
 * Threads look things up without a lock.
 */
#ifndef SPT_PRELOAD_CODE_H
#define SPT_PRELOAD_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* An executable mapping of a file. */
struct spt_code {
	uint64_t start, end;		/* 0: no longer there */
	uint64_t offset;		/* of the start in the file */
	uint64_t device, inode;		/* as stat() has them; 0: not known */
	uint64_t base;			/* where the file begins; 0: not known */
	const uint8_t *eh_frame_hdr;	/* NULL: none */
	const void *link_map;		/* the loader's; NULL: not known, or there from the start */
	uint64_t object_end;		/* as the loader says; with link_map only */
	uint32_t name;			/* of spt_code_name() */
	uint32_t is_ready;
};

/* Before main(): reads the mappings.  @find_object: glibc's _dl_find_object(), or NULL. */
void spt_code_begin(void *find_object);
/*
 * The code around @address, or NULL.  It stays valid, but may describe what was there before:
 * spt_code_look() says whether it does.
 */
const struct spt_code *spt_code_find(uint64_t address);
/* Whether @address is in it, and it is still there; takes no lock. */
bool spt_code_is_at(const struct spt_code *code, uint64_t address);
const char *spt_code_name(const struct spt_code *code);
/* How many there are, also those that are no longer; NULL: the @n-th is not ready. */
uint32_t spt_code_count(void);
const struct spt_code *spt_code_nth(uint32_t n);
/* The same where rules are made, at most once for each of the addresses that have been met. */
bool spt_code_information(uint64_t address, const uint8_t **ret_eh_frame_hdr);
/* Something may have been unloaded.  Takes out what is no longer there; true: there was some. */
bool spt_code_look(void);

/* The mapping around @address, whatever it is.  False: it cannot be known now. */
bool spt_code_mapping(uint64_t address, uint64_t *ret_start, uint64_t *ret_end);

/* The end of the first thread's stack; 0: not known. */
extern uint64_t spt_main_stack_end;

#endif
