/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Machine code of a place, as in its file. */
#ifndef SPT_CODE_H
#define SPT_CODE_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

/* More than any real function has. */
#define SPT_CODE_MAX_BYTES (1u << 20)

/*
 * A value that is put into an instruction when the code is loaded.  Until then the file has nothing
 * there.
 */
typedef struct {
	uint64_t address;		/* its place, within the instruction */
	char *name;			/* the target: "kfree", "table+0x8" */
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
/* The target of the reference of @code in [@address, @address + @bytes), or NULL. */
const char *spt_code_reference(const SptCode *code, uint64_t address, uint64_t bytes);

G_END_DECLS

#endif
