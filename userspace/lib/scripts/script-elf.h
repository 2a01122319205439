/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What describers of interpreters look up in their ELF files, which may be hostile. */
#ifndef SPT_SCRIPT_ELF_H
#define SPT_SCRIPT_ELF_H

#include "object/object.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t address, bytes;
} SptScriptSymbol;

/* The symbol called @name; false: there is none. */
bool spt_script_elf_symbol(const SptObject *object, const char *name, SptScriptSymbol *ret);
/* Calls @func for each symbol. */
void spt_script_elf_each(const SptObject *object,
			 void (*func)(const char *name, const SptScriptSymbol *symbol, void *data),
			 void *data);
/* Copies what the file has at @address, an address in the object; false: it has not all of it. */
bool spt_script_elf_read(const SptObject *object, uint64_t address, void *to, size_t bytes);
/* The segment with @address, as far as the file has it. */
bool spt_script_elf_segment(const SptObject *object, uint64_t address, uint64_t *ret_start,
			    uint64_t *ret_bytes);
/* The difference between addresses in the code and offsets in the file. */
bool spt_script_elf_code(const SptObject *object, uint64_t address, int64_t *ret_difference);

G_END_DECLS

#endif
