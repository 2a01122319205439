/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code of a place, as its file has it. */
#ifndef SPT_CODE_H
#define SPT_CODE_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

/* No function that people write has more. */
#define SPT_CODE_MAX_BYTES (1u << 20)

/*
 * What is put into an instruction when the code is loaded: until then the file has nothing there.
 */
typedef struct {
	uint64_t address;		/* where, within the instruction */
	char *name;			/* the address of what: "kfree", "table+0x8" */
} SptReference;

typedef struct {
	uint64_t address;		/* of the first byte, in the file's own address space */
	GByteArray *bytes;
	uint16_t machine;		/* EM_* */
	unsigned bits;			/* 32 or 64 */
	GArray *references;		/* SptReference, by address */
} SptCode;

SptCode *spt_code_new(uint64_t address, uint16_t machine, unsigned bits);
void spt_code_free(SptCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptCode, spt_code_free)
/* What @code refers to in [@address, @address + @bytes), or NULL. */
const char *spt_code_reference(const SptCode *code, uint64_t address, uint64_t bytes);

G_END_DECLS

#endif
